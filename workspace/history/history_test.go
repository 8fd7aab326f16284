package history_test

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/workspace/history"
)

// session is a history and the few things that one does with it.
type session struct {
	*testing.T
	*history.History
}

func newSession(t *testing.T, s string) *session {
	t.Helper()
	return &session{t, history.New(text.New(s))}
}

// change returns the changeset that replaces the only place of old.
func (s *session) change(old, put string) changeset.Changeset {
	s.Helper()
	doc := s.Text().String()
	if strings.Count(doc, old) != 1 {
		s.Fatalf("%q is not once in %q", old, doc)
	}
	return changeset.Changeset{{At: strings.Index(doc, old), Old: old, New: put}}.Then(nil)
}

func (s *session) record(c changeset.Changeset) int {
	s.Helper()
	if !c.Fits(s.Text()) {
		s.Fatalf("%v does not fit %q", c, s.Text())
	}
	return s.Record(c, c.Edits().Apply(s.Text()))
}

func (s *session) typed(old, put string) int {
	s.Helper()
	return s.record(s.change(old, put))
}

func (s *session) edit(id, old, put string) {
	s.Helper()
	c, from := s.change(old, put), s.Seq()
	if err := s.Attribute(from, s.record(c), id, nil, c); err != nil {
		s.Fatal(err)
	}
}

// undo takes an edit back, as a command does.
func (s *session) undo(id, want string) {
	s.Helper()
	c, from, err := s.Undo(id)
	if err != nil {
		s.Fatalf("undo %s: %v", id, err)
	}
	if err := s.RecordUndo(from, s.record(c), nil, c, history.Part{ID: id}); err != nil {
		s.Fatalf("undone %s: %v", id, err)
	}
	if got := s.Text().String(); got != want {
		s.Fatalf("without %s it is %q, want %q", id, got, want)
	}
}

func (s *session) conflict(id string) history.UndoConflict {
	s.Helper()
	before := s.Text()
	_, _, err := s.Undo(id)
	var c *history.UndoConflict
	if !errors.As(err, &c) {
		s.Fatalf("undo %s: %v, want a conflict", id, err)
	}
	if !s.Text().Equal(before) {
		s.Errorf("the conflict changed the text to %q", s.Text())
	}
	return *c
}

func TestHistoryUndoesInAnyOrder(t *testing.T) {
	s := newSession(t, "one two three\n")
	s.edit("a", "one", "1")
	s.typed("three", "three and four")
	s.edit("b", "two", "2")
	s.typed("1", "a 1")
	s.undo("a", "a one 2 three and four\n")
	s.undo("b", "a one two three and four\n")
	if ids := s.Edits(); len(ids) > 0 {
		t.Errorf("still there: %q", ids)
	}
	if _, _, err := s.Undo("a"); !errors.Is(err, history.ErrNoEdit) {
		t.Errorf("again: %v", err)
	}
}

