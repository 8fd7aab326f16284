package text_test

import (
	"fmt"
	"math/rand/v2"
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

// BenchmarkTyping replays a user who types, goes back, and goes elsewhere, with a snapshot
// every 100 edits, all of which are kept: alone, and asking for the place behind each edit
// and back, by turns. It reports medians. bench/ compares recorded sessions with peers. It
// is best run with -benchtime 1x.
func BenchmarkTyping(b *testing.B) {
	for _, lines := range []int{200, 2_000, 20_000} {
		b.Run(fmt.Sprint("lines=", lines), func(b *testing.B) {
			start, changes := typed(lines)
			var ours, asking []float64
			for b.Loop() {
				for range 41 {
					ours = append(ours, replay(start, changes, false))
					asking = append(asking, replay(start, changes, true))
				}
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(median(ours), "ns/edit")
			b.ReportMetric(median(asking)/median(ours), "x-asking")
		})
	}
}

// replay returns the nanoseconds per edit.
func replay(start string, changes []change, asks bool) float64 {
	buf := text.NewBuffer(text.New(start))
	var kept []text.Text
	runtime.GC() // nobody pays for another's garbage
	began := time.Now()
	for i := range changes {
		c := &changes[i]
		at, _ := buf.ReplaceRange(c.from, c.to, text.UTF16, c.put)
		if at += len(c.put); asks && buf.Offset(buf.Position(at, text.UTF16), text.UTF16) != at {
			panic("another place")
		}
		if i%100 == 99 {
			kept = append(kept, buf.Snapshot())
		}
	}
	took := time.Since(began)
	runtime.KeepAlive(kept)
	return float64(took.Nanoseconds()) / float64(len(changes))
}

func median(of []float64) float64 {
	slices.Sort(of)
	return of[len(of)/2]
}

func typed(lines int) (start string, changes []change) {
	r := rand.New(rand.NewPCG(1, 2))
	start = strings.Repeat("\tsome words, one line\n", lines)
	buf := text.NewBuffer(text.New(start))
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
		changes = append(changes, c)
	}
	return start, changes
}
