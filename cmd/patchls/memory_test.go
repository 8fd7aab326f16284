package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/internal/testkit/liveeditor"
)

// maxKept is how many bytes may stay resident after 147 MB of documents were closed. Go's
// runtime keeps some memory, which varies between runs: 3 to 5 MB were seen.
const maxKept = 8_000_000

// TestMemoryIsGivenBack opens, edits and closes many documents and a big one, and waits
// for the server to be about as small as it was.
func TestMemoryIsGivenBack(t *testing.T) {
	if os.Getenv("PATCHLS_MEMORY") == "" {
		t.Skip("make memory runs this with nothing beside it: beside other tests a few per cent more stayed resident")
	}
	liveeditor.Home(t)
	e := startWatched(t, t.TempDir(), headless.Options{Settings: map[string]any{"max_document_bytes": 256 << 20, "apply_timeout_ms": 60_000}})
	if _, err := resident(e.pid); err != nil {
		t.Skip("what a process has in memory is read where Linux tells it:", err)
	}
	if testing.Short() {
		t.Skip("10,000 documents take seconds to open and close")
	}
	const cycles = 10_000
	small := strings.Repeat("a line of a document that is soon closed again\n", 100)
	for i := range 500 { // so that the start is not that of a server which has done nothing yet
		e.cycle(fmt.Sprintf("warm%d.txt", i), small, i%10 == 0)
	}
	start := e.settlesAt(func(int) bool { return true })
	began := time.Now()
	for i := range cycles {
		e.cycle(fmt.Sprintf("d%d.txt", i), small, i%10 == 0)
	}
	between, err := resident(e.pid)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d documents of %d bytes: %v", cycles, len(small), time.Since(began))
	big := strings.Repeat("a line of a document that has a hundred megabytes\n", 100_000_000/50)
	began = time.Now()
	e.cycle("big.txt", big, true)
	t.Logf("one of %d bytes: %v", len(big), time.Since(began))
	most, err := resident(e.pid)
	if err != nil {
		t.Fatal(err)
	}
	began = time.Now()
	end := e.settlesAt(func(now int) bool { return now <= start+maxKept })
	t.Logf("resident: %.1f MB at the start, %.1f MB after the small ones, %.1f MB after the big one, %.1f MB %v later",
		float64(start)/1e6, float64(between)/1e6, float64(most)/1e6, float64(end)/1e6, time.Since(began).Round(time.Millisecond))
	if end > start+maxKept {
		t.Errorf("%d bytes are resident, and %d were at the start: more than %d were not given back; the heap has %d", end, start, maxKept, e.holds().Heap)
	}
}

// cycle opens a document, types in it, has an agent edit it if asked, and closes it.
func (w *watched) cycle(name, s string, byAgent bool) {
	w.t.Helper()
	b, err := w.OpenText("file://"+filepath.ToSlash(filepath.Join(w.root, name)), "plaintext", s)
	if err != nil {
		w.t.Fatal(err)
	}
	for i := range 5 {
		if err := b.Insert(i, "x"); err != nil {
			w.t.Fatal(err)
		}
	}
	if byAgent {
		if _, err := w.Execute(context.Background(), "patchls.insert", map[string]any{"path": name, "after_line": 1, "content": "an agent's"}); err != nil {
			w.t.Fatal(err)
		}
	}
	b.Close()
}

// settlesAt waits until the server has processed all messages, and then at most 30
// seconds until hoped accepts its resident memory. It returns that memory in bytes.
func (w *watched) settlesAt(hoped func(bytes int) bool) int {
	w.t.Helper()
	if err := w.Call(context.Background(), "patchls/synced", nil, nil); err != nil {
		w.t.Fatal(err)
	}
	late := time.After(30 * time.Second)
	for {
		now, err := resident(w.pid)
		if err != nil {
			w.t.Fatal(err)
		}
		if hoped(now) {
			return now
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-late:
			return now
		}
	}
}
