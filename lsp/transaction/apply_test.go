package transaction

import (
	"testing"

	"github.com/patchls/patchls/lsp/apply"
	"github.com/patchls/patchls/lsp/shares"
)

// Each try of a patch and of an undo is planned with the command's share.
func TestPlanningWithAShare(t *testing.T) {
	all := shares.New()
	p := &patching{share: all.Share(t.Context())}
	planned, free := false, all.Free()
	err := p.applyPlanned(t.Context(), t.Context(), nil, func() (*apply.Change, error) {
		planned = all.Free() == free-1
		return nil, nil
	})
	if err != nil || !planned {
		t.Errorf("planned with a share: %t, %v", planned, err)
	}
}
