package history_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/chance"
	"github.com/patchls/patchls/workspace/history"
)

// TestHistoryRandom lets a user type and agents edit and undo at random places,
// and holds the history to the model. PATCHLS_SEED repeats the run that failed.
func TestHistoryRandom(t *testing.T) {
	runs := 6_000
	if testing.Short() {
		runs = 2_000
	}
	first, only := chance.First(t)
	if only {
		runs = 1
	}
	var seen tally
	for seed := first; seed < first+uint64(runs); seed++ {
		rng := rand.New(rand.NewPCG(seed, 0))
		data := make([]byte, 1+4*rng.IntN(30))
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		if err := play(data, &seen); err != nil {
			data, err = shrunk(data, err)
			story := tally{told: true}
			_ = play(data, &story)
			t.Fatalf("PATCHLS_SEED=%d\n%s\n%v\nby %v", seed, strings.Join(story.story, "\n"), err, data)
		}
	}
	t.Logf("%+v", seen)
	if runs > 1 && min(seen.undone, seen.conflicts, seen.twins, seen.since, seen.hunks, seen.parts) < runs/5 {
		t.Errorf("too few of a kind, from PATCHLS_FIRST_SEED=%d: %+v", first, seen)
	}
}

func FuzzHistory(f *testing.F) {
	f.Add([]byte{3, 4, 1, 1, 1, 0, 2, 1, 1, 7, 0, 0, 0})
	// A letter that the user types is not the one that an agent's edit took out.
	f.Add([]byte{233, 0, 177, 202, 0, 0, 121, 39, 0, 0, 16, 148, 0, 172, 181, 79, 0, 220, 0, 238, 0, 104, 149, 33, 0, 64, 1, 0, 0, 0, 14, 76, 0, 32, 0, 0, 0})
	// An empty change after an edit that leaves the twin's text unchanged is not the undo of that edit.
	f.Add([]byte{185, 0, 0, 171, 0, 124, 16, 50, 49, 0, 0, 155, 0, 64, 56, 0, 0, 223, 0, 0, 0, 148, 96, 15, 194, 148, 198, 39, 131, 136, 181, 28, 0, 0, 0, 0, 0, 200, 82, 0, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 400 {
			return
		}
		if err := play(data, &tally{}); err != nil {
			t.Error(err)
		}
	})
}

// shrunk leaves steps out as long as the rest still fails.
func shrunk(data []byte, err error) ([]byte, error) {
	for again := true; again; {
		again = false
		for i := len(data) - 4; i >= 1; i -= 4 {
			less := slices.Delete(slices.Clone(data), i, i+4)
			if e := play(less, &tally{}); e != nil {
				data, err, again = less, e, true
			}
		}
		for i := range data {
			if data[i] == 0 {
				continue
			}
			for _, b := range []byte{0, data[i] / 2, data[i] - 1} {
				less := slices.Clone(data)
				less[i] = b
				if e := play(less, &tally{}); e != nil {
					data, err, again = less, e, true
					break
				}
			}
		}
	}
	return data, err
}

type tally struct {
	undone, conflicts, twins, since, hunks, parts int

	story []string // what happened, said only while shrinking
	told  bool
}

// player plays random steps on two histories: one of a text in which all characters
// differ, and its twin with few distinct ones.
type player struct {
	m       *model
	h       *history.History
	twin    *history.History    // nil when it was left
	last    changeset.Changeset // what the last op did, nil if it cannot be taken back
	ids     []string
	numbers []int             // the hunk numbers of the next edit, one for each change
	told    map[string]string // texts by rev
	pinned  map[int]pinned
	seen    *tally
}

type pinned struct {
	text  string
	unpin func()
}

// play returns what is wrong with the steps that data stands for, four bytes each.
func play(data []byte, seen *tally) error {
	if len(data) == 0 {
		return nil
	}
	p := &player{m: newModel(int(data[0] % 32)), told: map[string]string{}, pinned: map[int]pinned{}, seen: seen}
	doc := string(runes(p.m.visible()))
	p.h, p.twin = history.New(text.New(doc)), history.New(text.New(plain(doc)))
	if data[0] >= 128 {
		p.h.Limits.Loose, p.twin.Limits.Loose = 1, 1
	}
	for i := 1; i+4 <= len(data); i += 4 {
		if err := p.step(int(data[i]), data[i+1:i+4]); err != nil {
			return fmt.Errorf("step %d: %w", i/4, err)
		}
		if got := p.h.Text().String(); got != string(runes(p.m.visible())) {
			return fmt.Errorf("step %d: the text is %q, want %q", i/4, got, string(runes(p.m.visible())))
		}
		if err := errors.Join(p.since(), p.hunks()); err != nil {
			return fmt.Errorf("step %d: %w", i/4, err)
		}
	}
	return nil
}

