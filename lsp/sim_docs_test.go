package lsp_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/headless"
)

// simTexts are the documents of a simulation. They are small, so that edits meet;
// "new.txt" is not there at first.
var simTexts = map[string]string{
	"unicode.txt": "⟦i1i1⟧ añb😀\n\tfoo 𝒳 bar\n\n⟦i2i2⟧ 漢字\nend ⟦i3i3⟧\n",
	"crlf.txt":    "one ⟦i4i4⟧\r\ntwo 😀\r\n\r\n}\r\n⟦i5i5⟧\r\n}\r\n",
	"noend.txt":   "first\n⟦i6i6⟧\n  third",
	"same.txt":    "x\nx\nx\n}\n\nx\n⟦i7i7⟧\nx\nx\n}\n\nx\n",
	"empty.txt":   "",
	"long.txt":    simLong(),
}

var simNames = []string{"unicode.txt", "crlf.txt", "noend.txt", "same.txt", "empty.txt", "new.txt", "long.txt"}

// The numbers of the document that is new, and of the one in which edits seldom meet.
var (
	simNewDoc  = slices.Index(simNames, "new.txt")
	simLongDoc = slices.Index(simNames, "long.txt")
)

func simLong() string {
	var b strings.Builder
	for i := range 40 {
		fmt.Fprintf(&b, "%s line %d\n", newToken("i", 100+i), i)
	}
	return b.String()
}

// simToken is a mark that is written once: by the user (p), by an agent (a), by another program (d), or
// there from the beginning (i). It says its number twice, so that no token comes of
// the halves of two.
var simToken = regexp.MustCompile(`⟦([paid]\d+)([paid]\d+)⟧`)

func newToken(by string, n int) string { return fmt.Sprintf("⟦%s%d%s%d⟧", by, n, by, n) }

// tokensOf counts the tokens of a text.
func tokensOf(s string) map[string]int {
	n := map[string]int{}
	for _, t := range simToken.FindAllStringSubmatch(s, -1) {
		if t[1] == t[2] {
			n[t[0]]++
		}
	}
	return n
}

// simDoc is a document of a simulation, with all that was ever seen in its buffer,
// or on disk while it was closed.
type simDoc struct {
	name, path string
	buffer     *headless.Buffer // as it was last looked for, nil while closed
	states     []simState
	file       simFile
	changes    int            // of the log, that came before the newest state
	addressed  int            // the line that an agent named last, 0 if none did
	moved      set            // tokens that the user took out or put elsewhere
	acted      time.Time      // when the user changed it last, also by moving a line over an equal one
	byEdits    map[string]int // how often a token came by the last applyEdit that met it; below zero: went
	// drifted is a buffer that was saved when the server had another text of it, so
	// that it knows that now; since is when.
	drifted *headless.Buffer
	since   time.Time
}

// simState is what a document was for a while.
type simState struct {
	text   string
	exists bool
	open   bool
	user   bool           // by the user's hand
	merged map[string]int // tokens that came by merges of the file, below zero those that went
	at     time.Time
	tokens map[string]int
}

func newState(s string, exists, open bool) simState {
	return simState{text: s, exists: exists, open: open, tokens: tokensOf(s), at: time.Now()}
}

func (s *simState) is(t simState) bool {
	return s.text == t.text && s.exists == t.exists && s.open == t.open
}

func (d *simDoc) now() *simState { return &d.states[len(d.states)-1] }

// shown returns the index of the newest state, not older than the given one, that has a
// rev, or -1.
func (d *simDoc) shown(from int, rev string) int {
	for i := len(d.states) - 1; i >= from; i-- {
		if text.New(d.states[i].text).Hash() == rev {
			return i
		}
	}
	return -1
}

// simLag is how late an editor may report what the user types.
const simLag = time.Second

// toldOf returns the first state that may not have been told yet when a command
// began, in state i.
func (d *simDoc) toldOf(i int, began time.Time) int {
	for i > 0 && d.states[i].at.After(began.Add(-simLag)) {
		i--
	}
	return i
}

// typed reports whether the user or a merge made state i or an earlier one after a
// command began, or so shortly before that it was not yet reported.
func (d *simDoc) typed(began time.Time, i int) bool {
	return slices.ContainsFunc(d.states[:i+1], func(s simState) bool {
		return (s.user || len(s.merged) > 0) && !s.at.Before(began.Add(-simLag))
	})
}

// wasClosed reports whether the document was closed at some time from state i on.
func (d *simDoc) wasClosed(i int) bool {
	return slices.ContainsFunc(d.states[i:], func(s simState) bool { return !s.open && s.exists })
}

// wasGone reports whether there was no such document at some time from state i on.
func (d *simDoc) wasGone(i int) bool {
	return slices.ContainsFunc(d.states[i:], func(s simState) bool { return !s.exists })
}

// threwAway reports whether the document was closed without the token at some time
// from state i on.
func (d *simDoc) threwAway(i int, token string) bool {
	return slices.ContainsFunc(d.states[i:], func(s simState) bool {
		return !s.open && s.exists && s.tokens[token] == 0
	})
}

// openState is the state of a document that is open.
func (d *simDoc) openState() simState { return d.stateOf(d.buffer.Text(), true, true) }

// closedState is the state of a document that is not open: what disk holds.
func (d *simDoc) closedState() simState {
	raw, err := os.ReadFile(d.path)
	return d.stateOf(string(raw), err == nil, false)
}

// stateOf is like newState, but fast if nothing has changed.
func (d *simDoc) stateOf(s string, exists, open bool) simState {
	if n := len(d.states); n > 0 && d.states[n-1].text == s && d.states[n-1].exists == exists && d.states[n-1].open == open {
		return d.states[n-1]
	}
	return newState(s, exists, open)
}
