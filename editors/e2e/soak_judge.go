//go:build unix

package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/patchls/patchls/lsp/transaction"
)

// sent is a command of an agent, and the answer to it.
type sent struct {
	Agent        int
	Command      string
	Args         args
	Began, Ended int64 // microseconds of the system's clock
	Result       transaction.Result
	Kind         string // of the error; "" for a result
	Message      string // of the error
	// Asked are the tokens that the command is to put in and to take out; nil if unknown,
	// because line numbers without a rev refer to an unknown text.
	Asked tokens
	// Own are the tokens that the command brings with it.
	Own tokens
}

// The words for an answer.
const (
	answerVerified = "verified"
	answerUnclear  = "not_settled"
	answerRefused  = "refused"
)

// answer classes what the server said: that the edit is there, that nothing was done, or
// that it does not know.
func (s *sent) answer() string {
	switch {
	case s.Kind == "" && s.Result.Verified:
		return answerVerified
	case s.Kind == "", s.Kind == "timeout", s.Kind == "cancelled", s.Kind == "editor_gone":
		return answerUnclear
	case s.Kind == "not_settled" && strings.Contains(s.Message, "so nothing was done"):
		return answerRefused
	case s.Kind == "not_settled":
		return answerUnclear
	}
	return answerRefused
}

// wrong is one violation of a promise.
type wrong struct{ Kind, Why string }

// The kinds of violations.
const (
	wrongFalse   = "false"     // verified, and the agent's hand made no such change
	wrongAstray  = "astray"    // the agent's hand made another change than the answer or the command says
	wrongMade    = "made"      // refused, and the agent's hand made the change
	wrongDoubled = "doubled"   // an agent's hand put in what was the user's, and was there or taken out by the user
	wrongElse    = "elsewhere" // not settled, and the agent's hand changed something else than the command asked for
	wrongLost    = "lost"      // an agent's hand took out what was the user's, and no answer says so
	wrongView    = "view"      // the server has another text than the editor, and does not say so
	wrongWatch   = "watch"     // the observer missed a change, so that nothing can be judged
)

// clockSlack is how far the editor's times and ours may differ: both processes read the
// same clock.
const clockSlack = int64(5 * time.Millisecond / time.Microsecond)

// judgement is what one judgement is about.
type judgement struct {
	// excuses is set if the editor cannot tell which change of its buffer was an agent's. A
	// single act of the user that made precisely the agent's change then counts for it.
	excuses bool
	wrongs  []wrong
	same    int // verified commands whose change was made by one act of the user

	h     history
	hands []*deed           // of agents
	owner map[*deed]*sent   // the command that made it
	taken map[*deed]*deed   // the later deed that took it back, and the reverse
	diffs map[*sent]unified // of verified answers
	made  map[*sent]bool    // verified commands whose change was found
}

func judgeSoak(h history, all []*sent, excuses bool) *judgement {
	j := &judgement{
		excuses: excuses, h: h, hands: h.by(byAgent), owner: map[*deed]*sent{}, taken: map[*deed]*deed{},
		diffs: map[*sent]unified{}, made: map[*sent]bool{},
	}
	verified := slices.DeleteFunc(slices.Clone(all), func(s *sent) bool { return s.answer() != answerVerified })
	for _, found := range []func(*sent, []hunk, *deed) bool{j.isThere, j.isThereLate} {
		for _, s := range verified {
			j.claim(s, found)
		}
	}
	j.pair()
	j.attribute(all)
	for _, s := range verified {
		j.hold(s)
	}
	j.balance(verified)
	return j
}

func (j *judgement) say(kind, format string, a ...any) {
	j.wrongs = append(j.wrongs, wrong{kind, fmt.Sprintf(format, a...)})
}

// claim finds the change of an agent's hand that a verified answer tells of.
func (j *judgement) claim(s *sent, isFound func(*sent, []hunk, *deed) bool) {
	if j.made[s] {
		return
	}
	u, err := readDiff(s.Result.Diff)
	if err != nil {
		j.say(wrongAstray, "%s: %v", s, err)
	}
	j.diffs[s] = u
	found := map[string]*deed{}
	for name, hunks := range u {
		for _, d := range j.hands {
			if d.Doc == name && j.owner[d] == nil && s.during(d) && isFound(s, hunks, d) {
				found[name] = d
				break
			}
		}
	}
	if len(found) < len(u) {
		return
	}
	j.made[s] = true
	for _, d := range found {
		j.owner[d] = s
	}
}

