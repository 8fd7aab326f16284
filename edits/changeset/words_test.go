package changeset_test

import (
	"fmt"
	"testing"

	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/text"
)

func TestWords(t *testing.T) {
	for _, test := range []struct{ before, after, want string }{
		{"w1z x\n", "a1z x\n", `[0 "w1z"->"a1z"]`},
		{"x w1z\n", "x w2z\n", `[2 "w1z"->"w2z"]`},
		{"f(ab, c)\n", "f(abd, c)\n", `[2 "ab"->"abd"]`},
		{"abcdefg\n", "aBcdefG\n", `[0 "abcdefg"->"aBcdefG"]`}, // two changes of one word
		{"ab cd\n", "aB Cd\n", `[0 "ab"->"aB" 3 "cd"->"Cd"]`},
		{"a+b\n", "a-b\n", `[1 "+"->"-"]`},
		{"one\ntwo\nfive\n", "one\nfive\n", `[4 "two\n"->""]`},
		{"x = é1 + 1\n", "x = é2 + 1\n", `[4 "é1"->"é2"]`},
		{"漢字 a\n", "漢語 a\n", `[3 "字"->"語"]`},
		{"", "a", `[0 ""->"a"]`},
	} {
		before, after := text.New(test.before), text.New(test.after)
		wide := changeset.Difference(before, after).Words(before)
		if got := wide.Edits().Apply(before); !got.Equal(after) {
			t.Errorf("%q to %q: %v makes it %q", test.before, test.after, wide, got)
		}
		if got := fmt.Sprint(wide); got != test.want {
			t.Errorf("%q to %q: %s, want %s", test.before, test.after, got, test.want)
		}
	}
}
