package workspace_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/workspace"
)

// BenchmarkTyping applies a typed character to the set of documents and the history of the
// document, as didChange does. The cost must not grow with the text. The change is made in place
// as long as the document is not read, and is dropped as long as there is no edit to undo.
func BenchmarkTyping(b *testing.B) {
	for _, mb := range []int{1, 50} {
		for _, how := range []string{"unseen", "with an edit", "looked at"} {
			b.Run(fmt.Sprintf("%d MB/%s", mb, how), func(b *testing.B) {
				const line = "\tif err := s.answer(ctx, request); err != nil { // for now\n"
				ds := workspace.NewDocuments()
				ds.Put(&workspace.Document{Key: twinURI, URI: twinURI, Text: text.New(strings.Repeat(line, mb<<20/len(line)))})
				if how == "with an edit" {
					ds.Get(twinURI).History.AttributeBase("e1", changeset.Changeset{{At: 0, New: "\t"}})
				}
				var changes [1]workspace.Change
				typed := func(n int) {
					at := text.Position{Line: 4000 + n/40%1000, Character: n % 40}
					changes[0] = workspace.Change{Range: workspace.Range{Start: at, End: at}, Text: "x"}
					ds.Change(twinURI, int32(n), changes[:], text.UTF16)
					if how == "looked at" {
						ds.Get(twinURI)
					}
				}
				for n := range 1000 {
					typed(n)
				}
				b.ReportAllocs()
				for n := 1000; b.Loop(); n++ {
					typed(n)
				}
			})
		}
	}
}
