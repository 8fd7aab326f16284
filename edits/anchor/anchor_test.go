package anchor

import (
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/draft"
	"github.com/patchls/patchls/edits/text"
)

// TestScopeOfAnAnchorIsFoundOnce: the second hunk below an anchor reuses the scope that
// the first one found.
func TestScopeOfAnAnchorIsFoundOnce(t *testing.T) {
	names := []string{"class A:"}
	a := Find(draft.Source{Source: edits.Source{Text: text.New("class A:\n    x = 1\n    y = 1\n")}}, [][]string{names})
	if got := a.Scopes(names, false); len(got) != 1 || got[0] != (Scope{0, 3}) {
		t.Fatalf("the scope is %v", got)
	}
	a.ends[0] = 2 // a wrong end, which shows whether it is searched for again
	if got := a.Scopes(names, false); got[0].To != 2 {
		t.Errorf("the end was searched for again: %v", got)
	}
}
