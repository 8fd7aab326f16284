package watch

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/merge"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// Edit brings what another program has written into a document. [commands.Edit.Plan] plans it on
// the text at the time of planning, so what the user types meanwhile is not part of it.
type Edit struct {
	place   paths.Target
	base    base
	file    text.Text
	confirm bool
	holds   func() bool // the document is open, and still has base in common with its file
	planned text.Text   // the text of the last one
	plans   int         // how many were made: if the user is asked, the first one is for the question; the editor may have been sent the others
}

// errClosed means that a document was closed or saved, or its file written, before the edit was made.
var errClosed = errors.New("it was closed or saved meanwhile, or its file written")

// errConflict means that the user must be asked: both have changed the same lines, or the base is not sure.
var errConflict = errors.New("the user must be asked")

// Options implements [commands.Edit].
func (e *Edit) Options() commands.EditOptions {
	return commands.EditOptions{Label: "Merge the file on disk", Confirm: e.confirm}
}

// Target implements [commands.Edit].
func (e *Edit) Target() commands.Target {
	return commands.Target{Path: e.place.URI, Place: e.place}
}

// Plan implements [commands.Edit]. In a conflict, it takes the text of the other program if the
// user is asked, and fails otherwise.
func (e *Edit) Plan(src edits.Source) (edits.Plan, error) {
	if !e.holds() {
		return edits.Plan{}, errClosed
	}
	m, sure := e.base.merge(src.Text, e.file)
	if (len(m.Conflicts) > 0 || !sure) && !e.confirm {
		return edits.Plan{}, errConflict
	}
	es := diff.Rewrite(src.Text, 0, src.Text.Len(), m.Text)
	if len(es) == 0 {
		return edits.Plan{}, edits.ErrorIn(edits.NoChange, src.Path, "%s already has what another program wrote.", src.Path)
	}
	plan := diff.PlanOf(src.Text, es)
	plan.Message = fmt.Sprintf("Merged what another program wrote to %s with the unsaved text.", src.Path)
	if len(m.Conflicts) > 0 {
		plan.Message = fmt.Sprintf("Took what another program wrote to %s, also in %s that the user had changed.", src.Path, edits.Count(len(m.Conflicts), "place"))
	}
	e.planned, e.plans = src.Text, e.plans+1
	return plan, nil
}

// maxFiles is the most open files that an agent is expected to write at a time.
const maxFiles = 4

// unlike reports whether a file does not look like an agent's edit, as after git checkout. The
// user is asked about such a file. (An empty file conflicts with all unsaved text.)
func (w *Watcher) unlike(r *reading) bool { return r.atOnce > maxFiles || w.bringsBack(r.doc, r.file) }

// maxLooked bounds the lines of a file that are looked up in the history of its document.
const maxLooked = 200

// bringsBack reports whether a file has a line that was removed from the document since it was
// opened. Removals by other programs do not count: an agent may take back what it wrote.
func (w *Watcher) bringsBack(doc *workspace.Document, file text.Text) bool {
	was, fresh := map[string]bool{}, map[string]bool{}
	for line := range strings.Lines(baseOf(doc).text.String()) {
		was[line] = true
	}
	for line := range strings.Lines(file.String()) {
		if !was[line] && strings.TrimSpace(line) != "" && len(fresh) < maxLooked {
			fresh[line] = true
		}
	}
	return doc.History.HadLine(fresh, w.EditIDs())
}

// bringIn has the editor make the edit that merges a file into the buffer, and reports whether the file is merged then.
func (w *Watcher) bringIn(ctx context.Context, r *reading) bool {
	doc, file := r.doc, r.file
	switch {
	case !w.maybeUnsaved(doc) && r.err == nil:
		w.Written(doc)
		return false
	case !w.maybeUnsaved(doc):
		return false
	case r.err != nil:
		w.tell(ctx, r, r.err)
		return false
	case w.How() == Off, r.refused == file.Hash():
		return false
	case doc.DiskSeen() && w.Sent(doc.Key, file): // and its program has written it to the file all the same
		w.Documents.SetDisk(doc.Key, doc.Disk, file, doc.Seq, true)
		return true
	}
	defer w.makes(r.of)()
	sent, err := w.merge(ctx, r)
	switch {
	case err == nil && baseOf(doc).origin == restored:
		w.Documents.SetInFile(doc, file)
		return true
	case err == nil:
		w.Documents.SetDisk(doc.Key, doc.Disk, file, doc.Seq, true)
		return true
	case errors.Is(err, errClosed):
		return false
	case errors.Is(err, errUnknown):
	case !sent, errors.Is(err, ErrRefused):
		w.mu.Lock()
		r.of.refused = file.Hash()
		w.mu.Unlock()
	case w.mayRetry(r, err):
		r.retries = true // the next text has the late edit, or makes the edit's version stale
	default: // the edit may have been made all the same
		w.Documents.DoubtDisk(doc.Key)
	}
	w.tell(ctx, r, err)
	return false
}

