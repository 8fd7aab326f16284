package lsp

import (
	"unicode/utf8"

	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/workspace/paths"
)

// takeSaved takes a didSave with the text that the mirror has, which is what nearly all
// have: the text is compared as it stands in the frame. What differs, be it in line ends
// that the editor has converted, goes the long way (sync.go).
func (s *server) takeSaved(q *quick) bool {
	key, err := paths.KeyOf(string(q.doc.uri))
	if err != nil {
		return false
	}
	doc := s.docs.Get(key)
	if doc == nil || doc.Drift != "" || !quotes(q.doc.quoted, doc.Text) {
		return false
	}
	s.docs.Put(doc.Saved(doc.Text))
	s.touchPatches(doc.URI)
	return true
}

// quotes reports whether raw, which [scanner.string] has read, is t. It is not where an
// escape is none, or is half of a surrogate pair.
func quotes(raw []byte, t text.Text) bool {
	var one [utf8.UTFMax]byte
	var left []byte // of a character whose escape was read
	for run := range t.Runs() {
		for run != "" {
			if len(left) == 0 {
				n, _ := ahead(raw)
				n = min(n, len(run))
				if string(raw[:n]) != run[:n] {
					return false
				}
				if raw, run = raw[n:], run[n:]; run == "" {
					break
				}
				if len(raw) == 0 {
					return false
				}
				r, size := unescape(raw)
				if size == 0 {
					return false // or it is no escape, and differs
				}
				raw, left = raw[size:], utf8.AppendRune(one[:0], r)
			}
			if left[0] != run[0] {
				return false
			}
			left, run = left[1:], run[1:]
		}
	}
	return len(raw) == 0 && len(left) == 0
}
