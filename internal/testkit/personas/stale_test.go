package personas

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/patchls/patchls/internal/testkit/fakeserver"
	"github.com/patchls/patchls/internal/testkit/headless"
)

// said words an answer to applyEdit.
func said(r fakeserver.Result) string {
	switch {
	case r.Err != nil:
		return fmt.Sprintf("error %d %s", r.Err.Code, r.Err.Message)
	case r.Applied == nil:
		return "null"
	case *r.Applied:
		return "yes"
	}
	s := "no"
	if r.FailureReason != "" {
		s += " with a reason"
	}
	if r.FailedChange != nil {
		s += fmt.Sprintf(" at %d", *r.FailedChange)
	}
	return s
}

// TestStaleVersion has how editors answer and handle an edit of a stale document, and one
// of two documents of which the second is stale (hazards: applied-true, second-document).
func TestStaleVersion(t *testing.T) {
	const eglotSays = "error -32603 require version 1, you have 2"
	tests := []struct {
		persona     string
		one         string // the answer to one stale document
		text        string // of it, then
		two         string // the answer to two, the second stale
		first, last string // their texts then
	}{
		{"", "no with a reason at 0", "ab\n", "no with a reason at 1", "one\n", "ab\n"},
		{"vscode", "no", "ab\n", "no", "one\n", "ab\n"},
		{"neovim", "yes", "ab\n", "yes", "ONE\n", "xab\n"},
		{"neovim-plugin", "no with a reason at 0", "ab\n", "no with a reason at 1", "one\n", "ab\n"},
		{"zed", "yes", "axb\n", "yes", "ONE\n", "axb\n"},
		{"helix", "no with a reason at 0", "ab\n", "no with a reason at 1", "ONE\n", "ab\n"},
		{"eglot", eglotSays, "ab\n", eglotSays, "ONE\n", "ab\n"},
		{"sublime", "no with a reason at 0", "ab\n", "no with a reason at 1", "ONE\n", "ab\n"},
		{"kakoune", "yes", "xab\n", "yes", "ONE\n", "xab\n"},
	}
	for _, test := range tests {
		for _, two := range []bool{false, true} {
			t.Run(fmt.Sprint(test.persona, two), func(t *testing.T) {
				inBubble(t, func(t *testing.T) {
					e, s := startAs(t, named(t, test.persona))
					other := openText(t, e, "untitled:other", "one\n")
					b := openText(t, e, "untitled:stale", "\n")
					typeAtStart(t, b, "b") // so that no version is 0
					Flush(e)
					stale := b.Version()
					typeAtStart(t, b, "a") // in front of what the edit is for
					Flush(e)
					settle(s)
					edit := fakeserver.TextEdits(b.URI(), stale, at(0, 0, 0, 0, "x"))
					var r fakeserver.Result
					if two {
						r = s.Apply("", fakeserver.TextEdits(other.URI(), other.Version(), at(0, 0, 0, 3, "ONE")), edit)
					} else {
						r = s.Apply("", edit)
					}
					pass(time.Second)
					answer, text, first := test.one, test.text, "one\n"
					if two {
						answer, text, first = test.two, test.last, test.first
					}
					if got := said(r); got != answer {
						t.Errorf("the answer is %q, want %q", got, answer)
					}
					wantText(t, b, text)
					wantText(t, other, first)
					if got := s.TextOf(b.URI()); got != b.Text() {
						t.Errorf("the server has %q, the buffer %q", got, b.Text())
					}
				})
			})
		}
	}
}

// TestVersionsThatAreNotChecked has which of these versions an editor takes for current though
// its user has typed since (hazards: unchecked-version, version-zero).
func TestVersionsThatAreNotChecked(t *testing.T) {
	taken := map[string][]string{
		"":              {},
		"vscode":        {"null", "absent"},
		"neovim":        {"zero", "null", "future"},
		"neovim-plugin": {"null"},
		"zed":           {"null", "absent", "zero"},
		"helix":         {"null", "absent"},
		"eglot":         {"null", "absent"},
		"sublime":       {"null"},
		"kakoune":       {"zero", "null", "future", "absent"},
	}
	versions := map[string]any{"zero": 0, "null": nil, "future": 99, "absent": "absent"}
	for persona, want := range taken {
		for name, version := range versions {
			t.Run(persona+" "+name, func(t *testing.T) {
				dir := t.TempDir()
				inBubble(t, func(t *testing.T) {
					e, s := startAs(t, named(t, persona))
					b := open(t, e, writeFile(t, dir+"/f", "one\n"))
					typeAtStart(t, b, "t")
					Flush(e)
					document := map[string]any{"uri": b.URI(), "version": version}
					if version == "absent" {
						delete(document, "version")
					}
					r := s.Apply("", map[string]any{"textDocument": document, "edits": []headless.TextEdit{at(0, 0, 0, 0, "x")}})
					pass(time.Second)
					if got := b.Text() != "tone\n"; got != slices.Contains(want, name) {
						t.Errorf("taken: %t; the text is %q, the answer %q", got, b.Text(), said(r))
					}
				})
			})
		}
	}
}

