package history_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/workspace/history"
)

func TestHistoryForgetsTheOldestEdits(t *testing.T) {
	s := newSession(t, "a b c d\n")
	s.Limits.Edits = 2
	for _, old := range []string{"a", "b", "c", "d"} {
		s.edit("edit "+old, old, strings.ToUpper(old))
	}
	if ids, want := s.Edits(), []string{"edit c", "edit d"}; !slices.Equal(ids, want) {
		t.Errorf("left are %q, want %q", ids, want)
	}
	for id, want := range map[string]error{"edit a": history.ErrForgotten, "edit b": history.ErrForgotten, "edit x": history.ErrNoEdit} {
		if _, _, err := s.Undo(id); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", id, err, want)
		}
	}
	s.undo("edit c", "A B c D\n")
}

func TestHistoryForgetsWhatIsTooMuch(t *testing.T) {
	s := newSession(t, "a b\n")
	s.Limits.Bytes = 4000
	s.edit("first", "a", "A")
	unpin, _ := s.Pin(1)
	pinned := s.Text()
	s.edit("second", "b", "B"+strings.Repeat("x", 3000))
	s.Mark(2, "r")
	if _, _, err := s.Undo("first"); err != nil {
		t.Errorf("within the bounds: %v", err)
	}
	s.typed("A", "A"+strings.Repeat("y", 1500))
	if _, _, err := s.Undo("first"); !errors.Is(err, history.ErrForgotten) {
		t.Errorf("beyond the bounds: %v", err)
	}
	if c, ok := s.SinceSeq(1); !ok || !apply(c, pinned).Equal(s.Text()) {
		t.Errorf("a pinned boundary: %v, %v", c, ok)
	}
	unpin()
	unpin()
	if _, ok := s.SinceSeq(1); ok {
		t.Error("the boundary outlives its pin")
	}
	if _, ok := s.Since("r"); !ok || s.Seq() != 3 {
		t.Error("the mark went before its turn")
	}
	s.typed("A", "A"+strings.Repeat("z", 5000))
	if _, ok := s.Since("r"); ok {
		t.Error("a mark outlives what came after it")
	}
}

func TestHistoryForgetsTheOldestMarks(t *testing.T) {
	s := newSession(t, "a\n")
	s.Limits.Marks = 2
	for i, rev := range []string{"r0", "r1", "r2"} {
		s.Mark(i, rev)
		s.typed("a", "-a")
	}
	s.Mark(1, "r2") // told of an older text: the newest counts
	s.Mark(99, "r99")
	for rev, changes := range map[string]int{"r0": -1, "r1": 2, "r2": 1, "r99": -1} {
		c, ok := s.Since(rev)
		if ok != (changes > 0) || ok && len(c[0].New) != changes {
			t.Errorf("since %s: %v, %v", rev, c, ok)
		}
	}
}

// Typing between states that are not needed takes no room, however much there is.
func TestHistoryComposesTyping(t *testing.T) {
	s := newSession(t, "a\n")
	s.Limits.Loose = 4
	for range 100 {
		s.typed("a", "-a")
	}
	for seq := range 96 {
		if _, ok := s.SinceSeq(seq); ok {
			t.Fatalf("boundary %d is still there", seq)
		}
	}
	s.edit("e", "a", "A")
	s.Mark(s.Seq(), "r")
	for range 100 {
		s.typed("A", "-A")
	}
	if _, ok := s.SinceSeq(s.Seq() - 50); ok {
		t.Error("a boundary that nobody asks for is still there")
	}
	if c, ok := s.Since("r"); !ok || len(c) != 1 || len(c[0].New) != 100 {
		t.Errorf("since the mark: %v, %v", c, ok)
	}
	s.undo("e", strings.Repeat("-", 200)+"a\n")
}

