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

// turnLine is a line of a file, in the model of TestTurnsAtRandom. It stays in the model when it goes.
type turnLine struct {
	by       string // who has put it in: a turn, by its id, or byUser; "" for a line that was there at first
	versions []turnVersion
}

// turnVersion is a text that a line has had, and who wrote it, as in turnLine.
type turnVersion struct{ by, text string }

// turnWorld is what the model knows.
type turnWorld struct {
	*endpointWorld
	*rand.Rand
	agents  *rawClient
	buffers []*headless.Buffer
	files   [][]*turnLine
	turns   map[string]string // of each conversation, by number
	begun   int
	undone  map[string]bool
	written int
}

const byUser = "the user"

// TestTurnsAtRandom: agents of two conversations, one with a sub-agent, edit lines of three files, turn by turn, while the user types;
// turns are undone in any order. What is left is what all others have written, or the turn stays whole, since others have written in its lines.
func TestTurnsAtRandom(t *testing.T) {
	seed := chance.Seed(t)
	undone, refused := 0, 0
	for n := range chance.Cases(t, "PATCHLS_TURN_RUNS", 40) {
		d := startEndpoint(t, map[string]string{"0.txt": "", "1.txt": "", "2.txt": ""}, headless.Options{}, nil)
		w := &turnWorld{endpointWorld: d, Rand: rand.New(rand.NewPCG(seed, n)), agents: d.enter(), turns: map[string]string{}, undone: map[string]bool{}}
		for i := range 3 {
			b := d.open(fmt.Sprintf("%d.txt", i))
			w.buffers, w.files = append(w.buffers, b), append(w.files, nil)
			for range 8 {
				w.files[i] = append(w.files[i], &turnLine{"", []turnVersion{{"", w.word()}}})
			}
			if err := b.Insert(0, w.text(i)); err != nil {
				t.Fatal(err)
			}
		}
		w.synced()
		for range 40 {
			switch {
			case w.IntN(12) == 0:
				if w.undo() {
					undone++
				} else {
					refused++
				}
			case w.IntN(3) == 0:
				w.typed()
			default:
				w.edits()
			}
			for i, b := range w.buffers {
				if !t.Failed() && b.Text() != w.text(i) {
					t.Errorf("%d.txt is\n%s\nwant\n%s", i, b.Text(), w.text(i))
				}
			}
			if t.Failed() {
				t.Fatalf("PATCHLS_SEED=%d, run %d", seed, n)
			}
		}
	}
	if t.Logf("%d undone, %d refused", undone, refused); undone < refused {
		t.Error("more turns were refused than undone")
	}
}

func (w *turnWorld) word() string {
	w.written++
	return fmt.Sprintf("word %d of it", w.written)
}

func (l *turnLine) text() string { return l.versions[len(l.versions)-1].text }

// shown returns the lines of a file that are there.
func (w *turnWorld) shown(file int) []*turnLine {
	return slices.DeleteFunc(slices.Clone(w.files[file]), func(l *turnLine) bool { return w.undone[l.by] })
}

func (w *turnWorld) text(file int) string {
	var b strings.Builder
	for _, l := range w.shown(file) {
		b.WriteString(l.text() + "\n")
	}
	return b.String()
}

// change changes a line, or puts one in behind it, in the model. It returns what the line read, and what stands there now.
func (w *turnWorld) change(file int, by string) (was, now string) {
	lines := w.shown(file)
	l, word := lines[w.IntN(len(lines))], w.word()
	was = l.text()
	if w.IntN(2) == 0 {
		l.versions = append(l.versions, turnVersion{by, word})
		return was, word
	}
	at := slices.Index(w.files[file], l) + 1
	w.files[file] = slices.Insert(w.files[file], at, &turnLine{by, []turnVersion{{by, word}}})
	return was, was + "\n" + word
}

// edits has an agent begin a turn or not, and edit.
func (w *turnWorld) edits() {
	actor := []string{"x", "x sub", "y"}[w.IntN(3)]
	talk, _, _ := strings.Cut(actor, " ")
	if w.turns[talk] == "" || w.undone[w.turns[talk]] || w.IntN(5) == 0 {
		w.agents.told(actor, "turn", fmt.Sprintf(`{"prompt":"turn %d"}`, w.begun))
		w.turns[talk] = ""
	}
	file := w.IntN(3)
	if w.turns[talk] == "" {
		w.begun++
		w.turns[talk] = fmt.Sprintf("t%d", w.begun)
	}
	was, now := w.change(file, w.turns[talk])
	if got := w.agents.told(actor, "str_replace", fmt.Sprintf(`{"path":"%d.txt","old_str":%q,"new_str":%q}`, file, was+"\n", now+"\n")); got.kind != "" {
		w.t.Errorf("%s: %q to %q: %s", actor, was, now, got.kind)
	}
}

// typed has the user type.
func (w *turnWorld) typed() {
	file := w.IntN(3)
	was, now := w.change(file, byUser)
	b := w.buffers[file]
	at := strings.Index(b.Text(), was+"\n")
	if at < 0 {
		w.t.Fatalf("%d.txt has no %q", file, was)
	}
	start, put := at, now
	if rest, isNew := strings.CutPrefix(now, was); isNew {
		start, put = at+len(was), rest
	}
	if err := b.Replace(start, at+len(was), put); err != nil {
		w.t.Fatal(err)
	}
	w.synced()
}

// synced waits until the server has all changes.
func (w *turnWorld) synced() {
	if err := w.Call(w.t.Context(), "patchls/synced", map[string]any{}, nil); err != nil {
		w.t.Fatal(err)
	}
}

// undo has an agent undo a turn. It reports false if that is refused, since others have written there.
func (w *turnWorld) undo() bool {
	if w.begun == 0 {
		return true
	}
	turn := fmt.Sprintf("t%d", 1+w.IntN(w.begun))
	kind := w.agents.told("z", "undo", fmt.Sprintf(`{"turn":%q}`, turn)).kind
	near, inside := w.othersIn(turn)
	switch {
	case w.undone[turn]:
		if kind != "nothing_to_undo" {
			w.t.Errorf("%s was undone before, and is again: %s", turn, kind)
		}
		return true
	case kind == "" && inside:
		w.t.Errorf("%s is undone, though others have changed its lines", turn)
	case kind == "undo_conflict" && near:
		return false
	case kind != "":
		w.t.Errorf("%s is not undone: %s", turn, kind)
	}
	w.undone[turn] = true
	for _, lines := range w.files {
		for _, l := range lines {
			l.versions = slices.DeleteFunc(l.versions, func(v turnVersion) bool { return v.by == turn && l.by != turn })
		}
	}
	return true
}

// othersIn reports whether others have changed lines of a turn, and whether they have changed those, or put some in beside them.
func (w *turnWorld) othersIn(turn string) (near, inside bool) {
	isOther := func(by string) bool { return by != "" && by != turn && !w.undone[by] }
	for file := range w.files {
		lines := w.shown(file)
		for i, l := range lines {
			first := slices.IndexFunc(l.versions, func(v turnVersion) bool { return v.by == turn })
			if first < 0 {
				continue
			}
			inside = inside || slices.ContainsFunc(l.versions[first:], func(v turnVersion) bool { return v.by != turn })
			for _, k := range []int{i - 1, i + 1} {
				near = near || k >= 0 && k < len(lines) && slices.ContainsFunc(lines[k].versions, func(v turnVersion) bool { return isOther(v.by) })
			}
		}
	}
	return near || inside, inside
}
