package lsp

import (
	"strings"
	"testing"

	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/oneline"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/host"
	"github.com/patchls/patchls/lsp/review"
)

// FuzzMark: a lens, a hint and an action say how much it is and whose, in one line.
func FuzzMark(f *testing.F) {
	for _, name := range oneline.Deceptions {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, agent string) {
		m := review.Mark{Edit: &review.Edit{Agent: agent}}
		m.End = 1
		if said := m.Describe(text.New("x")); oneline.Wrong(said) != "" || !strings.HasPrefix(said, "1 line by ") {
			t.Errorf("%q: %s", said, oneline.Wrong(said))
		}
	})
}

// FuzzTold: a message and a line of the log are one line.
func FuzzTold(f *testing.F) {
	for _, name := range oneline.Deceptions {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, words string) {
		s := &caller{server: &server{Host: &host.Host{}, outbox: make(outbox, 1)}, name: words}
		s.SetEditor(&editor.Editor{Name: words})
		s.logDone(words)
		if said := (<-s.outbox).params.Message; oneline.Wrong(said) != "" {
			t.Errorf("%q: %s", said, oneline.Wrong(said))
		}
	})
}
