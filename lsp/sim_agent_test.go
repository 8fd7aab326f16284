package lsp_test

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/patchls/patchls/lsp/transaction"
)

// simAgent is what an agent of a simulation knows.
type simAgent struct {
	seen map[*simDoc]simPage
	busy *simCommand // under way, nil if none is
}

// simPage is a text as an agent saw it last.
type simPage struct{ text, rev string }

func (p simPage) lines() []string { return simLines(p.text) }

// simCommand is a command of an agent, and its outcome.
type simCommand struct {
	name  string
	args  args
	began time.Time
	ended time.Time       // when its answer came, zero before
	id    int64           // of the request
	step  int             // that sent it
	from  map[*simDoc]int // the documents that it names: the state that each was in
	own   map[*simDoc]set // tokens that it writes, none written before
	// parted: one of its hunks was taken back on its own. If the user brings that hunk
	// back, its text is the user's.
	parted bool
	again  map[*simDoc]set     // tokens that it writes and that were there when the agent looked
	may    map[*simDoc]set     // tokens that it may delete; without an entry: whatever its diff says
	dry    bool                // nothing is to be done
	undo   bool                // it takes back another one
	took   set                 // tokens that went, perhaps by this one
	broke  map[*simDoc]set     // tokens that the user took out or broke meanwhile
	fate   simFate             // as far as it is known
	said   *transaction.Result // if it succeeded
	diffs  map[string]*simDiff
}

type set map[string]bool

// simFate is what is known of a command.
type simFate int

const (
	underWay simFate = iota
	verified         // its text was seen
	nothing          // it did nothing, and nothing of it will come
	unknown          // it is not known
)

func setOf(s string) set {
	all := set{}
	for t := range tokensOf(s) {
		all[t] = true
	}
	return all
}

// writing is the making of a command from what an agent knows.
type writing struct {
	*simCommand
	w *simWorld
	r *rand.Rand
	a *simAgent
}

// command returns the command that a step sends. An agent that has not seen the
// text yet looks at it first.
func (w *simWorld) command(s simStep, a *simAgent) *simCommand {
	d := w.docs[s.doc]
	c := writing{&simCommand{
		args: args{"path": d.name}, began: time.Now(), from: map[*simDoc]int{},
		own: map[*simDoc]set{}, again: map[*simDoc]set{}, may: map[*simDoc]set{}, took: set{},
	}, w, s.rand(), a}
	c.about(d)
	page, known := a.seen[d]
	switch op := s.op; {
	case op == "undo" || op == "undo_path" || op == "revert":
		c.takeBack(op)
		return c.simCommand
	case op == "read":
		c.name, c.args["action"] = "text_editor", "read"
		return c.simCommand
	case op == "create":
		c.create(d)
	case op == "view" || !known:
		c.name = "view"
		return c.simCommand
	case op == "patches":
		c.patchSeveral()
	default:
		c.edit(op, d, page)
	}
	if c.name != "view" && c.r.IntN(20) == 0 {
		c.dry, c.args["dry_run"] = true, true
	}
	if line := c.line(page); line > 0 {
		d.addressed = line
	}
	return c.simCommand
}

// line returns the first line that the command names, 0 if it names none.
func (c writing) line(page simPage) int {
	for _, name := range []string{"start_line", "after_line", "before_line", "near_line"} {
		if n, ok := c.args[name].(int); ok {
			return n
		}
	}
	if list, ok := c.args["edits"].([]args); ok && len(list) > 0 {
		n, _ := list[0]["from"].(int)
		return n
	}
	for _, name := range []string{"old_str", "old_text"} {
		if old, ok := c.args[name].(string); ok {
			before, _, found := strings.Cut(page.text, old)
			if found {
				return 1 + strings.Count(before, "\n")
			}
		}
	}
	return 0
}

func (c writing) about(d *simDoc) { c.from[d] = len(d.states) - 1 }

func (c writing) edit(op string, d *simDoc, page simPage) {
	switch op {
	case "str_replace":
		c.strReplace(d, page)
	case "insert":
		c.name = "insert"
		c.args[[]string{"after_line", "before_line"}[c.r.IntN(2)]] = 1 + c.r.IntN(len(page.lines())+1)
		c.args["content"] = c.content(d)
		c.may[d] = set{}
		c.withRev(page, 2)
	case "delete_lines":
		c.name = "delete_lines"
		from, to := c.span(page)
		c.args["start_line"], c.args["end_line"] = from, to
		if c.withRev(page, 3) {
			c.may[d] = setOf(quoted(page, from, to))
		}
	case "edit_lines":
		c.editLines(d, page)
	case "patch":
		c.name = "apply_patch"
		delete(c.args, "path")
		c.args["patch"] = c.patchOf(d, page, c.r.IntN(2) == 0)
	case "write":
		c.write(d, page)
	case "patch_lines":
		c.name, c.args["action"] = "text_editor", "patch"
		from, to := c.span(page)
		c.args["edits"] = []args{{"from": from, "to": to - c.r.IntN(2), "content": c.content(d) + "\n"}}
	case "patch_text":
		c.name, c.args["action"] = "text_editor", "patch"
		from, to := c.span(page)
		old := quoted(page, from, to)
		c.args["old_text"], c.args["new_text"] = old, c.content(d)
		c.mayReplace(d, old)
	default:
		panic("an agent cannot " + op)
	}
}

