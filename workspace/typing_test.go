package workspace_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/chance"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/history"
)

// TestTypingInPlace types the same at random into a document that is watched and into one
// that is not, which is changed in place. It compares their texts, the changes since a
// known text, and the results of undo. PATCHLS_SEED repeats a run that failed.
func TestTypingInPlace(t *testing.T) {
	seed := chance.Seed(t)
	seen := map[string]int{}
	for n := range 300 {
		r := rand.New(rand.NewPCG(seed, uint64(n)))
		newTwins(t, r).play(r, seen)
		if t.Failed() {
			t.Fatalf("run %d of PATCHLS_SEED=%d", n, seed)
		}
	}
	if min(seen["undone"], seen["conflict"], seen["already"], seen["since"], seen["many"]) < 10 {
		t.Errorf("too few of a kind: %v", seen)
	}
}

// twins are one document twice, of which the first is watched.
type twins struct {
	t    *testing.T
	ds   [2]*workspace.Documents
	enc  text.Encoding
	ids  []string
	told []string // revs of earlier texts
	was  []string // those texts
}

const twinURI = "file:///twin"

func newTwins(t *testing.T, r *rand.Rand) *twins {
	tw := &twins{t: t, enc: []text.Encoding{text.UTF8, text.UTF16, text.UTF32}[r.IntN(3)]}
	content := strings.Repeat("one 😀\r\ntwo\n\u00e9nd\n", r.IntN(1000))
	for i := range tw.ds {
		tw.ds[i] = workspace.NewDocuments()
		tw.ds[i].Put(&workspace.Document{Key: twinURI, URI: twinURI, Text: text.New(content)})
	}
	stop := tw.ds[0].Watch(twinURI, func(*workspace.Document) {})
	t.Cleanup(stop)
	return tw
}

func (tw *twins) play(r *rand.Rand, seen map[string]int) {
	for range 30 + r.IntN(60) {
		switch k := r.IntN(12); {
		case k < 6:
			tw.typeAt(r, 1+r.IntN(4))
		case k < 7 && r.IntN(8) == 0:
			seen["many"]++
			for range 300 {
				tw.typeAt(r, 1)
			}
		case k < 8:
			tw.both(func(d *workspace.Document) string { return d.Text.String() })
		case k < 9:
			was := tw.ds[0].Get(twinURI).Text
			if tw.edit(r); r.IntN(2) == 0 {
				tw.takenBack(r, was)
				seen["taken back"]++
			}
		case k < 10 && len(tw.ids) > 0:
			seen[tw.undo(tw.ids[r.IntN(len(tw.ids))])]++
		case k < 11:
			tw.tell()
		case len(tw.told) > 0:
			seen[tw.since(r.IntN(len(tw.told)))]++
		}
	}
}

// both returns what f gives for both documents, which must be equal.
func (tw *twins) both(f func(d *workspace.Document) string) string {
	tw.t.Helper()
	a, b := f(tw.ds[0].Get(twinURI)), f(tw.ds[1].Get(twinURI))
	if a != b {
		tw.t.Fatalf("watched %.200q\nin place %.200q", a, b)
	}
	return a
}

// typeAt makes n changes, mostly where the one before was.
func (tw *twins) typeAt(r *rand.Rand, n int) {
	now := tw.ds[0].Get(twinURI)
	at := r.IntN(now.Text.Len() + 1)
	var changes []workspace.Change
	t := now.Text
	for range n {
		end := at
		put := []string{"", "x", "\u00e9", "😀", "\n", "\r\n", "foo\nbar"}[r.IntN(7)]
		if put == "" || r.IntN(4) == 0 {
			end = min(t.Len(), at+r.IntN(6))
		}
		from, to := t.Position(at, tw.enc), t.Position(end, tw.enc)
		start, stop := t.Offset(from, tw.enc), t.Offset(to, tw.enc)
		changes = append(changes, workspace.Change{Range: workspace.Range{Start: from, End: to}, Text: put})
		t = t.Replace(start, max(start, stop), put)
		switch r.IntN(4) {
		case 0:
			at = r.IntN(t.Len() + 1)
		case 1:
			at = max(0, start-r.IntN(3))
		default:
			at = start + len(put)
		}
	}
	tw.send(changes...)
}

