package words_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"go.lsp.dev/jsonrpc2"

	"github.com/patchls/patchls/agent/words"
	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp/transaction"
)

func TestErrorText(t *testing.T) {
	data, err := json.Marshal(transaction.ErrorData{
		Kind: "no_match", Path: "a.txt", Snippet: "     1\tone",
		Matches: []edits.Match{{Line: 4, Column: 1}, {Line: 9, Column: 1, Context: &edits.ContextLine{Line: 8, Text: "near"}}},
		Candidates: []edits.Candidate{
			{StartLine: 10, EndLine: 11, Similarity: .937, Difference: "indentation", Text: "a\nb\n"},
		},
		Suggestion: &edits.Suggestion{Command: "patchls.str_replace", Arguments: map[string]any{"path": "a.txt"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	wire := &jsonrpc2.Error{Code: -32803, Message: "Text not found in a.txt.", Data: data}
	for _, tt := range []struct {
		name string
		err  error
		want string
	}{
		{"of a command", fmt.Errorf("wrapped: %w", wire), "Error: Text not found in a.txt.\n" +
			"     1\tone\n" +
			"only the place at line 9 is near line 8: near\n" +
			"lines 10-11, 93% alike:\n    10\ta\n    11\tb\n" +
			`suggestion: patchls.str_replace {"path":"a.txt"}`},
		{"of no command", errors.New("the editor is gone"), "Error: the editor is gone"},
		{"without data", &jsonrpc2.Error{Message: "No."}, "Error: No."},
	} {
		if got := words.ErrorText(tt.err); got != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
}

// TestALongPlan: of a plan, which shows only a diff, the beginning is shown, in whole lines, and how much is left out.
func TestALongPlan(t *testing.T) {
	raw, err := json.Marshal(transaction.Result{Message: "Dry run.", Diff: strings.Repeat("-old line\n+new line\n", 1000)})
	if err != nil {
		t.Fatal(err)
	}
	said := words.EditText(raw)
	if len(said) > 7000 || !strings.HasSuffix(said, " line") || !strings.Contains(said, "of 20000 bytes of this answer are left out.\n-old line\n") {
		t.Errorf("%d bytes: %.200s", len(said), said)
	}
}

// TestErrorIsBounded: an error has at most 4 KB, of each candidate the line that differs among them, and no escapes of HTML.
func TestErrorIsBounded(t *testing.T) {
	long := strings.Repeat("a line of some length <b> & more\n", 100)
	candidate := edits.Candidate{StartLine: 10, EndLine: 109, TextLine: 20, Text: long, FirstDifference: &edits.FirstDifference{Line: 80, Column: 1}}
	arguments := func(s string) *edits.Suggestion {
		return &edits.Suggestion{Command: "patchls.str_replace", Arguments: map[string]any{"old_str": s}}
	}
	one := edits.Candidate{StartLine: 1, EndLine: 1, Text: strings.Repeat("x", 5000)}
	for name, c := range map[string]struct {
		data transaction.ErrorData
		says []string
	}{
		"candidates":     {transaction.ErrorData{Candidates: []edits.Candidate{candidate, candidate, candidate}}, []string{"lines 10-109, 0% alike:", "\n    80\ta line"}},
		"a long line":    {transaction.ErrorData{Candidates: []edits.Candidate{one, one, one}}, []string{"xxx…"}},
		"matches":        {transaction.ErrorData{Matches: slices.Repeat([]edits.Match{{Line: 9, Context: &edits.ContextLine{Line: 2, Text: "def f():", Opens: true}}}, 100)}, []string{"line 9 is in the block of line 2: def f():"}},
		"a suggestion":   {transaction.ErrorData{Candidates: []edits.Candidate{candidate}, Suggestion: arguments("<b> & more")}, []string{`{"old_str":"<b> & more"}`, "\n    80\ta line"}},
		"a long one":     {transaction.ErrorData{Candidates: []edits.Candidate{candidate}, Suggestion: arguments(long + long)}, []string{"suggestion: too long to be shown", "\n    80\ta line"}},
		"with a message": {transaction.ErrorData{Candidates: []edits.Candidate{candidate}}, []string{"\n    80\ta line"}},
	} {
		message := "No."
		if name == "with a message" {
			message = strings.Repeat("no ", 1000)
		}
		said := words.WithAdvice(message, c.data)
		if len(said) > 4<<10 || !utf8.ValidString(said) {
			t.Errorf("%s: %d bytes: %s", name, len(said), said)
		}
		for _, s := range c.says {
			if !strings.Contains(said, s) {
				t.Errorf("%s: %q is not in\n%s", name, s, said)
			}
		}
	}
}

// An error in other words than the server's still says what others did to the agent's edits.
func TestErrorOfWholeHasTheNews(t *testing.T) {
	const news = "Since your last call: the user reverted edit e1 in a.txt."
	for _, kind := range []edits.Kind{edits.Stale, edits.NoMatch} {
		for _, message := range []string{"Nothing was written.", "Nothing was written. " + news} {
			data, err := json.Marshal(transaction.ErrorData{Kind: kind})
			if err != nil {
				t.Fatal(err)
			}
			said := words.ErrorOfWhole(&jsonrpc2.Error{Message: message, Data: data})
			if strings.HasSuffix(said, ". "+news) != strings.HasSuffix(message, news) || !strings.HasSuffix(said, ".") {
				t.Errorf("%s: %q as %q", kind, message, said)
			}
		}
	}
}
