package headless

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
)

// What a text becomes between quotes is that text to encoding/json, wherever it is cut.
func TestAppendQuoted(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	pieces := []string{"a", "0123456789abcdef", "\n\t", `"`, `\`, "\x00", "\x1f", "\x7f", "é", "漢", "😀", "<&>\u2028", strings.Repeat("\x01", mostQuoted), strings.Repeat("xyz\n", mostQuoted)}
	for range 5000 {
		var s strings.Builder
		for range r.IntN(12) {
			s.WriteString(pieces[r.IntN(len(pieces))])
		}
		at := r.IntN(s.Len() + 1)
		quoted := appendQuoted(appendQuoted([]byte(`"`), s.String()[:at]), s.String()[at:])
		var got string
		if err := json.Unmarshal(append(quoted, '"'), &got); err != nil || got != s.String() {
			t.Fatalf("%q is quoted as %q: %v", s.String(), quoted, err)
		}
	}
}
