package watch

import (
	"context"
	"slices"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// reading is the result of reading a file, with the state of its document at that time.
type reading struct {
	of      *file
	before  *workspace.Document   // at the previous reading, or when the file was written
	had     []*workspace.Document // the states since then
	doc     *workspace.Document   // at this reading
	place   paths.Target
	err     error
	raw     text.Text
	file    text.Text // raw in the line ends of the document
	times   int       // times of the file at this reading
	retries bool      // the edit is planned again on the next text of the document

	atOnce  int    // see file
	refused string // see file
}

// read reads a file.
func (w *Watcher) read(f *file, before *workspace.Document) reading {
	r := reading{of: f, before: before}
	w.mu.Lock()
	r.times = f.times
	w.mu.Unlock()
	if r.doc = w.Documents.Get(f.key); r.doc == nil {
		return r
	}
	r.place, r.raw, r.err = w.Read(r.doc)
	r.file = inLineEnds(r.doc.Disk, r.raw)
	w.mu.Lock()
	r.had, f.had = f.had, slices.Clone(f.had[max(0, len(f.had)-1):])
	w.mu.Unlock()
	w.recall(&r)
	return r
}

// recall copies what is known of a file into r. It resets that if the text in common with the document has changed.
func (w *Watcher) recall(r *reading) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f := r.of
	if base := baseOf(r.doc).text.Hash(); f.base != base {
		f.base, f.atOnce, f.refused = base, 0, ""
	}
	f.atOnce = max(f.atOnce, len(f.round))
	r.atOnce, r.refused = f.atOnce, f.refused
}

// matters reports whether a file must be checked again because of a later state of its document:
// the state has the file's text, or has unsaved text where there was none, or its text in common
// with the file is known now, or the editor may now accept the edit, or has made it.
func (r *reading) matters(doc *workspace.Document) bool {
	return r.err == nil && doc.Text.Len() == r.file.Len() && doc.Text.Equal(r.file) || r.retries && !doc.Text.Equal(r.doc.Text) ||
		!r.doc.Unsaved() && doc.Unsaved() || doc.DiskSeen() && !r.doc.DiskSeen() || doc.InFile != nil && r.doc.InFile == nil
}

// unread tells the user that a file cannot be read. The buffer keeps its text.
func (w *Watcher) unread(ctx context.Context, r *reading) {
	if edits.IsKind(r.err, paths.FileNotFound) {
		w.Log.WarnContext(ctx, "the file of a document with unsaved text was deleted or renamed; the buffer keeps its text", "uri", r.doc.URI)
		return
	}
	w.tell(ctx, r, r.err)
}

// isInStep reports whether the buffer has the text raw of its file, or had it before the user typed on:
// the editor has saved or reloaded the file without reporting it, or the program wrote the text that
// was there. That text is then what the two have in common. No editor reloads a file over unsaved text
// by itself; if the user makes it do so, merging the next text of the file does no harm.
func (w *Watcher) isInStep(ctx context.Context, r *reading, raw text.Text) bool {
	r.file = inLineEnds(r.doc.Disk, raw)
	isHere := r.err == nil && raw.Equal(r.raw) // otherwise raw was read where the name may have led before
	if workspace.SameSaved(r.doc.Disk, r.file) {
		return !isHere || r.doc.Opened.Seen(r.place, workspace.SameSaved(r.doc.Text, r.file))
	}
	now, later := r.doc, []*workspace.Document(nil)
	if !workspace.SameSaved(now.Text, r.file) {
		at := slices.IndexFunc(r.had, func(d *workspace.Document) bool { return d.Text.Len() == r.file.Len() && d.Text.Equal(r.file) })
		if at < 0 {
			return r.doc.InFile != nil && workspace.SameSaved(*r.doc.InFile, r.file) // it was not written
		}
		now, later = r.had[at], r.had[at+1:]
	}
	if isHere && !r.doc.Opened.Seen(r.place, now == r.doc) {
		return false
	}
	was := r.before
	unwritten := !r.doc.DiskSeen() && (r.doc.InFile == nil || workspace.SameSaved(*r.doc.InFile, r.file)) // so the editor has read it anew
	behind := was != nil && !unwritten && (was.Unsaved() || workspace.SameSaved(was.Text, r.file))
	w.Documents.SetDisk(r.doc.Key, r.doc.Disk, now.Text, now.Seq, behind)
	if was != nil && !behind {
		record := was.DiskSeen() && was.Disk.Equal(r.doc.Disk) && r.atOnce <= maxFiles && w.How() != Off
		if w.Reloaded(ctx, r.place, was, now, record) { // an editor does not reload a file over an agent's edit either
			w.Documents.SetDisk(r.doc.Key, now.Text, now.Text, now.Seq, true)
		}
	}
	r.before, r.had = now, later
	w.refresh(r)
	return true
}

// isSaved reports whether the text of a file is one that the editor has saved, and reported
// together with what the user had typed since: the buffer had that text, and the file was not
// seen to hold the text reported. That text is then what the two have in common.
func (w *Watcher) isSaved(doc *workspace.Document, at paths.Target, file text.Text) bool {
	seq, had := doc.SeqOf(file)
	if !had || doc.DiskSeen() || !w.Late() {
		return false
	}
	doc.Opened.Seen(at, false)
	w.Documents.SetDisk(doc.Key, doc.Disk, file, seq, false)
	return true
}

// refresh updates the document of a reading to its present state.
func (w *Watcher) refresh(r *reading) {
	if doc := w.Documents.Get(r.doc.Key); doc != nil {
		r.doc = doc
		w.recall(r)
	}
}