func TestHistoryRefusesWhatIsNotSo(t *testing.T) {
	s := newSession(t, "one two\n")
	c := s.change("one", "1")
	s.record(c)
	s.record(s.change("two", "2"))
	for name, err := range map[string]error{
		"another text":     s.Attribute(0, 1, "x", nil, changeset.Changeset{{At: 0, Old: "two", New: "1"}}),
		"half of it":       s.Attribute(0, 2, "x", nil, c),
		"wrong order":      s.Attribute(1, 0, "x", nil, c),
		"no such boundary": s.Attribute(0, 7, "x", nil, c),
		"no id":            s.Attribute(0, 1, "", nil, c),
		"undo of no edit":  s.RecordUndo(0, 1, nil, c, history.Part{ID: "x"}),
		"a pin in the midst": func() error {
			unpin, _ := s.Pin(1)
			defer unpin()
			return s.Attribute(0, 2, "x", c, changeset.Changeset{{At: 2, Old: "two", New: "2"}})
		}(),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if err := s.Attribute(0, 1, "x", nil, c); err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"the same id":            s.Attribute(1, 2, "x", nil, changeset.Changeset{{At: 2, Old: "two", New: "2"}}),
		"over another edit":      s.Attribute(0, 2, "y", c, changeset.Changeset{{At: 2, Old: "two", New: "2"}}),
		"undone by something":    s.RecordUndo(1, 2, nil, changeset.Changeset{{At: 2, Old: "two", New: "2"}}, history.Part{ID: "x"}),
		"undone before it":       s.RecordUndo(0, 1, nil, c, history.Part{ID: "x"}),
		"undone by what was not": s.RecordUndo(1, 2, nil, c.Invert(), history.Part{ID: "x"}),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	s.undo("x", "one 2\n")
}

func TestHistoryRecordsTheTruth(t *testing.T) {
	s := newSession(t, "one two\n")
	for name, c := range map[string]changeset.Changeset{
		"nothing":      nil,
		"other bytes":  {{At: 0, Old: "two", New: "1"}},
		"another text": {{At: 0, Old: "one", New: "2"}},
	} {
		now := text.New("1" + s.Text().Slice(3, s.Text().Len()))
		s.Record(c, now)
		got, ok := s.SinceSeq(s.Seq() - 1)
		if want := (changeset.Changeset{{At: 0, Old: "one", New: "1"}}); !ok || !slices.Equal(got, want) {
			t.Errorf("%s: recorded %v, want %v", name, got, want)
		}
		s.typed("1", "one")
	}
}

func TestHistoryConflictOverADeletion(t *testing.T) {
	s := newSession(t, "one two three\n")
	s.edit("a", "two ", "")
	s.typed("one three", "one 2 three")
	want := history.UndoConflict{ID: "a", Start: 4, End: 6, Now: "2 ", Was: "two "}
	if got := s.conflict("a"); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	s.edit("b", "ne 2 thr", "")
	want = history.UndoConflict{ID: "a", Start: 1, End: 1, Was: "two "}
	if got := s.conflict("a"); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// An undo is not done by halves.
func TestHistoryConflictWhereAPartIsTakenBack(t *testing.T) {
	s := newSession(t, "one two three\n")
	c := s.change("one", "1").Then(changeset.Changeset{{At: 6, Old: "three", New: "3"}})
	if err := s.Attribute(0, s.record(c), "a", nil, c); err != nil {
		t.Fatal(err)
	}
	s.typed("1", "one")
	if got := s.conflict("a"); got.AlreadyUndone || got.Now != got.Was {
		t.Errorf("%+v", got)
	}
	s.typed("3", "three")
	if got := s.conflict("a"); !got.AlreadyUndone {
		t.Errorf("%+v", got)
	}
}

func TestHistoryUndoesInReverse(t *testing.T) {
	doc := "one two three\n"
	s := newSession(t, doc)
	var texts []string
	for i := range 50 {
		texts = append(texts, s.Text().String())
		now := s.Text().Len()
		at, end := i*7%now, min(now, i*7%now+i%5)
		c := changeset.Changeset{{At: at, Old: s.Text().Slice(at, end), New: strings.Repeat("x", 1+i%3)}}
		if err := s.Attribute(i, s.record(c), fmt.Sprint(i), nil, c); err != nil {
			t.Fatal(err)
		}
	}
	for i := range slices.Backward(texts) {
		s.undo(fmt.Sprint(i), texts[i])
	}
}

func TestHistoryIsSafe(t *testing.T) {
	h := history.New(text.New("a\n"))
	h.Limits.Loose = 3
	var work sync.WaitGroup
	for i := range 4 {
		work.Go(func() {
			for range 200 {
				seq := h.Seq()
				h.Mark(seq, fmt.Sprint(i))
				unpin, ok := h.Pin(seq)
				h.CatchUp(text.New(strings.Repeat("b", i) + h.Text().String()))
				if _, since := h.SinceSeq(seq); ok && !since {
					t.Error("a pinned boundary is gone")
				}
				h.Since(fmt.Sprint(i))
				unpin()
			}
		})
	}
	work.Wait()
}