func TestHistoryConflict(t *testing.T) {
	s := newSession(t, "one two three\n")
	s.edit("a", "two", "zwei")
	s.typed("zwei", "zwXei")
	s.typed("one", "Eins")
	if got, want := s.conflict("a"), (history.UndoConflict{ID: "a", Start: 5, End: 10, Now: "zwXei", Wrote: "zwei", Was: "two"}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// A later edit that overlaps an edit blocks its undo, until the later one is undone itself.
func TestHistoryUndoneEditIsInNoOnesWay(t *testing.T) {
	s := newSession(t, "one two three\n")
	s.edit("a", "two", "zwei")
	s.edit("b", "zwei", "deux")
	if c := s.conflict("a"); c.By != "b" || c.Now != "deux" {
		t.Errorf("%+v", c)
	}
	s.typed("three", "3")
	s.undo("b", "one zwei 3\n")
	s.undo("a", "one two 3\n")
}

// Of two edits that changed letters of one word, only the later one can be undone first:
// without the earlier one it would be a word that neither an agent nor the user wrote.
func TestHistoryConflictInAWord(t *testing.T) {
	s := newSession(t, "one w1z three\n")
	s.edit("a", "w1z", "a1z")
	s.edit("b", "a1z", "a3z")
	want := history.UndoConflict{ID: "a", By: "b", Start: 4, End: 7, Now: "a3z", Wrote: "a1z", Was: "w1z"}
	if got := s.conflict("a"); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	s.undo("b", "one a1z three\n")
	s.typed("three", "a1zz")
	s.undo("a", "one w1z a1zz\n")
}

// An edit that put whole lines in, or took them out, is taken back where these are whole lines still: else what the
// user has typed would be joined with a line of others.
func TestHistoryConflictInALine(t *testing.T) {
	for name, test := range map[string]struct {
		from, old, put string // the edit
		was, typed     string
		now            string // the lines of the conflict
	}{
		"on an empty line":          {"one\ntwo\n", "two", "\ntwo", "one\n\n", "one\ntyped\n", "typed\n"},
		"before a line":             {"one\ntwo\n", "two", "new\ntwo", "new", "typed new", "typed new\n"},
		"the indent of a line":      {"one\ntwo\n", "two", "new\ntwo", "new", "  new", "  new\n"},
		"behind a line at the end":  {"one\ntwo", "two", "two\nnew", "new", "new typed", "two\nnew typed"},
		"joined with the one above": {"one\ntwo\n", "two", "\ntwo", "one\n", "one", "one\n"},
		"joined with the one below": {"one\ntwo\nthree", "two", "two\nnew", "new\n", "new ", "two\nnew three"},
		"where a line was":          {"one\ntwo\nthree\n", "two\n", "", "one\nthree", "onethree", "onethree\n"},
		"where a line was empty":    {"one\ntwo\nthree\n", "two", "", "one\n\nthree", "one\nthree", "three\n"},
		"carriage returns":          {"one\r\ntwo\r\n", "two", "\r\ntwo", "one\r\n\r\n", "one\r\ntyped\r\n", "typed\r\n"},
		"below a line cut in two":   {"one two\n", " two", "\n", "one\n\n", "one\ntyped \n", "one\ntyped \n"},
		"above a line cut in two":   {"one two\n", "one", "\n", "\n two", "typed \n two", "typed \n two\n"},
		"before an empty line":      {"two\n", "two", "\n", "\n\n", "typed \n\n", "typed \n\n"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSession(t, test.from)
			s.edit("a", test.old, test.put)
			s.typed(test.was, test.typed)
			if c := s.conflict("a"); c.Now != test.now || c.By != "" || c.AlreadyUndone {
				t.Errorf("%+v, want %q", c, test.now)
			}
		})
	}
	for name, test := range map[string]struct{ from, old, put, was, typed, want string }{
		"a line above":        {"one\ntwo\n", "two", "new\ntwo", "new", "typed\nnew", "one\ntyped\ntwo\n"},
		"a line below":        {"one\ntwo\n", "two", "new\ntwo", "two", "typed\ntwo", "one\ntyped\ntwo\n"},
		"in the line above":   {"one\ntwo\n", "two", "new\ntwo", "one", "one typed", "one typed\ntwo\n"},
		"the line above went": {"one\ntwo\n", "two", "new\ntwo", "one\n", "", "two\n"},
		"a line that was two": {"one two\n", "one ", "one\n", "two", "two typed", "one two typed\n"},
		"below a line gone":   {"one\ntwo\nthree\n", "two\n", "", "one", "typed one", "typed one\ntwo\nthree\n"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSession(t, test.from)
			s.edit("a", test.old, test.put)
			s.typed(test.was, test.typed)
			s.undo("a", test.want)
		})
	}
	s := newSession(t, "one\ntwo\n")
	s.edit("a", "two", "\ntwo")
	s.typed("one", "1")
	s.edit("b", "1\n\n", "1\nb\n")
	s.typed("two", "2")
	if c := s.conflict("a"); c.By != "b" {
		t.Errorf("%+v", c)
	}
	s.undo("b", "1\n\n2\n")
	s.undo("a", "1\n2\n")
}

func TestHistoryTakenBackByTheUser(t *testing.T) {
	s := newSession(t, "one two three\n")
	s.edit("a", "two", "zwei")
	s.typed("zwei", "two")
	if c := s.conflict("a"); !c.AlreadyUndone || c.Now != c.Was {
		t.Errorf("%+v", c)
	}
	s.typed("two", "zwei") // and the editor's redo
	s.undo("a", "one two three\n")
}

