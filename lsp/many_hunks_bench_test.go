package lsp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/patchls/patchls/editors/headless"
)

func BenchmarkManyHunks(b *testing.B) {
	for _, n := range []int{100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var was, patch strings.Builder
			patch.WriteString("--- a/a.txt\n+++ b/a.txt\n")
			for i := range n * 100 {
				fmt.Fprintf(&was, "line %d of the text\n", i)
				if i%100 == 50 {
					fmt.Fprintf(&patch, "@@ -%d,1 +%d,1 @@\n-line %d of the text\n+changed %d of the text\n", i+1, i+1, i, i)
				}
			}
			for b.Loop() {
				t := &testing.T{}
				s := start(t, map[string]string{"a.txt": was.String()}, headless.Options{})
				s.open("a.txt")
				s.edit("apply_patch", args{"patch": patch.String()})
				_ = s.Close()
				<-s.done
			}
		})
	}
}
