package workspace

import (
	"slices"
	"strings"

	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/workspace/history"
	"github.com/patchls/patchls/workspace/paths"
)

// Close forgets the document, and which of its hunks were to be reviewed. Its history is kept for a while if an agent has
// edited the document, since the editor may only be rereading the file.
func (ds *Documents) Close(key paths.Key) {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	if doc := ds.look(key); doc != nil && doc.Unsaved() {
		ds.unsaved[key] = doc
	}
	if h := ds.histories[key]; h != nil {
		h.Keep("") // a user who closes a document has seen its hunks
	}
	delete(ds.docs, key)
	ds.Changed.send()
	ds.keep(key)
	ds.show(key, nil)
}

// keep remembers a document that is not open if it may be needed: an agent has edited it, or it was closed unsaved.
// Documents beyond the bounds are forgotten, in the order of closing. keep needs the lock.
func (ds *Documents) keep(key paths.Key) {
	ds.dropClosed(key)
	h, unsaved := ds.histories[key], ds.unsaved[key]
	if h == nil || unsaved == nil && len(h.Edits()) == 0 {
		delete(ds.histories, key)
		delete(ds.unsaved, key)
		return
	}
	kept, size := []paths.Key(nil), 0
	for _, k := range slices.Backward(append(ds.closed, key)) {
		n := ds.histories[k].Size()
		if doc := ds.unsaved[k]; doc != nil {
			n += doc.Disk.Len()
		}
		if len(kept) == maxClosed || size+n > maxClosedBytes {
			delete(ds.histories, k)
			delete(ds.unsaved, k)
			continue
		}
		kept, size = append(kept, k), size+n
	}
	slices.Reverse(kept)
	ds.closed = kept
}

// dropClosed removes a document from the closed ones. It needs the lock.
func (ds *Documents) dropClosed(key paths.Key) {
	ds.closed = slices.DeleteFunc(ds.closed, func(k paths.Key) bool { return k == key })
}

// CatchUp says that a document that is not open has the text now. It returns the
// document's history, a new one if there is none, or nil if the document is open.
func (ds *Documents) CatchUp(key paths.Key, now text.Text) *history.History {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	if ds.docs[key] != nil {
		return nil
	}
	if ds.histories[key] == nil {
		ds.closed = append(ds.closed, key)
	}
	h := ds.remember(key, now)
	ds.catchUp(key, h, now)
	return h
}

// catchUp is [History.CatchUp], or [History.ThrowAway] if the document was closed unsaved
// and is now as it was last saved, or closer to that: an editor that opens a document to
// edit it may report the document with the edit already made. It needs the lock.
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

// SameSaved reports whether two texts may be those of a buffer and of its file: editors may convert line ends when they
// save, keep a byte order mark apart, and add a final newline that no didChange reports (hazard: newline-on-save).
func SameSaved(a, b text.Text) bool {
	plain := func(t text.Text) string { return strings.TrimSuffix(text.Plain(t.String()), "\n") }
	return a.Equal(b) || plain(a) == plain(b)
}
