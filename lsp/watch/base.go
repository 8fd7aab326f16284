package watch

import (
	"context"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/merge"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/workspace"
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

// compare finds out what the file of a document holds that was not seen to hold Disk. What it holds when it has not
// changed for a while after the document was opened is a base, and so is what it held before it was removed, which is
// nothing if it was never there; an editor may read it in that time. The user is told of what was written meanwhile.
func (w *Watcher) compare(ctx context.Context, doc *workspace.Document, opened bool) {
	at, raw, err := w.Read(doc)
	file := inLineEnds(doc.Disk, raw)
	switch {
	case err != nil && !edits.IsKind(err, edits.FileNotFound), w.isSaved(doc, at, file), doc.InFile == nil && !opened:
		return
	case doc.InFile != nil:
		if !workspace.SameSaved(*doc.InFile, file) {
			w.NoteWrite(doc.Key)
		}
		return
	}
	for written := false; w.Sleep(ctx, longQuiet); written = true {
		at, again, err := w.Read(doc)
		file, now := inLineEnds(doc.Disk, again), w.Documents.Get(doc.Key)
		switch {
		case now == nil, now.InFile != nil:
			return
		case err != nil: // it is gone, and may come back
			if was := inLineEnds(doc.Disk, raw); !workspace.SameSaved(now.Text, was) {
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
