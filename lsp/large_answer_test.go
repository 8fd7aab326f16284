package lsp_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/internal/testkit/headless"
)

// The answer about a large edit has no diff, and crops the lines that it shows.
func TestAnswerAboutALargeEdit(t *testing.T) {
	s := start(t, nil, headless.Options{})
	for _, size := range []int{800_000, 1_200_000} {
		content := strings.Repeat("é", size/2) // one line
		r := s.edit("create", args{"path": "new.txt", "content": content, "dry_run": true})
		if has, want := r.Diff != "", size < 1<<20; has != want || len(r.Notes) > 0 == want {
			t.Errorf("%d bytes: diff %t, notes %q", size, has, r.Notes)
		}
		if n := utf8.RuneCountInString(r.Files[0].Snippet); n != len("     1\t")+edits.MaxShownLine+1 || !utf8.ValidString(r.Files[0].Snippet) {
			t.Errorf("the snippet has %d characters", n)
		}
	}
}
