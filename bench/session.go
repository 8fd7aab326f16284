package main

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/patchls/patchls/edits/text"
)

// change is an edit as LSP sends it, in UTF-16.
type change struct {
	from, to text.Position
	put      string
}

// MarshalJSON writes a change as the scripts read it.
func (c change) MarshalJSON() ([]byte, error) {
	return json.Marshal([]any{c.from.Line, c.from.Character, c.to.Line, c.to.Character, c.put})
}

// session is a user who edits a text.
type session struct {
	name       string
	start, end string
	changes    []change
}

// save writes the session for the scripts, and returns the file's name.
func (s session) save(folder string) (string, error) {
	name := filepath.Join(folder, s.name+".json")
	raw, err := json.Marshal(map[string]any{"start": s.start, "end": s.end, "changes": s.changes})
	if err != nil {
		return "", err
	}
	return name, os.WriteFile(name, raw, 0o600)
}

// part is the session's first changes; what it ends with is not known then.
func (s session) part(changes int) session {
	if changes < len(s.changes) {
		s.changes, s.end = s.changes[:changes], ""
	}
	return s
}

// scattered inserts and deletes single characters all over a text.
func scattered(name, start string, count int) session {
	r := rand.New(rand.NewPCG(5, 6))
	s := session{name: name, start: start}
	b := text.NewBuffer(text.New(start))
	for i := range count {
		at := anyPlace(r, b)
		c := change{put: "x"}
		c.from = b.Position(at, text.UTF16)
		c.to = c.from
		end := at
		if next := b.Slice(at, min(at+1, b.Len())); i%2 == 1 && next > " " && next < "\x7f" {
			c.put, end = "", at+1
			c.to.Character++
		}
		b.Replace(at, end, c.put)
		s.changes = append(s.changes, c)
	}
	s.end = b.Snapshot().String()
	return s
}

// anyPlace returns the offset of some code point.
func anyPlace(r *rand.Rand, b *text.Buffer) int {
	at := r.IntN(b.Len() + 1)
	for at > 0 && at < b.Len() && b.Slice(at, at+1)[0]&0xC0 == 0x80 {
		at--
	}
	return at
}

// madeUp is a user who types, goes back, and goes elsewhere: for where no
// recorded typing is.
func madeUp() session {
	r := rand.New(rand.NewPCG(1, 2))
	s := session{name: "made-up", start: strings.Repeat("\tsome words, one line\n", 2000)}
	b := text.NewBuffer(text.New(s.start))
	at := 0
	for range 50_000 {
		c := change{put: string(rune('a' + r.IntN(26)))}
		end := at
		switch n := r.IntN(100); {
		case n == 0:
			at = r.IntN(b.Len() + 1)
			end = at
		case n < 3:
			c.put = "\n"
		case n < 15 && at > 0:
			c.put, at = "", at-1
		}
		c.from, c.to = b.Position(at, text.UTF16), b.Position(end, text.UTF16)
		b.Replace(at, end, c.put)
		at += len(c.put)
		s.changes = append(s.changes, c)
	}
	s.end = b.Snapshot().String()
	return s
}