// content returns a text with a new token, at times of several lines.
func (c writing) content(d *simDoc) string {
	c.w.tokens++
	token := newToken("a", c.w.tokens)
	if c.own[d] == nil {
		c.own[d] = set{}
	}
	c.own[d][token] = true
	return []string{token, token, token + " 😀", "x\n" + token, token + "\n}", "\t" + token + "\n\nend"}[c.r.IntN(6)]
}

// withRev sends the rev of what the agent saw, n-1 times out of n.
func (c writing) withRev(page simPage, n int) bool {
	if c.r.IntN(n) == 0 {
		return false
	}
	c.args["rev"] = page.rev
	return true
}

// span draws a range of lines of the page.
func (c writing) span(page simPage) (from, to int) {
	n := max(1, len(page.lines()))
	from = 1 + c.r.IntN(n)
	return from, min(n, from+c.r.IntN(3))
}

// quoted returns lines of a page, without the last line end.
func quoted(page simPage, from, to int) string {
	lines := page.lines()
	return strings.Join(lines[min(len(lines), from-1):min(len(lines), to)], "\n")
}

func (c writing) strReplace(d *simDoc, page simPage) {
	from, to := c.span(page)
	old := quoted(page, from, to)
	if token := simToken.FindString(old); token != "" && c.r.IntN(2) == 0 {
		old = token
	}
	c.name, c.args["old_str"] = "str_replace", old
	if c.r.IntN(4) > 0 {
		c.args["new_str"] = c.content(d)
	}
	if c.r.IntN(3) == 0 {
		c.args["near_line"] = from
	}
	c.mayReplace(d, old)
}

// mayReplace records that the command may delete the tokens of old; if old contains a
// part of a token, the command may delete any.
func (c writing) mayReplace(d *simDoc, old string) {
	if !strings.ContainsAny(simToken.ReplaceAllString(old, ""), "⟦⟧0123456789") {
		c.may[d] = setOf(old)
	}
}

func (c writing) editLines(d *simDoc, page simPage) {
	c.name = "edit_lines"
	lines := page.lines()
	var list []args
	may := set{}
	known := c.withRev(page, 3)
	for line := 1 + c.r.IntN(3); line <= len(lines)+1 && len(list) < 3; line += 1 + c.r.IntN(4) {
		e := args{"from": line}
		kind := c.r.IntN(3)
		if line > len(lines) {
			kind = 0
		}
		if kind > 0 {
			to := min(len(lines), line+c.r.IntN(2))
			e["to"] = to
			if old := quoted(page, line, to); known || c.r.IntN(2) == 0 {
				if !known {
					e["expect"] = cmp.Or(old, "\n") // an empty text expects nothing
				}
				maps.Copy(may, setOf(old))
			} else {
				may = nil
			}
			line = to
		}
		if kind < 2 {
			e["content"] = c.content(d)
		}
		list = append(list, e)
		if may == nil {
			break
		}
	}
	c.args["edits"] = list
	if may != nil {
		c.may[d] = may
	}
}

func (c writing) write(d *simDoc, page simPage) {
	c.name = "write"
	lines := page.lines()
	if n := len(lines); n > 0 && c.r.IntN(2) == 0 {
		from := c.r.IntN(n)
		lines = slices.Delete(lines, from, min(n, from+1+c.r.IntN(3)))
	}
	kept := strings.Join(lines, "\n")
	c.again[d] = setOf(kept)
	for t, n := range tokensOf(kept) {
		if n > 1 {
			c.w.oracle.revived[t] = true // it saw two of them, and writes them so
		}
	}
	c.args["content"] = kept + "\n" + c.content(d) + "\n"
}

func (c writing) create(d *simDoc) {
	c.name = "create"
	c.args["content"] = c.content(d) + "\n"
	if c.r.IntN(4) == 0 {
		c.args["overwrite"] = true
	}
}

// part records that one hunk of an edit is to be taken back. A write that wrote again
// what it had seen may have done so in one hunk, and have taken the old one out in
// another: without that one both are there.
func (c writing) part(target *simCommand) {
	target.parted = true
	for _, again := range target.again {
		for t := range again {
			c.w.oracle.revived[t] = true
		}
	}
}

// takeBack undoes one of the verified edits, or the newest edit of a path.
func (c writing) takeBack(op string) {
	c.name, c.undo = "undo", true
	for _, other := range c.w.docs { // an edit of several documents is undone in all
		c.about(other)
	}
	if op == "undo_path" {
		return
	}
	made := c.w.oracle.made
	if len(made) == 0 {
		return
	}
	target := made[c.r.IntN(len(made))]
	c.args = args{"edit_id": target.said.EditID}
	if op == "revert" {
		hunk := c.r.IntN(3)
		c.name, c.args["hunk"] = "revert", hunk
		if hunk > 0 {
			c.part(target)
		}
	}
}
