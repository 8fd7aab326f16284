package headless

import (
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/internal/testkit/fakeserver"
)

// TestUndoOneEdit: one applyEdit is one step, apart from the typing before and
// after it, and undo and redo reach the server.
func TestUndoOneEdit(t *testing.T) {
	e, s := start(t, Options{}, nil)
	b := openText(t, e, "untitled:1", "ab\ncd\n")
	_ = b.Insert(0, "😀")
	s.Apply("agent", fakeserver.TextEdits("untitled:1", 2, at(0, 2, 0, 3, "A"), at(1, 1, 1, 1, "\r\n"))).MustApply(t)
	_ = b.Insert(b.now.Load().Text.Len(), "typed")

	const typed, edited, first = "😀Ab\nc\r\nd\ntyped", "😀Ab\nc\r\nd\n", "😀ab\ncd\n"
	wantText(t, b, typed)
	for i, want := range []string{edited, first, "ab\ncd\n"} {
		if !b.Undo() {
			t.Fatalf("undo %d: nothing", i)
		}
		wantText(t, b, want)
	}
	if b.Undo() {
		t.Error("undone more than was done")
	}
	for i, want := range []string{first, edited, typed} {
		if !b.Redo() {
			t.Fatalf("redo %d: nothing", i)
		}
		wantText(t, b, want)
	}
	if b.Redo() {
		t.Error("redone more than was undone")
	}
	b.Undo()
	if err := e.Call(t.Context(), "test/barrier", nil, nil); err != nil {
		t.Fatal(err)
	}
	if m, _ := s.Doc("untitled:1"); m.Text != edited || m.Version != b.Version() {
		t.Errorf("the server has %+v", m)
	}
}

// TestUndoIsBounded: the oldest steps go, and the others are undone.
func TestUndoIsBounded(t *testing.T) {
	e, _ := start(t, Options{}, nil)
	b := openText(t, e, "untitled:1", "")
	for range maxSteps + 3 {
		_ = b.Insert(0, "a")
	}
	n := 0
	for b.Undo() {
		n++
	}
	if n != maxSteps {
		t.Errorf("%d steps were undone", n)
	}
	wantText(t, b, "aaa")
}

// TestChangeEndsRedo: after something new there is nothing to redo.
func TestChangeEndsRedo(t *testing.T) {
	e, _ := start(t, Options{}, nil)
	b := openText(t, e, "untitled:1", "")
	_ = b.Insert(0, "a")
	b.Undo()
	_ = b.Insert(0, "b")
	if b.Redo() {
		t.Error("redone")
	}
	wantText(t, b, "b")
}

// TestUndoOfSeveralChanges: a call with several sequential changes is one step.
func TestUndoOfSeveralChanges(t *testing.T) {
	e, s := start(t, Options{}, nil)
	b := openText(t, e, "untitled:1", "abc")
	if err := b.Change(edits.Edit{Start: 0, End: 1, New: "xyz"}, edits.Edit{Start: 1, End: 2, New: ""}, edits.Edit{Start: 4, End: 4, New: "!"}); err != nil {
		t.Fatal(err)
	}
	wantText(t, b, "xzbc!")
	if b.Version() != 2 {
		t.Errorf("version %d, want one didChange", b.Version())
	}
	b.Undo()
	wantText(t, b, "abc")
	b.Redo()
	wantText(t, b, "xzbc!")
	_ = e.Call(t.Context(), "test/barrier", nil, nil)
	if m, _ := s.Doc("untitled:1"); m.Text != "xzbc!" {
		t.Errorf("the server has %q", m.Text)
	}
}
