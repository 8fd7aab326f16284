package workspace

import (
	"strings"
	"testing"

	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/workspace/paths"
)

// What is kept of closed documents is bounded by its size. The document closed first is
// dropped first; one that alone exceeds the bound is dropped without affecting others.
func TestClosedDocumentsKeepSoMuchAndNoMore(t *testing.T) {
	ds := NewDocuments()
	closing := func(key paths.Key, size int) {
		ds.Put(&Document{Key: key, URI: string(key), Text: text.New(strings.Repeat("x", size))})
		h := ds.History(key)
		h.Record(changeset.Changeset{{New: "an agent's"}}, h.Text().Replace(0, 0, "an agent's"))
		if err := h.Attribute(0, 1, "e1", nil, changeset.Changeset{{New: "an agent's"}}, 1); err != nil {
			t.Fatal(err)
		}
		ds.Put(&Document{Key: key, URI: string(key), Text: h.Text()})
		ds.Close(key)
	}
	kept := func(keys ...paths.Key) {
		t.Helper()
		for _, key := range []paths.Key{"file:///a", "file:///b", "file:///c", "file:///big"} {
			want := false
			for _, k := range keys {
				want = want || k == key
			}
			if got := ds.History(key) != nil; got != want {
				t.Errorf("history of %s: kept is %v, want %v", key, got, want)
			}
		}
	}
	closing("file:///a", maxClosedBytes/2-10_000)
	closing("file:///b", maxClosedBytes/2-10_000)
	kept("file:///a", "file:///b")
	closing("file:///big", maxClosedBytes+1)
	kept("file:///a", "file:///b")
	closing("file:///c", maxClosedBytes/4)
	kept("file:///b", "file:///c")
}
