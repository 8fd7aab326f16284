package lsp

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// Patches that stand in open documents, in files of their own or in Markdown, are held
// against the texts that they are about while the user looks at them:
// patchdoc_read.go finds them, patchdoc_check.go places them as apply_patch would,
// patchdoc_say.go and patchdoc_show.go say what came of it, and patchdoc_apply.go
// applies them.

// patchDocs are the open documents that may hold patches. It is safe for concurrent use.
type patchDocs struct {
	mu   sync.Mutex
	docs map[paths.Key]*patchDoc
	wake chan struct{} // nil until the first is opened
	stop func()        // listening to changes; nil while no document is here
}

// patchDoc is one of them.
type patchDoc struct {
	s        *server
	key      paths.Key
	markdown bool

	touchedMu sync.Mutex
	touched   map[string]bool // names of files that are others on disk, or in the editor

	said atomic.Pointer[saidPatches] // nil before the first look

	mu     sync.Mutex // held while it is looked at
	state  *workspace.Document
	held   heldPatches
	groups []*patchGroup
	found  []foundHunk  // by hunk
	faults []patchFault // of parts
}

// saidPatches is what is to be said of a text that holds patches.
type saidPatches struct {
	text text.Text
	all  []diagnostic
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

// openPatches takes in that a document was opened.
func (s *server) openPatches(key paths.Key, uri, language string) {
	s.touchPatches(uri)
	may, markdown := holdsPatches(uri, language)
	if !may {
		s.closePatches(key) // that had another language
		return
	}
	pd := &s.patchDocs
	pd.mu.Lock()
	defer pd.mu.Unlock()
	if pd.docs == nil {
		pd.docs = map[paths.Key]*patchDoc{}
	}
	pd.docs[key] = &patchDoc{s: s, key: key, markdown: markdown}
	if !s.client.Load().Display.Diagnostics {
		return // it is looked at when somebody asks
	}
	if pd.wake == nil {
		pd.wake = make(chan struct{}, 1)
		s.spawn(s.checkPatches)
	}
	if pd.stop == nil {
		pd.stop = s.docs.Listen(pd.wake)
	}
	pd.rouse()
}

// closePatches takes in that a document was closed.
func (s *server) closePatches(key paths.Key) {
	pd := &s.patchDocs
	pd.mu.Lock()
	defer pd.mu.Unlock()
	if pd.docs[key] == nil {
		return
	}
	delete(pd.docs, key)
	if len(pd.docs) == 0 && pd.stop != nil {
		pd.stop()
		pd.stop = nil
	}
	s.publish(key)
}

// touchPatches takes in that what a name stands for may be another text, or none, by
// other means than a change of an open document; "" stands for all names.
func (s *server) touchPatches(uri string) {
	pd := &s.patchDocs
	pd.mu.Lock()
	defer pd.mu.Unlock()
	if len(pd.docs) == 0 {
		return
	}
	name := lastName(uri)
	for _, d := range pd.docs {
		d.touch(name)
	}
	pd.rouse()
}

// lastName returns the last part of a path or URI.
func lastName(path string) string {
	if key, err := paths.KeyOf(path); err == nil {
		path = string(key)
		if abs, ok := key.FilePath(); ok {
			path = abs
		}
	}
	return path[strings.LastIndexAny(path, `/\`)+1:]
}

// maxTouched bounds the names that are remembered. Beyond it, every document is checked.
const maxTouched = 1 << 10

func (d *patchDoc) touch(name string) {
	d.touchedMu.Lock()
	defer d.touchedMu.Unlock()
	if d.touched == nil {
		d.touched = map[string]bool{}
	}
	if len(d.touched) >= maxTouched {
		clear(d.touched)
		name = ""
	}
	d.touched[name] = true
}

// takeTouched returns the names that were touched since the last time.
func (d *patchDoc) takeTouched() map[string]bool {
	d.touchedMu.Lock()
	defer d.touchedMu.Unlock()
	touched := d.touched
	d.touched = nil
	return touched
}

// rouse has the documents looked at. It never waits.
func (pd *patchDocs) rouse() {
	select {
	case pd.wake <- struct{}{}:
	default:
	}
}

// get returns what is known of a document, nil if it holds no patches.
func (pd *patchDocs) get(key paths.Key) *patchDoc {
	pd.mu.Lock()
	defer pd.mu.Unlock()
	return pd.docs[key]
}

func (pd *patchDocs) all() []*patchDoc {
	pd.mu.Lock()
	defer pd.mu.Unlock()
	return slices.SortedFunc(maps.Values(pd.docs), func(a, b *patchDoc) int { return cmp.Compare(a.key, b.key) })
}

// checkPatches looks at the documents each time that something has changed. What
// changes meanwhile is one look more, however much it is.
func (s *server) checkPatches(ctx context.Context) {
	pd := &s.patchDocs
	for {
		select {
		case <-ctx.Done():
			return
		case <-pd.wake:
		}
		all := pd.all()
		for _, d := range all {
			s.guarded(d, d.look)
		}
		for _, d := range all {
			s.guarded(d, func() { d.explain(func() bool { return ctx.Err() == nil && len(pd.wake) == 0 }) })
		}
	}
}

// guarded has the diagnostics of a document made, and published. A fault in that must not
// end the server.
func (s *server) guarded(d *patchDoc, look func()) {
	if _, err := fenced("patches", func() (any, error) { look(); return nil, nil }); err != nil {
		s.log.Error("patches", "document", d.key, "error", err)
	}
	s.publish(d.key)
}
