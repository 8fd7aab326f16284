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

// known makes a document that is left known again where its text is sent whole, and returns
// the changes of that; it returns none if there is nothing to be done. It needs the lock.
func (ds *Documents) known(left *Document, version int32, changes []Change) []Change {
	for i, c := range slices.Backward(changes) {
		if c.Whole {
			ds.put(left.Sent(&version, text.New(strings.Clone(c.Text))))
			return changes[i+1:]
		}
	}
	next := *left
	next.Version = version
	ds.leave(&next, left.Left)
	return nil
}