// mayRetry reports whether the edit of r, which failed with err, was not made or is only late: the editor refused it, or
// is exact, and its text is as it was or as the edit makes it. Another text may have the edit in the wrong place.
func (w *Watcher) mayRetry(r *reading, err error) bool {
	late := w.Editor().Quirks.Exact && (edits.IsKind(err, edits.TimedOut) || edits.IsKind(err, edits.NotSettled))
	now := w.Documents.Get(r.doc.Key)
	m, _ := baseOf(r.doc).merge(r.planned, r.file)
	return (late || edits.IsKind(err, edits.Rejected)) && now != nil && (now.Text.Equal(r.planned) || now.Text.String() == m.Text)
}

// tell tells the user that a file is not merged: in the log, and the first time since the document was saved in a
// message, unless they have decided so or it is tried again.
func (w *Watcher) tell(ctx context.Context, r *reading, err error) {
	if edits.IsKind(err, edits.FileNotFound) {
		w.Log.WarnContext(ctx, "the file of a document with unsaved text was deleted or renamed; the buffer keeps its text", "uri", r.doc.URI)
		return
	}
	w.Log.WarnContext(ctx, "another program has written the file of a document with unsaved text, and it was not merged", "uri", r.doc.URI, "error", err)
	w.mu.Lock()
	first := !w.told[r.doc.Key] && !r.retries && !errors.Is(err, ErrRefused) && ctx.Err() == nil
	w.told[r.doc.Key] = first || w.told[r.doc.Key]
	w.mu.Unlock()
	if abs, _ := r.doc.Key.FilePath(); first {
		w.Show(fmt.Sprintf("patchls has not merged what another program has written to %s, which has unsaved text: %v", abs, err))
	}
}

// makes records that the editor is making the edit that merges a file. The caller calls made when
// the edit is done. A file has one such edit at a time.
func (w *Watcher) makes(f *file) (made func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f.making = make(chan struct{})
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		close(f.making)
		f.making = nil
	}
}

// awaited is the longest that [Watcher.Await] waits: the user waits too.
const awaited = 300 * time.Millisecond

// Await waits while the editor makes the edit that merges the file of a document, for 300 ms at most. Once the edit
// is made, the text that file and buffer have in common is known. Await does not wait while the user is asked.
func (w *Watcher) Await(ctx context.Context, key paths.Key) {
	w.mu.Lock()
	var made chan struct{}
	if f := w.files[key]; f != nil && f.withdraw == nil {
		made = f.making
	}
	w.mu.Unlock()
	if made == nil {
		return
	}
	select {
	case <-made:
	case <-w.After(awaited):
	case <-ctx.Done():
	}
}

// merge has the editor make the edit that merges a file, after the user has agreed if they are to be
// asked. A refused text is not offered again, and the user is asked about each later text of the file,
// which may hold the same change. sent reports whether the edit may have been sent to the editor.
func (w *Watcher) merge(ctx context.Context, r *reading) (sent bool, err error) {
	from := baseOf(r.doc)
	if from.origin == unknown {
		return false, errUnknown
	}
	if _, err := w.Reach(r.doc, paths.Merge); err != nil {
		return false, err
	}
	e := &Edit{place: r.place, planned: r.doc.Text, base: from, file: r.file, confirm: w.How() == Ask || w.unlike(r) || r.refused != ""}
	e.holds = func() bool {
		now := w.Documents.Get(r.doc.Key)
		return now != nil && now.Disk.Equal(r.doc.Disk) && baseOf(now).text.Equal(from.text)
	}
	defer func() { r.planned = e.planned }()
	if !e.confirm {
		if err = w.Edit(ctx, e); !errors.Is(err, errConflict) {
			return e.plans > 0, err
		}
		if agreed := from.agreed(r.doc.Text, r.file); !agreed.Equal(from.text) {
			e.file = agreed
			switch err = w.Edit(ctx, e); {
			case errors.Is(err, errConflict):
			case err != nil:
				return e.plans > 0, err
			default: // the lines that both have changed are left
				w.Documents.SetDisk(r.doc.Key, r.doc.Disk, agreed, r.doc.Seq, true)
				if w.refresh(r); !baseOf(r.doc).text.Equal(agreed) {
					return false, errClosed
				}
				if sent, err = w.merge(ctx, r); err != nil {
					err = fmt.Errorf("all is merged but the lines that you have changed, too: %w", err)
				}
				e.planned = r.planned
				return sent, err
			}
			e.file = r.file
		}
		e.confirm, e.plans = true, 0
	}
	err = w.ask(ctx, r, e)
	return e.plans > 1, err
}

// ask has the editor make an edit after the user has agreed, while the document is neither saved
// nor closed and the file is unchanged. If the user cannot be asked, the edit is not made.
func (w *Watcher) ask(ctx context.Context, r *reading, e *Edit) error {
	if !w.Editor().Plugin.Confirm { // a message would interrupt the user's work
		return errUnasked
	}
	asked, withdraw := context.WithCancel(ctx)
	defer withdraw()
	w.setQuestion(r, withdraw, -1) // a file written while the user thinks is not written at the same time
	defer w.setQuestion(r, nil, 1)
	err := w.Edit(asked, e)
	if e.plans < 2 && asked.Err() != nil && ctx.Err() == nil {
		return errClosed
	}
	return err
}

