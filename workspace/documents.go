package workspace

import (
	"maps"
	"slices"
	"sync"

	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/lists"
	"github.com/patchls/patchls/workspace/history"
	"github.com/patchls/patchls/workspace/paths"
)

// Document is an open document as the editor has it. It is never changed once it is among [Documents].
type Document struct {
	Key      paths.Key
	URI      string        // in the client's own spelling, which is sent back to it
	Language string        // as the client names it
	Opened   *paths.Opened // where the name leads; all states of the document share it
	Version  int32         // the client's; it may jump, and starts over at every opening
	Text     text.Text

	// Drift says why Text may no longer be the editor's: a change that could not be read, a checksum that differs. It is ""
	// as long as Text is believed. It ends only when the editor sends its text again.
	Drift string

	// Steps are the changes from the text of the state before to Text, nil if the editor sent the text as a whole.
	Steps []Step

	// History is what happened to the document, up to this state and later. Seq
	// is how much of it this state includes. [Documents.Put] sets both.
	History *history.History
	Seq     int

	// Disk is the text that was opened or saved last, as far as is known: what the
	// file holds unless another program has written it.
	Disk    text.Text
	diskSeq int // how much of History Disk includes
	sameSeq int // how much of History the text had when the file was last seen to hold Disk; SeqOf looks after it
	// InFile is the text that the file was seen to hold last, nil if that is not known. It is not Disk if
	// the editor has opened the document with text that was never saved, or if another program has written
	// the file right after a save. Neovim also reports a save if it has written another file.
	InFile *text.Text
	// Behind: the editor has neither read Disk from the file nor saved it, so it considers the buffer
	// unsaved even if the buffer has the same text.
	Behind bool
	// DiskChanged: the client has reported that the file was written or deleted since.
	DiskChanged bool
}

// Unsaved reports whether the editor considers the document unsaved, as far as Disk is believed.
func (d *Document) Unsaved() bool { return d.Behind || !d.Text.Equal(d.Disk) }

// DiskSeen reports whether the file was seen to hold Disk.
func (d *Document) DiskSeen() bool { return d.InFile != nil && d.InFile.Equal(d.Disk) }

// maxClosed bounds the closed documents that are remembered, and maxClosedBytes their total
// size: a document that exceeds it alone is forgotten when it is closed.
const (
	maxClosed      = 200
	maxClosedBytes = 16 << 20
)

// Documents are the open documents. It is safe for concurrent use; changes are expected in wire order from one goroutine.
type Documents struct {
	Changed Signal // when a document was opened, changed or closed

	mu        sync.Mutex
	docs      map[paths.Key]*opened
	openings  int // how many documents were opened until now
	histories map[paths.Key]*history.History
	closed    []paths.Key             // that are remembered, in the order of closing
	unsaved   map[paths.Key]*Document // that were closed with unsaved text
	watchers  map[paths.Key][]*func(doc *Document)
	ours      []*opening
	// historyBytes bounds the history of each document; 0 means the default.
	historyBytes int64
}

// NewDocuments returns an empty set.
func NewDocuments() *Documents {
	return &Documents{docs: map[paths.Key]*opened{}, histories: map[paths.Key]*history.History{}, unsaved: map[paths.Key]*Document{}, watchers: map[paths.Key][]*func(*Document){}}
}

// Get returns the document as it is now, nil if it is not open.
func (ds *Documents) Get(key paths.Key) *Document {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	return ds.look(key)
}

// look returns the document as it is now, nil if it is not open. It needs the lock.
func (ds *Documents) look(key paths.Key) *Document {
	if o := ds.docs[key]; o != nil {
		return o.look()
	}
	return nil
}

// All returns the open documents in the order of their keys.
func (ds *Documents) All() []*Document {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	return lists.Map(slices.Sorted(maps.Keys(ds.docs)), func(key paths.Key) *Document { return ds.docs[key].look() })
}

// keys returns the sorted keys of the open documents whose number is above since, and the highest number until now.
func (ds *Documents) keys(since int) (keys []paths.Key, now int) {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	if ds.openings != since {
		for key, o := range ds.docs {
			if o.number > since {
				keys = append(keys, key)
			}
		}
	}
	slices.Sort(keys) // of two that are one file, the first is found
	return keys, ds.openings
}

// Put makes doc the newest state of its document, and takes ownership of doc.
func (ds *Documents) Put(doc *Document) {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	ds.put(doc)
}

