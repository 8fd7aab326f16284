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