// Among equal lines, an editor's undo may be reported at another place than the edit.
// Undoing the edit again would double it.
func TestHistoryTakenBackBesideIt(t *testing.T) {
	for name, test := range map[string]struct {
		from, edited string
		undone       changeset.Changeset // the editor's undo, of the text after it
	}{
		"a line deleted":         {"x\nrow\nrow\nrow\ny\n", "x\nrow\nrow\ny\n", changeset.Changeset{{At: 10, New: "row\n"}}},
		"a line inserted":        {"x\nrow\nrow\ny\n", "x\nrow\nrow\nrow\ny\n", changeset.Changeset{{At: 6, Old: "row\n"}}},
		"and typing before that": {"x\nrow\nrow\nrow\ny\n", "x\nrow\nrow\ny\n", changeset.Changeset{{At: 0, New: "w"}, {At: 10, New: "row\n"}}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSession(t, test.from)
			c := changeset.Changeset{{At: 2, Old: "row\n"}}
			if len(test.edited) > len(test.from) {
				c = changeset.Changeset{{At: 2, New: "row\n"}}
			}
			from := s.Seq()
			if err := s.Attribute(from, s.record(c), "a", nil, c); err != nil {
				t.Fatal(err)
			}
			if got := s.Text().String(); got != test.edited {
				t.Fatalf("edited to %q", got)
			}
			s.record(test.undone)
			if c := s.conflict("a"); !c.AlreadyUndone || c.Now != c.Was {
				t.Errorf("%+v", c)
			}
			s.record(test.undone.Invert()) // and the editor's redo
			if _, _, err := s.Undo("a"); err != nil {
				t.Errorf("after the redo: %v", err)
			}
		})
	}
}

// A reloaded file is reported as one change, from the first difference to the last: it
// restores what an agent deleted, and reverts what the user typed.
func TestHistoryTakenBackByAFile(t *testing.T) {
	for name, test := range map[string]struct{ from, old, typed, put string }{
		"and typing behind it":     {"one\ntwo\nthree\nfour\n", "two\n", "four", "FOUR"},
		"and typing before it":     {"one\ntwo\nthree\nfour\n", "three\n", "one", "ONE"},
		"a line that begins alike": {"one\ntwo 1\ntwo 2\nfour\n", "two 1\n", "four", "FOUR"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSession(t, test.from)
			s.edit("a", test.old, "")
			s.typed(test.typed, test.put)
			now := s.Text().String()
			start, tail := diff.CommonEnds(now, test.from)
			s.record(changeset.Changeset{{At: start, Old: now[start : len(now)-tail], New: test.from[start : len(test.from)-tail]}})
			if c := s.conflict("a"); !c.AlreadyUndone || c.Now != c.Was {
				t.Errorf("%+v", c)
			}
		})
	}
}

// What an agent deleted may come back among other changes, and with other line ends: undo would put
// it in a second time.
func TestHistoryPutBackAmongOthers(t *testing.T) {
	const lf, crlf = "zero\none\ntwo 1\ntwo 2\nthree 3\nfour\n", "zero\r\none\r\ntwo 1\r\ntwo 2\r\nthree 3\r\nfour\r\n"
	const changed = "0\r\none\r\ntwo 1\r\ntwo 2\r\nthree 3\r\nfour\r\n"
	for name, test := range map[string]struct{ from, old, typed, put, now, finds string }{
		"with other line ends":              {lf, "two 1\ntwo 2\n", "", "", changed, ""},
		"with the line ends of others":      {crlf, "two 1\r\ntwo 2\r\n", "", "", strings.ReplaceAll(changed, "\r", ""), ""},
		"below a new line":                  {lf, "two 1\ntwo 2\n", "", "", strings.Replace(changed, "two 1", "new\r\ntwo 1", 1), ""},
		"above a new line":                  {lf, "two 1\ntwo 2\n", "", "", strings.Replace(changed, "three", "new\r\nthree", 1), ""},
		"where lines were joined":           {lf, "two 1\ntwo 2\n", "one\nthree 3\n", "one three\n3\n", changed, ""},
		"where a line was broken":           {lf, "two 1\ntwo 2\n", "three 3\n", "three\n3\n", changed, ""},
		"at the end, where a line is new":   {lf, "three 3\nfour\n", "two 2\n", "two\n2 new\n", changed, ""},
		"at the top, where a line was long": {lf, "zero\none\n", "two 1\n", "two\n1 two\n", strings.Replace(changed, "0\r\n", "zero\r\n", 1) + "end\r\n", ""},
		"with a new line among them":        {lf, "two 1\ntwo 2\n", "three 3\n", "three\n3\n", strings.Replace(changed, "two 2", "new\r\ntwo 2", 1), "two 1\nnew\ntwo 2\n"},
		"in part":                           {lf, "two 1\ntwo 2\n", "three 3\n", "three\n3\n", strings.Replace(changed, "two 1", "new", 1), "two 2\n"},
		"in part, at the end":               {lf, "three 3\nfour\n", "two 2\n", "two\n2 new\n", strings.Replace(changed, "three 3", "new", 1), "four\n"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSession(t, test.from)
			s.edit("a", test.old, "")
			if test.typed != "" {
				s.typed(test.typed, test.put)
			}
			s.CatchUp(text.New(test.now)) // as another program wrote the file
			if c := s.conflict("a"); strings.ReplaceAll(c.Now, "\r", "") != cmp.Or(test.finds, strings.ReplaceAll(test.old, "\r", "")) {
				t.Errorf("%+v", c)
			}
		})
	}
}