// setQuestion records how the question about a file is withdrawn; withdraw is nil once the
// question is over. It adds n to w.busy.
func (w *Watcher) setQuestion(r *reading, withdraw func(), n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	r.of.question, r.of.withdraw, r.of.atOnce = r.raw, withdraw, max(r.of.atOnce, r.atOnce) // another round may begin
	w.busy += n
}

// ErrRefused means that the user has refused an edit.
var ErrRefused = errors.New("the user said no")

// errUnasked and errUnknown are reported to the user in the log.
var (
	errUnasked = errors.New("you would have to be asked, which takes a plugin; compare the two before you save")
	errUnknown = errors.New("it is not known which text the editor has read from the file or saved there last; compare the two before you save")
)

// base is the text on which the buffer of a document and its file are merged.
type base struct {
	origin
	text text.Text
	// earlier is what the file held before the save, if origin is saved.
	earlier *text.Text
}

// origin says how it is known that a buffer and its file have a text in common.
type origin int

// The origins of a base.
const (
	unknown  origin = iota // nothing can be merged
	seen                   // the file was seen to hold the text that the editor opened or saved last
	restored               // the editor opened the document with unsaved text, as after a crash: the file as it was then
	saved                  // the editor has reported a save and the file was not seen to hold it: another program wrote it at once, or the save went elsewhere
)

// baseOf returns the base of a document. A restored buffer may lack what was written before it was opened, and is never
// said to be merged. That a file has held what was saved is only assumed, so the user is asked unless earlier leads to
// the same text.
func baseOf(doc *workspace.Document) base {
	switch {
	case doc.DiskSeen():
		return base{origin: seen, text: doc.Disk}
	case doc.InFile == nil:
		return base{origin: unknown, text: doc.Disk}
	case doc.Behind:
		return base{origin: restored, text: *doc.InFile}
	}
	return base{origin: saved, text: doc.Disk, earlier: doc.InFile}
}

// merge merges a file into a text. The merge is sure unless another base, which may be the right one, leads elsewhere.
func (b base) merge(now, file text.Text) (m merge.Merged, sure bool) {
	m = merge.Texts(b.text.String(), now.String(), file.String())
	if b.earlier == nil {
		return m, true
	}
	other := merge.Texts(b.earlier.String(), now.String(), file.String())
	return m, len(other.Conflicts) == 0 && other.Text == m.Text
}

// agreed returns what a file holds without the lines that the user has changed, too. It is the text of the base if that is
// not sure.
func (b base) agreed(now, file text.Text) text.Text {
	if b.origin != seen {
		return b.text
	}
	m, _ := b.merge(now, file)
	return text.New(m.Agreed(b.text.String(), file.String()))
}

// compare finds out what the file of a document holds that was not seen to hold Disk. What it holds when it has not
// changed for a while after the document was opened is a base, and so is what it held before it was removed; an editor may
// read it in that time. A file that is not there holds nothing. The user is told of what was written meanwhile.
func (w *Watcher) compare(ctx context.Context, doc *workspace.Document, opened bool) {
	at, raw, err := w.Read(doc)
	file := text.InForm(doc.Disk, raw)
	switch {
	case opened && doc.InFile == nil && edits.IsKind(err, edits.FileNotFound):
		if doc.Text.Len() > len("\n") { // Vim shows an empty file as "\n"
			w.Documents.SetInFile(doc, text.Text{})
		}
		return
	case err != nil, w.isSaved(doc, at, file), doc.InFile == nil && !opened:
		return
	case doc.InFile != nil:
		if !workspace.SameSaved(*doc.InFile, file) {
			w.NoteWrite(doc.Key)
		}
		return
	}
	for written := false; w.Sleep(ctx, longQuiet); written = true {
		at, again, err := w.Read(doc)
		file, now := text.InForm(doc.Disk, again), w.Documents.Get(doc.Key)
		switch {
		case now == nil, now.InFile != nil:
			return
		case err != nil: // it is gone, and may come back
			if was := text.InForm(doc.Disk, raw); !workspace.SameSaved(now.Text, was) {
				w.Documents.SetInFile(doc, was)
			}
		case !again.Equal(raw):
			raw = again
			continue
		case !workspace.SameSaved(now.Text, file):
			if w.Documents.SetInFile(doc, file); written {
				w.tell(ctx, &reading{doc: now}, errUnknown)
			}
		case doc.Opened.Seen(at, true): // the editor has read the file anew
			w.Documents.SetDisk(doc.Key, doc.Disk, now.Text, now.Seq, false)
		}
		return
	}
}

// mayBeCut reports whether a program may still be writing a file: the file does not end as it did
// before, or the user would be asked about it.
func (w *Watcher) mayBeCut(r *reading) bool {
	was, now := baseOf(r.doc).text.String(), r.file.String()
	end := was[strings.LastIndexByte(strings.TrimSuffix(was, "\n"), '\n')+1:]
	m, sure := baseOf(r.doc).merge(r.doc.Text, r.file)
	return !strings.HasSuffix(now, end) || w.unlike(r) || len(m.Conflicts) > 0 || !sure
}
