package main

import (
	"fmt"
	"slices"
)

// typedKeys is how many keys go to each server.
const typedKeys = 5_000

// typingRow opens texts in whole servers, and types in them.
func typingRow(e *env) (row, error) {
	r := row{
		Title: "Typing",
		About: fmt.Sprintf("Each server is a process that keeps the open documents, over a pipe. Go's own source is opened and then edited: %d characters, inserted and deleted at random places, "+
			"one didChange each, in a write of its own, and then all in one write (pipelined). Time until a request that is sent behind it all is answered, divided by the number of edits. "+
			"The server's text at the end is compared. vscode-languageserver copies the whole text for each edit, and makes fewer of them.", typedKeys),
		Why: "In a profile in 10 KB, a fifth of the time was JSON, where the other's parser is native code, a quarter the text and its history, and two fifths the garbage collector. It is a ten-thousandth of the time that a user takes for a key.",
	}
	all, stop, err := e.servers()
	if err != nil {
		return r, err
	}
	defer stop()
	tables := []table{{Title: "Opening a document"}, {Title: "One edit"}, {Title: "One of many edits, pipelined"}}
	for i := range tables {
		tables[i].Columns = []string{"size"}
		for _, s := range all {
			tables[i].Columns = append(tables[i].Columns, s.name)
		}
	}
	for _, size := range e.sizes(10*kilobyte, megabyte, 50*megabyte) {
		opened, typed, piped, err := e.typing(all, scattered(e.source.first(size), typedKeys))
		if err != nil {
			return r, fmt.Errorf("%s: %w", sizeName(size), err)
		}
		for i, got := range []map[string]series{opened, typed, piped} {
			cells := []string{sizeName(size)}
			for _, to := range all {
				cells = append(cells, got[to.name].times())
			}
			tables[i].add(cells...)
		}
		r.felt("a key, in "+sizeName(size)+" of text: the server's share", typed, languageServer)
		r.felt("opening "+sizeName(size), opened, languageServer)
		if len(typed[languageServer]) > 0 {
			r.Goals = append(r.Goals,
				atLeast("one of many edits in "+sizeName(size)+", pipelined, against "+languageServer, 4, piped[languageServer].over(piped[us])),
				atLeast("opening "+sizeName(size)+", against "+languageServer, 2, opened[languageServer].over(opened[us])))
		}
	}
	r.Tables = tables
	return r, nil
}

// typing makes each server open the session's text and process its changes, one after the other and all at once.
func (e *env) typing(all []server, s session) (opened, typed, piped map[string]series, err error) {
	opened, piped = map[string]series{}, map[string]series{}
	var who []contestant
	for _, to := range all {
		part := s
		if to.name != us {
			part = s.part(max(10, min(len(s.changes), 300*megabyte/len(s.start)))) // some hundred milliseconds
		}
		open, shut, want := openFrame(part.start), closeFrame(), part.result()
		frames, ends := changeFrames(part)
		who = append(who, contestant{name: to.name, run: func() (float64, error) {
			var each float64
			for i, ends := range [][]int{ends, nil} {
				// The document was closed with the edited text, and opening it compares the texts. That is not measured.
				if _, err := to.send(slices.Concat(open, shut)); err != nil {
					return 0, err
				}
				took, err := to.send(open)
				if err != nil {
					return 0, err
				}
				opened[to.name] = append(opened[to.name], took)
				if took, err = to.send(frames, ends...); err == nil {
					err = to.holds(want)
				}
				if err == nil {
					_, err = to.send(shut)
				}
				if err != nil {
					return 0, err
				}
				if took /= float64(len(part.changes)); i == 0 {
					each = took
				} else {
					piped[to.name] = append(piped[to.name], took)
				}
			}
			return each, nil
		}})
	}
	typed, err = contest(e.rounds(5, 1), who...)
	return opened, typed, piped, err
}
