package lsp

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// BenchmarkQuick takes in messages from their frames to the stored document, beside
// encoding/json, which only decodes them.
func BenchmarkQuick(b *testing.B) {
	const line = "\tif err := s.answer(ctx, request); err != nil { // \"for now\"\n"
	source := strings.Repeat(line, 1<<20/len(line))
	quoted, err := json.Marshal(source)
	if err != nil {
		b.Fatal(err)
	}
	open := []byte(strings.Replace(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///a","languageId":"go","version":0,"text":$}}}`, "$", string(quoted), 1))
	var frames [][]byte
	for n := range 1000 {
		at := fmt.Sprintf(`{"line":%d,"character":%d}`, 4000+n/40, n%40)
		frames = append(frames, fmt.Appendf(nil, strings.Replace(changeFrame, `"version":2`, `"version":3`, 1), `{"range":{"start":`+at+`,"end":`+at+`},"rangeLength":0,"text":"x"}`))
	}
	s := quickServer()
	s.lifecycle.enter(running)
	if !s.take(open) {
		b.Fatal("not taken")
	}
	b.Run("didOpen 1 MB", func(b *testing.B) {
		b.SetBytes(int64(len(open)))
		for b.Loop() {
			if !s.take(open) {
				b.Fatal("not taken")
			}
		}
	})
	b.Run("didOpen 1 MB, encoding/json", func(b *testing.B) {
		b.SetBytes(int64(len(open)))
		for b.Loop() {
			var m struct{ Params didOpenParams }
			if err := json.Unmarshal(open, &m); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("didChange", func(b *testing.B) {
		b.ReportAllocs()
		n := 0
		for b.Loop() {
			if !s.take(frames[n%len(frames)]) {
				b.Fatal("not taken")
			}
			n++
		}
	})
	b.Run("didChange, encoding/json", func(b *testing.B) {
		b.ReportAllocs()
		n := 0
		for b.Loop() {
			var m struct{ Params didChangeParams }
			if err := json.Unmarshal(frames[n%len(frames)], &m); err != nil {
				b.Fatal(err)
			}
			n++
		}
	})
}
