package lsp_test

import (
	"math/rand/v2"
	"strings"

	"github.com/patchls/patchls/internal/testkit/headless"
)

// user does what the user at the editor does. What cannot be done, as typing
// in a document that is not open, is not done.
func (w *simWorld) user(s simStep) {
	d := w.docs[s.doc]
	b, open := w.editor.Buffer(d.path)
	if s.op == "open" {
		_, _ = w.editor.Open(d.path)
		return
	}
	if !open {
		return
	}
	if w.act(s, d, b) {
		return
	}
	r := s.rand()
	switch now := b.Text(); s.op {
	case "type":
		at := w.placeIn(r, d, now)
		_ = b.Insert(at, w.typed(r))
	case "del":
		start := w.placeIn(r, d, now)
		end := runeStart(now, min(len(now), start+1+r.IntN(12)))
		if end > start {
			_ = b.Replace(start, end, "")
		}
	case "paste":
		start := w.placeIn(r, d, now)
		end := runeStart(now, min(len(now), start+r.IntN(20)))
		_ = b.Replace(start, max(start, end), w.typed(r)+"\nx\n"+w.typed(r)+"\n")
	case "undo":
		b.Undo()
	case "redo":
		b.Redo()
	case "reload":
		if d.file.now().exists {
			w.reload(d)
		}
	case "close":
		w.closing(b, d)
	default:
		panic("the user cannot " + s.op)
	}
}

// closing closes a document. What was to be explained about its text is gone with
// it.
func (w *simWorld) closing(b *headless.Buffer, d *simDoc) {
	w.ends(d)
	b.Close()
	w.oracle.forget(d)
}

// typed returns a text with a new token.
func (w *simWorld) typed(r *rand.Rand) string {
	w.tokens++
	token := newToken("p", w.tokens)
	return []string{token, token, token + "\n", "\n" + token, "é" + token, token + "😀"}[r.IntN(6)]
}

// placeIn draws a place that is not inside of a token, and often next to the
// last change of the document.
func (w *simWorld) placeIn(r *rand.Rand, d *simDoc, now string) int {
	at := r.IntN(len(now) + 1)
	if n := len(d.states); r.IntN(3) == 0 && n > 1 {
		at = min(len(now), commonHead(d.states[n-2].text, now)+r.IntN(8))
	}
	at = runeStart(now, at)
	for _, span := range simToken.FindAllStringIndex(now, -1) {
		if span[0] < at && at < span[1] {
			return span[r.IntN(2)]
		}
	}
	return at
}

func commonHead(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// simLines returns the lines of a text without their ends.
func simLines(s string) []string {
	if s == "" {
		return nil
	}
	s = strings.TrimSuffix(s, "\n")
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSuffix(line, "\r")
	}
	return lines
}
