package workspace_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/history"
)

// edited is a document that agents edit, and in which the user undoes their edits with the
// undo of the editor.
type edited struct {
	*testing.T
	ds      *workspace.Documents
	version int32
}

func newEdited(t *testing.T, content string, watched bool) *edited {
	t.Helper()
	e := &edited{T: t, ds: workspace.NewDocuments()}
	e.ds.Put(&workspace.Document{Key: twinURI, URI: twinURI, Text: text.New(content)})
	if watched {
		t.Cleanup(e.ds.Watch(twinURI, func(*workspace.Document) {}))
	}
	return e
}

// agent makes an edit whose changes are its hunks.
func (e *edited) agent(id string, c changeset.Changeset) {
	e.Helper()
	d := e.ds.Get(twinURI)
	next := *d
	next.Text = c.Edits().Apply(d.Text)
	next.Steps = []workspace.Step{{Change: c, Text: next.Text}}
	e.ds.Put(&next)
	hunks := make([]int, len(c))
	for i := range hunks {
		hunks[i] = i + 1
	}
	if err := next.History.Attribute(d.Seq, next.Seq, id, nil, c, hunks...); err != nil {
		e.Fatal(err)
	}
}

// told sends one didChange.
func (e *edited) told(changes ...workspace.Change) {
	e.version++
	e.ds.Change(twinURI, e.version, changes, text.UTF16)
}

// lines replaces the text from one line and character to another.
func lines(line, character, endLine, endCharacter int, put string) workspace.Change {
	return workspace.Change{Range: workspace.Range{
		Start: text.Position{Line: line, Character: character}, End: text.Position{Line: endLine, Character: endCharacter},
	}, Text: put}
}

// TestUndoneByTheEditor: an editor's undo of an edit is recognized, however the editor
// reports it, and whether or not the document is read in the meantime. Otherwise lines
// would be inserted twice, or lines of the user deleted.
func TestUndoneByTheEditor(t *testing.T) {
	bars := changeset.Changeset{{At: 0, New: "new\n"}}
	var foos []workspace.Change
	for i := range 9 {
		bars = append(bars, changeset.Change{At: 4 + 4*i, Old: "foo", New: "bar"})
		foos = append(foos, lines(2+i, 0, 2+i, 3, "foo"))
	}
	bars = append(bars, changeset.Change{At: 40, Old: "row\n"})
	foos = append(foos, lines(12, 0, 12, 0, "row\n"), lines(0, 0, 1, 0, ""), lines(0, 0, 0, 0, "typed "))

	insertAndDelete := changeset.Changeset{{At: 8, New: "x\none\n"}, {At: 9, Old: "}\nfive\n"}}
	coarse := lines(2, 0, 5, 0, "\n}\nfive\n") // its undo, by all lines that differ
	for name, test := range map[string]struct {
		text   string
		edits  []changeset.Changeset
		told   [][]workspace.Change
		undone string
	}{
		"by all lines that differ": {
			"row\nrow\n\n}\nfive\n", []changeset.Changeset{insertAndDelete, {{At: 0, Old: "row\n"}}},
			[][]workspace.Change{{lines(1, 0, 1, 0, "row\n"), coarse, lines(0, 0, 0, 0, "typed ")}}, "e1 e2",
		},
		"three, one after the other": {
			"row\nrow\n\n}\nfive\n", []changeset.Changeset{insertAndDelete, {{At: 0, New: "two\n"}}, {{At: 0, New: "top\n"}}},
			[][]workspace.Change{{lines(0, 0, 1, 0, "")}, {lines(0, 0, 1, 0, "")}, {coarse}}, "e1 e2 e3",
		},
		"three at once, and typing": {
			"row\nrow\n\n}\nfive\n", []changeset.Changeset{insertAndDelete, {{At: 0, Old: "row\n"}}, {{At: 0, New: "top\n"}}},
			[][]workspace.Change{{lines(0, 0, 1, 0, ""), lines(1, 0, 1, 0, "row\n"), coarse, lines(0, 0, 0, 0, "typed ")}}, "e1 e2 e3",
		},
		"two, and one made again": {
			"row\nrow\n\n}\nfive\n", []changeset.Changeset{insertAndDelete, {{At: 0, Old: "row\n"}}},
			[][]workspace.Change{{lines(1, 0, 1, 0, "row\n")}, {coarse}, {lines(2, 0, 5, 0, "x\none\n\n")}}, "e2",
		},
		"beside its place, and deleting goes on there": {
			"row\nrow\nfive\n", []changeset.Changeset{{{At: 0, New: "row\n"}}},
			[][]workspace.Change{{lines(2, 0, 3, 0, "")}, {lines(2, 0, 2, 1, "")}}, "e1",
		},
		"beside its place, and typing goes on there": {
			"row\nrow\nfive\n", []changeset.Changeset{{{At: 0, Old: "row\n"}}},
			[][]workspace.Change{{lines(1, 0, 1, 0, "row\n")}, {lines(2, 0, 2, 0, "typed")}}, "e1",
		},
		"in pieces, of which one is beside its place": {
			"row\nrow\n\n}\nfive\n", []changeset.Changeset{{{At: 0, Old: "row\n"}, {At: 8, New: "x\none\n"}, {At: 9, Old: "}\nfive\n"}}},
			[][]workspace.Change{{lines(1, 0, 4, 0, "\n}\nfive\n"), lines(1, 0, 1, 0, "row\n")}}, "e1",
		},
		"in pieces that are as long as what they replace": {
			"top\n" + strings.Repeat("foo\n", 9) + "row\nrow\n", []changeset.Changeset{bars}, [][]workspace.Change{foos}, "e1",
		},
	} {
		for _, watched := range []bool{false, true} {
			t.Run(map[bool]string{false: "typed/", true: "watched/"}[watched]+name, func(t *testing.T) {
				e := newEdited(t, test.text, watched)
				ids := []string{"e1", "e2", "e3"}[:len(test.edits)]
				for i, c := range test.edits {
					e.agent(ids[i], c)
				}
				for _, changes := range test.told {
					e.told(changes...)
				}
				d := e.ds.Get(twinURI)
				for i, id := range ids {
					for hunk := range len(test.edits[i]) + 1 {
						var hunks []int // all
						if hunk > 0 {
							hunks = []int{hunk}
						}
						_, _, err := d.History.Undo(id, hunks...)
						met, ok := errors.AsType[*history.UndoConflict](err)
						if got, want := ok && met.AlreadyUndone, strings.Contains(test.undone, id); got != want {
							t.Errorf("%q: hunk %d of %s is undone: %t, want %t (%v)", d.Text, hunk, id, got, want, err)
						}
					}
				}
			})
		}
	}
}

// TestNothingTakesNothingBack: if an edit left equal lines as they were, another change
// that does the same need not be its undo.
func TestNothingTakesNothingBack(t *testing.T) {
	e := newEdited(t, "row\nrow\nrow\nrow\nfive\n", true)
	e.agent("e1", changeset.Changeset{{At: 0, Old: "row\n"}, {At: 8, New: "row\n"}})
	e.told(lines(1, 0, 2, 0, ""), lines(2, 0, 2, 0, "row\n"))
	_, _, err := e.ds.Get(twinURI).History.Undo("e1")
	if met, ok := errors.AsType[*history.UndoConflict](err); ok && met.AlreadyUndone {
		t.Error("e1 is taken for undone")
	}
}
