package workspace

import (
	"slices"
	"strings"

	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/workspace/history"
	"github.com/patchls/patchls/workspace/paths"
)

// Close forgets the document, and which hunks of it were to be reviewed. Its history is
// kept for a while if an agent has edited it: the editor may only be reading the file
// anew.
func (ds *Documents) Close(key paths.Key) {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	if doc := ds.look(key); doc != nil && !doc.Text.Equal(doc.Disk) {
		ds.keepUnsaved(key, doc)
	}
	if h := ds.histories[key]; h != nil {
		h.KeepAll() // whoever closes a document has seen it
	}
	ds.forget(key)
	ds.Changed.send()
	ds.keep(key)
	ds.show(key, nil)
}

// keep says that the history of a document that is not open may be needed. It
// needs the lock.
func (ds *Documents) keep(key paths.Key) {
	ds.closed = slices.DeleteFunc(ds.closed, func(k paths.Key) bool { return k == key })
	if h := ds.histories[key]; h == nil || len(h.Edits()) == 0 {
		delete(ds.histories, key)
		return
	}
	ds.closed = append(ds.closed, key)
	ds.trim()
}

// trim drops what closed documents keep beyond the bounds: the ones closed last stay, as
// far as they fit. It needs the lock.
func (ds *Documents) trim() {
	kept, size := ds.closed[:0:0], 0
	for _, key := range slices.Backward(ds.closed) {
		n := ds.histories[key].Size()
		if len(kept) == maxClosedHistories || size+n > maxClosedBytes {
			delete(ds.histories, key)
			delete(ds.unsaved, key)
			continue
		}
		kept, size = append(kept, key), size+n
	}
	slices.Reverse(kept)
	ds.closed = kept
}

// keepUnsaved remembers what a document has unsaved when it is closed. It needs the
// lock.
func (ds *Documents) keepUnsaved(key paths.Key, doc *Document) {
	held := func(d *Document) int { return d.Text.Len() + d.Disk.Len() }
	size := held(doc)
	if size > maxClosedBytes {
		return
	}
	for _, other := range ds.unsaved {
		size += held(other)
	}
	if len(ds.unsaved) == maxClosedUnsaved || size > maxClosedBytes {
		clear(ds.unsaved) // most were thrown away
	}
	ds.unsaved[key] = doc
}

// CatchUp says that the text of a document that is not open is now, and returns
// its history: a new one if there is none, nil if the document is open.
func (ds *Documents) CatchUp(key paths.Key, now text.Text) *history.History {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	if ds.docs[key] != nil {
		return nil
	}
	h := ds.histories[key]
	if h == nil {
		h = history.New(now)
		h.LimitBytes(ds.limits.History)
		ds.histories[key] = h
		ds.closed = append(ds.closed, key)
	}
	ds.catchUp(key, h, now)
	return h
}

// Reread says what the file of a document that is not open holds now. It does
// nothing if the document is open, or was never.
func (ds *Documents) Reread(key paths.Key, now text.Text) {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	if h := ds.histories[key]; h != nil && ds.docs[key] == nil {
		ds.catchUp(key, h, now)
	}
}

// catchUp is [History.CatchUp], or [History.ThrowAway] where the document was closed
// unsaved and is now as it was saved last, or comes nearer to that: an editor that
// opens it to be edited may tell of it as edited. It needs the lock.
func (ds *Documents) catchUp(key paths.Key, h *history.History, now text.Text) {
	was := ds.unsaved[key]
	if was == nil || h.Text().Equal(now) {
		h.CatchUp(now)
		return
	}
	switch {
	case SameSaved(was.Disk, now):
		h.ThrowAway(now, was.diskSeq)
	case changeset.Difference(was.Disk, now).Size() < changeset.Difference(h.Text(), now).Size():
		h.ThrowAway(was.Disk, was.diskSeq)
		h.CatchUp(now)
	default:
		h.CatchUp(now)
		return
	}
	then := *was
	then.diskSeq = h.Seq()
	ds.unsaved[key] = &then
}

// SameSaved reports whether two texts may be that of a buffer and of its file: editors
// may convert line ends when they save, keep a byte order mark apart, and add a final
// newline of which no didChange tells (hazard: newline-on-save).
func SameSaved(a, b text.Text) bool {
	plain := func(t text.Text) string { return strings.TrimSuffix(text.Plain(t.String()), "\n") }
	return a.Equal(b) || plain(a) == plain(b)
}
