package apply

import (
	"testing"

	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/workspace"
)

func TestProof(t *testing.T) {
	put := func(s string) changeset.Changeset { return changeset.Changeset{{At: 0, New: s}} }
	for _, tt := range []struct {
		name   string
		own    changeset.Changeset
		others []changeset.Changeset
		closed bool
		want   bool
	}{
		{name: "new text", own: put("three\n"), want: true},
		{name: "a few letters", own: put("th\n")},
		{name: "blanks around a few letters", own: put("\t  th  \n")},
		{name: "text that was there", own: put("two\n")},
		{name: "a deletion", own: changeset.Changeset{{At: 0, Old: "one\n"}}},
		{name: "one new text of two", own: append(put("two\n"), put("three\n")...), want: true},
		{name: "text that the user typed as well", own: put("three\n"), others: []changeset.Changeset{put("x"), put("a three b")}},
		{name: "text of the file that was read anew", own: put("saved\n"), closed: true},
		{name: "text of the file of a document that stayed open", own: put("saved\n"), want: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			doc := &workspace.Document{Disk: text.New("saved\n")}
			p := &pattern{was: text.New("one\ntwo\n"), closed: tt.closed, change: &Change{Snapshot: workspace.Snapshot{Doc: doc}}}
			if got := p.isProven(tt.own, tt.others...); got != tt.want {
				t.Errorf("isProven is %t, want %t", got, tt.want)
			}
		})
	}
}
