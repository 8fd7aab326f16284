package lsp

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/edits/command"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// Patches that stand in open documents, in files of their own or in Markdown, are held
// against the texts that they are about while the user looks at them:
// patchdoc_read.go finds them, patchdoc_check.go places them as apply_patch would,
// patchdoc_show.go says what came of it, and patchdoc_apply.go applies them.

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

// tellChecked tells the user in a sentence what came of a check; the diagnostics say
// the rest.
func (s *caller) tellChecked(args applyDocumentArgs, err error) {
	message, kind := s.checked(args, err)
	s.notify(protocol.MethodWindowShowMessage, map[string]any{"type": kind, "message": "patchls: " + message})
}

func (s *caller) checked(args applyDocumentArgs, err error) (string, protocol.MessageType) {
	good, bad := protocol.MessageTypeInfo, protocol.MessageTypeWarning
	key, keyErr := paths.KeyOf(args.Path)
	if doc := s.docs.Get(key); args.Hunk == 0 && keyErr == nil && doc != nil {
		if d, unlock := s.looked(doc); d != nil {
			defer unlock()
			n, fail, there := d.count(args.Block)
			switch {
			case n == 0:
			case fail > 0 && n == 1:
				return "the hunk has no place.", bad
			case fail > 0:
				return fmt.Sprintf("%d of %d hunks have no place.", fail, n), bad
			case there == n && n == 1:
				return "the hunk is applied already.", good
			case there == n:
				return fmt.Sprintf("all %d hunks are applied already.", n), good
			case err == nil && n == 1:
				return "the hunk has a place.", good
			case err == nil && there > 0:
				return fmt.Sprintf("all %d hunks have a place, where %d of them are already.", n, there), good
			case err == nil:
				return fmt.Sprintf("all %d hunks have a place.", n), good
			}
		}
	}
	if err != nil {
		return paths.OneLine(editor.Failure(err).Message, maxDiagnostic), bad
	}
	return "it can be applied.", good
}

// count counts the hunks of a patch, from 1, or of all for 0: those that cannot be
// applied, and those that are.
func (d *patchDoc) count(block int) (n, fail, there int) {
	for i := range d.found {
		if block > 0 && d.held.hunks[i].patch != block-1 {
			continue
		}
		n++
		switch f := &d.found[i]; {
		case f.fails():
			fail++
		case f.State == command.InPlace:
			there++
		}
	}
	return n, fail, there
}

// patchGroup is those parts of a patch that are about the same files, so that what
// becomes of them depends on nothing else.
type patchGroup struct {
	patch int
	files []int           // indexes of parts
	paths []string        // that they name
	names map[string]bool // that these consist of
	rests []rest          // nil before the first check
}

// rest is a text that a result depends on.
type rest struct {
	key   paths.Key
	open  bool
	text  text.Text
	drift string
}

// group returns the groups of a patch's parts.
func (d *patchDoc) group(patch int) []*patchGroup {
	p := &d.held.patches[patch]
	if p.err != nil {
		return nil
	}
	w := d.s.workspace()
	var groups []*patchGroup
	by := map[string]*patchGroup{}
	for i, f := range p.patch.Files {
		g := &patchGroup{patch: patch, names: map[string]bool{}}
		var keys []string
		for _, path := range []string{f.Path, f.OtherPath, f.NewPath} {
			if path == "" {
				continue
			}
			for name := range strings.FieldsFuncSeq(path, func(r rune) bool { return r == '/' || r == '\\' }) {
				g.names[name] = true
			}
			g.paths = append(g.paths, path)
			if at, err := w.Resolve(path); err == nil {
				path = string(at.Identity())
			}
			keys = append(keys, path)
		}
		g.files = []int{i}
		for _, key := range keys {
			if o := by[key]; o != nil && o != g {
				o.join(g)
				for k, of := range by {
					if of == g {
						by[k] = o
					}
				}
				groups = slices.DeleteFunc(groups, func(x *patchGroup) bool { return x == g })
				g = o
			}
		}
		for _, key := range keys {
			by[key] = g
		}
		if !slices.Contains(groups, g) {
			groups = append(groups, g)
		}
	}
	return groups
}

// join takes in the parts of another group.
func (g *patchGroup) join(o *patchGroup) {
	g.files = append(g.files, o.files...)
	slices.Sort(g.files)
	g.paths = append(g.paths, o.paths...)
	for name := range o.names {
		g.names[name] = true
	}
}

// isTouched reports whether a file that the group names is one of those names.
func (g *patchGroup) isTouched(names map[string]bool) bool {
	for name := range names {
		if g.names[name] {
			return true
		}
	}
	return false
}

// hasChanged reports whether what was found rests on other texts than the present ones.
func (g *patchGroup) hasChanged(docs *workspace.Documents) bool {
	for i := range g.rests {
		now := rest{key: g.rests[i].key}
		if now.look(docs); now != g.rests[i] {
			return true
		}
	}
	return false
}

func (r *rest) look(docs *workspace.Documents) {
	if doc := docs.Get(r.key); doc != nil {
		r.open, r.text, r.drift = true, doc.Text, doc.Drift
	}
}