// isThere: the diff tells of the change as it was made.
func (j *judgement) isThere(_ *sent, hunks []hunk, d *deed) bool { return fits(hunks, d) }

// isThereLate reports whether the diff shows the change in a text of a little later, when
// the server was notified of it and of what the user had done meanwhile.
func (j *judgement) isThereLate(s *sent, hunks []hunk, d *deed) bool {
	if !isLike(hunks, d) {
		return false
	}
	for _, later := range j.h.deeds {
		if later.Doc != d.Doc || later.At < d.At || later.Began > s.Ended+clockSlack {
			continue
		}
		if _, ok := apply(back(hunks), later.After); ok {
			return true
		}
	}
	return false
}

// during reports whether a deed may have been done while the command was under way. On a
// busy machine the editor tells the server of a change some time before the observer sees it.
func (s *sent) during(d *deed) bool {
	return d.At >= s.Began-clockSlack && d.Began <= s.Ended+clockSlack
}

// pair finds changes of agents' hands that nothing is left of, since a later one took
// them back.
func (j *judgement) pair() {
	for i, d := range j.hands {
		if j.owner[d] != nil || j.taken[d] != nil {
			continue
		}
		for _, back := range j.hands[i+1:] {
			if j.owner[back] == nil && j.taken[back] == nil && back.Doc == d.Doc && isInverse(d.change(), back.change()) {
				j.taken[d], j.taken[back] = back, d
				break
			}
		}
	}
}

func isInverse(a, b tokens) bool {
	return len(a) > 0 && len(a) == len(b) && len(a.without(b.negated())) == 0
}

// negated returns the change that undoes t.
func (t tokens) negated() tokens {
	n := tokens{}
	for word, count := range t {
		n[word] = -count
	}
	return n
}

// attribute finds the command for each change that has none yet.
func (j *judgement) attribute(all []*sent) {
	for _, d := range j.hands {
		if j.owner[d] != nil || j.taken[d] != nil {
			continue
		}
		s := asker(d, all, j.made)
		switch {
		case s == nil && underWay(d, all) != nil:
			s = underWay(d, all)
			j.say(wrongElse, "%s, and an agent's hand made another change: %s", s, d)
		case s == nil:
			j.say(wrongAstray, "an agent's hand made a change that no command asked for: %s", d)
			continue
		case s.answer() == answerRefused:
			j.say(wrongMade, "%s, and an agent's hand made it: %s", s, d)
		case s.answer() == answerVerified:
			j.say(wrongAstray, "%s, and what an agent's hand made is another change: %s", s, d)
			j.made[s] = true // its fault is reported
		}
		j.owner[d] = s
	}
}

// underWay returns a command that ended as not settled and whose edit a deed may be: an
// editor that does not check the version of an edit may have made it in another
// place.
func underWay(d *deed, all []*sent) *sent {
	for _, s := range all {
		if s.answer() == answerUnclear && s.during(d) {
			return s
		}
	}
	return nil
}

// asker returns the command whose change a deed may be, preferably one that is not settled.
func asker(d *deed, all []*sent, made map[*sent]bool) *sent {
	var best *sent
	for _, s := range all {
		if made[s] || d.At < s.Began-clockSlack || !s.mayHave(d) {
			continue
		}
		if best == nil || s.answer() == answerUnclear && best.answer() != answerUnclear {
			best = s
		}
	}
	return best
}

// mayHave reports whether a deed looks like what the command asked for.
func (s *sent) mayHave(d *deed) bool {
	change := d.change()
	if len(s.Own) > 0 {
		for word := range s.Own {
			if change[word] > 0 {
				return true
			}
		}
		return false
	}
	if s.Asked != nil {
		return len(change.without(s.Asked)) == 0
	}
	for _, n := range change {
		if n > 0 {
			return false
		}
	}
	return s.Command == "delete_lines"
}

