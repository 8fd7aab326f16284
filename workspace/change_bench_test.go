package workspace_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/workspace"
)

// BenchmarkTyping takes in a character as didChange has it, into the set of documents
// and the document's history. It must not grow with the text.
func BenchmarkTyping(b *testing.B) {
	for _, mb := range []int{1, 50} {
		b.Run(fmt.Sprintf("%d MB", mb), func(b *testing.B) {
			const line = "\tif err := s.answer(ctx, request); err != nil { // for now\n"
			ds := workspace.NewDocuments()
			doc := &workspace.Document{Key: "file:///a", Text: text.New(strings.Repeat(line, mb<<20/len(line)))}
			ds.Put(doc)
			doc = typed(ds, doc, 0) // builds the tree
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				n++
				doc = typed(ds, doc, n)
			}
		})
	}
}

func typed(ds *workspace.Documents, doc *workspace.Document, n int) *workspace.Document {
	at := text.Position{Line: 4000 + n/40%1000, Character: n % 40}
	doc = doc.Change(doc.Version+1, []workspace.Change{{Range: &workspace.Range{Start: at, End: at}, Text: "x"}}, text.UTF16)
	ds.Put(doc)
	return doc
}
