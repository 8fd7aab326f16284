package patchdoc

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/patchls/patchls/lsp/host"
	"github.com/patchls/patchls/lsp/patchplan"
	"github.com/patchls/patchls/lsp/rpc"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// Checker checks the patches in open documents. Its exported fields are set before its first use.
// It is safe for concurrent use.
type Checker struct {
	*host.Host
	Documents *workspace.Documents
	// Plan begins a plan of a patch, as apply_patch does with its defaults. done is called when the plan is made.
	Plan   func() (p *patchplan.Plan, done func())
	Client *rpc.Client // the editor, which receives the diagnostics

	mu        sync.Mutex
	open      map[paths.Key]bool                              // the documents that may hold patches; true: they are Markdown
	wake      chan struct{}                                   // nil until the first is opened
	published map[paths.Key]protocol.PublishDiagnosticsParams // what the client was sent last; after Open only [Checker.checkAll] uses it
}

// checkPause is the least time between two checks.
const checkPause = 200 * time.Millisecond

// holdsPatches reports whether a document may hold patches, and whether it is Markdown that does.
func holdsPatches(of, language string) (may, markdown bool) {
	name := strings.ToLower(of)
	switch {
	case strings.HasSuffix(name, ".md"), strings.HasSuffix(name, ".markdown"):
		return true, true
	case strings.HasSuffix(name, ".patch"), strings.HasSuffix(name, ".diff"), language == "diff":
		return true, false
	}
	return false, false
}

// Open records that a document was opened.
func (c *Checker) Open(doc *workspace.Document) {
	may, markdown := holdsPatches(doc.URI, doc.Language)
	if !may {
		c.Close(doc.Key) // it may have had another language
		return
	}
	c.mu.Lock()
	if c.open == nil {
		c.open = map[paths.Key]bool{}
	}
	c.open[doc.Key] = markdown
	// If the editor shows no diagnostics, patches are checked only when the user asks.
	if c.wake == nil && c.Editor().Display.Diagnostics {
		c.wake, c.published = make(chan struct{}, 1), map[paths.Key]protocol.PublishDiagnosticsParams{}
		c.Documents.Changed.Listen(c.wake)
		c.Go(func(ctx context.Context) {
			// What changes during a check, or in the pause after it, leads to one more.
			c.Throttle(ctx, c.wake, checkPause, func() bool { c.checkAll(); return true })
		})
	}
	c.mu.Unlock()
	c.Recheck()
}

// Close records that a document was closed.
func (c *Checker) Close(key paths.Key) {
	c.mu.Lock()
	delete(c.open, key)
	c.mu.Unlock()
	c.Recheck()
}

// Recheck has all documents checked again: a name may stand for another text, though no document
// was opened, changed or closed. It never waits.
func (c *Checker) Recheck() {
	c.mu.Lock()
	defer c.mu.Unlock()
	workspace.Wake(c.wake)
}

// checkAll checks all documents.
func (c *Checker) checkAll() {
	for _, key := range c.keys() {
		// A panic here must not end the server.
		if _, err := rpc.Fenced("patches", func() (any, error) { c.publish(key); return nil, nil }); err != nil {
			c.Log.Error("patches", "document", key, "error", err)
		}
	}
}

// keys returns the documents that may hold patches, and those for which the client has diagnostics.
func (c *Checker) keys() []paths.Key {
	c.mu.Lock()
	defer c.mu.Unlock()
	keys := slices.AppendSeq(slices.Collect(maps.Keys(c.open)), maps.Keys(c.published))
	slices.Sort(keys)
	return slices.Compact(keys)
}

// publish sends the client the diagnostics of a document if they differ from those sent last. The
// client keeps the diagnostics of a document that it has closed, so those are withdrawn.
func (c *Checker) publish(key paths.Key) {
	was, known := c.published[key]
	now := protocol.PublishDiagnosticsParams{URI: was.URI, Diagnostics: []protocol.Diagnostic{}}
	if p := c.read(c.Documents.Get(key)).check(); p != nil {
		now.Diagnostics = p.diagnose()
		doc := c.Documents.Get(key)
		if doc == nil || doc.Text != p.text {
			return // it is about to be checked again
		}
		now.URI = uri.URI(doc.URI)
		if c.Editor().Display.Versions {
			now.Version = protocol.NewOptional(doc.Version)
		}
	}
	if reflect.DeepEqual(now, was) || !known && len(now.Diagnostics) == 0 {
		return
	}
	if delete(c.published, key); len(now.Diagnostics) > 0 {
		c.published[key] = now
	}
	c.Client.Notify(protocol.MethodTextDocumentPublishDiagnostics, now)
}
