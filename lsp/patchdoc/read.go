package patchdoc

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/edits/place"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/lists"
	"github.com/patchls/patchls/lsp/host"
	"github.com/patchls/patchls/lsp/patchplan"
	"github.com/patchls/patchls/lsp/rpc"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// patches are the patches in a text, and where their hunks go in the texts that they change.
type patches struct {
	c        *Checker
	uri      string
	text     text.Text
	markdown bool
	tooMuch  string // why nothing was read, "" if all was
	blocks   []block
	hunks    []hunk // of all blocks, in order; the command numbers them from 1

	faults  []fault
	missing int // files that do not exist
}

// block is one patch in a text.
type block struct {
	line, end int // its lines in the text, [line,end) from 0
	patch     patch.Patch
	err       *edits.Error // why the patch cannot be read, nil if it can
	unnamed   bool         // err is that the patch names no file
}

// hunk is a hunk of a patch, or a part of a patch without hunks, such as the deletion of a file.
// It can be applied by itself.
type hunk struct {
	block, file int // indexes
	hunk        int // of file, -1 for the whole part
	line, end   int // its lines in the text, [line,end) from 0

	// What follows is known once the hunk is checked.
	place.Place
	path, uri string // of the file that it changes; uri is "" if there is none
	action    string // in place of a line: what a part without hunks does
	fault     *edits.Error
	// unplaced is a placement without a place for this hunk; other hunks of the part may have one. It says why.
	unplaced *place.Placement
}

// fault is why a part of a patch cannot be applied as a whole.
type fault struct {
	line int // of the text that holds the patch, from 0
	err  *edits.Error
}

// These bound what is checked of a document, since each change checks it anew.
const (
	maxBytes = 8 << 20
	maxFiles = 1000
	maxHunks = 10_000
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
	wake      chan struct{}                                   // nil until a document that may hold patches is opened
	published map[paths.Key]protocol.PublishDiagnosticsParams // what the client was sent last; after Open only [Checker.checkAll] uses it
}

// read returns the patches in an open document, nil if doc is nil or cannot hold patches. If they
// are too much to be checked, it returns none of them, and sets tooMuch.
func (c *Checker) read(doc *workspace.Document) *patches {
	if doc == nil {
		return nil
	}
	may, markdown := holdsPatches(doc.URI, doc.Language)
	if !may {
		return nil
	}
	p := &patches{c: c, uri: doc.URI, text: doc.Text, markdown: markdown}
	if n := doc.Text.Len(); n > maxBytes {
		p.tooMuch = fmt.Sprintf("This document has %d bytes; patches are checked in those of up to %d (8 MiB). It can be applied all the same.", n, maxBytes)
		return p
	}
	p.readAll()
	files := lists.Sum(p.blocks, func(b block) int { return len(b.patch.Files) })
	if files > maxFiles {
		p.tooMuch = fmt.Sprintf("The patches here change %d files; up to %d are checked. They can be applied all the same.", files, maxFiles)
	} else if n := len(p.hunks); n > maxHunks {
		p.tooMuch = fmt.Sprintf("The patches here have %d hunks; up to %d are checked. They can be applied all the same.", n, maxHunks)
	}
	if p.tooMuch != "" {
		p.blocks, p.hunks = nil, nil
	}
	return p
}

// readAll reads the patches in the text.
func (p *patches) readAll() {
	whole := p.text.String()
	if p.markdown {
		for _, b := range patch.Blocks(whole) {
			p.add(b)
		}
	} else if strings.TrimSpace(whole) != "" { // else the user is only beginning a patch
		p.add(patch.Block{Line: 1, Lines: p.text.Lines(), Patch: whole})
	}
}

func (p *patches) add(from patch.Block) {
	b := block{line: from.Line - 1, end: from.Line - 1 + from.Lines}
	sent, err := patch.Parse(from.Patch)
	if b.patch = sent; err != nil {
		b.err = edits.Failure(err)
	}
	if i := slices.IndexFunc(sent.Files, func(f patch.File) bool { return f.Path == "" }); i >= 0 && b.err == nil {
		b.unnamed = true
		b.err = &edits.Error{Kind: edits.PatchSyntax, PatchLine: sent.Files[i].Line, Message: fmt.Sprintf(
			"Line %d of the patch: the patch names no file; put its path on the line above the first block.", sent.Files[i].Line)}
	}
	if b.err == nil {
		p.addHunks(b)
	}
	p.blocks = append(p.blocks, b)
}

// addHunks adds the hunks of a block. Each extends to the next hunk or file.
func (p *patches) addHunks(b block) {
	first := len(p.hunks)
	ends := func(line int) {
		if n := len(p.hunks); n > first {
			p.hunks[n-1].end = max(p.hunks[n-1].line+1, b.line+line-1)
		}
	}
	add := func(file, k, line int) {
		p.hunks = append(p.hunks, hunk{block: len(p.blocks), file: file, hunk: k, line: b.lineOf(line), end: b.end})
	}
	for i, f := range b.patch.Files {
		ends(f.Line)
		if f.Op != patch.UpdateFile || len(f.Hunks) == 0 {
			add(i, -1, f.Line)
			continue
		}
		for k, h := range f.Hunks {
			if k > 0 {
				ends(h.Line)
			}
			if h.Changes() {
				add(i, k, h.Line)
			}
		}
	}
}

