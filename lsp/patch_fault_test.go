package lsp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/internal/testkit/personas"
	"github.com/patchls/patchls/lsp/transaction"
)

// absent stands for a file that is not there.
const absent = "(absent)"

var (
	fiveOld = map[string]string{"a.txt": "a1\na2\n", "b.txt": "b1\r\nb2\r\n", "d.txt": "d1\nd2", "e.txt": "e1\ne2\n", "new/c.txt": absent, "to/e.txt": absent}
	fiveNew = map[string]string{"a.txt": "A1\na2\n", "b.txt": "b1\r\nB2\r\n", "d.txt": absent, "e.txt": absent, "new/c.txt": "c1\nc2\n", "to/e.txt": "E1\ne2\n"}
)

// fivePatch takes six edits: the renaming and what is changed in the renamed file
// are one each.
const fivePatch = `*** Begin Patch
*** Update File: a.txt
@@
-a1
+A1
*** Update File: b.txt
@@
-b2
+B2
*** Add File: new/c.txt
+c1
+c2
*** Delete File: d.txt
*** Update File: e.txt
*** Move to: to/e.txt
@@
-e1
+E1
*** End Patch
`

const fiveEdits = 6

// startFive starts a session with the files of fivePatch, all open or all closed.
func startFive(t *testing.T, open bool, apply personas.ApplyEditFunc) *session {
	t.Helper()
	files := maps.Clone(fiveOld)
	maps.DeleteFunc(files, func(_, content string) bool { return content == absent })
	s := start(t, files, answering(apply))
	for name := range files {
		if open {
			s.open(name)
		}
	}
	return s
}

// texts returns what the editor has of the files, absent where it has none.
func (s *session) texts() map[string]string {
	s.t.Helper()
	texts := map[string]string{}
	for name := range fiveOld {
		b, err := s.Open(s.path(name))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			texts[name] = absent
		case err != nil:
			s.t.Fatal(err)
		default:
			texts[name] = b.Text()
		}
	}
	return texts
}

func (s *session) wantTexts(want map[string]string) {
	s.t.Helper()
	if got := s.texts(); !maps.Equal(got, want) {
		s.t.Errorf("the editor has %q\nwant %q", got, want)
	}
	s.wantDisk()
}

// wantDisk checks that nothing has reached the disk.
func (s *session) wantDisk() {
	s.t.Helper()
	for name, want := range fiveOld {
		raw, err := os.ReadFile(s.path(name))
		if os.IsNotExist(err) {
			raw = []byte(absent)
		}
		if string(raw) != want {
			s.t.Errorf("disk has %q for %s, want %q", raw, name, want)
		}
	}
}

// faults are what an editor can do instead of an edit; times is how often.
var faults = map[string]struct {
	times int
	kind  string
	do    func(e *headless.Editor) (applyResult, error)
}{
	"refuse": {1, "rejected_by_editor", func(*headless.Editor) (applyResult, error) { return applyResult{FailureReason: "no"}, nil }},
	"null": {1, "rejected_by_editor", func(*headless.Editor) (applyResult, error) {
		return applyResult{Raw: json.RawMessage("null")}, nil
	}},
	"drop":  {5, "not_settled", func(*headless.Editor) (applyResult, error) { return applyResult{Applied: true}, nil }},
	"error": {1, "rejected_by_editor", func(*headless.Editor) (applyResult, error) { return applyResult{}, errors.New("broken") }},
	"disconnect": {1, "", func(e *headless.Editor) (applyResult, error) {
		e.Kill()
		return applyResult{}, nil
	}},
}

// A patch of five files is applied whole or not at all, whichever of its edits the
// editor fails at and however, and the answer says whether it was.
func TestPatchIsAllOrNothing(t *testing.T) {
	for _, open := range []bool{true, false} {
		for name, fault := range faults {
			for step := range fiveEdits {
				t.Run(fmt.Sprintf("%s %d open %v", name, step+1, open), func(t *testing.T) {
					var mu sync.Mutex
					applied, faulty := 0, 0
					times := fault.times
					if step == 3 || step == 4 {
						times = 1 // a file operation is not asked for again
					}
					s := startFive(t, open, func(_ context.Context, e *headless.Editor, p *applyParams, next applyNext) (applyResult, error) {
						mu.Lock()
						defer mu.Unlock()
						if applied == step && faulty < times {
							faulty++
							return fault.do(e)
						}
						applied++
						return next(p), nil
					})
					raw, err := s.Execute(context.Background(), "patchls.apply_patch", args{"patch": fivePatch})
					if name == "disconnect" {
						if !errors.Is(err, headless.ErrServerGone) {
							t.Errorf("got %v, %s", err, raw)
						}
						<-s.done
						s.done <- nil // for the cleanup
						s.wantDisk()
						return
					}
					f := failureOf(t, raw, err)
					end := "Nothing is changed: "
					if step == 0 {
						end = "No file was changed."
					}
					if string(f.Kind) != fault.kind || !strings.Contains(f.Message, end) || f.FileIndex == nil || *f.FileIndex != min(step, 4) {
						t.Errorf("%+v", f)
					}
					s.wantTexts(fiveOld)
				})
			}
		}
	}
}

