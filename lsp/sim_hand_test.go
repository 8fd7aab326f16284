package lsp_test

import (
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// The invariant "who": a verified command has made its change by an applyEdit, a
// command that says that nothing was done has left no change in the text, and the
// server repairs only what an applyEdit did before.

// simExempted counts answers that took a change of the user's for the verified edit and
// could not know better: the editor does not check versions, or lies about what it did,
// and the user made exactly the change that the answer claims.
var simExempted atomic.Int64

// rowCount counts the lines of texts, without their ends; those that go count less than
// nothing.
type rowCount map[string]int

func (n rowCount) add(s string, times int) {
	for _, row := range simLines(s) {
		if n[row] += times; n[row] == 0 {
			delete(n, row)
		}
	}
}

// rows returns the lines that a change adds and, as negative counts, those that it removes.
func (c simChange) rows() rowCount {
	n := rowCount{}
	n.add(c.before, -1)
	n.add(c.after, 1)
	return n
}

// rows returns the lines that a diff adds and, as negative counts, those that it removes.
func (d *simDiff) rows() rowCount {
	n := rowCount{}
	for _, h := range d.hunks {
		for _, row := range h.rows {
			body := strings.TrimRight(row[1:], "\r\n")
			switch row[0] {
			case '+':
				n[body]++
			case '-':
				n[body]--
			}
		}
	}
	maps.DeleteFunc(n, func(_ string, n int) bool { return n == 0 })
	return n
}

// makes reports whether a change is what the diff says: to the byte, or by its lines, or
// where the user has typed into those, by its tokens.
func (d *simDiff) makes(c simChange) bool {
	if d.makesExactly(c) || maps.Equal(d.rows(), c.rows()) {
		return true
	}
	before, after := tokensOf(c.before), tokensOf(c.after)
	for t := range d.removed {
		if before[t] <= after[t] {
			return false
		}
	}
	for t := range d.added {
		if before[t] >= after[t] {
			return false
		}
	}
	return len(d.removed)+len(d.added) > 0
}

func (d *simDiff) makesExactly(c simChange) bool {
	lf := func(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }
	after, ok := d.apply(c.before)
	return ok && lf(after) == lf(c.after) && c.before != c.after
}

// isPartOf reports whether a change does what the diff says, and perhaps more.
func (d *simDiff) isPartOf(c simChange) bool {
	all := c.rows()
	for row, n := range d.rows() {
		if got := all[row]; n > 0 && got < n || n < 0 && got > n {
			return false
		}
	}
	return true
}

// ofDoc returns the changes of a document since a time: those by applyEdits, or else
// those of the user.
func (w *simWorld) ofDoc(d *simDoc, since time.Time, edits bool) []simChange {
	return filter(w.log.since(0), func(c simChange) bool {
		return c.path == d.path && (c.edit != nil) == edits && !c.at.Before(since)
	})
}

// judgeWho compares a verified answer with who made the change that it reports.
func (w *simWorld) judgeWho(c *simCommand, d *simDoc) {
	diff := c.diffs[d.name]
	if diff == nil || len(diff.rows()) == 0 || w.kind.loses {
		return
	}
	made := w.ofDoc(d, c.began, true)
	if slices.ContainsFunc(made, diff.makes) {
		return
	}
	all := rowCount{} // of an edit that was made in several applyEdits
	for _, change := range made {
		for row, n := range change.rows() {
			if all[row] += n; all[row] == 0 {
				delete(all, row)
			}
		}
	}
	if maps.Equal(all, diff.rows()) {
		return
	}
	if !w.kind.honest {
		byUser := w.ofDoc(d, c.began, false)
		for _, change := range append(byUser, inOne(byUser)...) {
			if diff.makesExactly(change) || diff.isPartOf(change) {
				simExempted.Add(1)
				for t := range change.tokens() {
					w.oracle.revived[t] = true // undoing it puts in what the user has moved
				}
				return
			}
		}
	}
	w.oracle.fail("who", "%s of %s is verified, and no applyEdit has done what its diff says: %q; they did %q", c.name, d.name, c.said.Diff, handsOf(made))
}

// inOne returns each two and more changes that follow each other as one: an editor that reads a
// file while it is written shows nothing for a moment, and one that makes an edit may do so, too.
func inOne(changes []simChange) (all []simChange) {
	for i, first := range changes {
		for k := i + 1; k < len(changes) && changes[k].before == changes[k-1].after; k++ {
			one := first
			one.after = changes[k].after
			all = append(all, one)
		}
	}
	return all
}

// judgeNoHand compares an answer that says that nothing was done with what the
// applyEdits have left, if no other command named the documents meanwhile.
func (w *simWorld) judgeNoHand(c *simCommand) {
	if w.kind.loses || w.kind.late || c.dry || c.wasClosed() {
		return
	}
	for d := range c.from {
		if w.shared(c, d) || d.wasMerged(c.began) || c.brokeOwn(d) || d.wasGone(c.from[d]) {
			continue // with a file go its tokens, and no text is changed
		}
		left := map[string]int{}
		for _, change := range w.ofDoc(d, c.began, true) {
			for t, n := range change.tokens() {
				left[t] += n
			}
		}
		for t, n := range left {
			isLeft := n != 0 && (n > 0) == (d.now().tokens[t] > 0) // else the user has done the same since
			if isLeft && !d.moved[t] && !c.broke[d][t] {
				w.oracle.fail("who", "%s says that nothing was done to %s, and its applyEdits have left %s %+d times: %q", c.name, d.name, t, n, d.now().text)
			}
		}
	}
}

// brokeOwn reports whether the user broke a token that the command wrote. Taking that
// token back may then lose the one that it replaced.
func (c *simCommand) brokeOwn(d *simDoc) bool {
	for t := range c.broke[d] {
		if c.own[d][t] {
			return true
		}
	}
	return false
}

// shared reports whether another command was at a document since this one began.
func (w *simWorld) shared(c *simCommand, d *simDoc) bool {
	for _, x := range w.sent {
		if _, names := x.from[d]; names && x != c && (x.ended.IsZero() || x.fate == unknown || !x.ended.Before(c.began)) {
			return true
		}
	}
	return false
}

// tokens returns how often each token came by a change; those that went count less than
// nothing.
func (c simChange) tokens() map[string]int {
	n := tokensOf(c.after)
	for t, was := range tokensOf(c.before) {
		n[t] -= was
	}
	maps.DeleteFunc(n, func(_ string, n int) bool { return n == 0 })
	return n
}

// judgeHands compares each applyEdit since the last look with the commands that were in
// flight: what none of them was to put in or take out is a repair, and must undo what
// an applyEdit did before. It is called when all other goroutines wait.
func (w *simWorld) judgeHands() {
	for _, c := range w.log.since(w.judged) {
		w.judged++
		if c.edit == nil || w.kind.loses || w.kind.late || !w.kind.faithful && !w.kind.vim {
			continue
		}
		for _, d := range w.docs {
			switch {
			case d.path != c.path:
			case c.merge:
				w.judgeMerge(d, c)
			default:
				w.judgeHand(d, c)
			}
		}
	}
}

func (w *simWorld) judgeHand(d *simDoc, c simChange) {
	if d.byEdits == nil {
		d.byEdits = map[string]int{}
	}
	for t, n := range c.tokens() {
		was := d.byEdits[t]
		d.byEdits[t] = n
		if n*was < 0 || w.explained(d, t, n, c.at) {
			continue
		}
		w.oracle.fail("who", "%s of %s came %+d times by an applyEdit that is no command's, and %+d times by the one before that it met: %q became %q", t, d.name, n, was, c.before, c.after)
	}
}

// explained reports whether a command that was under way may have put a token in or
// taken it out.
func (w *simWorld) explained(d *simDoc, t string, n int, at time.Time) bool {
	for _, c := range w.sent {
		_, names := c.from[d]
		if !names || c.dry || c.began.After(at) || !c.ended.IsZero() && c.ended.Before(at) && c.fate != unknown {
			continue
		}
		if c.undo || d.wasClosed(c.from[d]) || n > 0 && (c.own[d][t] || c.again[d][t]) || n < 0 && c.mayDelete(d, t) {
			return true
		}
	}
	return false
}

// handsOf lists changes, for the reader of a failure.
func handsOf(changes []simChange) []string {
	var all []string
	for _, c := range changes {
		all = append(all, c.before+" -> "+c.after)
	}
	return all
}
