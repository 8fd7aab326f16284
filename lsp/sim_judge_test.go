package lsp_test

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"go.lsp.dev/jsonrpc2"

	"github.com/patchls/patchls/lsp/transaction"
	"github.com/patchls/patchls/lsp/view"
)

// succeeded judges a result.
func (w *simWorld) succeeded(a *simAgent, c *simCommand, raw json.RawMessage) {
	c.fate = nothing
	switch {
	case c.name == "view":
		w.viewed(a, c, raw)
		return
	case c.args["action"] == "read":
		return
	}
	r := &transaction.Result{}
	err := json.Unmarshal(raw, r)
	if err == nil {
		c.diffs, err = parseDiffs(r.Diff)
	}
	if err != nil {
		w.oracle.fail("broken", "%s: %v in %s", c.name, err, raw)
		return
	}
	w.remark(c.step, "-> %s applied %t verified %t rebased %t %s", r.EditID, r.Applied, r.Verified, r.Rebased, r.Message)
	c.said = r
	switch {
	case r.Applied && c.dry:
		w.oracle.fail("dry", "%s of a dry run was applied", c.name)
	case r.Applied && r.Verified:
		c.fate = verified
		w.judgeVerified(a, c)
	case r.Applied:
		c.fate = unknown
	default:
		w.judgeNothing(c)
	}
}

// viewed records what an agent was shown; it must have been in the editor.
func (w *simWorld) viewed(a *simAgent, c *simCommand, raw json.RawMessage) {
	var v view.View
	if err := json.Unmarshal(raw, &v); err != nil {
		w.oracle.fail("broken", "view: %v in %s", err, raw)
		return
	}
	for d := range c.from {
		i := d.shown(0, v.Rev)
		if i < 0 {
			if !w.kind.loses {
				w.oracle.fail("unseen", "view of %s shows what the editor never had: %q", d.name, v.Text)
			}
			return
		}
		a.seen[d] = simPage{d.states[i].text, v.Rev}
	}
}

// judgeVerified compares a verified answer with what was in the editor.
func (w *simWorld) judgeVerified(a *simAgent, c *simCommand) {
	target := w.undone(c)
	switch {
	case target != nil:
	case undidEdit.MatchString(c.said.Message):
		return // of an edit that was not seen
	default:
		w.oracle.verified(c)
	}
	told := map[*simDoc]bool{}
	for _, f := range c.said.Files {
		for d := range c.from {
			if d.name == f.Path && f.Change != "delete" {
				told[d] = true
				if i := d.shown(c.from[d], f.Rev); i >= 0 {
					a.seen[d] = simPage{d.states[i].text, f.Rev}
				}
				w.judgeFile(c, d, f.Rev, target)
			}
		}
	}
	for d := range c.own {
		if !told[d] {
			w.oracle.fail("half", "%s is verified and says nothing of %s", c.name, d.name)
		}
	}
}

// judgeFile judges what a verified answer says of one document; rev is of the text
// that was seen. target is the edit that was undone, nil if none was.
func (w *simWorld) judgeFile(c *simCommand, d *simDoc, rev string, target *simCommand) {
	o := &w.oracle
	if d.drifted != nil && d.drifted == d.buffer && c.began.After(d.since) {
		o.fail("drift", "%s of %s is verified, and a save has told that its text is not known", c.name, d.name)
	}
	if w.kind.loses {
		return
	}
	w.judgeWho(c, d)
	i := d.shown(d.toldOf(c.from[d], c.began), rev)
	if i < 0 {
		// If the command only deletes, the user may have passed through its text, by undoing in
		// steps what they had done. States in the middle of an act of the user are only in the log.
		if passed := len(c.own[d]) == 0 && d.typed(c.began, len(d.states)-1) || w.log.had(d.path, c.began, rev); !passed {
			o.fail("unseen", "%s is verified with rev %s, and %s never had that since; it is %q now", c.name, rev, d.name, d.now().text)
		}
		return
	}
	seen, typed := d.states[i], d.typed(c.began, i)
	for t := range c.own[d] {
		if n := seen.tokens[t]; n != 1 && !typed {
			o.fail("absent", "%s is verified, and %s is %d times in %s: %q", c.name, t, n, d.name, seen.text)
		}
		if n := d.now().tokens[t]; n > 1 {
			o.twice(d, t, n)
		}
	}
	diff := c.diffs[d.name]
	if diff == nil {
		o.fail("diff", "%s is verified and its diff has nothing of %s: %q", c.name, d.name, c.said.Diff)
		return
	}
	may, known := c.may[d]
	for t := range diff.removed {
		if known && !may[t] {
			o.fail("place", "%s removed %s from %s, which it was not to touch", c.name, t, d.name)
		}
		if seen.tokens[t] > 0 && d.states[c.from[d]].tokens[t] < 2 && !typed && !o.revived[t] {
			o.fail("absent", "%s says that it removed %s from %s: %q", c.name, t, d.name, seen.text)
		}
	}
	if !typed && !d.comesBy(diff, i, w.kind.ends) {
		o.fail("diff", "what %s did to %s is not its diff %q, it came to %q", c.name, d.name, c.said.Diff, seen.text)
	}
	if target != nil && !typed {
		w.judgeUndone(c, d, i, target)
	}
}

