package lsp

import (
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
	wake chan struct{}               // nil until the first is opened
	told map[paths.Key]publishParams // what the client was told last; of the goroutine that checks
}

// patchDoc is one of them.
type patchDoc struct {
	s        *server
	key      paths.Key
	markdown bool
	outdated atomic.Bool // a file may be another one on disk, or in the editor

	mu     sync.Mutex          // held while it is checked
	state  *workspace.Document // that was checked; nil before
	held   heldPatches
	rests  []rest
	found  []foundHunk // by hunk
	faults []patchFault
	said   []diagnostic
}

// rest is a text that what was found depends on.
type rest struct {
	key   paths.Key
	open  bool
	text  text.Text
	drift string
}

func (r *rest) look(docs *workspace.Documents) {
	if doc := docs.Get(r.key); doc != nil {
		r.open, r.text, r.drift = true, doc.Text, doc.Drift
	}
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
	// In an editor that shows no diagnostics it is checked when somebody asks.
	if s.client.Load().Display.Diagnostics && pd.wake == nil {
		pd.wake, pd.told = make(chan struct{}, 1), map[paths.Key]publishParams{}
		s.docs.Listen(pd.wake)
		s.spawn(s.checkPatches)
	}
	pd.touch()
}

// closePatches takes in that a document was closed.
func (s *server) closePatches(key paths.Key) {
	pd := &s.patchDocs
	pd.mu.Lock()
	defer pd.mu.Unlock()
	delete(pd.docs, key)
	pd.touch()
}

// touchPatches takes in that a name may stand for another text, or for none, by other means
// than that a document was opened, changed or closed.
func (s *server) touchPatches() {
	pd := &s.patchDocs
	pd.mu.Lock()
	defer pd.mu.Unlock()
	pd.touch()
}

// touch has all documents checked anew. It needs the lock, and never waits.
func (pd *patchDocs) touch() {
	for _, d := range pd.docs {
		d.outdated.Store(true)
	}
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

// keys returns the documents that hold patches, and those of which the client was told that they do.
func (pd *patchDocs) keys() []paths.Key {
	pd.mu.Lock()
	defer pd.mu.Unlock()
	keys := slices.AppendSeq(slices.Collect(maps.Keys(pd.docs)), maps.Keys(pd.told))
	slices.Sort(keys)
	return slices.Compact(keys)
}

// checkPatches checks the documents each time that something has changed. What
// changes meanwhile is one check more, however much it is.
func (s *server) checkPatches(ctx context.Context) {
	pd := &s.patchDocs
	for {
		select {
		case <-ctx.Done():
			return
		case <-pd.wake:
		}
		for _, key := range pd.keys() {
			// A fault in this must not end the server.
			if _, err := fenced("patches", func() (any, error) { s.publish(key); return nil, nil }); err != nil {
				s.log.Error("patches", "document", key, "error", err)
			}
		}
	}
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
