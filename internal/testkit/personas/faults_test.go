package personas

import (
	"slices"
	"testing"
	"time"

	"github.com/patchls/patchls/internal/testkit/fakeserver"
)

// TestFaults turns on each fault alone, for certain.
func TestFaults(t *testing.T) {
	tests := []struct {
		name   string
		faults Faults
		answer string // "" if none comes
		text   string
		events string
	}{
		{"none", Faults{}, "yes", "xone\n", "didChange answer"},
		{"ignored", Faults{Ignored: 1}, "", "one\n", ""},
		{"silent", Faults{Silent: 1}, "", "xone\n", "didChange"},
		{"says no", Faults{SaysNo: 1}, "no with a reason", "xone\n", "didChange answer"},
		{"says yes", Faults{SaysYes: 1}, "yes", "one\n", "answer"},
		{"lost", Faults{Lost: 1}, "yes", "xone\n", "answer"},
		{"reopens", Faults{Reopens: 1}, "yes", "xone\n", "didChange didClose didOpen answer"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				e, s := startAs(t, Persona{Faults: test.faults})
				b := openText(t, e, "untitled:1", "one\n")
				settle(s)
				_, answer := s.Begin("workspace/applyEdit", map[string]any{"edit": map[string]any{
					"documentChanges": []any{fakeserver.TextEdits(b.URI(), 1, at(0, 0, 0, 0, "x"))},
				}})
				pass(time.Hour)
				select {
				case m := <-answer:
					if got := said(s.Read(m)); got != test.answer {
						t.Errorf("the answer is %q, want %q", got, test.answer)
					}
				default:
					if test.answer != "" {
						t.Error("no answer came")
					}
				}
				wantText(t, b, test.text)
				wantArrived(t, s, test.events)
				same := s.TextOf(b.URI()) == b.Text()
				if same == (test.faults.Lost > 0) {
					t.Errorf("the server has %q", s.TextOf(b.URI()))
				}
			})
		})
	}
}

// TestSilenceHoldsNobodyUp: an edit that is never answered does not keep the next
// one waiting.
func TestSilenceHoldsNobodyUp(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		e, s := startAs(t, Persona{Faults: Faults{Silent: 1}})
		b := openText(t, e, "untitled:1", "")
		for i := range 3 {
			s.Begin("workspace/applyEdit", map[string]any{"edit": map[string]any{
				"documentChanges": []any{fakeserver.TextEdits(b.URI(), i+1, at(0, 0, 0, 0, "x"))},
			}})
			pass(0)
		}
		wantText(t, b, "xxx")
	})
}

// TestSlow: the edit, or its answer alone, is late, never by more than SlowBy.
func TestSlow(t *testing.T) {
	for name, faults := range map[string]Faults{
		"edit": {SlowEdit: 1, SlowBy: time.Minute}, "answer": {SlowAnswer: 1, SlowBy: time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				e, s := startAs(t, Persona{Faults: faults})
				b := openText(t, e, "untitled:1", "")
				began := time.Now()
				_, answer := s.Begin("workspace/applyEdit", map[string]any{"edit": map[string]any{
					"documentChanges": []any{fakeserver.TextEdits(b.URI(), 1, at(0, 0, 0, 0, "x"))},
				}})
				pass(0)
				if done := b.Text() == "x"; done != (name == "answer") {
					t.Errorf("done at once: %t", done)
				}
				s.Read(<-answer).MustApply(t)
				if took := time.Since(began); took <= 0 || took > time.Minute {
					t.Errorf("it took %v", took)
				}
			})
		})
	}
}

