package lsp_test

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// simOracle judges what happens to tokens. The answer of a command that was in flight
// must explain each token that comes or goes without the user's doing.
type simOracle struct {
	kind simEditor

	born map[string]time.Time // when each token was seen first
	made []*simCommand        // verified edits, in the order of their steps
	// revived are tokens that an agent which had seen them wrote again after they were
	// gone: after an undo there may be two of them.
	revived set
	// rewritten are tokens that an act of the user may have put in anew elsewhere: then they
	// are the user's, and stay where an agent's edit is put back.
	rewritten set
	open      []*simCommand // under way, or of unknown fate
	doubts    []simDoubt
	failed    *simFailure
}

// simDoubt is a token that came or went, and who may have done it.
type simDoubt struct {
	doc   *simDoc
	token string
	gone  bool
	by    []*simCommand
}

// simFailure is a broken invariant.
type simFailure struct{ rule, what string }

func (f *simFailure) String() string { return f.rule + ": " + f.what }

func (o *simOracle) fail(rule, format string, a ...any) {
	if o.failed == nil {
		o.failed = &simFailure{rule, fmt.Sprintf(format, a...)}
	}
}

// saw records that a document went from one state to the next.
func (o *simOracle) saw(d *simDoc, was, now *simState) {
	if o.kind.loses {
		return
	}
	back := set{} // what went or came and is as it was again
	o.doubts = filter(o.doubts, func(x simDoubt) bool {
		stays := x.doc != d || x.gone == (now.tokens[x.token] == 0)
		back[x.token] = back[x.token] || !stays
		return stays
	})
	wrong := slices.ContainsFunc(o.open, func(c *simCommand) bool { return o.errs(c, d) })
	for t := range was.tokens {
		if o.born[t].IsZero() {
			o.born[t] = was.at
		}
	}
	for t, n := range now.tokens {
		if o.born[t].IsZero() {
			o.born[t] = now.at
		}
		if !now.user && was.tokens[t] == 0 {
			o.revive(d, t)
			d.follow(t, was, now)
			switch {
			case now.merged[t] > 0: // judged by its hand
				o.revived[t] = o.revived[t] || !o.born[t].Equal(now.at)
			case !back[t] && !(was.open && !now.open && d.file.now().tokens[t] > 0):
				o.came(d, t)
			}
		}
		if now.user && n > was.tokens[t] && n > 1 {
			o.revived[t] = true // by undoing what took one of two out
		}
		if !now.user && n > was.tokens[t] && n > 1 && !wrong && !o.mayHaveGone(d, t) {
			o.twice(d, t, n)
		}
	}
	for t := range was.tokens {
		if now.user && now.tokens[t] == 0 {
			o.broken(d, t)
		}
		if !now.user && now.tokens[t] == 0 && !back[t] && now.merged[t] >= 0 {
			o.went(d, t)
		}
	}
}

// broken records that the user took a token out, or broke it.
func (o *simOracle) broken(d *simDoc, t string) {
	for _, c := range o.open {
		if _, names := c.from[d]; names {
			if c.broke == nil {
				c.broke = map[*simDoc]set{}
			}
			if c.broke[d] == nil {
				c.broke[d] = set{}
			}
			c.broke[d][t] = true
		}
	}
}

// puts reports whether a command that did nothing has put back a text in which the user
// has typed meanwhile, so that the text is not what it was: taking back a token that
// was broken loses the one that it replaced, and a token that an undo was to remove
// comes back.
func (c *simCommand) puts(x simDoubt) bool {
	if c.fate != nothing {
		return false
	}
	if !x.gone {
		return c.undo && c.broke[x.doc][x.token]
	}
	for t := range c.broke[x.doc] {
		if c.own[x.doc][t] {
			return true
		}
	}
	return false
}

// went records that a token is gone.
func (o *simOracle) went(d *simDoc, t string) {
	doubt := simDoubt{doc: d, token: t, gone: true}
	for _, c := range o.open {
		if c.own[d][t] { // taken back by its own command, or not: its answer tells
			return
		}
		if c.mayDelete(d, t) || o.errs(c, d) {
			doubt.by = append(doubt.by, c)
			c.took[t] = true
		}
	}
	if o.kind.untold && len(doubt.by) > 0 && d.now().at.Sub(o.born[t]) < simLag {
		return // typed and lost before the server heard of it
	}
	o.doubt(doubt, "lost", "was lost in")
}

// revive records that an agent which had seen a token may have brought it back.
func (o *simOracle) revive(d *simDoc, t string) {
	for _, c := range o.open {
		if c.again[d][t] {
			o.revived[t] = true
		}
	}
}

// came records that a token is there that was not.
func (o *simOracle) came(d *simDoc, t string) {
	doubt := simDoubt{doc: d, token: t}
	for _, c := range o.open {
		if c.own[d][t] {
			return
		}
		if c.took[t] { // and puts it back
			return
		}
		if c.broke[d][t] && len(c.own[d]) == 0 {
			return // the user deleted what the edit would have deleted if it were made twice
		}
		if _, names := c.from[d]; names && (c.undo || c.again[d][t]) || o.errs(c, d) {
			doubt.by = append(doubt.by, c)
		}
	}
	o.doubt(doubt, "late", "came into")
}