func (p *player) tell(format string, args ...any) {
	if p.seen.told {
		p.seen.story = append(p.seen.story, fmt.Sprintf(format, args...))
	}
}

func (p *player) step(kind int, b []byte) error {
	switch kind % 12 {
	case 0, 1, 2, 3:
		p.typed(b)
	case 4, 5, 6:
		return p.edit(kind/16, b)
	case 7:
		if p.last != nil {
			p.tell("the user takes it back")
			p.record(p.last.Invert())
			p.m.takeBack()
			p.last = nil
		}
	case 8, 9, 10:
		if len(p.ids) > 0 {
			return p.undo(p.ids[int(b[0])%len(p.ids)], kind/16, b)
		}
	case 11:
		p.hold(b[0])
	}
	return nil
}

func apply(c changeset.Changeset, t text.Text) text.Text { return c.Edits().Apply(t) }

// record lets c happen to both texts.
func (p *player) record(cs ...changeset.Changeset) {
	var all changeset.Changeset
	for _, c := range cs {
		all = all.Then(c)
	}
	if p.twin != nil {
		c := twinOf(p.h.Text().String(), all)
		p.twin.Record(c, apply(c, p.twin.Text()))
	}
	p.h.Record(all, apply(all, p.h.Text()))
}

// happens lets an op happen to the model, and returns its changes in bytes of doc,
// and doc after it.
func (p *player) happens(id, doc string, b ...byte) (changeset.Changeset, string) {
	s := p.splices(doc, b...)
	c := changesetOf(doc, s)
	p.tell("%q: %s does %v", doc, id, c)
	if id == "" {
		p.m.do(s)
	} else {
		p.m.edit(id, s, p.numbers)
	}
	return c, apply(c, text.New(doc)).String()
}

// pin holds the text now as a command under way does.
func (p *player) pin() func() {
	unpin, _ := p.h.Pin(p.h.Seq())
	if p.twin == nil {
		return unpin
	}
	unpinTwin, _ := p.twin.Pin(p.twin.Seq())
	return func() { unpin(); unpinTwin() }
}

// seq returns the newest boundary of the history, and that of its twin.
func (p *player) seq() (of, twin int) {
	if p.twin != nil {
		twin = p.twin.Seq()
	}
	return p.h.Seq(), twin
}

func (p *player) typed(b []byte) {
	c, _ := p.happens("", p.h.Text().String(), b[0], b[1])
	p.record(c)
	p.last = c
}

// edit is an agent's edit; more says whether the user typed right before and
// right after it, so that all came at once.
func (p *player) edit(more int, b []byte) error {
	id := fmt.Sprint("e", len(p.m.ops))
	doc := p.h.Text().String()
	was := doc
	var before, after changeset.Changeset
	if more&1 != 0 {
		before, doc = p.happens("", doc, b[2], b[1])
	}
	between := doc
	p.numbers = [][]int{{1, 2}, {1, 1}, {2, 5}}[more%3]
	edit, doc := p.happens(id, doc, b[0], b[1], b[2], b[0]^b[1])
	numbers := p.numbers[:len(edit)]
	if more&2 != 0 {
		after, _ = p.happens("", doc, b[1], b[0])
	}
	from, fromTwin := p.seq()
	defer p.pin()()
	p.record(before, edit)
	to, toTwin := p.seq()
	if more&2 != 0 {
		defer p.pin()()
		p.record(after)
	}
	p.ids = append(p.ids, id)
	p.last = edit
	if more&3 != 0 {
		p.last = nil
	}
	if err := p.h.Attribute(from, to, id, before, edit, numbers...); err != nil {
		return err
	}
	if p.twin == nil {
		return nil
	}
	return p.twin.Attribute(fromTwin, toTwin, id, twinOf(was, before), twinOf(between, edit), numbers...)
}