func TestHistoryAttributesAPart(t *testing.T) {
	s := newSession(t, "abc\n")
	edit := changeset.Changeset{{At: 1, Old: "b", New: "B"}}
	s.record(changeset.Changeset{{At: 0, New: "x"}}.Then(changeset.Changeset{{At: 2, Old: "b", New: "B"}}))
	s.record(changeset.Changeset{{At: 4, New: "-y"}})
	before := changeset.Changeset{{At: 0, New: "x"}}
	if err := s.Attribute(0, 1, "a", before, edit); err == nil {
		t.Error("an edit of another place was attributed")
	}
	if err := s.Attribute(0, 1, "a", before, changeset.Changeset{{At: 2, Old: "b", New: "B"}}); err != nil {
		t.Fatal(err)
	}
	s.undo("a", "xabc-y\n")
}

func TestHistoryBase(t *testing.T) {
	s := newSession(t, "one zwei drei\n")
	s.AttributeBase("b", changeset.Changeset{{At: 9, Old: "three", New: "drei"}})
	s.AttributeBase("a", changeset.Changeset{{At: 4, Old: "two", New: "zwei"}})
	s.AttributeBase("no", changeset.Changeset{{At: 4, Old: "two", New: "deux"}})
	s.typed("one", "1")
	if ids := s.Edits(); !slices.Equal(ids, []string{"a", "b"}) {
		t.Errorf("%q", ids)
	}
	if _, _, err := s.Undo("no"); !errors.Is(err, history.ErrForgotten) {
		t.Errorf("one that does not fit: %v", err)
	}
	s.undo("a", "1 two drei\n")
	s.undo("b", "1 two three\n")
}

func TestHistorySince(t *testing.T) {
	s := newSession(t, "one two three\n")
	s.Mark(0, "r0")
	s.edit("a", "two", "zwei")
	s.Mark(s.Seq(), "r1")
	unpin, ok := s.Pin(s.Seq())
	if !ok {
		t.Fatal("not pinned")
	}
	defer unpin()
	told := s.Text()
	s.typed("one", "1")
	s.undo("a", "1 two three\n")
	s.typed("three", "3")
	for name, since := range map[string]func() (changeset.Changeset, bool){
		"rev": func() (changeset.Changeset, bool) { return s.Since("r1") },
		"seq": func() (changeset.Changeset, bool) { return s.SinceSeq(1) },
	} {
		c, ok := since()
		if !ok || !c.Fits(told) || !c.Edits().Apply(told).Equal(s.Text()) {
			t.Errorf("since the %s: %v, %v", name, c, ok)
		}
	}
	if c, ok := s.Since("r0"); !ok || len(c) != 2 {
		t.Errorf("since the start: %v, %v", c, ok)
	}
	if _, ok := s.Since("r2"); ok {
		t.Error("nobody was told r2")
	}
}

// A prefix of a rev stands for it as long as no other known rev begins with it.
func TestHistorySinceTheBeginningOfARev(t *testing.T) {
	s := newSession(t, "one two three\n")
	s.Mark(0, "0123456789ab")
	s.edit("a", "two", "zwei")
	for rev, want := range map[string]bool{"0123456789ab": true, "012345": true, "01234": false, "0123457": false, "": false} {
		if _, ok := s.Since(rev); ok != want {
			t.Errorf("since %q: %t", rev, ok)
		}
	}
	s.Mark(s.Seq(), "0123459999ab")
	for rev, want := range map[string]bool{"0123456789ab": true, "012345": false, "0123456": true, "0123459": true} {
		if _, ok := s.Since(rev); ok != want {
			t.Errorf("since %q, with another that begins so: %t", rev, ok)
		}
	}
}

