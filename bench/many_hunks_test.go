package main_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchls/patchls/editors/headless"
	"github.com/patchls/patchls/lsp"
	"github.com/patchls/patchls/lsp/transaction"
)

// BenchmarkManyHunks applies a patch whose hunks the editor reports as separate
// changes. Compare the sizes: the cost of a hunk must not grow with their number.
func BenchmarkManyHunks(b *testing.B) {
	for _, n := range []int{100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			was, patch := manyHunks(n)
			for b.Loop() {
				b.StopTimer()
				apply, end := benchSession(b, was)
				b.StartTimer()
				if r := apply(patch); !r.Verified {
					b.Fatalf("%+v", r)
				}
				b.StopTimer()
				end()
				b.StartTimer()
			}
		})
	}
}

// manyHunks returns a text and a patch that changes one line in a hundred.
func manyHunks(n int) (was, patch string) {
	var w, p strings.Builder
	p.WriteString("--- a/a.txt\n+++ b/a.txt\n")
	for i := range n * 100 {
		fmt.Fprintf(&w, "line %d of the text\n", i)
		if i%100 == 50 {
			fmt.Fprintf(&p, "@@ -%d,1 +%d,1 @@\n-line %d of the text\n+changed %d of the text\n", i+1, i+1, i, i)
		}
	}
	return w.String(), p.String()
}

// benchSession starts a server whose editor has a.txt open.
func benchSession(b *testing.B, content string) (apply func(patch string) transaction.Result, end func()) {
	b.Helper()
	path := filepath.Join(b.TempDir(), "a.txt")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		b.Fatal(err)
	}
	ours, theirs := net.Pipe()
	done := make(chan error, 1)
	go func() { done <- lsp.Serve(context.Background(), ours, lsp.Options{}) }()
	e, err := headless.Start(context.Background(), theirs, headless.Options{Roots: []string{filepath.Dir(path)}})
	if err != nil {
		b.Fatal(err)
	}
	if _, err := e.Open(path); err != nil {
		b.Fatal(err)
	}
	apply = func(patch string) (r transaction.Result) {
		raw, err := e.Execute(context.Background(), "patchls.apply_patch", map[string]any{"patch": patch})
		if err == nil {
			err = json.Unmarshal(raw, &r)
		}
		if err != nil {
			b.Fatal(err)
		}
		return r
	}
	return apply, func() {
		_ = e.Close()
		<-done
	}
}