func (ds *Documents) put(doc *Document) {
	ds.look(doc.Key)
	if doc.Opened == nil {
		doc.Opened = &paths.Opened{}
	}
	h := ds.remember(doc.Key, doc.Text)
	for i := range doc.Steps {
		doc.Steps[i].Seq = h.Record(doc.Steps[i].Change, doc.Steps[i].Text)
	}
	first := doc.History == nil
	_, isFile := doc.Key.FilePath()
	ds.catchUp(doc.Key, h, doc.Text)
	doc.History, doc.Seq = h, h.Seq()
	if first {
		doc.diskSeq, doc.sameSeq = doc.Seq, doc.Seq
	}
	if was := ds.unsaved[doc.Key]; was != nil && isFile && was.Text.Equal(doc.Text) {
		// The document was closed and opened again with its unsaved text.
		doc.Disk, doc.InFile, doc.Behind, doc.DiskChanged = was.Disk, was.InFile, was.Behind, was.DiskChanged
		doc.diskSeq, doc.sameSeq = was.diskSeq, was.sameSeq
	}
	delete(ds.unsaved, doc.Key)
	ds.hold(doc)
	ds.dropClosed(doc.Key)
}

// opening is what a command makes the editor open, rename or save.
type opening struct {
	keys    []paths.Key
	texts   func() []text.Text // which the documents may have when they are opened
	strange bool               // one was opened with another text
}

// Opening says that a command makes the editor open, rename or save documents, until done is called. Those that it opens
// have one of the texts, as far as the server knows; any, if texts is nil. Texts must not call ds. Done returns whether one
// was opened with another text.
func (ds *Documents) Opening(keys []paths.Key, texts func() []text.Text) (done func() (strange bool)) {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	o := &opening{keys: keys, texts: texts}
	ds.ours = append(ds.ours, o)
	return func() bool {
		ds.mu.Lock()
		defer ds.mu.Unlock()
		ds.ours = slices.DeleteFunc(ds.ours, func(of *opening) bool { return of == o })
		return o.strange
	}
}

// Ours returns the documents that commands are making the editor open, and whether t is the text of one of them that is
// not known: the editor may have read another file, also for the name that the document gets.
func (ds *Documents) Ours(key paths.Key, t text.Text) (keys []paths.Key, strange bool) {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	known := false
	for _, o := range ds.ours {
		if keys = append(keys, o.keys...); !slices.Contains(o.keys, key) {
			continue
		}
		for _, k := range o.keys {
			ds.look(k) // the history has what was typed
		}
		o.strange = o.strange || o.texts != nil && !slices.ContainsFunc(o.texts(), func(of text.Text) bool { return SameSaved(of, t) })
		known = known || !o.strange
	}
	return keys, slices.Contains(keys, key) && !known
}

// remember returns the history of a document. If there is none, it creates one that begins with t. It needs the lock.
func (ds *Documents) remember(key paths.Key, t text.Text) *history.History {
	h := ds.histories[key]
	if h == nil {
		h = history.New(t)
		h.LimitBytes(ds.historyBytes)
		ds.histories[key] = h
	}
	return h
}

// Desync marks an open document as drifted, and says why. It does nothing if the document is not open.
func (ds *Documents) Desync(key paths.Key, why string) {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	if doc := ds.look(key); doc != nil {
		next := *doc
		next.Drift, next.Steps = why, nil
		ds.put(&next)
	}
}

// hold stores doc as the newest state and shows it to the watchers. It needs the lock.
func (ds *Documents) hold(doc *Document) {
	next := &opened{doc: doc, version: doc.Version}
	if was := ds.docs[doc.Key]; was != nil {
		next.number = was.number
	} else {
		ds.openings++
		next.number = ds.openings
	}
	ds.docs[doc.Key] = next
	ds.Changed.send()
	ds.show(doc.Key, doc)
}

// SetDisk says that the file of a document whose Disk is shown was seen to hold disk: an editor that
// opens a document to edit it may report the document with the edit already made. The text that the file
// held then is among the texts of the document up to seq. behind is the Behind of the document from then
// on. SetDisk does nothing if the document was saved or closed meanwhile.
func (ds *Documents) SetDisk(key paths.Key, shown, disk text.Text, seq int, behind bool) {
	ds.onDisk(key, func(doc *Document) *Document {
		if !doc.Disk.Equal(shown) || doc.DiskSeen() && doc.Behind == behind && doc.Disk.Equal(disk) {
			return nil
		}
		next := doc.OnDisk(disk, doc.DiskChanged)
		next.InFile, next.Behind, next.sameSeq = &disk, behind, seq
		return next
	})
}

