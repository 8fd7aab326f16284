package diff

import (
	"math"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
)

// UnifiedAtOnce is Unified that takes the text for one part.
func UnifiedAtOnce(before text.Text, es edits.Edits) string {
	return unifiedOf("a/x", "b/x", partsOf(before, es, math.MaxInt), nil)
}