// TestTypingThatIsNotSent: eglot 1.17 counts only changes that were sent, so an edit is
// applied to typing that was not sent yet (hazard: unchecked-version).
func TestTypingThatIsNotSent(t *testing.T) {
	for persona, want := range map[string]string{"eglot": "xaone\n", "sublime": "aone\n", "neovim-plugin": "aone\n"} {
		t.Run(persona, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				e, s := startAs(t, named(t, persona))
				b := openText(t, e, "untitled:1", "one\n")
				version := b.Version()
				typeAtStart(t, b, "a")
				if !Pending(b) {
					t.Fatal("it was sent")
				}
				s.Apply("", fakeserver.TextEdits(b.URI(), version, at(0, 0, 0, 0, "x")))
				wantText(t, b, want)
			})
		})
	}
}

// TestZedCarriesRanges: Zed moves the ranges along with the changes since the version of
// the edit. It keeps about ten versions; an unknown one is an error, yet answered with yes
// (hazard: rebasing-editor).
func TestZedCarriesRanges(t *testing.T) {
	tests := []struct {
		name  string
		typed [][3]any // start, end, text: after the version of the edit
		edit  headless.TextEdit
		want  string
	}{
		{"text before it", [][3]any{{0, 0, "new\n"}}, at(1, 0, 1, 3, "TWO"), "new\none\nTWO\nthree\n"},
		{"text before it on its line", [][3]any{{4, 4, "a "}}, at(1, 0, 1, 3, "TWO"), "one\na TWO\nthree\n"},
		{"text after it", [][3]any{{7, 7, " z"}}, at(1, 0, 1, 3, "TWO"), "one\nTWO z\nthree\n"},
		{"text in it", [][3]any{{5, 5, "?"}}, at(1, 0, 1, 3, "TWO"), "one\nTWO\nthree\n"},
		{"its line is gone", [][3]any{{4, 8, ""}}, at(1, 0, 1, 3, "TWO"), "one\nTWOthree\n"},
		{"an insert where text was typed", [][3]any{{4, 4, "a"}}, at(1, 0, 1, 0, "X"), "one\naXtwo\nthree\n"},
		{"two changes", [][3]any{{0, 4, ""}, {0, 0, "0\n0\n"}}, at(1, 0, 1, 3, "TWO"), "0\n0\nTWO\nthree\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				e, s := startAs(t, named(t, "zed"))
				b := openText(t, e, "untitled:1", "one\ntwo\nthree\n")
				for _, c := range test.typed {
					if err := b.Replace(c[0].(int), c[1].(int), c[2].(string)); err != nil {
						t.Fatal(err)
					}
				}
				s.Apply("", fakeserver.TextEdits(b.URI(), 0, test.edit)).MustApply(t)
				wantText(t, b, test.want)
			})
		})
	}
	t.Run("a version that is not kept", func(t *testing.T) {
		inBubble(t, func(t *testing.T) {
			e, s := startAs(t, named(t, "zed"))
			b := openText(t, e, "untitled:1", "one\n")
			for range maxPast + 1 {
				typeAtStart(t, b, "x")
			}
			before := b.Text()
			s.Apply("", fakeserver.TextEdits(b.URI(), 0, at(0, 0, 0, 0, "X"))).MustApply(t)
			wantText(t, b, before)
			s.Apply("", fakeserver.TextEdits(b.URI(), 1, at(0, 0, 0, 0, "X"))).MustApply(t)
			if b.Text() == before {
				t.Error("the tenth is not kept")
			}
		})
	})
}