// send is one didChange.
func (tw *twins) send(changes ...workspace.Change) {
	version := tw.ds[0].Get(twinURI).Version + 1
	for _, ds := range tw.ds {
		ds.Change(twinURI, version, changes, tw.enc)
	}
}

// takenBack restores an earlier text like an editor's undo, reported as the differing part
// or as all lines from there to the end, and sometimes types on.
func (tw *twins) takenBack(r *rand.Rand, was text.Text) {
	now := tw.ds[0].Get(twinURI).Text
	a, b := now.String(), was.String()
	at := 0
	for at < min(len(a), len(b)) && a[at] == b[at] {
		at++
	}
	at = now.LineStart(now.LineAt(at))
	same := 0
	for r.IntN(2) == 0 && same < min(len(a), len(b))-at && a[len(a)-1-same] == b[len(b)-1-same] && (same == 0 || b[len(b)-1-same] < utf8.RuneSelf) {
		same++
	}
	changes := []workspace.Change{{
		Range: workspace.Range{Start: now.Position(at, tw.enc), End: now.Position(len(a)-same, tw.enc)}, Text: b[at : len(b)-same],
	}}
	if r.IntN(2) == 0 {
		changes = append(changes, workspace.Change{Text: "typed"})
	}
	tw.send(changes...)
}

// edit makes an agent's edit of a line.
func (tw *twins) edit(r *rand.Rand) {
	id := fmt.Sprintf("e%d", len(tw.ids)+1)
	at := r.IntN(tw.ds[0].Get(twinURI).Text.Len() + 1)
	done := tw.both(func(d *workspace.Document) string {
		end := min(d.Text.Len(), at+5)
		c := changeset.Changeset{{At: at, Old: d.Text.Slice(at, end), New: "<" + id + ">"}}
		unpin, _ := d.History.Pin(d.Seq)
		defer unpin()
		next := *d
		next.Text = d.Text.Replace(at, end, c[0].New)
		next.Version++
		next.Steps = []workspace.Step{{Change: c, Text: next.Text}}
		for i, ds := range tw.ds {
			if ds.Get(twinURI) == d {
				tw.ds[i].Put(&next)
			}
		}
		return fmt.Sprint(next.History.Attribute(d.Seq, next.Seq, id, nil, c))
	})
	if done != "<nil>" {
		tw.t.Fatal(done)
	}
	tw.ids = append(tw.ids, id)
}

// undo undoes an edit in both documents, or requires both to refuse it in the same way.
func (tw *twins) undo(id string) string {
	tw.t.Helper()
	return tw.both(func(d *workspace.Document) string {
		c, seq, err := d.History.Undo(id)
		switch {
		case err != nil:
			met, ok := errors.AsType[*history.UndoConflict](err)
			if ok && met.AlreadyUndone {
				return "already"
			}
			return "conflict"
		case seq != d.Seq || !c.Fits(d.Text):
			tw.t.Fatalf("the undo of %s is of %d, not of %d, or does not fit", id, seq, d.Seq)
		}
		unpin, _ := d.History.Pin(d.Seq)
		defer unpin()
		next := *d
		next.Text = c.Edits().Apply(d.Text)
		next.Version++
		next.Steps = []workspace.Step{{Change: c, Text: next.Text}}
		for i, ds := range tw.ds {
			if ds.Get(twinURI) == d {
				tw.ds[i].Put(&next)
			}
		}
		if err := next.History.RecordUndo(d.Seq, next.Seq, nil, c, history.Part{ID: id}); err != nil {
			tw.t.Fatal(err)
		}
		return "undone"
	})
}

// tell marks the text as it is.
func (tw *twins) tell() {
	tw.told = append(tw.told, fmt.Sprintf("r%d", len(tw.told)))
	tw.was = append(tw.was, tw.both(func(d *workspace.Document) string {
		d.History.Mark(d.Seq, tw.told[len(tw.told)-1])
		return d.Text.String()
	}))
}

// since checks the changes from an earlier text to the current one.
func (tw *twins) since(i int) string {
	tw.t.Helper()
	return tw.both(func(d *workspace.Document) string {
		c, ok := d.History.Since(tw.told[i])
		if !ok {
			return "forgotten"
		}
		if got, fits := c.Apply(text.New(tw.was[i])); !fits || !got.Equal(d.Text) {
			tw.t.Fatalf("since %s came %v", tw.told[i], c)
		}
		return "since"
	})
}

