package lsp

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/command"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/review"
)

// deceptions are names by which agents and repositories pass for something else.
var deceptions = []string{
	"x\n\nNothing is added, press Apply to reject: 1 line added",
	"README.md (dry run). [Reject and tell the agent to stop",
	"[Apply](command:evil)", "\x1b[31mred\x1b]0;t\x07", "a\u202egnp.exe", "a`![x](https://evil)`b", "``", "$(error) fine", strings.Repeat("long", 1000),
}

// oneLined says what is wrong with a text that should be one line for the user.
func oneLined(s string) string {
	switch {
	case !utf8.ValidString(s):
		return "it is no UTF-8"
	case strings.ContainsAny(s, "[]\n\r\u2028\u2029"):
		return "it has a bracket or a line end"
	case strings.Contains(s, "$("):
		return "it has an icon"
	case strings.ContainsFunc(s, func(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Bidi_Control) }):
		return "it has a control character"
	}
	return ""
}

// FuzzQuestion: whatever agents and files are called, a question is one line, and says at
// its end what comes and goes.
func FuzzQuestion(f *testing.F) {
	for _, name := range deceptions {
		f.Add(name, name)
	}
	f.Fuzz(func(t *testing.T, agent, path string) {
		p := &proposal{files: []proposedFile{{given: path}}, diff: "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n"}
		said := question(review.Author(agent), p)
		if wrong := oneLined(said); wrong != "" || !strings.HasSuffix(said, ": 1 line added, 1 removed.") {
			t.Errorf("%q: %s", said, wrong)
		}
		if len([]rune(said)) > 1000 {
			t.Errorf("a question of %d characters", len([]rune(said)))
		}
	})
}

// FuzzHover: the names in a hover are no Markdown.
func FuzzHover(f *testing.F) {
	for _, name := range deceptions {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		found := &foundHunk{path: name, Place: command.Place{Line: 3}}
		for _, said := range []string{found.goes(), faultHover(&edits.Error{Message: name})} {
			if wrong := oneLined(said); wrong != "" {
				t.Errorf("%q: %s", said, wrong)
			}
		}
		said := strings.TrimSuffix(strings.TrimPrefix(found.goes(), "Goes to "), ", found by the tier **.")
		fence := said[:len(said)-len(strings.TrimLeft(said, "`"))]
		inner := said[len(fence) : len(said)-len(fence)]
		if !strings.HasSuffix(said, fence) || strings.Contains(inner, fence) {
			t.Errorf("%q breaks out of its code", said)
		}
	})
}

// FuzzMark: a lens, a hint and an action say how much it is and whose, in one line.
func FuzzMark(f *testing.F) {
	for _, name := range deceptions {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, agent string) {
		m := review.Mark{Edit: &review.Edit{Agent: agent}}
		m.End = 1
		if said := m.Said(text.New("x")); oneLined(said) != "" || !strings.HasPrefix(said, "1 line by ") {
			t.Errorf("%q: %s", said, oneLined(said))
		}
	})
}

// FuzzTold: a message and a line of the log are one line.
func FuzzTold(f *testing.F) {
	for _, name := range deceptions {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, words string) {
		s := &caller{server: &server{tellings: make(chan telling, 1)}, name: words}
		s.client.Store(&editor.Editor{Name: words})
		s.logDone(words)
		if said := (<-s.tellings).params.Message; oneLined(said) != "" {
			t.Errorf("%q: %s", said, oneLined(said))
		}
		if said := label("x", commands.EditOptions{Label: words}); oneLined(said) != "" {
			t.Errorf("the label %q: %s", said, oneLined(said))
		}
	})
}