func (o *simOracle) doubt(d simDoubt, rule, verb string) {
	if len(d.by) == 0 {
		o.fail(rule, "%s %s %s by nobody's command; it is %q now", d.token, verb, d.doc.name, d.doc.now().text)
		return
	}
	o.doubts = append(o.doubts, d)
}

// mayDelete reports whether a command may delete a token by what it was sent.
func (c *simCommand) mayDelete(d *simDoc, t string) bool {
	if _, names := c.from[d]; !names || c.dry {
		return false
	}
	may, told := c.may[d]
	return !told || may[t]
}

// errs reports whether a command may have done something else than it was sent for,
// because the editor applies edits at the wrong place, as many do if the file was
// closed meanwhile. The command must not leave the text so.
func (o *simOracle) errs(c *simCommand, d *simDoc) bool {
	from, names := c.from[d]
	return names && (!o.kind.faithful || d.wasClosed(from))
}

// mayHaveGone reports whether an edit that is still to be answered may be said to have taken a token out,
// though the user did, as [simWorld.judgeWho] admits. An undo of it puts the token in again, and may be
// seen before the answer is judged; then [simOracle.rested] judges.
func (o *simOracle) mayHaveGone(d *simDoc, t string) bool {
	return !o.kind.honest && slices.ContainsFunc(o.open, func(c *simCommand) bool { return !c.undo && c.mayDelete(d, t) })
}

// mayBeTwice reports whether the user had a token brought back, or took lines of the file that they had moved.
func (o *simOracle) mayBeTwice(d *simDoc, t string) bool {
	return o.revived[t] || len(d.moved) > 0 && d.file.agreed()
}

func (o *simOracle) twice(d *simDoc, t string, n int) {
	if !o.mayBeTwice(d, t) {
		o.fail("twice", "%s is %d times in %s: %q", t, n, d.name, d.now().text)
	}
}

// rested judges a command's documents once all answers have come and no edit can still
// be in flight there.
func (o *simOracle) rested(c *simCommand) {
	if o.kind.loses {
		return
	}
	for d := range c.from {
		for _, x := range o.open {
			if _, names := x.from[d]; names {
				return
			}
		}
		for t, n := range d.now().tokens {
			if n > 1 && d.now().at.After(c.began) && !d.now().user {
				o.twice(d, t, n)
			}
		}
	}
}

// explain goes through what a command may have done, now that its answer is there.
func (o *simOracle) explain(c *simCommand) {
	if c.fate != unknown {
		o.open = filter(o.open, func(x *simCommand) bool { return x != c })
	}
	o.doubts = filter(o.doubts, func(x simDoubt) bool {
		n := len(x.by)
		x.by = filter(x.by, func(y *simCommand) bool { return y != c })
		diff := c.diffs[x.doc.name]
		switch {
		case len(x.by) == n:
			return true
		case c.fate == unknown, c.fate == verified && diff != nil && (diff.removed[x.token] && x.gone || diff.added[x.token] && !x.gone):
			return false
		case c.puts(x), c.fate == verified && x.gone && c.mayDelete(x.doc, x.token) && x.doc.wasClosed(c.from[x.doc]):
			return false // of a text that was thrown away the diff may know less
		case c.fate == nothing && x.gone && c.took[x.token] && x.doc.threwAway(c.from[x.doc], x.token):
			return false // it was put back into a text that was thrown away with it, and taken out again
		case c.fate == nothing && c.undo && o.isAsVerified(x):
			return false // the undo was itself put back
		case len(x.by) > 0:
			return true
		case x.gone:
			o.fail("lost", "%s was lost in %s, and no answer says so; it is %q now", x.token, x.doc.name, x.doc.now().text)
		default:
			o.fail("late", "%s came into %s, and no answer says so; it is %q now", x.token, x.doc.name, x.doc.now().text)
		}
		return false
	})
}

// isAsVerified reports whether a token is present, or absent, as the newest verified
// edit that mentions it has left it.
func (o *simOracle) isAsVerified(x simDoubt) bool {
	for _, c := range slices.Backward(o.made) {
		if diff := c.diffs[x.doc.name]; diff != nil && (diff.added[x.token] || diff.removed[x.token]) {
			return diff.removed[x.token] == x.gone
		}
	}
	return false
}

// verified records an edit. The order of simultaneous answers varies; that of steps
// does not.
func (o *simOracle) verified(c *simCommand) {
	o.made = append(o.made, c)
	slices.SortFunc(o.made, func(a, b *simCommand) int { return cmp.Compare(a.step, b.step) })
}

// forget drops what was to be explained about a document: the user threw its
// text away.
func (o *simOracle) forget(d *simDoc) {
	o.doubts = filter(o.doubts, func(x simDoubt) bool { return x.doc != d })
}

// filter returns a new list of those that are kept.
func filter[T any](list []T, keep func(T) bool) []T {
	var kept []T
	for _, x := range list {
		if keep(x) {
			kept = append(kept, x)
		}
	}
	return kept
}

func newOracle(e simEditor) simOracle {
	return simOracle{kind: e, born: map[string]time.Time{}, revived: set{}, rewritten: set{}}
}