// If the document was not read and has no edits, typed changes are dropped, and SinceSeq of an old number reports that.
func TestTypingThatNobodyCanAskFor(t *testing.T) {
	ds := workspace.NewDocuments()
	ds.Put(&workspace.Document{Key: twinURI, URI: twinURI, Text: text.New("")})
	before := ds.Get(twinURI)
	for n := range 1000 {
		insert(ds, int32(n), 0, n, "x")
	}
	if c, ok := before.History.SinceSeq(before.Seq); ok {
		t.Errorf("while it is typed into, since %d came %v", before.Seq, c)
	}
	now := ds.Get(twinURI)
	if now.Text.String() != strings.Repeat("x", 1000) || now.Version != 999 || now.Seq != 1000 {
		t.Errorf("version %d, number %d, %q", now.Version, now.Seq, now.Text.String())
	}
	if c, ok := now.History.SinceSeq(before.Seq); ok {
		t.Errorf("since %d came %v", before.Seq, c)
	}
	if c, ok := now.History.SinceSeq(now.Seq); !ok || len(c) > 0 {
		t.Errorf("since now came %v, %v", c, ok)
	}
}

// However much was typed, a reader can ask for the changes since the text that it read.
func TestTypingThatIsLookedAtCanBeAskedFor(t *testing.T) {
	for n := range 600 {
		ds := workspace.NewDocuments()
		ds.Put(&workspace.Document{Key: twinURI, URI: twinURI, Text: text.New("")})
		for i := range n {
			insert(ds, int32(i), 0, i, "x")
		}
		now := ds.Get(twinURI)
		unpin, _ := now.History.Pin(now.Seq)
		insert(ds, int32(n), 0, n, "y")
		if c, ok := ds.Get(twinURI).History.SinceSeq(now.Seq); !ok || len(c) != 1 {
			t.Fatalf("after %d keystrokes, since %d came %v, %v", n, now.Seq, c, ok)
		}
		unpin()
	}
}

func insert(ds *workspace.Documents, version int32, line, character int, s string) {
	at := text.Position{Line: line, Character: character}
	ds.Change(twinURI, version, []workspace.Change{{Range: workspace.Range{Start: at, End: at}, Text: s}}, text.UTF16)
}

// An editor that sends a whole line for a changed word has changed only the word.
func TestTypingIsTrimmed(t *testing.T) {
	ds := workspace.NewDocuments()
	ds.Put(&workspace.Document{Key: twinURI, URI: twinURI, Text: text.New("one two three\n")})
	d := ds.Get(twinURI)
	own := changeset.Changeset{{At: 0, Old: "one", New: "1"}}
	next := *d
	next.Steps = []workspace.Step{{Change: own, Text: text.New("1 two three\n")}}
	next.Text = next.Steps[0].Text
	ds.Put(&next)
	if err := next.History.Attribute(d.Seq, next.Seq, "e1", nil, own); err != nil {
		t.Fatal(err)
	}
	line := workspace.Range{End: text.Position{Character: 11}}
	ds.Change(twinURI, 1, []workspace.Change{{Range: line, Text: "1 two four"}}, text.UTF16)
	c, _, err := ds.Get(twinURI).History.Undo("e1")
	if err != nil || c.Edits().Apply(ds.Get(twinURI).Text).String() != "one two four\n" {
		t.Errorf("%v, %v", c, err)
	}
}

// Who watches is shown each change, and a version that goes back is not typing.
func TestTypingIsShown(t *testing.T) {
	ds := workspace.NewDocuments()
	ds.Put(&workspace.Document{Key: twinURI, URI: twinURI, Version: 5, Text: text.New("")})
	insert(ds, 6, 0, 0, "a")
	var seen []string
	stop := ds.Watch(twinURI, func(d *workspace.Document) { seen = append(seen, d.Text.String()) })
	insert(ds, 7, 0, 1, "b")
	stop()
	insert(ds, 8, 0, 2, "c")
	if got := strings.Join(seen, " "); got != "a ab" || ds.Get(twinURI).Text.String() != "abc" {
		t.Errorf("shown %q", got)
	}
	insert(ds, 7, 0, 3, "d")
	if d := ds.Get(twinURI); d.Drift == "" || d.Text.String() != "abcd" {
		t.Errorf("%+v", d)
	}
}