// SetInFile says that the file of a document, shown in the state was, was seen to hold a text that the editor has neither
// read nor saved, so that the document has unsaved text. It does nothing if the document was saved or closed meanwhile.
func (ds *Documents) SetInFile(was *Document, file text.Text) {
	ds.onDisk(was.Key, func(doc *Document) *Document {
		if !doc.Disk.Equal(was.Disk) || doc.InFile != was.InFile || doc.Behind != was.Behind {
			return nil
		}
		next := doc.OnDisk(doc.Disk, doc.DiskChanged)
		next.InFile, next.Behind = &file, true
		return next
	})
}

// DoubtDisk says that it is not known any more what the file of a document and its buffer have in common.
func (ds *Documents) DoubtDisk(key paths.Key) {
	ds.onDisk(key, func(doc *Document) *Document {
		next := doc.OnDisk(doc.Disk, doc.DiskChanged)
		next.InFile = nil
		return next
	})
}

// FileChanged says that the file of a document was written or deleted by another program, or may
// have been. It reports whether the document is open.
func (ds *Documents) FileChanged(key paths.Key) (open bool) {
	ds.onDisk(key, func(doc *Document) *Document {
		if open = true; doc.DiskChanged {
			return nil
		}
		return doc.OnDisk(doc.Disk, true)
	})
	return open
}

// onDisk makes what next returns the newest state of a document, unless it is nil. It does nothing if the document is
// not open.
func (ds *Documents) onDisk(key paths.Key, next func(doc *Document) *Document) {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	if doc := ds.look(key); doc != nil {
		if now := next(doc); now != nil {
			ds.hold(now)
		}
	}
}

// show reports the new state of a document to its watchers.
func (ds *Documents) show(key paths.Key, doc *Document) {
	for _, w := range ds.watchers[key] {
		(*w)(doc)
	}
}

// History returns the history of a document, open or closed, or nil if there is none.
func (ds *Documents) History(key paths.Key) *history.History {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	ds.look(key)
	return ds.histories[key]
}

// Renamed moves the history of a document to the document that has its text under another name.
func (ds *Documents) Renamed(from, to paths.Key) {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	h := ds.histories[from]
	if h == nil || from == to {
		return
	}
	defer delete(ds.unsaved, from)
	delete(ds.histories, from)
	ds.dropClosed(from)
	ds.look(from)
	doc := ds.look(to)
	ds.histories[to] = h
	if doc != nil {
		h.CatchUp(doc.Text)
		next := *doc
		next.Steps, next.History, next.Seq, next.diskSeq, next.sameSeq = nil, h, h.Seq(), h.Seq(), h.Seq()
		if was := ds.unsaved[from]; was != nil && was.Text.Equal(doc.Text) { // the file was moved, and what is unsaved stays so
			next.Disk, next.InFile, next.Behind = was.Disk, was.InFile, was.Behind
		}
		ds.docs[to].doc = &next
		return
	}
	ds.keep(to)
}

// Watch calls seen with the document's current state, nil while it is closed, and then with every later state, in order,
// until stop is called. seen runs during the change, with the lock held: it must not block or call ds.
func (ds *Documents) Watch(key paths.Key, seen func(doc *Document)) (stop func()) {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	ds.watchers[key] = append(ds.watchers[key], &seen)
	seen(ds.look(key))
	return func() {
		ds.mu.Lock()
		defer ds.mu.Unlock()
		ds.watchers[key] = slices.DeleteFunc(ds.watchers[key], func(w *func(*Document)) bool { return w == &seen })
		if len(ds.watchers[key]) == 0 {
			delete(ds.watchers, key)
		}
	}
}

// LimitHistories bounds how many bytes the history of each document takes; 0 is the default. Histories are cut at once.
func (ds *Documents) LimitHistories(most int64) {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	ds.historyBytes = most
	for key, h := range ds.histories {
		ds.look(key)
		h.LimitBytes(most)
	}
}

// Signal notifies its listeners that something has happened. The zero value is ready to use.
// A Signal is safe for concurrent use.
type Signal struct {
	mu        sync.Mutex
	listeners []chan<- struct{}
}

// Listen sends heard a value for each signal, until stop is called. The send never blocks, so heard
// should have a buffer of one.
func (s *Signal) Listen(heard chan<- struct{}) (stop func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listeners = append(s.listeners, heard)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.listeners = slices.DeleteFunc(s.listeners, func(l chan<- struct{}) bool { return l == heard })
	}
}

// send notifies all listeners.
func (s *Signal) send() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, heard := range s.listeners {
		Wake(heard)
	}
}

// Wake sends a value to a channel unless that would block.
func Wake(news chan<- struct{}) {
	select {
	case news <- struct{}{}:
	default:
	}
}