// comesBy reports whether state i is an earlier one with the diff applied. A file that
// the editor opens may have other line ends than on disk, if all of them differ; ends
// says that new text may get other ones.
func (d *simDoc) comesBy(diff *simDiff, i int, ends bool) bool {
	now := d.states[i].text
	lf := func(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }
	for _, s := range d.states[:i] {
		after, ok := diff.apply(s.text)
		switch {
		case !ok:
		case after == now, ends && lf(after) == lf(now), !s.open && (lf(after) == now || after+"\n" == now):
			return true
		}
	}
	return false
}

var undidEdit = regexp.MustCompile(`(?:Undid|Reverted|Reverted hunk \d+ of) edit (\S+)`)

// undone returns the edit that a command took back as a whole, nil if none.
func (w *simWorld) undone(c *simCommand) *simCommand {
	if id := undidEdit.FindStringSubmatch(c.said.Message); id != nil && !strings.Contains(c.said.Message, "Reverted hunk") {
		for _, made := range w.oracle.made {
			if made.said.EditID == id[1] {
				return made
			}
		}
	}
	return nil
}

// judgeUndone compares the text after an undo, state i, with what the undone edit did.
// If the user has typed into that edit, the text before it need not come back whole.
func (w *simWorld) judgeUndone(c *simCommand, d *simDoc, i int, target *simCommand) {
	if slices.ContainsFunc(w.oracle.open, func(x *simCommand) bool {
		_, names := x.from[d]
		return names && x.fate == unknown
	}) {
		return // it is not known how often another edit was made
	}
	if target.parted {
		return
	}
	seen, whole := d.states[i], true
	for t := range target.own[d] {
		whole = whole && d.isWhole(t, target.began, i-1)
		if seen.tokens[t] > 0 && !w.oracle.revived[t] {
			w.oracle.fail("undo", "%s undid %s, and %s is in %s: %q", c.name, target.name, t, d.name, seen.text)
		}
	}
	// The edits of a whole text may have kept characters of one line for those of another:
	// what the user deleted there since is missing in the one that comes back.
	mixed := target.name == "write" && d.typed(target.began, i)
	if diff := target.diffs[d.name]; diff != nil && whole && !mixed {
		for t := range diff.added { // a text of before, which the agent wrote again
			if d.states[i-1].tokens[t] == 0 {
				return
			}
		}
		for t := range diff.removed {
			if n := seen.tokens[t]; n < 1 && !w.oracle.revived[t] || n > 1 && !w.oracle.mayBeTwice(d, t) {
				w.oracle.fail("undo", "%s undid %s, and %s is %d times in %s: %q", c.name, target.name, t, seen.tokens[t], d.name, seen.text)
			}
		}
	}
}

// isWhole reports whether state i has a token as often as each state since then. If the user
// copied it and broke one of the two, it cannot be told which one is left.
func (d *simDoc) isWhole(t string, since time.Time, i int) bool {
	n := d.states[i].tokens[t]
	return n > 0 && !slices.ContainsFunc(d.states[:i], func(s simState) bool {
		return s.at.After(since) && s.tokens[t] > n
	})
}

// saysNothing are phrases of errors that say that nothing was done.
var saysNothing = []string{"No file was changed", "Nothing is changed", "its text is as it was", "its text did not change", "before anything was sent"}

// saysPartly are phrases of errors that say that something may be left.
var saysPartly = []string{"could not be put back", "may still hold", "has another text than before", "could not be deleted again"}

