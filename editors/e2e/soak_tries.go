//go:build unix

package main

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// scenario is one situation that is tried again and again: a user's act and an agent's
// command that meet.
type scenario struct {
	name  string
	kinds []string // of the editors in which it is tried
	lines int
	text  func(line int) string
	run   func(*attemptOf)
}

func (sc scenario) runs(k kind) bool { return slices.Contains(sc.kinds, k.name) }

// attemptOf is one try of a scenario.
type attemptOf struct {
	*stint
	rand *rand.Rand
	view viewed
	err  error // of the user
}

var inNeovim = []string{"neovim", "neovim-stock"}

// scenarios are situations in which the editor reports a user's act in several changes, or not at all.
var scenarios = []scenario{
	{"join", inNeovim, 24, oneOfTwentyFour, func(x *attemptOf) {
		x.meet(x.deletes(x.view, 11, 11, true), 6*time.Millisecond, "10GJ")
	}},
	{"join-after-delete", inNeovim, 24, oneOfTwentyFour, func(x *attemptOf) {
		x.meet(x.deletes(x.view, 11, 11, true), 60*time.Millisecond, "10GJ")
	}},
	{"reflow", inNeovim, 24, shortLines, func(x *attemptOf) {
		c := x.deletes(x.view, 10, 10, true)
		if x.rand.IntN(2) == 0 {
			c = x.inserts(x.view, 9, true)
		}
		x.meet(c, 30*time.Millisecond, "9Ggqip")
	}},
	{"move", inNeovim, 24, oneOfTwentyFour, func(x *attemptOf) {
		keys := []string{":10m12<CR>", "10Gddp", "11GddP", ":9,12sort!<CR>", "10G>j"}
		x.meet(x.deletes(x.view, 10+x.rand.IntN(3), 12, true), 30*time.Millisecond, keys[x.rand.IntN(len(keys))])
	}},
	{"preview", inNeovim, 24, oneOfTwentyFour, preview},
	{"move-line", inVSCode, 24, oneOfTwentyFour, func(x *attemptOf) {
		x.at(10 + x.rand.IntN(3))
		keys := [][]string{{"Alt+ArrowDown"}, {"Alt+ArrowUp"}, {"Alt+ArrowDown", "Alt+ArrowDown"}, {"Alt+ArrowUp", "Alt+ArrowDown"}, {"Control+x", "Control+v"}}
		x.meet(x.eleventh(), 30*time.Millisecond, keys[x.rand.IntN(len(keys))]...)
	}},
	{"join-lines", inVSCode, 24, oneOfTwentyFour, func(x *attemptOf) {
		x.at(10)
		x.meet(x.eleventh(), 30*time.Millisecond, keyJoin)
	}},
	{"format", inVSCode, 24, untidy, func(x *attemptOf) {
		x.at(10)
		x.meet(x.eleventh(), 30*time.Millisecond, []string{keyFormat, keyTrim}[x.rand.IntN(2)])
	}},
}

var inVSCode = []string{"vscode"}

// untidy are lines that a formatter changes.
func untidy(line int) string { return fmt.Sprintf("word%d  some more   words here  \n", line) }

// eleventh is a command about line 11.
func (x *attemptOf) eleventh() command {
	if x.rand.IntN(2) == 0 {
		return x.deletes(x.view, 11, 11, true)
	}
	word := x.newToken("a")
	return asks("str_replace", args{"path": x.paths[0], "old_str": "word11", "new_str": word}, "word11", word, word)
}

func oneOfTwentyFour(line int) string { return fmt.Sprintf("word%d some more words here\n", line) }

// shortLines are paragraphs that a reflow joins.
func shortLines(line int) string {
	if line%6 == 0 {
		return "\n"
	}
	return fmt.Sprintf("word%d and more\n", line)
}

// tryAll tries a scenario so many times.
func (w *soaker) tryAll(sc scenario, times int) error {
	t := w.report.tally(sc.name)
	for range times {
		var text strings.Builder
		for line := range sc.lines {
			text.WriteString(sc.text(line + 1))
		}
		s, err := w.beginAgain(t, text.String())
		if err != nil {
			return err
		}
		t.Tries++
		x := &attemptOf{stint: s, rand: w.newRand()}
		if x.view, err = s.view(0, filepath.Base(s.paths[0])); err != nil {
			return err
		}
		if sc.run(x); x.err != nil {
			return x.err
		}
		if err := s.finish(); err != nil {
			return err
		}
	}
	return nil
}

// meet has an agent send a command, and the user press keys at some time within the span
// after it. In half of the tries the agent takes its edit back.
func (x *attemptOf) meet(c command, span time.Duration, keys ...string) {
	answered := make(chan *sent, 1)
	go func() { answered <- x.send(0, c) }()
	x.after(time.Duration(x.rand.Int64N(int64(span))))
	x.keys(keys...)
	done := <-answered
	if done.answer() == answerVerified && x.rand.IntN(2) == 0 {
		x.send(0, done.back())
	}
}

// after waits as the user does before the next key.
func (x *attemptOf) after(d time.Duration) {
	if d > 0 {
		<-time.After(d)
	}
}

func (x *attemptOf) keys(keys ...string) {
	if x.err == nil {
		x.err = x.press(keys...)
	}
}

// at has the user go to a line.
func (x *attemptOf) at(line int) {
	if x.err == nil {
		x.err = x.Goto(x.paths[0], line, 1)
	}
}

// preview has an insert come while the user types a command whose effect is shown, and
// then a replacement.
func preview(x *attemptOf) {
	answered := make(chan *sent, 1)
	insert := x.inserts(x.view, 3+x.rand.IntN(10), true)
	at := x.rand.IntN(9)
	for i, key := range nvimKey.FindAllString("5G:s/o/ZZ", -1) {
		if i == at {
			go func() { answered <- x.send(0, insert) }()
		}
		x.keys(key)
		x.after(burstTime)
	}
	x.after(time.Duration(x.rand.Int64N(int64(500 * time.Millisecond))))
	x.keys([]string{"<CR>", "<Esc>"}[x.rand.IntN(2)])
	<-answered
	x.replace()
}

// replace has an agent replace a word of a line that it alone changes.
func (x *attemptOf) replace() {
	line := 14 + x.rand.IntN(8)
	old, word := fmt.Sprintf("word%d some", line), x.newToken("a")
	c := asks("str_replace", args{"path": x.paths[0], "old_str": old, "new_str": word}, old, word, word)
	if done := x.send(0, c); done.answer() == answerVerified {
		x.send(0, done.back())
	}
}
