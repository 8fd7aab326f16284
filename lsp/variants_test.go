package lsp_test

import (
	"regexp"
	"strings"
	"testing"
)

// variants turn a case into an equivalent one: its outcome is that of the original
// case, turned the same way. They report false if the case is of that kind already.
var variants = map[string]func(c *testCase) bool{
	// Every line end of the text is a CRLF; those of the command stay.
	"crlf": func(c *testCase) bool {
		crlf := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
		is := c.before == "" || strings.Contains(c.before, "\r")
		c.shown, c.before, c.after = crlf(c.shown), crlf(c.before), crlf(c.after)
		return !is
	},
	"bom": func(c *testCase) bool {
		is := strings.HasPrefix(c.before, "\uFEFF")
		if c.shown != "" {
			c.shown = "\uFEFF" + c.shown
		}
		c.before, c.after = "\uFEFF"+c.before, "\uFEFF"+c.after
		return !is
	},
	"no final newline": func(c *testCase) bool {
		cut := func(s string) string { return strings.TrimSuffix(strings.TrimSuffix(s, "\n"), "\r") }
		is := !strings.HasSuffix(c.before, "\n")
		c.shown, c.before, c.after = cut(c.shown), cut(c.before), cut(c.after)
		return !is
	},
	// Every small letter is one of two UTF-16 units, so that there are astral
	// characters before, in and after the edit.
	"astral": func(c *testCase) bool {
		c.shown, c.before, c.after = astral(c.shown), astral(c.before), astral(c.after)
		c.arguments = astralValues(c.arguments).(map[string]any)
		return true
	},
}

// smallLetters matches small letters that stand for themselves, and escapes as a whole.
var smallLetters = regexp.MustCompile(`\\[a-z]|[a-z]`)

func astral(s string) string {
	return smallLetters.ReplaceAllStringFunc(s, func(l string) string {
		if len(l) > 1 {
			return l
		}
		return string(rune(l[0]-'a') + '𝐚')
	})
}

// astralValues turns the texts among the arguments; values that have a grammar stay.
func astralValues(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, x := range v {
			switch k {
			case "match", "path", "rev":
				out[k] = x
			default:
				out[k] = astralValues(x)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = astralValues(x)
		}
		return out
	case string:
		return astral(v)
	}
	return v
}

// runVariant runs a variant of a case. Messages quote the text and are left out;
// kinds of errors are compared.
func runVariant(t *testing.T, s *session, name string, want testCase, variant func(*testCase) bool) {
	t.Helper()
	if !variant(&want) {
		return
	}
	got := want
	got.run(t, s)
	kind := func(c testCase) string { k, _, _ := strings.Cut(c.failure, "\n"); return k }
	if got.after != want.after || kind(got) != kind(want) {
		t.Errorf("as %s: %q\n%s %s\nwant: %q\n%s", name, got.after, kind(got), got.message+got.failure, want.after, kind(want))
	}
}
