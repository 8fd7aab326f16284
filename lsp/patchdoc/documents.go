package patchdoc

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/patchplan"
	"github.com/patchls/patchls/lsp/rpc"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// Checker checks the patches that stand in open documents. Its exported fields are set before
// its first use. It is safe for concurrent use.
type Checker struct {
	Documents *workspace.Documents
	// Workspace returns the documents and files as they may be touched now.
	Workspace func() *workspace.Workspace
	// Plan begins a plan of a patch, as apply_patch makes it with its defaults. done is called
	// when it is made.
	Plan   func() (p *patchplan.Plan, done func())
	Editor func() *editor.Editor // what it can show
	Client *rpc.Client           // the editor, which is told of diagnostics

	mu        sync.Mutex
	open      map[paths.Key]*document
	wake      chan struct{}               // nil until the first is opened
	published map[paths.Key]publishParams // what the client was told last; only [Checker.run] uses it
}

// document is an open document that may hold patches.
type document struct {
	c        *Checker
	key      paths.Key
	markdown bool
	outdated atomic.Bool // a file may be another one on disk, or in the editor

	mu           sync.Mutex          // held while it is checked
	doc          *workspace.Document // as it was checked; nil before
	contents     contents
	dependencies []dependency
	found        []status // by hunk
	faults       []fault
	diagnostics  []diagnostic
}

// dependency is a text that what was found depends on.
type dependency struct {
	key   paths.Key
	open  bool
	text  text.Text
	drift string
}

// dependency returns a text as it is now.
func (c *Checker) dependency(key paths.Key) dependency {
	on := dependency{key: key}
	if doc := c.Documents.Get(key); doc != nil {
		on.open, on.text, on.drift = true, doc.Text, doc.Drift
	}
	return on
}

// holdsPatches reports whether a document may hold patches, and whether it is Markdown
// that does.
func holdsPatches(uri, language string) (may, markdown bool) {
	name := strings.ToLower(uri)
	switch {
	case strings.HasSuffix(name, ".md"), strings.HasSuffix(name, ".markdown"):
		return true, true
	case strings.HasSuffix(name, ".patch"), strings.HasSuffix(name, ".diff"), language == "diff":
		return true, false
	}
	return false, false
}

// Open says that a document was opened.
func (c *Checker) Open(key paths.Key, uri, language string) {
	may, markdown := holdsPatches(uri, language)
	if !may {
		c.Close(key) // that had another language
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open == nil {
		c.open = map[paths.Key]*document{}
	}
	c.open[key] = &document{c: c, key: key, markdown: markdown}
	// In an editor that shows no diagnostics it is checked when somebody asks.
	if c.Editor().Display.Diagnostics && c.wake == nil {
		c.wake, c.published = make(chan struct{}, 1), map[paths.Key]publishParams{}
		c.Documents.Changed.Listen(c.wake)
		c.Client.Go(c.run)
	}
	c.invalidate()
}

// Close says that a document was closed.
func (c *Checker) Close(key paths.Key) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.open, key)
	c.invalidate()
}

// Invalidate says that a name may stand for another text, or for none, though no document was
// opened, changed or closed.
func (c *Checker) Invalidate() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.invalidate()
}

// invalidate has all documents checked anew. It needs the lock, and never waits.
func (c *Checker) invalidate() {
	for _, d := range c.open {
		d.outdated.Store(true)
	}
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// get returns what is known of a document, nil if it holds no patches.
func (c *Checker) get(key paths.Key) *document {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.open[key]
}

// keys returns the documents that may hold patches, and those for which the client has
// diagnostics.
func (c *Checker) keys() []paths.Key {
	c.mu.Lock()
	defer c.mu.Unlock()
	keys := slices.AppendSeq(slices.Collect(maps.Keys(c.open)), maps.Keys(c.published))
	slices.Sort(keys)
	return slices.Compact(keys)
}

// run checks the documents each time that something has changed. All that changes during a
// check leads to one more.
func (c *Checker) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.wake:
		}
		for _, key := range c.keys() {
			// A panic here must not end the server.
			if _, err := rpc.Fenced("patches", func() (any, error) { c.publish(key); return nil, nil }); err != nil {
				c.Client.Log.Error("patches", "document", key, "error", err)
			}
		}
	}
}

// publish tells the client of a document's diagnostics, if they are others than it was told
// last. The client keeps what it was told of a document that it has closed, so that is taken back.
func (c *Checker) publish(key paths.Key) {
	was, known := c.published[key]
	now := publishParams{URI: was.URI, Diagnostics: []diagnostic{}}
	d := c.get(key)
	if d == nil {
		delete(c.published, key)
	} else {
		var checked *workspace.Document
		c.with(key, func(d *document) { checked, now.Diagnostics = d.doc, append(now.Diagnostics, d.diagnostics...) })
		doc := c.Documents.Get(key)
		if checked == nil || doc == nil || doc.Text != checked.Text {
			return // it is about to be checked again
		}
		now.URI = doc.URI
		if c.Editor().Display.Versions {
			now.Version = &doc.Version
		}
	}
	if reflect.DeepEqual(now, was) || !known && len(now.Diagnostics) == 0 {
		return
	}
	if d != nil {
		c.published[key] = now
	}
	c.Client.Notify(protocol.MethodTextDocumentPublishDiagnostics, now)
}
