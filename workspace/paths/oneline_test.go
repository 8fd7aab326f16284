package paths

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/patchls/patchls/edits"
)

// oneLineCase is a case that the plugins are held to as well.
type oneLineCase struct {
	Name, In, Want string
	Limit          int
}

func oneLineCases(tb testing.TB) (cases []oneLineCase) {
	tb.Helper()
	raw, err := os.ReadFile("../../testdata/oneline.json")
	if err == nil {
		err = json.Unmarshal(raw, &cases)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return cases
}

func TestOneLine(t *testing.T) {
	for _, c := range oneLineCases(t) {
		if got := OneLine(c.In, c.Limit); got != c.Want {
			t.Errorf("%s: %q is %q, want %q", c.Name, c.In, got, c.Want)
		}
	}
	if got := OneLine("a\xffb", 9); got != "a\ufffdb" {
		t.Errorf("what is no UTF-8 is %q", got)
	}
}

func FuzzOneLine(f *testing.F) {
	for _, c := range oneLineCases(f) {
		f.Add(c.In, c.Limit)
	}
	f.Fuzz(func(t *testing.T, s string, limit int) {
		if limit < 1 {
			return
		}
		got := OneLine(s, limit)
		if !utf8.ValidString(got) || utf8.RuneCountInString(got) > limit || strings.ContainsAny(got, "[]") ||
			strings.Contains(got, "$(") || strings.ContainsFunc(got, edits.IsUnfit) {
			t.Errorf("%q is %q", s, got)
		}
	})
}
