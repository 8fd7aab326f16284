package patch_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits/patch"
)

// BenchmarkParsePatch reads patches of about 5 MB, and of a tenth of that, whose
// time should be a tenth.
func BenchmarkParsePatch(b *testing.B) {
	for _, shape := range []struct{ name, head, part, tail string }{
		{"begin", "*** Begin Patch\n*** Update File: a\n", "@@ f()\n a\n-b\n+c\n\n", "*** End Patch\n"},
		{"unified", "--- a/x\n+++ b/x\n", "@@ -1,2 +1,2 @@\n a\n-b\n+c\n", ""},
		{"no counts", "--- a/x\n+++ b/x\n", "@@ @@\n a\n-b\n+c\nprose\n\n", ""},
		{"prose between", "--- a/x\n+++ b/x\n", "@@ -1 +1 @@\n-b\n+c\nprose\n- list\n", ""},
		{"search", "a.txt\n", "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n", ""},
		{"one hunk", "--- a/x\n+++ b/x\n@@ @@\n-a\n", "prose\n\n", ""},
		{"blanks", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", "\n", ""},
		{"no end", "```\n*** Begin Patch\n", "*** Delete File: x\n*** Begin Patch\n", ""},
		{"prose", "", "some prose <<EOF\n```\n", ""},
		{"one line", "*** Begin Patch", `\n`, ""},
		{"middles", "<<<<<<< SEARCH\n", "=======\n", "=====\n"},
	} {
		for _, size := range []int{500_000, 5_000_000} {
			written := shape.head + strings.Repeat(shape.part, size/len(shape.part)) + shape.tail
			b.Run(fmt.Sprintf("%s/%d", shape.name, size), func(b *testing.B) {
				b.SetBytes(int64(len(written)))
				for b.Loop() {
					_, _ = patch.Parse(written)
				}
			})
		}
	}
}
