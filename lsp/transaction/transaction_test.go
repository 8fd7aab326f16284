package transaction

import (
	"testing"

	"github.com/patchls/patchls/lsp/apply"
	"github.com/patchls/patchls/lsp/shares"
)

// Each try of a change is planned with the command's share.
func TestPlanningWithAShare(t *testing.T) {
	all := shares.New()
	run := &Run{Ctx: t.Context(), Bounded: t.Context(), share: all.Share(t.Context())}
	planned, free := false, all.Free()
	err := (&transaction{Run: run}).apply(change{plan: func() (*apply.Change, error) {
		planned = all.Free() == free-1
		return nil, nil
	}}, 1)
	if err != nil || !planned {
		t.Errorf("planned with a share: %t, %v", planned, err)
	}
}
