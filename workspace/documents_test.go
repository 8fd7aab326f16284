package workspace_test

import (
	"context"
	"testing"

	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/workspace"
)

func position(line, character int) text.Position {
	return text.Position{Line: line, Character: character}
}

// Each change refers to the text after the one before; a change without a range replaces
// the whole text.
func TestChangesAreInOrder(t *testing.T) {
	doc := &workspace.Document{Text: text.New("one\ntwo\n"), Version: 1}
	next := doc.Change(7, []workspace.Change{
		{Range: workspace.Range{Start: position(0, 0), End: position(1, 0)}, Text: ""},
		{Range: workspace.Range{Start: position(0, 3), End: position(0, 3)}, Text: "😀"},
		{Range: workspace.Range{Start: position(0, 5), End: position(0, 5)}, Text: "!"},
	}, text.UTF16)
	if got := next.Text.String(); got != "two😀!\n" || next.Version != 7 {
		t.Errorf("%q, version %d", got, next.Version)
	}
	if doc.Text.String() != "one\ntwo\n" || doc.Version != 1 {
		t.Error("the document itself was changed")
	}
	last := next.Change(8, []workspace.Change{
		{Range: workspace.Range{Start: position(0, 0), End: position(0, 3)}, Text: "x"},
		{Whole: true, Text: "all new"},
		{Range: workspace.Range{Start: position(0, 4), End: position(0, 7)}, Text: "old"},
	}, text.UTF16)
	if got := last.Text.String(); got != "all old" {
		t.Errorf("%q", got)
	}
}

func TestWatchSeesEveryStateInOrder(t *testing.T) {
	ds := workspace.NewDocuments()
	put := func(version int32) { ds.Put(&workspace.Document{Key: "k", Version: version}) }
	put(1)
	var seen []int32
	stop := ds.Watch("k", func(doc *workspace.Document) {
		if doc == nil {
			seen = append(seen, -1)
			return
		}
		seen = append(seen, doc.Version)
	})
	ds.Put(&workspace.Document{Key: "other", Version: 99})
	put(2)
	put(3)
	ds.Close("k")
	stop()
	put(4)
	want := []int32{1, 2, 3, -1}
	if len(seen) != len(want) {
		t.Fatalf("seen %v, want %v", seen, want)
	}
	for i := range want {
		if seen[i] != want[i] {
			t.Fatalf("seen %v, want %v", seen, want)
		}
	}
}

func TestTurnsComeInTheOrderOfTaking(t *testing.T) {
	var q workspace.Queue
	ctx := context.Background()
	first, second, third := q.Take(), q.Take(), q.Take()
	if err := first.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if second.Wait(ended) == nil {
		t.Error("the second turn came before the first was done")
	}
	second.Done() // given up, out of order
	second.Done()
	if third.Wait(ended) == nil {
		t.Error("the third turn came before the first was done")
	}
	first.Done()
	if err := third.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	third.Done()
	if err := q.Take().Wait(ctx); err != nil {
		t.Fatal(err)
	}
}

// A listener is notified of all changes, whatever their origin, until it stops; one value
// stands for any number of changes.
func TestListen(t *testing.T) {
	ds := workspace.NewDocuments()
	heard := make(chan struct{}, 1)
	tell := func(what string, want bool, act func()) {
		t.Helper()
		act()
		select {
		case <-heard:
			if !want {
				t.Errorf("%s was heard", what)
			}
		default:
			if want {
				t.Errorf("%s was not heard", what)
			}
		}
	}
	put := func() { ds.Put(&workspace.Document{Key: "a", URI: "a", Text: text.New("x\n")}) }
	typed := func() {
		for range 2 {
			ds.Change("a", 2, []workspace.Change{{Text: "y"}}, text.UTF16)
		}
	}
	put()
	stop := ds.Changed.Listen(heard)
	tell("opening", true, put)
	tell("typing", true, typed)
	tell("closing", true, func() { ds.Close("a") })
	stop()
	tell("what came after the end", false, func() { put(); typed() })
}

// A document that was renamed with unsaved text has in common with its file what it had before, so that what another program
// writes is merged; another text under the new name is only what it was opened with.
func TestRenamedDocumentsKeepWhatIsSaved(t *testing.T) {
	for now, want := range map[string]string{"typed\none\n": "one\n", "another\n": "another\n"} {
		ds := workspace.NewDocuments()
		saved := text.New("one\n")
		ds.Put(&workspace.Document{Key: "/a", Text: saved, Disk: saved, InFile: &saved})
		ds.Put(ds.Get("/a").Change(2, []workspace.Change{{Text: "typed\n"}}, text.UTF16))
		ds.Close("/a")
		ds.Put(&workspace.Document{Key: "/b", Text: text.New(now), Disk: text.New(now)})
		ds.Renamed("/a", "/b")
		if b := ds.Get("/b"); b.Disk.String() != want || b.DiskSeen() != (want == "one\n") {
			t.Errorf("with %q it has %q in common with its file, seen %v", now, b.Disk, b.DiskSeen())
		}
		ds.Put(&workspace.Document{Key: "/a", Text: text.New("typed\none\n"), Disk: text.New("typed\none\n")})
		if a := ds.Get("/a"); a.DiskSeen() {
			t.Errorf("a new document of the old name has %q in common with a file", a.Disk)
		}
	}
}
