package lsp

import (
	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/workspace"
)

// memberSet are members of an object, those that were read, a bit for each.
type memberSet uint

const (
	jsonrpcMember memberSet = 1 << iota
	methodMember
	paramsMember
	documentMember
	changesMember
	uriMember
	versionMember
	languageMember
	textMember
	rangeMember
	lengthMember
	startMember
	endMember
	lineMember
	characterMember
)

// read reads a frame. It gives up on whatever is not one of the three messages, with all
// that it must have, each of it once.
func (q *quick) read(frame []byte) {
	if q.fits(frame) {
		return
	}
	q.scanner, q.values = scanner{b: frame}, q.values[:0]
	q.method = nil
	params := -1 // where they are, if the method comes after them
	var seen memberSet
	q.object(func(name []byte) {
		switch string(name) {
		case "jsonrpc":
			q.once(&seen, jsonrpcMember)
			q.give(string(q.name()) == "2.0")
		case "method":
			q.once(&seen, methodMember)
			q.method = q.name()
			q.give(q.opens() || q.saves() || string(q.method) == protocol.MethodTextDocumentDidChange)
		case "params":
			q.once(&seen, paramsMember)
			if q.method == nil {
				params = q.i
				q.skip()
				return
			}
			q.params()
		default:
			q.bad = true
		}
	})
	q.space()
	q.give(q.i == len(frame) && seen == jsonrpcMember|methodMember|paramsMember)
	if params >= 0 && !q.bad {
		q.i = params
		q.params()
	}
	if !q.bad && !q.opens() && !q.saves() && len(q.changes) == 1 {
		q.learn(frame)
	}
}

var didChangeMethod = []byte(protocol.MethodTextDocumentDidChange)

// opens reports whether the message is a didOpen.
func (q *quick) opens() bool { return string(q.method) == protocol.MethodTextDocumentDidOpen }

// saves reports whether the message is a didSave.
func (q *quick) saves() bool { return string(q.method) == protocol.MethodTextDocumentDidSave }

func (q *quick) params() {
	var seen memberSet
	q.object(func(name []byte) {
		switch {
		case string(name) == "textDocument":
			q.once(&seen, documentMember)
			q.document()
		case string(name) == "contentChanges" && !q.opens() && !q.saves():
			q.once(&seen, changesMember)
			q.contentChanges()
		case string(name) == "text" && q.saves():
			q.once(&seen, textMember)
			q.doc.quoted, _ = q.string()
		default:
			q.bad = true
		}
	})
	switch {
	case q.opens():
		q.give(seen == documentMember)
	case q.saves():
		q.give(seen == documentMember|textMember)
	default:
		q.give(seen == documentMember|changesMember)
	}
}

func (q *quick) document() {
	var seen memberSet
	q.doc.language = nil
	q.object(func(name []byte) {
		switch {
		case string(name) == "uri":
			q.once(&seen, uriMember)
			q.doc.uri = q.name()
		case string(name) == "version":
			q.once(&seen, versionMember)
			q.doc.version = q.value(versionSlot)
		case string(name) == "languageId" && q.opens():
			q.once(&seen, languageMember)
			q.doc.language, _ = q.string()
		case string(name) == "text" && q.opens():
			q.once(&seen, textMember)
			q.doc.text = q.unquoted()
		default:
			q.bad = true
		}
	})
	switch seen &^= languageMember; {
	case q.opens():
		q.give(seen == uriMember|versionMember|textMember)
	case q.saves():
		q.give(seen&^versionMember == uriMember) // some say which version, which says nothing
	default:
		q.give(seen == uriMember|versionMember)
	}
}

func (q *quick) contentChanges() {
	q.changes, q.bytes = q.changes[:0], q.bytes[:0]
	q.need('[')
	for more := !q.closed(']'); more && !q.bad; more = q.next(']') {
		q.change()
	}
}

func (q *quick) change() {
	var seen memberSet
	var c workspace.Change
	q.object(func(name []byte) {
		switch string(name) {
		case "range":
			q.once(&seen, rangeMember)
			c.Range = q.textRange()
		case "rangeLength":
			q.once(&seen, lengthMember)
			c.Length, c.Counted = q.value(lengthSlot), true
		case "text":
			q.once(&seen, textMember)
			c.Text = q.textValue()
		default:
			q.bad = true
		}
	})
	q.give(seen&^lengthMember == rangeMember|textMember)
	q.changes = append(q.changes, c)
}

func (q *quick) textRange() (r workspace.Range) {
	var seen memberSet
	q.object(func(name []byte) {
		switch string(name) {
		case "start":
			q.once(&seen, startMember)
			r.Start = q.position(startSlot)
		case "end":
			q.once(&seen, endMember)
			r.End = q.position(endSlot)
		default:
			q.bad = true
		}
	})
	q.give(seen == startMember|endMember)
	q.give(inOrder(r))
	return r
}

func (q *quick) position(at slot) (p text.Position) {
	var seen memberSet
	q.object(func(name []byte) {
		switch string(name) {
		case "line":
			q.once(&seen, lineMember)
			p.Line = q.value(at)
		case "character":
			q.once(&seen, characterMember)
			p.Character = q.value(at + 1)
		default:
			q.bad = true
		}
	})
	q.give(seen == lineMember|characterMember)
	return p
}

// text reads the text of a change.
func (q *quick) text() string {
	raw, escapes := q.string()
	if escapes == 0 {
		return viewed(raw)
	}
	from := len(q.bytes)
	all, ok := appendUnquoted(q.bytes, raw)
	q.give(ok)
	q.bytes = all
	return viewed(all[from:])
}

// once gives up if the member was seen before.
func (q *quick) once(seen *memberSet, m memberSet) {
	q.give(*seen&m == 0)
	*seen |= m
}

// give gives up unless ok.
func (q *quick) give(ok bool) { q.bad = q.bad || !ok }
