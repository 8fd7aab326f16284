package main

import (
	"context"
	"math/rand/v2"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/patchls/patchls/internal/testkit/headless"
)

// user types in bursts, now here now there, takes some of it back, and saves, closes
// and opens documents between.
func (l *load) user(ctx context.Context, r *rand.Rand) {
	keys, chores := time.NewTicker(30*time.Millisecond), time.NewTicker(2*time.Second)
	defer keys.Stop()
	defer chores.Stop()
	var d *loadDoc
	press, left := l.pressAnywhere, 0
	for {
		select {
		case <-ctx.Done():
			return
		case <-chores.C:
			l.chore(r, l.docs[r.IntN(len(l.docs))])
		case <-keys.C:
			if left == 0 {
				d, left, press = l.docs[r.IntN(len(l.docs))], 3+r.IntN(20), l.pressInFirstLine
				if r.IntN(2) == 0 {
					press = l.pressAnywhere
					l.click(r, d)
				}
			}
			left--
			press(r, d, left)
		}
	}
}

// pressInFirstLine types in the line that no agent changes, so that its text is known.
func (l *load) pressInFirstLine(r *rand.Rand, d *loadDoc, _ int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	b := d.buffer(l.editor)
	if b == nil {
		return
	}
	_, end := d.begin()
	defer end()
	if len(d.typed) > 80 {
		cut := len("user: ") + 30
		for !utf8.RuneStart(d.typed[cut]) {
			cut++
		}
		l.must(b.Replace(cut, len(d.typed), ""))
		d.typed = d.typed[:cut]
		return
	}
	keys := []rune("abcdefghijklmnopqrstuvwxyzéé ")
	key := string(keys[r.IntN(len(keys))])
	l.must(b.Insert(len(d.typed), key))
	d.typed += key
}

// click sets the cursor to the end of any other line.
func (l *load) click(r *rand.Rand, d *loadDoc) {
	b := d.buffer(l.editor)
	if b == nil {
		return
	}
	s := b.Text()
	at := len(d.start)
	if n := strings.IndexByte(s, '\n') + 2; n < len(s) {
		at = n + r.IntN(len(s)-n)
	}
	if i := strings.IndexByte(s[min(at, len(s)):], '\n'); i > 0 {
		at += i
		if s[at-1] == '\r' {
			at--
		}
		_ = b.SetCursor(at) // the text may have changed
	}
}

// pressAnywhere types at the cursor, and takes back as much in the second half of a
// burst.
func (l *load) pressAnywhere(_ *rand.Rand, d *loadDoc, left int) {
	b := d.buffer(l.editor)
	if b == nil || b.Cursor() == 0 {
		return
	}
	_, end := d.begin()
	defer end()
	if left%2 == 1 {
		_ = b.Type("t") // the buffer may be closed by now
		return
	}
	if at, s := b.Cursor(), b.Text(); at <= len(s) && strings.HasSuffix(s[:at], "t") && utf8.ValidString(s[:at]) {
		_ = b.Replace(at-1, at, "") // the same
	}
}

// chore saves a document, or closes it and opens it again, now and then without
// saving.
func (l *load) chore(r *rand.Rand, d *loadDoc) {
	d.mu.Lock()
	defer d.mu.Unlock()
	b := d.buffer(l.editor)
	if b == nil {
		return
	}
	_, end := d.begin()
	defer end()
	saves := r.IntN(3) > 0
	if saves {
		l.must(b.Save())
	}
	if r.IntN(3) > 0 {
		return
	}
	b.Close()
	l.reopen(d, saves)
}

// reopen opens a document that was closed. An agent's edit may have opened it already.
func (l *load) reopen(d *loadDoc, saved bool) {
	b, err := l.editor.Open(d.name)
	if err != nil {
		l.wrong("%s: %v", d.name, err)
		return
	}
	first := firstLine(b)
	if saved && first != d.typed {
		l.diverged("%s was saved with the first line %q and has %q", d.name, d.typed, first)
	}
	d.typed = first
}

func firstLine(b *headless.Buffer) string {
	first, _, _ := strings.Cut(b.Text(), "\n")
	return strings.TrimSuffix(first, "\r")
}
