package lsp_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/lsp"
)

// BenchmarkPatchDocumentOverPipe is what the user waits for: from the opening of a patch
// of 500 hunks for a file of 10,000 lines, and from a keystroke in the file that breaks or
// mends a hunk, until the editor has the diagnostics. The metrics are medians in ms.
func BenchmarkPatchDocumentOverPipe(b *testing.B) {
	root := b.TempDir()
	var file, patch strings.Builder
	line := func(i int) string { return fmt.Sprintf("\tvalue%d := compute(%d)", i, i) }
	for i := range 10_000 {
		file.WriteString(line(i) + "\n")
	}
	patch.WriteString("--- a/a.go\n+++ b/a.go\n")
	for h := range 500 {
		at := 5 + h*19
		fmt.Fprintf(&patch, "@@ -%d,7 +%d,7 @@\n", at+1, at+1)
		for k := range 7 {
			if k == 3 {
				fmt.Fprintf(&patch, "-%s\n+%s and more\n", line(at+k), line(at+k))
			} else {
				fmt.Fprintf(&patch, " %s\n", line(at+k))
			}
		}
	}
	// Without an error no diagnostics are sent; so the last hunk has no place.
	fmt.Fprintf(&patch, "@@ -%d,3 +%d,3 @@\n x\n-lost\n+found\n y\n", 9990, 9990)
	for name, content := range map[string]string{"a.go": file.String(), "x.patch": patch.String()} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(content), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	told := make(chan struct{}, 100)
	ours, theirs := net.Pipe()
	done := make(chan error, 1)
	go func() { done <- lsp.Serve(context.Background(), ours, lsp.Options{}) }()
	e, err := headless.Start(context.Background(), theirs, headless.Options{
		Roots: []string{root},
		Capabilities: func(c *protocol.ClientCapabilities) {
			c.TextDocument.PublishDiagnostics = &protocol.PublishDiagnosticsClientCapabilities{}
		},
		Trace: func(dir string, raw []byte) {
			if dir == "receive" && bytes.Contains(raw, []byte("textDocument/publishDiagnostics")) {
				told <- struct{}{}
			}
		},
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = e.Close(); <-done })
	target, err := e.Open(filepath.Join(root, "a.go"))
	if err != nil {
		b.Fatal(err)
	}
	quiet := func() { // what comes near is told later
		for {
			select {
			case <-told:
			case <-time.After(300 * time.Millisecond):
				return
			}
		}
	}
	var opened, typed []float64
	since := func(began time.Time) float64 { return time.Since(began).Seconds() * 1e3 }
	for b.Loop() {
		began := time.Now()
		p, err := e.Open(filepath.Join(root, "x.patch"))
		if err != nil {
			b.Fatal(err)
		}
		<-told
		opened = append(opened, since(began))
		quiet()
		for h := 0; h < 500; h += 100 {
			at := strings.Index(target.Text(), line(5+h*19+2)+"\n")
			for _, key := range []string{"x", ""} {
				began := time.Now()
				if err := target.Replace(at, at+1-len(key), key); err != nil {
					b.Fatal(err)
				}
				<-told
				typed = append(typed, since(began))
				quiet()
			}
		}
		p.Close()
		quiet()
	}
	for name, of := range map[string][]float64{"opened": opened, "typed": typed} {
		slices.Sort(of)
		b.ReportMetric(of[len(of)/2], "ms-"+name)
		b.ReportMetric(of[len(of)-1], "ms-most-"+name)
	}
}