// Text that was inserted beside an edit and deleted again, as if the edit was made twice
// and the second one removed, does not undo the edit.
func TestHistoryMadeTwiceAndOneTakenOut(t *testing.T) {
	s := newSession(t, "one\ntwo\n")
	s.edit("a", "one\n", "one\nrow\n")
	s.record(changeset.Changeset{{At: 4, New: "row\n"}})
	s.record(changeset.Changeset{{At: 4, Old: "row\n"}})
	s.undo("a", "one\ntwo\n")
}

// If the editor undoes and redoes an edit and what was done before it, the edit stays as it was.
func TestHistoryUndoneAndMadeAgain(t *testing.T) {
	for name, before := range map[string]func(s *session){
		"an edit": func(s *session) { s.edit("a", "one", "1") },
		"typed":   func(s *session) { s.typed("one", "1") },
	} {
		t.Run(name, func(t *testing.T) {
			s := newSession(t, "zero\none\ntwo\n")
			s.typed("zero", "0") // undone together with the next change, if that is typed too
			before(s)
			s.edit("b", "two", "2")
			s.typed("2", "two")
			s.Pin(s.Seq()) // so that what follows is not composed with it
			s.typed("0\n1", "zero\none")
			s.Pin(s.Seq())
			if c := s.conflict("b"); !c.AlreadyUndone {
				t.Errorf("%+v", c)
			}
			s.typed("zero\none", "0\n1")
			s.Pin(s.Seq())
			s.typed("two", "2")
			s.undo("b", "0\n1\ntwo\n")
		})
	}
}

// A change by another agent after the editor's undo is not a redo.
func TestHistoryUndoneAndMadeByAnother(t *testing.T) {
	s := newSession(t, "zero\none\ntwo\n")
	s.edit("a", "one\n", "")
	s.typed("zero\n", "zero\none\n")
	s.edit("b", "one\n", "")
	if c := s.conflict("a"); !c.AlreadyUndone {
		t.Errorf("%+v", c)
	}
	s.undo("b", "zero\none\ntwo\n")
}

// What is discarded with the buffer is undone at its own place: edits among it are not
// undone again.
func TestHistoryThrownAway(t *testing.T) {
	s := newSession(t, "one\nrow\nrow\ntwo\n")
	s.edit("a", "one\nrow\n", "one\n")
	s.typed("two", "2")
	s.edit("b", "2\n", "2\nrow\n")
	s.CatchUp(text.New("one\r\nrow\r\nrow\r\ntwo\r\n")) // as disk has it
	for _, id := range []string{"a", "b"} {
		if c := s.conflict(id); !c.AlreadyUndone {
			t.Errorf("%s: %+v", id, c)
		}
	}
	if got := s.Text().String(); got != "one\r\nrow\r\nrow\r\ntwo\r\n" {
		t.Errorf("it is %q", got)
	}
}

// A buffer that is closed unsaved loses all changes since it was saved, even though what was typed
// before the first edit is not in the log, so that no state in it has the text on disk.
func TestHistoryThrownAwaySinceItWasSaved(t *testing.T) {
	s := newSession(t, "one\ntwo\n")
	s.edit("a", "one", "eins")
	s.typed("two", "zwei")
	saved := s.Seq()
	s.edit("b", "zwei", "drei")
	s.ThrowAway(text.New("eins\r\ndeux\r\n"), saved)
	if c := s.conflict("b"); !c.AlreadyUndone {
		t.Errorf("b: %+v", c)
	}
	s.undo("a", "one\r\ndeux\r\n")
}

func TestHistoryCatchesUp(t *testing.T) {
	s := newSession(t, "one\ntwo\nthree\n")
	s.edit("a", "two", "zwei")
	s.CatchUp(s.Text())
	if s.Seq() != 1 {
		t.Errorf("the same text is change %d", s.Seq())
	}
	for _, now := range []string{"1\nzwei\nthree\n", "1\r\nzwei\r\nthree\r\n", "1\r\nzwei\nthree\r\nfour"} {
		s.CatchUp(text.New(now))
		if got := s.Text().String(); got != now {
			t.Errorf("caught up with %q, want %q", got, now)
		}
	}
	s.undo("a", "1\r\ntwo\nthree\r\nfour")
}

