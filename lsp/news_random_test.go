package lsp_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/patchls/patchls/internal/testkit/chance"
	"github.com/patchls/patchls/internal/testkit/headless"
)

// newsLine is a line of the file, in the model of TestNewsAtRandom.
type newsLine struct {
	text string    // as it was at first
	edit *newsEdit // the edit that it has, nil for none
}

// newsEdit is an edit of an agent, which writes a line that no other edit writes.
type newsEdit struct {
	id, talk string // talk is the conversation of its agent
	line     *newsLine
	wrote    string
}

// newsWorld is what the model knows.
type newsWorld struct {
	*endpointWorld
	*rand.Rand
	agents  *rawClient
	buffer  *headless.Buffer
	lines   []*newsLine
	edits   []*newsEdit
	presses []*newsEdit         // what the editor's undo takes back, the newest last; the user does not undo a revert
	owed    map[string][]string // what each conversation is to be told
	again   map[string]bool     // what others took back, with the conversation, which was not warned yet
}

// TestNewsAtRandom: agents of three conversations, with sub-agents, edit lines, put the old text back and undo each other's edits;
// the user reverts and presses undo. Each conversation is told each of that once, and nothing else, and makes again what was taken back only at the
// second try.
func TestNewsAtRandom(t *testing.T) {
	seed := chance.Seed(t)
	for n := range chance.Cases(t, "PATCHLS_NEWS_RUNS", 30) {
		var text string
		var lines []*newsLine
		for i := range 20 {
			lines = append(lines, &newsLine{text: fmt.Sprintf("line %02d", i)})
			text += lines[i].text + "\nbetween\n"
		}
		d := startEndpoint(t, map[string]string{"a.txt": text}, headless.Options{}, nil)
		w := &newsWorld{endpointWorld: d, Rand: rand.New(rand.NewPCG(seed, n)), agents: d.enter(), buffer: d.open("a.txt"), lines: lines, owed: map[string][]string{}, again: map[string]bool{}}
		for range 40 {
			w.step()
		}
		for talk := range strings.SplitSeq("x y z", " ") {
			w.call(talk, "view", `{"path":"a.txt"}`)
		}
		if t.Failed() {
			t.Fatalf("run %d of PATCHLS_SEED=%d", n, seed)
		}
	}
}

func (w *newsWorld) step() {
	live := slices.DeleteFunc(slices.Clone(w.edits), func(e *newsEdit) bool { return e.line.edit != e })
	line := w.lines[w.IntN(len(w.lines))]
	switch x := w.IntN(100); {
	case x < 40 && line.edit == nil:
		talk := []string{"x", "y", "z"}[w.IntN(3)]
		w.make(&newsEdit{talk: talk, line: line, wrote: strings.Repeat(string(rune(0x4e00+len(w.edits))), 5)})
	case x < 55 && len(live) > 0:
		e := live[w.IntN(len(live))]
		w.edit([]string{"undo", "revert"}[w.IntN(2)], args{"edit_id": e.id})
		w.takenBack(e, "the user reverted")
		w.presses = nil
	case x < 65 && len(live) > 0:
		e, talk := live[w.IntN(len(live))], []string{"x", "y", "z"}[w.IntN(3)]
		w.call(talk, "undo", fmt.Sprintf(`{"edit_id":%q}`, e.id))
		if e.line.edit = nil; talk != e.talk {
			w.takenBack(e, "an agent took back")
		}
		w.presses = nil
	case x < 85 && len(w.presses) > 0:
		w.press()
	case x < 92 && len(live) > 0: // an edit that puts the old text back is no undo
		e, talk := live[w.IntN(len(live))], []string{"x", "y", "z"}[w.IntN(3)]
		if got := w.call(talk, "str_replace", fmt.Sprintf(`{"path":"a.txt","old_str":%q,"new_str":%q}`, e.wrote, e.line.text)); got.kind != "" {
			w.t.Errorf("%s puts back %s: error %q", talk, e.line.text, got.kind)
		}
		e.line.edit, w.presses = nil, nil
	case len(w.edits) > 0:
		e := w.edits[w.IntN(len(w.edits))]
		if e.line.edit == nil {
			w.make(&newsEdit{talk: e.talk, line: e.line, wrote: e.wrote})
		}
	}
}

// make has an agent make an edit, which it is warned of if others took it back before.
func (w *newsWorld) make(e *newsEdit) {
	got := w.call(e.talk+[]string{"", " sub", " other"}[w.IntN(3)], "str_replace", fmt.Sprintf(`{"path":"a.txt","old_str":%q,"new_str":%q}`, e.line.text, e.wrote))
	if want := map[bool]string{true: "reverted"}[w.again[e.talk+e.wrote]]; got.kind != want {
		w.t.Errorf("%s %s to %s: error %q, want %q", e.talk, e.line.text, e.wrote, got.kind, want)
	}
	if delete(w.again, e.talk+e.wrote); got.kind == "" {
		e.id, e.line.edit = got.id, e
		w.edits, w.presses = append(w.edits, e), append(w.presses, e)
	}
}

// takenBack says that others took an edit back.
func (w *newsWorld) takenBack(e *newsEdit, how string) {
	w.owed[e.talk] = append(w.owed[e.talk], fmt.Sprintf("%s edit %s in a.txt", how, e.id))
	w.again[e.talk+e.wrote], e.line.edit = true, nil
}

// press presses the key for undo.
func (w *newsWorld) press() {
	last := w.presses[len(w.presses)-1]
	w.presses = w.presses[:len(w.presses)-1]
	if !w.buffer.Undo() {
		w.t.Fatal("nothing to undo")
	}
	if err := w.Call(w.t.Context(), "patchls/synced", map[string]any{}, nil); err != nil {
		w.t.Fatal(err)
	}
	w.takenBack(last, "the user or a program undid")
}

// call runs a command of an agent, and compares what it is told with what it is owed.
func (w *newsWorld) call(name, command, arguments string) toldNews {
	w.t.Helper()
	got := w.agents.told(name, command, arguments)
	talk, _, _ := strings.Cut(name, " ")
	var clauses []string
	if got.news != "" {
		clauses = strings.Split(strings.TrimSuffix(strings.TrimPrefix(got.news, "Since your last call: "), "."), "; ")
	}
	want := w.owed[talk]
	delete(w.owed, talk)
	slices.Sort(clauses)
	if slices.Sort(want); !slices.Equal(clauses, want) {
		w.t.Errorf("%s %s %s: told %q, want %q", name, command, arguments, clauses, want)
	}
	return got
}