// undo takes back an edit, or a hunk of it.
func (p *player) undo(id string, more int, b []byte) error {
	hunk := 0
	var only []int
	if left := p.m.left(id); more&12 != 0 && left[0] > 0 { // an edit without changes has none
		hunk = left[int(b[2])%len(left)]
		only = []int{hunk}
	}
	undo, from, err := p.h.Undo(id, only...)
	doc := p.h.Text()
	if err != nil {
		var c *history.UndoConflict
		switch {
		case !errors.As(err, &c):
			return err
		case c.AlreadyUndone && c.Now == c.Was && len(c.Now)+len(c.Wrote) >= 3: // by another place of equal ones
		case !p.m.overlapped(id, hunk):
			return fmt.Errorf("nothing overlaps %s %v: %w", id, only, err)
		case c.Now != doc.Slice(c.Start, c.End):
			return fmt.Errorf("%+v in %q", c, doc)
		}
		p.seen.conflicts++
		return nil
	}
	p.seen.undone++
	p.tell("%q: undo %s %v is %v", doc, id, only, undo)
	if from != p.h.Seq() || !undo.Fits(doc) {
		return fmt.Errorf("undo %s is %v as of %d of %q", id, undo, from, doc)
	}
	before, undo, ok := p.meanwhile(undo, more, b)
	if !ok {
		return nil
	}
	between := apply(before, doc)
	now := apply(undo, between)
	if p.m.undo(id, hunk); len(p.m.left(id)) == 0 {
		p.ids = slices.DeleteFunc(p.ids, func(x string) bool { return x == id })
	} else {
		p.seen.parts++
	}
	p.last = nil
	if s := p.m.adopt([]rune(now.String())); s != "" {
		return fmt.Errorf("%q without %s %s", between, id, s)
	}
	var after changeset.Changeset
	if more&2 != 0 {
		after, _ = p.happens("", now.String(), b[1], b[0])
	}
	defer p.pin()()
	if err := p.undoTwin(id, only, doc.String(), now.String(), before, after); err != nil {
		return fmt.Errorf("the twin of %q without %s: %w", doc, id, err)
	}
	to := p.h.Record(before.Then(undo), now)
	if more&2 != 0 {
		defer p.pin()()
		p.h.Record(after, apply(after, now))
	}
	return p.h.RecordUndo(from, to, before, undo, history.Part{ID: id, Hunks: only})
}

// meanwhile returns what the user typed after an undo was requested, if more says so, and
// the undo transformed behind it. ok is false if the undo is no longer possible.
func (p *player) meanwhile(undo changeset.Changeset, more int, b []byte) (before, behind changeset.Changeset, ok bool) {
	doc := p.h.Text().String()
	s := p.splices(doc, b[2], b[1])
	if more&1 == 0 {
		return nil, undo, true
	}
	before = changesetOf(doc, s)
	behind, _, meet := changeset.Transform(undo, before)
	if meet != nil {
		return nil, nil, false
	}
	p.tell("%q: but first %v", doc, before)
	p.m.do(s)
	return before, behind, true
}

// isUndone reports whether an edit is taken for undone.
func isUndone(h *history.History, id string) bool {
	_, _, err := h.Undo(id)
	c, is := errors.AsType[*history.UndoConflict](err)
	return is && c.AlreadyUndone
}

// undoTwin undoes an edit in the twin, with what the user typed before and after. On a
// conflict the twin is given up: when changes are composed depends on sizes, and so does
// whether restored characters are recognized as the same ones.
func (p *player) undoTwin(id string, only []int, doc, now string, before, after changeset.Changeset) error {
	if p.twin == nil {
		return nil
	}
	was := p.twin.Text()
	for _, other := range p.ids {
		if isUndone(p.h, other) != isUndone(p.twin, other) {
			p.twin = nil // which takes what the user did to a few letters for their undo of another edit
			return nil
		}
	}
	undo, from, err := p.twin.Undo(id, only...)
	before, after = twinOf(doc, before), twinOf(now, after)
	undo, _, meet := changeset.Transform(undo, before)
	if left := err != nil || meet != nil; left {
		p.twin = nil
		return nil
	}
	p.seen.twins++
	between := apply(before, was)
	if !undo.Fits(between) || apply(undo, between).String() != plain(now) {
		return fmt.Errorf("%v of %q, want %q", undo, between, plain(now))
	}
	then := apply(undo, between)
	to := p.twin.Record(before.Then(undo), then)
	if len(after) > 0 {
		unpin, _ := p.twin.Pin(to)
		defer unpin()
		p.twin.Record(after, apply(after, then))
	}
	return p.twin.RecordUndo(from, to, before, undo, history.Part{ID: id, Hunks: only})
}