func TestHistoryUndoBesideWhatTheEditorTookBack(t *testing.T) {
	// The editor's undo of e2 is reported one line end too early, before or after e2 is
	// attributed.
	undo := changeset.Changeset{{At: 4, New: "\n x\nend"}}
	for _, later := range []string{"", "typed "} {
		s := newSession(t, "top\n\ntwo x\nend\n")
		s.edit("e1", "two", "")
		if later == "" {
			s.edit("e2", " x\nend\n", "")
			s.record(undo)
		} else {
			c, from := s.change(" x\nend\n", ""), s.Seq()
			s.record(c)
			to := s.Seq()
			s.record(undo)
			if err := s.Attribute(from, to, "e2", nil, c); err != nil {
				t.Fatal(err)
			}
		}
		if later != "" {
			s.typed("top", later+"top")
		}
		s.undo("e1", later+"top\n\ntwo x\nend\n")
	}
}

// Several edits are undone by one change, even after the user typed in the meantime, and
// are then as if never made: an earlier edit can be undone as usual.
func TestUndoneTogether(t *testing.T) {
	s := newSession(t, "one two three\n")
	s.edit("a", "three", "3")
	s.edit("b", "two", "TWO and more")
	s.edit("c", "and", "with")
	s.typed("one", "one!")
	from := s.Seq()
	before := s.change("one!", "one!!")
	undo := changeset.Changeset{{At: 6, Old: "TWO with more", New: "two"}}
	to := s.record(before.Then(undo))
	parts := []history.Part{{ID: "c"}, {ID: "b"}}
	if err := s.RecordUndo(from, to, before, undo[:0], parts...); err == nil {
		t.Error("what was not taken back is undone")
	}
	if err := s.RecordUndo(from, to, before, undo, parts...); err != nil {
		t.Fatal(err)
	}
	if ids := s.Edits(); !slices.Equal(ids, []string{"a"}) {
		t.Errorf("%q", ids)
	}
	s.undo("a", "one!! two three\n")
}

// TestHistoryOfManyLinesThatAreTakenBack: of an edit that is undone, some lines are looked for elsewhere, and not each of
// them in all of the text.
func TestHistoryOfManyLinesThatAreTakenBack(t *testing.T) {
	var b strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&b, "line %05d\n", i)
	}
	s := newSession(t, strings.Repeat("another text\n", 50_000))
	c := changeset.Changeset{{New: b.String()}}
	if err := s.Attribute(0, s.record(c), "a", nil, c); err != nil {
		t.Fatal(err)
	}
	s.record(c.Invert())
	if got := s.conflict("a"); !got.AlreadyUndone {
		t.Errorf("%+v", got)
	}
	s.record(changeset.Changeset{{New: "line 40000\n"}})
	if got := s.conflict("a"); !got.AlreadyUndone || got.Moved {
		t.Errorf("the last lines: %+v", got)
	}
	s.record(changeset.Changeset{{New: "line 00007\n"}})
	if got := s.conflict("a"); !got.Moved || got.Now != "line 00007" || got.AlreadyUndone {
		t.Errorf("the first lines: %+v", got)
	}
}

// TestUndoneByWhom: what the editor's undo takes back is undone, and not what an agent takes back, or what a command
// may be about to take back.
func TestUndoneByWhom(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(s *session)
		want bool
	}{
		"the editor":                         {func(s *session) { s.typed("second", "two") }, true},
		"the editor, which makes it again":   {func(s *session) { s.typed("second", "two"); s.typed("two", "second") }, false},
		"an agent":                           {func(s *session) { s.edit("b", "second", "two") }, false},
		"the editor, and an agent makes it":  {func(s *session) { s.typed("second", "two"); s.edit("b", "two", "second") }, true},
		"an agent, whose edit is taken back": {func(s *session) { s.edit("b", "second", "two"); s.typed("two", "second") }, false},
		"an agent, elsewhere":                {func(s *session) { s.typed("second", "two"); s.edit("b", "three", "third") }, true},
		"a command, perhaps": {func(s *session) {
			s.Pin(s.Seq())
			s.typed("second", "two")
		}, false},
		"no command": {func(s *session) {
			unpin, _ := s.Pin(s.Seq())
			s.typed("second", "two")
			unpin()
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSession(t, "one\ntwo\nthree\n")
			s.edit("a", "two", "second")
			if c.do(s); s.Undone("a") != c.want {
				t.Errorf("undone: %t", !c.want)
			}
		})
	}
}
