package history_test

import "testing"

// A word of an edit to which letters were added since is not put back in part: that would be a word that nobody wrote.
func TestHistoryUndoesNoPartOfAWord(t *testing.T) {
	for _, c := range []struct {
		was, old, put string // the text, and the edit of it
		typed, by     string // what the user replaces then
		want          string // the text after the undo; "" for a conflict
	}{
		{"one two three\n", "two", "second", "second", "seconds", ""},
		{"one two three\n", "two", "second", "second", "2nd_second", ""},
		{"one two three\n", "two", "second", "second three", "secondthree", ""},
		{"one two three\n", "two", "second", "second", "second-rate", "one two-rate three\n"},
		{"one two three\n", "two", "second", "second", "the second", "one the two three\n"},
		{"one twos three\n", "twos", "two", "two", "twofold", ""},
		{"one two three\n", " two", "", "one", "ones", ""},
		{"one two three\n", "two ", "", "three", "threes", "one two threes\n"},
		{"one two three\n", "two ", "", "three", "athree", ""},
		{"one three\n", "three", "two three", "two", "twos", ""},
		{"über\n", "über", "ober", "ober", "oberé", ""},
		{"二三\n", "三", "四", "四", "四五", "二三五\n"},
	} {
		t.Run(c.typed+" "+c.by, func(t *testing.T) {
			s := newSession(t, c.was)
			s.edit("a", c.old, c.put)
			s.typed(c.typed, c.by)
			if c.want != "" {
				s.undo("a", c.want)
			} else if met := s.conflict("a"); met.AlreadyUndone {
				t.Errorf("%q: %+v", s.Text(), met)
			}
		})
	}
}

// A line that stands is taken out, however others have put a line in beside it: with the line end before that line, or
// with the one behind it.
func TestHistoryUndoesALineBesideOthers(t *testing.T) {
	for _, c := range []struct {
		was, old, put string // the text, and the edit of it
		typed, by     string // what is replaced then
		want          string // the text after the undo; "" for a conflict
	}{
		{"P\nQ\n", "P", "P\nX", "P\n", "P\nY\n", "P\nY\nQ\n"},
		{"P\nQ\n", "P", "P\nX", "X", "X\nY", "P\nY\nQ\n"},
		{"P\nQ\n", "P\n", "P\nX\n", "X", "X\nY", "P\nY\nQ\n"},
		{"P\nQ\n", "P\n", "P\nX\n", "P", "P\nY", "P\nY\nQ\n"},
		{"P\nQ\n", "Q", "X\nQ", "P", "P\nY", "P\nY\nQ\n"},
		{"P\r\nQ\r\n", "P", "P\r\nX", "P\r\n", "P\r\nY\r\n", "P\r\nY\r\nQ\r\n"},
		{"P\nQ\n", "P", "P\nX\nZ", "P\n", "P\nY\n", "P\nY\nQ\n"},
		{"P\nQ\n", "P", "P\nX\nZ", "X\n", "X\nY\n", ""},
		{"P\nQ\n", "P", "P\nX", "X", "XY", ""},
		{"P", "P", "P\nX", "P\n", "P\nY\n", ""},
	} {
		t.Run(c.put+" "+c.by, func(t *testing.T) {
			s := newSession(t, c.was)
			s.edit("a", c.old, c.put)
			s.edit("b", c.typed, c.by)
			if c.want != "" {
				s.undo("a", c.want)
				s.undo("b", c.was)
			} else if met := s.conflict("a"); met.AlreadyUndone {
				t.Errorf("%q: %+v", s.Text(), met)
			}
		})
	}
}
