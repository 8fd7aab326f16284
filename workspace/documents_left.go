package workspace

import (
	"fmt"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/workspace/history"
	"github.com/patchls/patchls/workspace/paths"
)

// A document that exceeds a bound is left: it is known to be open, so that nobody takes
// its file for one that is closed, but its text is not kept.

// DocumentLimits bound what [Documents] keep. Of what is 0 there is no bound.
type DocumentLimits struct {
	Bytes   int64 // of a text when it is opened; one that grows is followed to twice that
	Open    int64 // documents whose text is kept
	History int64 // bytes of what is remembered of each
}

// Limit bounds what is kept from now on. Histories are cut at once; a document that is
// left stays so until its text is sent whole.
func (ds *Documents) Limit(limits DocumentLimits) {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	if ds.limits == limits {
		return
	}
	ds.limits = limits
	for key, h := range ds.histories {
		ds.look(key)
		h.LimitBytes(limits.History)
	}
}

// Excess says why a text of so many bytes would not be kept, "" if it would be.
func (ds *Documents) Excess(key paths.Key, size int) string {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	return ds.excess(key, size)
}

// excess is Excess with the lock held.
func (ds *Documents) excess(key paths.Key, size int) string {
	most, o := ds.limits.Bytes, ds.docs[key]
	isKept := o != nil && o.doc.Left == ""
	if isKept {
		most *= 2
	}
	switch {
	case most > 0 && int64(size) > most:
		return fmt.Sprintf("it has %d bytes, more than max_document_bytes (%d)", size, ds.limits.Bytes)
	case !isKept && ds.limits.Open > 0 && ds.kept >= ds.limits.Open:
		return fmt.Sprintf("with it more documents would be open than max_documents (%d)", ds.limits.Open)
	}
	return ""
}

// Leave says that a document is open whose text is not kept, and why. What was
// remembered of it is forgotten.
func (ds *Documents) Leave(key paths.Key, uri string, version int32, why string) {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	ds.leave(&Document{Key: key, URI: uri, Version: version}, why)
}

// leave is Leave with the lock held.
func (ds *Documents) leave(doc *Document, why string) {
	delete(ds.histories, doc.Key)
	delete(ds.unsaved, doc.Key)
	ds.closed = slices.DeleteFunc(ds.closed, func(k paths.Key) bool { return k == doc.Key })
	ds.hold(&Document{
		Key: doc.Key, URI: doc.URI, Version: doc.Version,
		Left: why, Drift: why, History: history.New(text.Text{}),
	})
}

// leaveGrown leaves a document that has been typed too large. It needs the lock.
func (ds *Documents) leaveGrown(o *opened) {
	if ds.limits.Bytes == 0 || int64(o.buf.Len()) <= 2*ds.limits.Bytes {
		return
	}
	if why := ds.excess(o.doc.Key, o.buf.Len()); why != "" {
		next := *o.doc
		next.Version = o.version
		ds.leave(&next, why)
	}
}

// changeLeft is a change of a document that is left: only a text that is sent whole can
// make it known again. It needs the lock.
func (ds *Documents) changeLeft(o *opened, version int32, changes []Change) []Change {
	whole := -1
	for i := range changes {
		if changes[i].Whole {
			whole = i
		}
	}
	next := &Document{Key: o.doc.Key, URI: o.doc.URI, Version: version}
	if whole < 0 {
		ds.leave(next, o.doc.Left)
		return nil
	}
	if why := ds.excess(next.Key, len(changes[whole].Text)); why != "" {
		ds.leave(next, why)
		return nil
	}
	next.Text = text.New(strings.Clone(changes[whole].Text))
	next.Disk = next.Text
	ds.put(next)
	return changes[whole+1:]
}
