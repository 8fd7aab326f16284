package proposal

import (
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/internal/testkit/oneline"
	"github.com/patchls/patchls/lsp/apply"
	"github.com/patchls/patchls/lsp/review"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// FuzzQuestion: whatever agents and files are called, a question is one line, and says at
// its end what comes and goes.
func FuzzQuestion(f *testing.F) {
	for _, name := range oneline.Deceptions {
		f.Add(name, name)
	}
	f.Fuzz(func(t *testing.T, agent, path string) {
		p := &Proposal{Changes: []*apply.Change{{
			Snapshot: workspace.Snapshot{Target: paths.Target{Path: path}}, Plan: edits.Plan{Hunks: []edits.Hunk{{OldLines: 1, NewLines: 1}}},
		}}}
		said := question(review.Author(agent), p)
		if wrong := oneline.Wrong(said); wrong != "" || !strings.HasSuffix(said, ": 1 line added, 1 removed.") {
			t.Errorf("%q: %s", said, wrong)
		}
		if len([]rune(said)) > 1000 {
			t.Errorf("a question of %d characters", len([]rune(said)))
		}
	})
}
