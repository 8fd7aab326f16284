package lsp_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/view"
)

// judgeMarks holds the marks, when all is settled, to what is left of the agents' edits:
// whatever a verified edit wrote, and was there ever since, stands on the lines of one of
// its marks.
func (w *simWorld) judgeMarks() {
	if w.kind.loses || w.kind.late && !w.kind.faithful {
		return // it is not known what the editor has
	}
	raw, err := w.editor.Execute(context.Background(), "patchls.list", args{})
	var l view.Listing
	if err != nil || json.Unmarshal(raw, &l) != nil {
		return // the server is gone
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, d := range w.docs {
		now := d.now()
		known := slices.ContainsFunc(l.Documents, func(i view.DocumentInfo) bool {
			return i.Path == d.name && i.OutOfStep == "" && i.Rev == text.New(now.text).Hash()
		})
		if !known {
			continue
		}
		lines := text.New(now.text)
		for _, c := range w.oracle.made {
			for t := range c.own[d] {
				if w.leftAlone(d, c, t) {
					at := lines.LineAt(strings.Index(now.text, t)) + 1
					if !marked(l, c.said.EditID, d.name, at) {
						w.oracle.fail("unmarked", "%s of %s, which edit %s wrote, has no mark on line %d of %q: %+v", t, d.name, c.said.EditID, at, now.text, l.Edits)
					}
				}
			}
		}
	}
}

// leftAlone reports whether a document had the token in all states since the command was
// verified, and was open since it was sent.
func (w *simWorld) leftAlone(d *simDoc, c *simCommand, token string) bool {
	from := slices.IndexFunc(d.states, func(s simState) bool { return s.tokens[token] > 0 })
	if from < 0 || w.oracle.revived[token] || d.moved[token] || d.wasClosed(c.from[d]) || d.file.reloaded.After(c.began) {
		return false
	}
	for other := range w.oracle.born {
		if other != token && isWithin(token, other) {
			return false // where an editor tells by lines, what is left of the other may be taken for it
		}
	}
	for _, later := range w.oracle.made {
		if later.step > c.step && later.again[d][token] {
			return false // which may have put it elsewhere, so that it is the later one's
		}
	}
	for _, m := range w.log.since(0) {
		if m.merge && m.path == d.path && !m.at.Before(c.began) && tokensOf(touched(m.before, m.after))[token] > 0 {
			return false // which may be one of the lines that the other program has put in anew
		}
	}
	for _, s := range d.states[from:] {
		if s.tokens[token] != 1 || !s.open {
			return false
		}
	}
	return true
}

// isWithin reports whether s may be what is left of t.
func isWithin(s, t string) bool {
	i := 0
	for j := 0; i < len(s) && j < len(t); j++ {
		if s[i] == t[j] {
			i++
		}
	}
	return i == len(s)
}

func marked(l view.Listing, id, path string, line int) bool {
	return slices.ContainsFunc(l.Edits, func(e view.EditInfo) bool {
		return e.EditID == id && slices.ContainsFunc(e.Marks, func(m view.MarkInfo) bool {
			return m.Path == path && m.StartLine <= line && line <= m.EndLine
		})
	})
}
