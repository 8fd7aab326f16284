package main

import "fmt"

const (
	us           = "patchls"
	textDocument = "vscode-languageserver-textdocument"
	codeMirror   = "@codemirror/state"
	pieceTree    = "vscode-textbuffer"
	rebuild      = "rebuild in Go"
	lineArray    = "line array in Go"
)

// nodeTexts are npm's ways to keep a text, and what peers/text.mjs calls them.
var nodeTexts = []struct{ name, kind string }{
	{textDocument, "textdocument"}, {codeMirror, "codemirror"}, {pieceTree, "piecetree"},
}

// typingRow replays real typing.
func typingRow(e *env) (row, error) {
	r := row{
		Why:   "A session of a few kilobytes is where copying the whole text, as textdocument does for each edit, costs it least; and of our own time there the snapshot every 100 edits, after which the leaf is copied, is the most.",
		Title: "Replay of typing",
		About: "Every edit of a recorded session as a UTF-16 range of LSP, with a snapshot every 100 edits: patchls keeps all of them, the peers the last one. " +
			"Time per edit. Node is warm: the rounds run in one process.",
	}
	node, err := e.texts()
	if err != nil {
		return r, err
	}
	defer node.stop()
	t := table{Columns: []string{"session", "edits", us}}
	t.Columns = append(append(t.Columns, node.names...), lineArray, rebuild)
	toPeer := map[string][]ratio{}
	for _, s := range e.typing {
		if e.quick {
			s = s.part(10_000)
		}
		who := []contestant{
			{name: us, run: func() (float64, error) { return replay(s, opened(s.start, false)) }},
			{name: "asking", run: func() (float64, error) { return replay(s, opened(s.start, true)) }},
			{name: lineArray, run: func() (float64, error) { return replay(s, newLines(s.start)) }},
			{name: rebuild, run: func() (float64, error) { return replay(s, &rebuilt{s: []byte(s.start)}) }, rounds: 3},
		}
		more, err := node.replays(s)
		if err != nil {
			return r, err
		}
		got, err := contest(e.rounds(9, 3), append(who, more...)...)
		if err != nil {
			return r, fmt.Errorf("%s: %w", s.name, err)
		}
		cells := []string{s.name, number(float64(len(s.changes))), got[us].times()}
		for _, n := range node.names {
			cells = append(cells, got[n].times())
		}
		t.add(append(cells, got[lineArray].times(), got[rebuild].times())...)
		if node.running() {
			x := got[textDocument].over(got[us])
			toPeer[textDocument] = append(toPeer[textDocument], x)
			r.Goals = append(r.Goals, atLeast(s.name+", against "+textDocument, 20, x))
		}
		r.Goals = append(r.Goals,
			atLeast(s.name+", against "+rebuild, 150, got[rebuild].over(got[us])),
			atLeast(s.name+", against "+lineArray, 2, got[lineArray].over(got[us])),
			atMost(s.name+", with a conversion of position and offset after each edit, against without", 1.5, got["asking"].over(got[us]), "×"))
	}
	if node.running() {
		r.Goals = append(r.Goals, atLeast("geometric mean of the sessions, against "+textDocument, 50, geometric(toPeer[textDocument])))
	}
	r.Tables = []table{t}
	r.work = func() error { _, err := replay(e.typing[0], opened(e.typing[0].start, false)); return err }
	return r, nil
}
