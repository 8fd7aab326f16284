package workspace

import (
	"cmp"
	"slices"
	"sync"

	"github.com/patchls/patchls/edits/text"
)

// Document is an open document as the editor has it. It is never changed.
type Document struct {
	Key     Key
	URI     string // in the client's own spelling, which is sent back to it
	Version int32  // the client's; it may jump, and starts over at every opening
	Text    text.Text

	// Drift says why Text can no longer be taken for the editor's: a change
	// that could not be read, a checksum that differs. "" while it can. Only
	// opening the document again ends it.
	Drift string
}

// Documents are the open documents. It is safe for concurrent use; changes are
// expected in wire order from one goroutine.
type Documents struct {
	mu       sync.Mutex
	docs     map[Key]*Document
	watchers map[Key][]*watcher
}

type watcher struct{ seen func(doc *Document) }

// NewDocuments returns an empty set.
func NewDocuments() *Documents {
	return &Documents{docs: map[Key]*Document{}, watchers: map[Key][]*watcher{}}
}

// Get returns the document as it is now, nil if it is not open.
func (ds *Documents) Get(key Key) *Document {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	return ds.docs[key]
}

// All returns the open documents in the order of their keys.
func (ds *Documents) All() []*Document {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	all := make([]*Document, 0, len(ds.docs))
	for _, d := range ds.docs {
		all = append(all, d)
	}
	slices.SortFunc(all, func(a, b *Document) int { return cmp.Compare(a.Key, b.Key) })
	return all
}

// Put makes doc the newest state of its document.
func (ds *Documents) Put(doc *Document) { ds.set(doc.Key, doc) }

// Close forgets the document.
func (ds *Documents) Close(key Key) { ds.set(key, nil) }

func (ds *Documents) set(key Key, doc *Document) {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	if doc == nil {
		delete(ds.docs, key)
	} else {
		ds.docs[key] = doc
	}
	for _, w := range ds.watchers[key] {
		w.seen(doc)
	}
}

// Watch calls seen with the document's state now, nil while it is closed, and
// then with each later one, in order and none left out, until stop is called.
// seen runs inside of the change: it must not block or call ds.
func (ds *Documents) Watch(key Key, seen func(doc *Document)) (stop func()) {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	w := &watcher{seen}
	ds.watchers[key] = append(ds.watchers[key], w)
	seen(ds.docs[key])
	return func() {
		ds.mu.Lock()
		defer ds.mu.Unlock()
		rest := slices.DeleteFunc(slices.Clone(ds.watchers[key]), func(x *watcher) bool { return x == w })
		if len(rest) == 0 {
			delete(ds.watchers, key)
			return
		}
		ds.watchers[key] = rest
	}
}
