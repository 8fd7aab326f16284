package lsp

import (
	"runtime/debug"
	"unsafe"

	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// What editors send most, or what is long, is read as soon as its frame has come: a
// keystroke, an opened document and a saved one. None goes through jsonrpc2, which would
// look at its bytes twice more and take memory for it. Whatever is not quite as editors
// write it goes the long way (sync.go), which decides what it means.

// quick reads the messages that are taken right away. It belongs to the reading
// goroutine.
type quick struct {
	scanner
	method []byte
	doc    struct {
		uri      []byte // a part of the frame
		language []byte // of a didOpen, a part of the frame, as it stands between its quotes
		text     []byte // its own
		quoted   []byte // of a didSave, a part of the frame, as it stands between its quotes
		version  int
	}
	changes []workspace.Change // whose texts are parts of the frame or of bytes
	bytes   []byte             // of texts that had escapes

	values []valueAt // of the frame that was read last
	shape  shape
}

// take does what the frame says if it is one of those messages, and reports whether
// it did. It keeps nothing of the frame.
func (s *server) take(frame []byte) (taken bool) {
	if s.lifecycle.state() != running {
		return false
	}
	defer func() {
		if v := recover(); v != nil {
			s.log.Error("panic", "value", v, "stack", string(debug.Stack()))
			s.lostMessage()
			taken = true
		}
	}()
	q := &s.quick
	if len(frame) > keepBuffer {
		defer q.letGo()
	}
	q.read(frame)
	switch {
	case q.bad:
		return false
	case q.saves():
		return s.takeSaved(q)
	case q.opens():
		return s.takeOpened(q)
	}
	s.believeLengths(q.changes)
	if s.docs.Type(q.doc.uri, int32(q.doc.version), q.changes, s.encoding) || s.takeChanged(q) {
		s.marksMoved(viewed(q.doc.uri))
		return true
	}
	return false
}

// letGo forgets a frame that is not to stay in memory until the next message of its
// kind.
func (q *quick) letGo() {
	*q = quick{shape: q.shape} // which has no texts
}

// takeChanged takes changes of a document that somebody watches, each of which makes a
// state of its own.
func (s *server) takeChanged(q *quick) bool {
	key, err := paths.KeyOf(string(q.doc.uri))
	return err == nil && s.docs.Change(key, int32(q.doc.version), q.changes, s.encoding)
}

func (s *server) takeOpened(q *quick) bool {
	uri := string(q.doc.uri)
	key, err := paths.KeyOf(uri)
	if err != nil {
		return false
	}
	s.opened(key, uri, string(q.doc.language), int32(q.doc.version), viewed(q.doc.text))
	q.doc.text = nil
	return true
}

// viewed returns b as a string, which holds as long as b is not written: what is typed
// until it is in the store, which copies it; what is opened for good, in memory of its
// own that is given away.
func viewed(b []byte) string {
	return unsafe.String(unsafe.SliceData(b), len(b)) //nolint:gosec // see above
}