// TestFaultyVersions: the version jumps, stays or falls, and the texts are right.
func TestFaultyVersions(t *testing.T) {
	for name, test := range map[string]struct {
		faults Faults
		right  func(before, after int32) bool
	}{
		"jumps":   {Faults{VersionJumps: 1}, func(b, a int32) bool { return a > b+1 && a < b+12 }},
		"repeats": {Faults{VersionRepeats: 1}, func(b, a int32) bool { return a == b }},
		"falls":   {Faults{VersionFalls: 1}, func(b, a int32) bool { return a < b || b == 0 && a == 0 }},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				e, s := startOn(t, Persona{Faults: test.faults}, func(s *fakeserver.Server) { s.AnyVersion = true })
				b := openText(t, e, "untitled:1", "")
				for range 5 {
					before := b.Version()
					typeAtStart(t, b, "x")
					pass(0)
					if m, _ := s.Doc(b.URI()); m.Version != b.Version() || !test.right(before, b.Version()) {
						t.Errorf("after %d came %d, the buffer has %d", before, m.Version, b.Version())
					}
				}
				wantBoth(t, s, b, "xxxxx")
			})
		})
	}
}

// TestLostChangeShows: didSave tells of a didChange that was lost.
func TestLostChangeShows(t *testing.T) {
	dir := t.TempDir()
	inBubble(t, func(t *testing.T) {
		e, s := startOn(t, Persona{Faults: Faults{Lost: 1}}, func(s *fakeserver.Server) { s.Lenient = true })
		b := open(t, e, writeFile(t, dir+"/f", "one\n"))
		typeAtStart(t, b, "x")
		if Pending(b) {
			t.Error("what is lost is not pending")
		}
		if err := b.Save(); err != nil {
			t.Fatal(err)
		}
		pass(0)
		if m, _ := s.Doc(b.URI()); m.Text != "one\n" || m.Saved == nil || *m.Saved != "xone\n" {
			t.Errorf("%+v", m)
		}
	})
}

// TestSeedRepeats: the same seed repeats a run, another seed gives another run.
func TestSeedRepeats(t *testing.T) {
	run := func(seed uint64) (events []string) {
		inBubble(t, func(t *testing.T) {
			p := named(t, "hostile")
			p.Seed = seed
			e, s := startOn(t, p, func(s *fakeserver.Server) { s.Lenient, s.AnyVersion = true, true })
			b := openText(t, e, "untitled:1", "")
			for range 100 {
				typeAtStart(t, b, "x")
				s.Begin("workspace/applyEdit", map[string]any{"edit": map[string]any{
					"documentChanges": []any{fakeserver.TextEdits(b.URI(), b.Version(), at(0, 0, 0, 0, "x"))},
				}})
				pass(time.Second)
			}
			events = append(s.Events(), b.Text())
		})
		return events
	}
	if a, b := run(1), run(1); !slices.Equal(a, b) {
		t.Error("one seed gave two runs")
	}
	if a, b := run(1), run(2); slices.Equal(a, b) {
		t.Error("two seeds gave one run")
	}
}

// TestWrongs: each small way of making an edit wrong leaves another text than the edit, and a yes.
func TestWrongs(t *testing.T) {
	want := map[Wrong]string{
		WrongEndInclusive: "one  new\nthree\nfXr\nfive six seven\n",
		WrongNewlineAdded: "one  new\n\n three\nfX\nur\nfive six seven\n",
		WrongLine:         "one two three\nfour new\n\nfXve six seven\n",
		WrongLastOnly:     "one two three\nfXur\nfive six seven\n",
	}
	for _, way := range Wrongs() {
		inBubble(t, func(t *testing.T) {
			e, s := startAs(t, Persona{Faults: Faults{Wrong: 1, Way: &way}})
			b := openText(t, e, "untitled:1", "one two three\nfour\nfive six seven\n")
			settle(s)
			_, answer := s.Begin("workspace/applyEdit", map[string]any{"edit": map[string]any{
				"documentChanges": []any{fakeserver.TextEdits(b.URI(), 1, at(0, 4, 0, 7, " new\n"), at(1, 1, 1, 2, "X"))},
			}})
			pass(time.Hour)
			if got := said(s.Read(<-answer)); got != "yes" {
				t.Errorf("way %d: the answer is %q", way, got)
			}
			if right := "one  new\n three\nfXur\nfive six seven\n"; b.Text() == right {
				t.Errorf("way %d: the edit is made right", way)
			}
			if same := want[way]; same != "" && b.Text() != same {
				t.Errorf("way %d: %q", way, b.Text())
			}
		})
	}
}
