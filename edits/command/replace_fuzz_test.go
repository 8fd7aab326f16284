package command

import (
	"errors"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
)

// pieces are what FuzzReplace makes texts of: words, blanks, and ends of lines of all kinds,
// also side by side, and what is not seen.
var pieces = []string{"\n", "\r\n", "\r", " ", "\t", "}", "x", "end", "one two", "“", "😀", "1\t", text.BOM, "\u00a0"}

func piecesOf(data []byte) string {
	var b strings.Builder
	for _, n := range data {
		b.WriteString(pieces[int(n)%len(pieces)])
	}
	return b.String()
}

// FuzzReplace: for any input, str_replace either returns an edit that can be made or an
// error with a reason. If a part of a line occurs once, that place is replaced.
func FuzzReplace(f *testing.F) {
	f.Add([]byte{8, 10, 1, 1, 5, 2, 1, 5, 1}, []byte{5, 2}, []byte{4, 7, 0, 0, 7}, false)
	f.Add([]byte{7, 0, 5, 2, 1}, []byte{7, 0, 5}, []byte{6}, true)
	f.Add([]byte{12}, []byte{3, 12}, []byte{3, 6}, true)
	f.Add([]byte{12, 6, 3, 12, 0}, []byte{3, 12, 6, 3, 12, 0}, []byte{}, true)
	f.Fuzz(func(t *testing.T, in, sent, put []byte, lenient bool) {
		if len(in)+len(sent)+len(put) > 200 {
			t.Skip("longer texts say no more")
		}
		before, c := text.New(piecesOf(in)), Replace{Old: piecesOf(sent), New: piecesOf(put), Lenient: lenient}
		plan, err := c.Plan(edits.Source{Path: "a.txt", Text: before, Candidates: 3, Matches: 3})
		if err != nil {
			if _, ok := errors.AsType[*edits.Error](err); !ok {
				t.Errorf("%T: %v", err, err)
			}
			return
		}
		if err := plan.Edits.Validate(before.Len()); err != nil {
			t.Fatal(err)
		}
		if strings.ContainsAny(c.Old+c.New, "\r\n") || strings.Count(before.String(), c.Old) != 1 {
			return
		}
		if now := plan.Edits.Apply(before).String(); now != strings.Replace(before.String(), c.Old, c.New, 1) {
			t.Errorf("%q becomes %q", before.String(), now)
		}
	})
}
