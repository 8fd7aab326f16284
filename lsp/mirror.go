package lsp

import (
	"strings"
	"sync"

	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/workspace"
)

// mirror watches the documents of a job while the editor is at it; of a file that
// is deleted or renamed see mirror_file.go.
type mirror struct {
	job     *job
	planned chan struct{} // gets one value when the planned text is seen
	other   chan struct{} // gets one value when any other new text is seen

	mu     sync.Mutex
	newest *workspace.Document
	seen   *workspace.Document // the first state that has the planned text
	moved  bool                // a state had neither the old text nor the planned one
	file   fileMirror
}

func newMirror(j *job, c *client) *mirror {
	return &mirror{job: j, file: fileMirror{announces: c.traits.announces}, planned: make(chan struct{}, 1), other: make(chan struct{}, 1)}
}

// observe takes in a state of the document; it is called in wire order.
func (m *mirror) observe(doc *workspace.Document) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.newest = doc
	if doc == nil || m.seen != nil || doc == m.job.Doc {
		return
	}
	wasClosed := m.job.Doc == nil
	switch {
	case doc.Drift != "": // its text proves nothing
		if !m.moved {
			m.moved = true
			m.other <- struct{}{}
		}
	case sameText(doc.Text, m.job.after, wasClosed):
		m.seen = doc
		m.planned <- struct{}{}
	case !m.moved && !sameText(doc.Text, m.job.Text, wasClosed):
		m.moved = true
		m.other <- struct{}{}
	}
}

// watch has the mirror observe the documents of its job until stop is called.
func (m *mirror) watch(docs *workspace.Documents) (stop func()) {
	if m.job.isFileOperation() {
		return m.watchFile(docs)
	}
	return docs.Watch(m.job.Key, m.observe)
}

// landed returns how the job was seen to be done; ok is false if it was not.
func (m *mirror) landed() (l landed, ok bool) {
	m.mu.Lock()
	l = landed{doc: m.seen, gone: m.file.gone}
	m.mu.Unlock()
	l.gone = l.gone && m.isGone()
	return l, l.doc != nil || l.gone
}

// changed reports whether the text became another one than was planned.
func (m *mirror) changed() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.moved
}

// isCurrent reports whether the document is still the one that was planned on.
func (m *mirror) isCurrent() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.newest == m.job.Doc && m.file.renamed == nil
}

// isOpen reports whether the editor has the document open by now.
func (m *mirror) isOpen() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.newest != nil
}

// sameText compares texts; of a file that was closed the editor may have
// another form of the line ends than disk has (real-editors.md, "Line ends").
func sameText(a, b text.Text, wasClosed bool) bool {
	if a.Equal(b) || !wasClosed {
		return a.Equal(b)
	}
	return plain(a.String()) == plain(b.String())
}

func plain(s string) string {
	return strings.ReplaceAll(strings.TrimPrefix(s, text.BOM), "\r\n", "\n")
}
