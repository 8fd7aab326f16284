package text_test

import (
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/patchls/patchls/edits/text"
)

const randomEdits = 20_000

// BenchmarkRandom makes 20 000 random edits of one character in texts of several
// sizes and kinds, by turns, and reports the median cost of one, and what
// asking for a position and its offset adds to each. Best run with -benchtime 1x.
func BenchmarkRandom(b *testing.B) {
	type result struct{ alone, asking []float64 }
	kinds := kindsOfText()
	results := make([]result, len(kinds))
	for b.Loop() {
		for range 9 {
			for i, k := range kinds {
				results[i].alone = append(results[i].alone, scatter(k.s, false))
				results[i].asking = append(results[i].asking, scatter(k.s, true))
			}
		}
	}
	b.ReportMetric(0, "ns/op")
	var source float64
	for i, k := range kinds {
		alone, asking := median(results[i].alone), median(results[i].asking)
		if k.name == "1MB" {
			source = alone
		}
		b.ReportMetric(alone, k.name+"-ns/edit")
		b.ReportMetric(alone/source, k.name+"-x-1MB")
		b.ReportMetric(asking/alone, k.name+"-x-asking")
	}
}

type kind struct{ name, s string }

func kindsOfText() []kind {
	return []kind{
		{"1MB", source(1 << 20)},
		{"10KB", source(10 << 10)},
		{"50MB", source(50 << 20)},
		{"1MB-line", strings.Repeat("some words, and more of them; ", 1<<20/30)},
		{"1MB-CJK", strings.Repeat("日本語の文章 😀 と絵文字。\n中文字符和一些更长的句子😀😀\n", 1<<20/90)},
	}
}

// source is n bytes that look like a program: lines of many lengths.
func source(n int) string {
	r := rand.New(rand.NewPCG(3, 4))
	var b strings.Builder
	b.Grow(n + 100)
	for b.Len() < n {
		for range r.IntN(4) {
			b.WriteByte('\t')
		}
		for range r.IntN(9) {
			b.WriteString([]string{"if ", "x := ", "value", "(", ") ", "return ", "// why ", "\"text\" "}[r.IntN(8)])
		}
		if r.IntN(50) == 0 {
			b.WriteString("é")
		}
		b.WriteByte('\n')
	}
	return b.String()[:runeStart(b.String(), n)]
}

// scatter returns the nanoseconds per edit.
func scatter(s string, ask bool) float64 {
	r := rand.New(rand.NewPCG(5, 6))
	t := text.New(s)
	places := make([]change, randomEdits)
	for i := range places {
		p := t.Position(runeStart(s, r.IntN(len(s))), text.UTF16)
		places[i] = change{p, p, "x"}
		if i%2 == 1 {
			places[i].to.Character++
			places[i].put = ""
		}
	}
	buf := text.NewBuffer(text.New(s))
	buf.Position(0, text.UTF16) // opened
	runtime.GC()
	began := time.Now()
	for i := range places {
		c := &places[i]
		start, _ := buf.ReplaceRange(c.from, c.to, text.UTF16, c.put)
		if ask {
			p := buf.Position(start+len(c.put), text.UTF16)
			if buf.Offset(p, text.UTF16) != start+len(c.put) {
				panic("another place")
			}
		}
	}
	return float64(time.Since(began).Nanoseconds()) / randomEdits
}

// runeStart returns the last code point's start at or before off.
func runeStart(s string, off int) int {
	for off > 0 && s[off]&0xC0 == 0x80 {
		off--
	}
	return off
}

// BenchmarkMemory reports the heap of an open document per byte of its text: when
// it is opened, and after 20 000 random edits.
func BenchmarkMemory(b *testing.B) {
	for _, k := range append(kindsOfText(), kind{"64KB", source(64 << 10)}, kind{"10MB", source(10 << 20)}) {
		b.Run(k.name, func(b *testing.B) {
			for b.Loop() {
				opened, edited := heapOf(k.s)
				b.ReportMetric(opened, "opened")
				b.ReportMetric(edited, "edited")
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

func heapOf(s string) (opened, edited float64) {
	before := heap()
	buf := text.NewBuffer(text.New(strings.Clone(s)))
	buf.Position(len(s), text.UTF16)
	opened = float64(heap()-before) / float64(len(s))
	r := rand.New(rand.NewPCG(7, 8))
	for i := range randomEdits {
		p := buf.Position(r.IntN(buf.Len()), text.UTF32)
		q := p
		put := "x"
		if i%2 == 1 {
			q.Character++
			put = ""
		}
		buf.ReplaceRange(p, q, text.UTF32, put)
	}
	edited = float64(heap()-before) / float64(buf.Len())
	runtime.KeepAlive(buf)
	return opened, edited
}

func heap() int {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