// lineOf returns the line in the text, from 0, of a line of the patch, from 1.
func (b *block) lineOf(line int) int { return min(b.line+line-1, max(b.line, b.end-1)) }

// check finds the places of all hunks in the texts as they are now, and returns p, which may be nil.
func (p *patches) check() *patches {
	if p == nil {
		return nil
	}
	rest := p.hunks
	for i := range p.blocks {
		if p.blocks[i].err == nil { // else it has no hunks
			rest = p.checkBlock(&p.blocks[i], rest)
		}
	}
	return p
}

// checkBlock places the hunks of a patch, with which rest begins, as apply_patch would. It returns the hunks after them.
func (p *patches) checkBlock(b *block, rest []hunk) []hunk {
	plan, done := p.c.Plan()
	defer done()
	plan.Missing = p.missing
	defer func() { p.missing = plan.Missing }()
	for i, part := range b.patch.Files {
		n := 1
		for n < len(rest) && rest[n].block == rest[0].block && rest[n].file == i {
			n++
		}
		hunks := rest[:n]
		rest = rest[n:]
		// A panic must not keep the other parts from being checked.
		_, err := rpc.Fenced("patch", func() (any, error) { return nil, checkPart(plan, part, i+1, hunks) })
		if err == nil {
			continue
		}
		if fault, ok := errors.AsType[*rpc.FaultError](err); ok {
			p.c.Client.Log.Error("check", "error", fault)
		}
		e := edits.Failure(err)
		p.faults = append(p.faults, fault{b.lineOf(part.Line), e})
		for k := range hunks {
			hunks[k].fault = e
		}
	}
	return rest
}

// checkPart places the hunks of one part, on the files as the parts before leave them. The error
// is why the part cannot be applied as a whole; it is nil if only some hunks have no place.
func checkPart(plan *patchplan.Plan, part patch.File, number int, hunks []hunk) error {
	inPlace := plan.InPlaceNotes()
	var placement *place.Placement
	f, err := plan.Part(patchplan.Part{File: part, Number: number, Placed: func(pl *place.Placement) { placement = pl }})
	anyUnplaced := false
	for i := range hunks {
		h := &hunks[i]
		if h.path = part.Path; f != nil {
			if h.path = f.PatchName; f.Was.Exists {
				h.uri = f.Was.URI
			}
		}
		switch {
		case h.hunk >= 0 && placement != nil:
			if h.Place = placement.Places[h.hunk]; h.State == place.Unplaced && placement.Err == nil {
				h.unplaced, anyUnplaced = placement, true
			}
		case err == nil && f != nil:
			h.State, h.action = place.Placed, actionOf(part)
			if plan.InPlaceNotes() > inPlace {
				h.State = place.InPlace
			}
		}
	}
	switch {
	case placement != nil && placement.Err != nil && err == nil:
		return placement.Err
	case edits.IsKind(err, edits.FileNotFound):
		note, ok := plan.AlreadyApplied(part)
		if !ok {
			return err
		}
		for i := range hunks {
			hunks[i].State, hunks[i].action = place.InPlace, strings.TrimSuffix(note, ".")
		}
		return nil
	case anyUnplaced:
		return nil
	}
	return err
}

// actionOf says what a part without hunks does.
func actionOf(part patch.File) string {
	switch {
	case part.Op == patch.AddFile:
		return "creates " + part.Path
	case part.Op == patch.DeleteFile:
		return "deletes " + part.Path
	case part.NewPath != "":
		return fmt.Sprintf("moves %s to %s", part.Path, part.NewPath)
	}
	return "changes " + part.Path
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

// Open begins to check the open documents when doc, which is one of them, is the first that may hold patches. If the editor
// shows no diagnostics, patches are checked only when the user asks.
func (c *Checker) Open(doc *workspace.Document) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if may, _ := holdsPatches(doc.URI, doc.Language); !may || c.wake != nil || !c.Editor().Display.Diagnostics {
		return
	}
	c.wake, c.published = make(chan struct{}, 1), map[paths.Key]protocol.PublishDiagnosticsParams{}
	c.Documents.Changed.Listen(c.wake)
	workspace.Wake(c.wake)
	c.Go(func(ctx context.Context) {
		// What changes during a check, or in the pause after it, leads to one more.
		c.Throttle(ctx, c.wake, checkPause, func() bool { c.checkAll(); return true })
	})
}

// Recheck has all documents checked again: a name may stand for another text, though no document
// was opened, changed or closed. It never waits.
func (c *Checker) Recheck() {
	c.mu.Lock()
	defer c.mu.Unlock()
	workspace.Wake(c.wake)
}

// checkAll checks the open documents, and those for which the client has diagnostics.
func (c *Checker) checkAll() {
	keys := lists.Map(c.Documents.All(), func(doc *workspace.Document) paths.Key { return doc.Key })
	keys = slices.AppendSeq(keys, maps.Keys(c.published))
	slices.Sort(keys)
	for _, key := range slices.Compact(keys) {
		// A panic here must not end the server.
		if _, err := rpc.Fenced("patches", func() (any, error) { c.publish(key); return nil, nil }); err != nil {
			c.Log.Error("patches", "document", key, "error", err)
		}
	}
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