// hold checks a verified answer against the change that was made and the one that was asked for.
func (j *judgement) hold(s *sent) {
	change := j.diffs[s].change()
	for _, d := range j.hands {
		if j.owner[d] == s {
			maps.DeleteFunc(change, func(word string, n int) bool { return n > 0 && s.Asked[word] == 0 && d.completes(word) })
		}
	}
	if s.Asked != nil && len(change.without(s.Asked)) > 0 {
		j.say(wrongAstray, "%s, and its diff is not what was asked for, which is %v", s, s.Asked)
	}
	if j.made[s] {
		return
	}
	if d := j.act(s); d != nil && j.excuses {
		j.same++
		return
	} else if d != nil {
		j.say(wrongFalse, "%s, and it was the user who made that change: %s", s, d)
		return
	}
	j.say(wrongFalse, "%s, and no hand made that change at once", s)
}

// act is the one act of the user that made precisely the change of a command.
func (j *judgement) act(s *sent) *deed {
	for name, hunks := range j.diffs[s] {
		for _, d := range j.h.by(byUser) {
			if len(j.diffs[s]) == 1 && d.Doc == name && s.during(d) && fits(hunks, d) {
				return d
			}
		}
	}
	return nil
}

// balance looks at what agents' hands took out and put in, in the order of time. What
// one puts in is the command's own, or agents had taken it out.
func (j *judgement) balance(verified []*sent) {
	type entry struct {
		at     int64
		change tokens
		d      *deed
		s      *sent
	}
	var entries []entry
	for _, d := range j.hands {
		entries = append(entries, entry{d.At, d.change(), d, j.owner[d]})
	}
	for _, s := range verified {
		if !j.made[s] && j.excuses && j.act(s) != nil {
			entries = append(entries, entry{s.Ended, j.diffs[s].change(), nil, s})
		}
	}
	slices.SortStableFunc(entries, func(a, b entry) int { return int(a.at - b.at) })
	put, out := tokens{}, tokens{} // by agents' hands, and not yet the other way round
	for _, e := range entries {
		for _, word := range slices.Sorted(maps.Keys(e.change)) {
			n := e.change[word]
			own := e.s != nil && e.s.Own[word] > 0
			switch {
			case n > 0 && e.d != nil && !own && !e.d.completes(word) && out[word] < n:
				j.say(wrongDoubled, "an agent's hand put %s in, which no agent had taken out: %s", word, e.d)
			case n < 0 && e.d != nil && e.s == nil && j.taken[e.d] == nil && put[word] < -n:
				j.say(wrongLost, "an agent's hand took %s out, which no agent had put in: %s", word, e.d)
			}
			if n > 0 {
				put[word] += n
				out[word] = max(0, out[word]-n)
			} else {
				out[word] -= n
				put[word] = max(0, put[word]+n)
			}
		}
	}
}

// minKept is how many letters a deed must have left of a word that it completes. All words end
// in the same letter, so that one letter may match by chance.
const minKept = 2

// completes reports whether a deed completed a word whose last letters it left in place: an
// agent's text had replaced the first letters, and the user had typed on after it.
func (d *deed) completes(word string) bool {
	if strings.Contains(d.Before, word) {
		return false
	}
	kept := 0 // at the end
	for kept < min(len(d.Before), len(d.After)) && d.Before[len(d.Before)-1-kept] == d.After[len(d.After)-1-kept] {
		kept++
	}
	begin := strings.Index(d.After, word)
	end := begin + len(word)
	return begin >= 0 && begin < len(d.After)-kept && end-(len(d.After)-kept) >= minKept
}

func (s *sent) String() string {
	answer := s.answer()
	if s.Kind != "" {
		answer += fmt.Sprintf(" (%s: %s)", s.Kind, s.Message)
	}
	if s.Result.Rebased {
		answer += " rebased"
	}
	return fmt.Sprintf("agent %d's %s %s is %s", s.Agent, s.Command, shortArgs(s.Args), answer)
}

// String shows what a deed took out and put in.
func (d *deed) String() string {
	before, after := strings.SplitAfter(d.Before, "\n"), strings.SplitAfter(d.After, "\n")
	first := 0
	for first < len(before) && first < len(after) && before[first] == after[first] {
		first++
	}
	for len(before) > first && len(after) > first && before[len(before)-1] == after[len(after)-1] {
		before, after = before[:len(before)-1], after[:len(after)-1]
	}
	who := d.Who
	if d.What != "" && who == byUser {
		who += " (" + d.What + ")"
	}
	return fmt.Sprintf("%s in %s at line %d: %q becomes %q", who, d.Doc, first+1, before[first:], after[first:])
}