func TestPatchOfFiveFiles(t *testing.T) {
	for _, open := range []bool{true, false} {
		s := startFive(t, open, nil)
		r := s.edit("apply_patch", args{"patch": fivePatch})
		if want := "Patched 5 files: 5 lines added, 5 removed."; !r.Applied || !r.Verified || r.Message != want || r.EditID != "e1" || !slices.Equal(r.Notes, []string{transaction.NotOnDisk("new/c.txt")}) {
			t.Errorf("%+v", r)
		}
		var changes []string
		for _, f := range r.Files {
			changes = append(changes, fmt.Sprintf("%s %s %s %v", f.Change, f.Path, f.NewPath, f.Open))
		}
		want := []string{"update a.txt  true", "update b.txt  true", "create new/c.txt  true", "delete d.txt  false", "rename e.txt to/e.txt true"}
		if strings.Join(changes, "\n") != strings.Join(want, "\n") {
			t.Errorf("%q", changes)
		}
		s.wantTexts(fiveNew)
		for _, f := range r.Files {
			if err := s.SaveAll(f.URI); err != nil {
				t.Error(err)
			}
		}
		for name, want := range fiveNew {
			raw, err := os.ReadFile(s.path(name))
			if os.IsNotExist(err) {
				raw = []byte(absent)
			}
			if string(raw) != want {
				t.Errorf("saved %q as %s, want %q", raw, name, want)
			}
		}
	}
}

// The user types into the third file while the second is edited, and into the
// first one after it was: nothing of that is lost, whether the patch lands or is
// taken back.
func TestTypingWhileAPatchIsApplied(t *testing.T) {
	for _, lands := range []bool{true, false} {
		edits := 0
		s := start(t, map[string]string{"a.txt": "a1\na2\na3\na4\n", "b.txt": "b1\n", "c.txt": "c1\nc2\n"}, answering(
			func(_ context.Context, e *headless.Editor, p *applyParams, next applyNext) (applyResult, error) {
				switch edits++; {
				case edits == 2:
					a, _ := e.Buffer("a.txt")
					c, _ := e.Buffer("c.txt")
					if err := errors.Join(a.Insert(len("A1\na2\na3\n"), "typed "), c.Insert(0, "typed\n")); err != nil {
						return applyResult{}, err
					}
				case edits == 3 && !lands:
					return applyResult{FailureReason: "no"}, nil
				}
				return next(p), nil
			}))
		a, b, c := s.open("a.txt"), s.open("b.txt"), s.open("c.txt")
		patch := "*** Begin Patch\n*** Update File: a.txt\n@@\n-a1\n+A1\n*** Update File: b.txt\n@@\n-b1\n+B1\n*** Update File: c.txt\n@@\n-c2\n+C2\n*** End Patch\n"
		want := "A1\na2\na3\ntyped a4\n|B1\n|typed\nc1\nC2\n"
		if lands {
			if r := s.edit("apply_patch", args{"patch": patch}); !r.Verified || r.Files[2].Hunks[0].StartLine != 3 {
				t.Errorf("%+v", r)
			}
		} else {
			want = "a1\na2\na3\ntyped a4\n|b1\n|typed\nc1\nc2\n"
			if f := s.fail("apply_patch", args{"patch": patch}); !strings.HasSuffix(f.Message, "Nothing is changed: b.txt and a.txt were put back.") {
				t.Errorf("%+v", f)
			}
		}
		if got := a.Text() + "|" + b.Text() + "|" + c.Text(); got != want {
			t.Errorf("got %q\nwant %q", got, want)
		}
	}
}

// The editor refuses to take an edit back, or the user has typed into it: the
// answer says which file holds its part.
func TestPatchThatCannotBePutBack(t *testing.T) {
	for why, meddle := range map[string]func(e *headless.Editor) bool{
		`rejected the edit of a.txt`: func(*headless.Editor) bool { return true },
		"its text has changed there since": func(e *headless.Editor) bool {
			a, _ := e.Buffer("a.txt")
			return a.Replace(0, 1, "X") != nil
		},
	} {
		edits := 0
		s := startFive(t, true, func(_ context.Context, e *headless.Editor, p *applyParams, next applyNext) (applyResult, error) {
			edits++
			if edits == 3 || edits > 3 && strings.HasSuffix(p.Edit.DocumentChanges[0].TextDocument.URI, "a.txt") {
				if meddle(e) || edits == 3 {
					return applyResult{FailureReason: "no"}, nil
				}
			}
			return next(p), nil
		})
		f := s.fail("apply_patch", args{"patch": fivePatch})
		if !strings.Contains(f.Message, "b.txt was put back. a.txt could not be put back (") || !strings.Contains(f.Message, why) || !strings.HasSuffix(f.Message, "and still holds its part of the patch.") {
			t.Errorf("%s", f.Message)
		}
		if texts := s.texts(); !strings.HasPrefix(texts["a.txt"], "A") && !strings.HasPrefix(texts["a.txt"], "X") || texts["b.txt"] != fiveOld["b.txt"] {
			t.Errorf("%q", texts)
		}
	}
}