// refused judges an error. One that leaves the outcome of the edit open must not come
// from an honest editor. None may say that nothing was done when something was.
func (w *simWorld) refused(c *simCommand, kind string, e *jsonrpc2.Error) {
	says := func(words []string) bool {
		for _, s := range words {
			if strings.Contains(e.Message, s) {
				return true
			}
		}
		return false
	}
	early := strings.Contains(e.Message, "before anything was sent")
	switch {
	case e.Code == jsonrpc2.InternalError:
		w.oracle.fail("broken", "%s: %s", c.name, e.Message)
	case kind == "not_settled", kind == "timeout" && !early, kind == "editor_gone", says(saysPartly):
		c.fate = unknown
		if w.kind.honest && !says(saysPartly) && !c.wasClosed() && !c.wasReadAnew() && !w.mayDoubt(c, e.Message) {
			w.oracle.fail("unsettled", "%s: %s", kind, e.Message)
		}
		if says(saysNothing) && !says(saysPartly) {
			w.judgeNothing(c)
		}
	case kind == "rejected_by_editor" && w.kind.late:
		c.fate = unknown
	default:
		c.fate = nothing
		w.judgeNothing(c)
		w.judgeGone(c, e.Message)
	}
}

// takenBack matches an error that says that nothing is left of an edit.
var takenBack = regexp.MustCompile(`^Edit (\S+) of (\S+) is not there any more`)

// judgeGone judges an answer that nothing is left of an edit in a document: no line that the edit put in is there.
func (w *simWorld) judgeGone(c *simCommand, message string) {
	says := takenBack.FindStringSubmatch(message)
	if says == nil {
		return
	}
	for _, made := range w.oracle.made {
		for d, tokens := range made.own {
			if made.said.EditID != says[1] || d.name != says[2] || d.typed(c.began, len(d.states)-1) {
				continue
			}
			for line := range strings.Lines(made.said.Diff) {
				put := strings.TrimSpace(strings.TrimPrefix(line, "+"))
				isOwn := func(t string) bool { return strings.Contains(put, t) }
				if line[0] == '+' && slices.ContainsFunc(slices.Collect(maps.Keys(tokens)), isOwn) && strings.Contains(d.now().text, put) {
					w.oracle.fail("gone", "%s, and %q is in %q", message, put, d.now().text)
				}
			}
		}
	}
}

// wasClosed reports whether one of the documents was closed in between.
func (c *simCommand) wasClosed() bool {
	for d, from := range c.from {
		if d.wasClosed(from) {
			return true
		}
	}
	return false
}

// wasReadAnew reports whether the user had the editor reload one of the files during the command, which may
// drop the edit before the server was notified of it.
func (c *simCommand) wasReadAnew() bool {
	for d := range c.from {
		if d.file.reloaded.After(c.began) {
			return true
		}
	}
	return false
}

// simDoubts counts answers that were not settled, since the user may have made the change.
var simDoubts atomic.Int64

// mayDoubt reports whether a command that was not settled says that the user may have made its
// change, and the user did type meanwhile. The server cannot tell an editor that means its no
// from one that makes the edit all the same. Of those that mean it, Neovim alone fails halfway,
// so only there a part of the edit may be the editor's.
func (w *simWorld) mayDoubt(c *simCommand, message string) bool {
	if strings.Contains(message, "the text has a part of it") && !w.kind.vim {
		return false
	}
	doubts := strings.Contains(message, "the user may have done that") && slices.ContainsFunc(w.docs, func(d *simDoc) bool {
		return strings.Contains(message, d.name) && (d.typed(c.began, len(d.states)-1) || d.acted.After(c.began.Add(-simLag)))
	})
	if doubts {
		simDoubts.Add(1)
	}
	return doubts
}

// judgeNothing holds an answer that says that nothing was done to the texts.
func (w *simWorld) judgeNothing(c *simCommand) {
	w.judgeNoHand(c)
	if w.kind.loses {
		return
	}
	for d, own := range c.own {
		for t := range own {
			if d.now().tokens[t] > 0 && !d.broughtByUser(t) && !w.oracle.revived[t] && !w.oracle.rewritten[t] {
				w.oracle.fail("left", "%s says that nothing was done, and %s is in %s: %q", c.name, t, d.name, d.now().text)
			}
		}
	}
}

// broughtByUser reports whether it was the user, by undo or redo, who brought
// a token into the text.
func (d *simDoc) broughtByUser(t string) bool {
	for i := len(d.states) - 1; i > 0; i-- {
		if d.states[i-1].tokens[t] == 0 {
			return d.states[i].user
		}
	}
	return false
}
