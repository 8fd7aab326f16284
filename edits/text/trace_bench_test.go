package text_test

import (
	"compress/gzip"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patchls/patchls/edits/text"
)

// change is an edit as LSP sends it, in UTF-16.
type change struct {
	from, to text.Position
	put      string
}

// typing is a session of edits.
type typing struct {
	name, start, end string
	changes          []change
}

// BenchmarkTraces replays typing on a buffer and on its peers, by turns, with a
// snapshot every 100 edits: the buffer's are all kept, the peers' until the next
// one. It reports medians. PATCHLS_TRACES names a folder of recorded sessions
// (github.com/josephg/editing-traces); without it there is one made up.
// It is best run with -benchtime 1x.
func BenchmarkTraces(b *testing.B) {
	for _, session := range sessions(b) {
		b.Run(session.name, func(b *testing.B) {
			var ours, asking, rebuild, array []float64
			rounds := 9 + 2_000_000/len(session.changes) // short sessions are noisy
			for b.Loop() {
				for round := range rounds {
					ours = append(ours, replay(b, session, &bufferPeer{b: text.NewBuffer(text.New(session.start))}))
					asking = append(asking, replay(b, session, &bufferPeer{b: text.NewBuffer(text.New(session.start)), asks: true}))
					array = append(array, replay(b, session, newLinesPeer(session.start)))
					if round%(rounds/3) == 0 {
						rebuild = append(rebuild, replay(b, session, &rebuildPeer{s: []byte(session.start)}))
					}
				}
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(median(ours), "ns/edit")
			b.ReportMetric(median(asking)/median(ours), "x-asking")
			b.ReportMetric(median(rebuild)/median(ours), "x-rebuild")
			b.ReportMetric(median(array)/median(ours), "x-lines")
		})
	}
}

// replay returns the nanoseconds per edit.
func replay(b *testing.B, session typing, p peer) float64 {
	b.Helper()
	runtime.GC() // nobody pays for another's garbage
	began := time.Now()
	for i := range session.changes {
		c := &session.changes[i]
		p.change(c.from, c.to, c.put)
		if i%100 == 99 {
			p.snapshot()
		}
	}
	took := time.Since(began)
	if session.end != "" && p.text() != session.end {
		b.Fatalf("%s: %T has another text at the end", session.name, p)
	}
	return float64(took.Nanoseconds()) / float64(len(session.changes))
}

func median(of []float64) float64 {
	slices.Sort(of)
	return of[len(of)/2]
}

func sessions(b *testing.B) []typing {
	b.Helper()
	files, err := filepath.Glob(filepath.Join(os.Getenv("PATCHLS_TRACES"), "*.json.gz"))
	if err != nil {
		b.Fatal(err)
	}
	if len(files) == 0 {
		return []typing{madeUp()}
	}
	var all []typing
	for _, f := range files {
		all = append(all, recorded(b, f))
	}
	return all
}

// madeUp is somebody who types, goes back, and goes elsewhere.
func madeUp() typing {
	r := rand.New(rand.NewPCG(1, 2))
	session := typing{name: "made-up", start: strings.Repeat("\tsome words, one line\n", 2000)}
	buf := text.NewBuffer(text.New(session.start))
	at := 0
	for range 50_000 {
		c := change{put: string(rune('a' + r.IntN(26)))}
		end := at
		switch n := r.IntN(100); {
		case n == 0:
			at = r.IntN(buf.Len() + 1)
			end = at
		case n < 3:
			c.put = "\n"
		case n < 15 && at > 0:
			c.put, at = "", at-1
		}
		c.from, c.to = buf.Position(at, text.UTF16), buf.Position(end, text.UTF16)
		buf.Replace(at, end, c.put)
		at += len(c.put)
		session.changes = append(session.changes, c)
	}
	return session
}

// recorded reads a session and turns its places, which count code points, into
// LSP's. That they were turned rightly is seen by the text at the end.
func recorded(b *testing.B, file string) typing {
	b.Helper()
	f, err := os.Open(file)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		b.Fatal(err)
	}
	var t struct {
		StartContent, EndContent string
		Txns                     []struct{ Patches [][3]any }
	}
	if err := json.NewDecoder(z).Decode(&t); err != nil {
		b.Fatal(err)
	}
	session := typing{name: strings.TrimSuffix(filepath.Base(file), ".json.gz"), start: t.StartContent, end: t.EndContent}
	buf := text.NewBuffer(text.New(t.StartContent))
	for _, txn := range t.Txns {
		for _, p := range txn.Patches {
			at, deleted, put := p[0].(float64), p[1].(float64), p[2].(string)
			start := text.CodePointOffset(buf, int(at))
			end := text.CodePointOffset(buf, int(at+deleted))
			c := change{buf.Position(start, text.UTF16), buf.Position(end, text.UTF16), put}
			buf.Replace(start, end, put)
			session.changes = append(session.changes, c)
		}
	}
	return session
}
