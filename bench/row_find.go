package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/command"
	"github.com/patchls/patchls/edits/text"
)

// findRow looks for an old_str in a large text.
func findRow(e *env) (row, error) {
	size, samples := 100*megabyte, 6
	if e.quick {
		size, samples = 50*megabyte, 2
	}
	doc := e.source.first(size)
	r := row{
		Why:   "A piece of old_str is looked for with strings.Index, from a byte on that is rare in source and prose, which passes over most of the text as fast as memory is read.",
		Title: "Finding old_str",
		About: fmt.Sprintf("A str_replace is planned in process on %s of Go's own source, as an open document: old_str has to be unique, so all of it is searched. "+
			"Blocks of 1, 3 and 10 lines are sampled at random, %d of each; the mean of their medians is compared. Beside it, one pass of bytes.IndexByte for a byte that is not there, "+
			"and bytes.Count of the block. The worst pattern is made of the text's commonest bytes.", sizeName(size), samples),
	}
	flat := text.New(doc)
	flat.Position(0, text.UTF16)
	b := text.NewBuffer(flat)
	rng := rand.New(rand.NewPCG(7, 7))
	for range 2000 {
		at := anyPlace(rng, b)
		b.Replace(at, at, "x")
	}
	broken := b.Snapshot()
	broken.Position(0, text.UTF16)
	raw := []byte(doc)
	absent, err := absentByte(raw)
	if err != nil {
		return r, err
	}
	const opened, edited, count, pass = "opened", "edited", "count", "pass"
	t := table{Columns: []string{"old_str", "a document as opened", "after 2 000 random edits", "bytes.Count", "bytes.IndexByte"}}
	sum := map[string]series{}
	speed := func(s series) float64 { return float64(len(doc)) / s.median() } // bytes a nanosecond are GB/s
	last := func(s series) float64 { return s[len(s)-1] }
	line := func(name, old string, alsoEdited bool) error {
		who := []contestant{
			{name: opened, run: func() (float64, error) { return planned(flat, old) }},
			{name: count, run: func() (float64, error) {
				began := time.Now()
				if n := bytes.Count(raw, []byte(old)); n != 1 {
					return 0, fmt.Errorf("%d places", n)
				}
				return float64(time.Since(began).Nanoseconds()), nil
			}, rounds: 3},
			{name: pass, run: func() (float64, error) {
				began := time.Now()
				if bytes.IndexByte(raw, absent) >= 0 {
					return 0, errors.New("the byte is there")
				}
				return float64(time.Since(began).Nanoseconds()), nil
			}},
		}
		if alsoEdited {
			who = append(who, contestant{name: edited, run: func() (float64, error) { return planned(broken, old) }})
		}
		got, err := contest(e.rounds(5, 3), who...)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		cells := []string{name}
		for _, who := range []string{opened, edited, count, pass} {
			if len(got[who]) == 0 {
				cells = append(cells, "–")
				continue
			}
			cells = append(cells, fmt.Sprintf("%s GB/s (%s)", number(speed(got[who])), duration(got[who].median())))
			sum[who] = append(sum[who], got[who].median())
		}
		t.add(cells...)
		return nil
	}
	for _, n := range []int{1, 3, 10} {
		for i := range samples {
			old := block(rng, doc, broken.String(), n)
			r.work = func() error { _, err := planned(flat, old); return err }
			if err := line(fmt.Sprintf("%d of %d lines, %d bytes", i+1, n, len(old)), old, true); err != nil {
				return r, err
			}
		}
	}
	r.Goals = append(r.Goals,
		atLeast("mean of the blocks, against bytes.Count", 1, only(mean(sum[count])/mean(sum[opened]))),
		atLeast("mean of the blocks after 2 000 edits, against bytes.Count", 1, only(mean(sum[count])/mean(sum[edited]))))
	// The worst is put at the end of a text that has its bytes everywhere.
	worst := common(raw, 40)
	if strings.Contains(doc, worst) {
		return r, errors.New("the worst pattern is in the text")
	}
	doc += worst + "\n"
	raw = []byte(doc)
	flat = text.New(doc)
	flat.Position(0, text.UTF16)
	if err := line(fmt.Sprintf("the commonest bytes: %q", worst), worst, false); err != nil {
		return r, err
	}
	r.Goals = append(r.Goals, atLeast("the commonest bytes, against bytes.Count", 1, only(last(sum[count])/last(sum[opened]))))
	r.Tables = []table{t}
	return r, nil
}

// planned returns the nanoseconds of planning a replacement of what is unique.
func planned(t text.Text, old string) (float64, error) {
	src := edits.Source{Path: "a.go", Text: t}
	began := time.Now()
	p, err := command.Replace{Old: old, New: old + "// changed\n"}.Plan(src)
	took := time.Since(began)
	if err == nil && (p.Places != 1 || len(p.Edits) == 0) {
		err = fmt.Errorf("%d places, %d edits", p.Places, len(p.Edits))
	}
	return float64(took.Nanoseconds()), err
}

// block returns n whole lines at random that stand once in both texts.
func block(rng *rand.Rand, doc, other string, n int) string {
	for {
		start := rng.IntN(len(doc) - megabyte)
		at := start + strings.IndexByte(doc[start:], '\n') + 1
		end := at
		for range n {
			end += strings.IndexByte(doc[end:], '\n') + 1
		}
		if b := doc[at:end]; len(b) > 20*n && strings.Count(doc, b) == 1 && strings.Count(other, b) == 1 {
			return b
		}
	}
}

func absentByte(raw []byte) (byte, error) {
	var seen [256]bool
	for _, b := range raw {
		seen[b] = true
	}
	for b := 255; b >= 0; b-- { // 0xFF is in no UTF-8
		if !seen[b] {
			return byte(b), nil
		}
	}
	return 0, errors.New("every byte is there")
}

// common is a string of the commonest bytes of a text, in an order that it does
// not have.
func common(raw []byte, n int) string {
	var counts [128]int
	for _, b := range raw[:megabyte] {
		if b < 128 && b >= ' ' {
			counts[b]++
		}
	}
	var best [4]byte
	for i := range best {
		for b := range counts {
			if counts[b] > counts[best[i]] {
				best[i] = byte(b)
			}
		}
		counts[best[i]] = 0
	}
	return strings.Repeat(string(best[:]), n/len(best)) + string(best[:1])
}

func mean(s series) float64 {
	total := 0.0
	for _, x := range s {
		total += x
	}
	return total / float64(len(s))
}
