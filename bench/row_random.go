package main

import (
	"fmt"
	"strconv"
)

const randomEdits = 20_000

// randomRow edits texts of many sizes at random places.
func randomRow(e *env) (row, error) {
	r := row{
		Title: "Random edits",
		About: fmt.Sprintf("%d single characters, inserted and deleted in turn at random places of Go's own source, with a snapshot every 100 edits. Time per edit. "+
			"Those who copy the text each time, textdocument and the rebuild, would take minutes: they make the first of these edits only, as many as the table says, and the line array ten times as many.", randomEdits),
	}
	if err := r.growth(e); err != nil {
		return r, err
	}
	err := r.kinds(e)
	return r, err
}

// growth measures all ways to keep a text at all sizes.
func (r *row) growth(e *env) error {
	node, err := e.texts()
	if err != nil {
		return err
	}
	defer node.stop()
	sizes := []int{10 * kilobyte, 100 * kilobyte, megabyte, 10 * megabyte, 50 * megabyte, 100 * megabyte}
	if e.quick {
		sizes = []int{10 * kilobyte, megabyte, 50 * megabyte}
	}
	names := append(append([]string{us}, node.names...), lineArray, rebuild)
	t := table{Columns: append([]string{"size", "edits of those who copy"}, names...)}
	c := chart{File: "random.svg", Title: "One random edit, by the size of the text", X: "size of the text", Y: "per edit"}
	lines := make([]line, len(names))
	for _, size := range sizes {
		c.XMarks = append(c.XMarks, mark{float64(size), sizeName(size)})
		s := scattered("random-"+strconv.Itoa(size), e.source.first(size), randomEdits)
		few := max(10, min(randomEdits, 300*megabyte/size)) // some hundred milliseconds
		short := s.part(few)
		who := []contestant{
			{name: us, run: func() (float64, error) { return replay(s, opened(s.start, false)) }},
			{name: lineArray, run: func() (float64, error) { return replay(s.part(10*few), newLines(s.start)) }},
			{name: rebuild, run: func() (float64, error) { return replay(short, &rebuilt{s: []byte(s.start)}) }, rounds: 3},
		}
		if size <= 50*megabyte {
			more, err := node.replays(s, limit{textDocument, few})
			if err != nil {
				return err
			}
			who = append(who, more...)
		}
		got, err := contest(e.rounds(5, 3), who...)
		if err != nil {
			return fmt.Errorf("%s: %w", sizeName(size), err)
		}
		cells := []string{sizeName(size), number(float64(few))}
		for i, name := range names {
			cells = append(cells, got[name].times())
			if len(got[name]) > 0 {
				lines[i].Name = name
				lines[i].add(float64(size), got[name].median())
			}
		}
		t.add(cells...)
		if want := map[int]float64{megabyte: 1000, 50 * megabyte: 10_000}[size]; want > 0 && node.running() {
			r.Goals = append(r.Goals, atLeast(sizeName(size)+", against "+textDocument, want, got[textDocument].over(got[us])))
		}
	}
	c.Lines = lines
	r.Tables, r.Charts = append(r.Tables, t), append(r.Charts, c)
	return nil
}

// kinds measures patchls alone, on texts that are unlike source.
func (r *row) kinds(e *env) error {
	const source = "1 MB of source"
	kinds := []struct{ name, text string }{
		{source, e.source.first(megabyte)},
		{"50 MB of source", e.source.first(50 * megabyte)},
		{"1 MB in one line", oneLine(megabyte)},
		{"1 MB of CJK and emoji", wide(megabyte)},
	}
	var who []contestant
	for _, k := range kinds {
		s := scattered(k.name, k.text, randomEdits)
		for _, asks := range []bool{false, true} {
			who = append(who, contestant{name: fmt.Sprint(k.name, asks), run: func() (float64, error) { return replay(s, opened(s.start, asks)) }})
		}
	}
	got, err := contest(e.rounds(9, 3), who...)
	if err != nil {
		return err
	}
	t := table{Title: "Kinds of text", Columns: []string{"text", "an edit", "an edit, then position and offset of its end"}}
	for _, k := range kinds {
		alone, asking := got[k.name+"false"], got[k.name+"true"]
		t.add(k.name, alone.times(), asking.times())
		switch k.name {
		case source:
			r.Goals = append(r.Goals, atMost("1 MB, with a conversion of position and offset after each edit, against without", 1.5, asking.over(alone), "×"))
		case "50 MB of source":
			r.Goals = append(r.Goals, atMost("growth from 1 MB to 50 MB", 10, alone.over(got[source+"false"]), "×"))
		default:
			r.Goals = append(r.Goals, atMost(k.name+", against "+source, 2, alone.over(got[source+"false"]), "×"))
		}
	}
	r.Tables = append(r.Tables, t)
	return nil
}
