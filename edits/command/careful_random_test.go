package command

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/draft"
	"github.com/patchls/patchls/edits/elision"
	"github.com/patchls/patchls/edits/match"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/edits/place"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/chance"
)

// carefulCase is an edit of whole lines as a model may send it, and the text that it is for.
type carefulCase struct {
	doc      []string
	old, put []string
	anchor   string // of a patch; "" for none
	anyDepth bool   // a line is the anchor at any depth, though others equal it exactly
	number   int    // that a diff or a quoted line has; 0 for none
	quoted   bool   // the number stands before the lines of old_str
}

// TestCarefulRandom compares random edits with what a careful human would do who looks
// only at lines and words. PATCHLS_SEED repeats a run, and PATCHLS_CAREFUL_STEPS makes it
// longer.
func TestCarefulRandom(t *testing.T) {
	t.Parallel()
	seed, steps := chance.Seed(t), int(chance.Cases(t, "PATCHLS_CAREFUL_STEPS", 600))
	r := rand.New(rand.NewPCG(seed, 2))
	seen := map[string]int{}
	for n := range steps {
		for what, judge := range carefulShapes {
			if why, wrong := judge(r); wrong {
				t.Fatalf("PATCHLS_SEED=%d, step %d: %s", seed, n, why)
			} else if why != "" {
				seen[carefulNames[what]+why]++
			}
		}
		c := randomCareful(r)
		for _, command := range []string{"str_replace", "patch"} {
			if c.quoted && command == "patch" {
				continue
			}
			why, wrong := c.judge(command)
			if wrong {
				less := c.shrunk(command)
				itsWhy, _ := less.judge(command)
				t.Fatalf("PATCHLS_SEED=%d, step %d: %s: %s\n%s\nless of it: %s\n%s", seed, n, command, why, c, itsWhy, less)
			}
			seen[why]++
		}
	}
	t.Logf("seed %d: %v", seed, seen)
}

func (c carefulCase) String() string {
	return fmt.Sprintf("text:\n%s\nold:\n%s\nnew:\n%s\nanchor %q, number %d, quoted %v", draft.JoinLines(c.doc), draft.JoinLines(c.old), draft.JoinLines(c.put), c.anchor, c.number, c.quoted)
}

// randomCareful makes a text of blocks whose heads and bodies recur, with words that are
// parts of other words, and an edit of some of its lines: misquoted in blanks, already
// applied in whole or in part, or with an anchor or a number that may contradict the rest.
func randomCareful(r *rand.Rand) (c carefulCase) {
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	line := func() string {
		return pick("x = 1", "max = 1", "y = 20", "y = 2", "f(a, b)", "return x", "end", "}", "g(a and b)", "x = 10")
	}
	nested := r.IntN(4) == 0 // each class has a function of the same name
	for range 1 + r.IntN(3) {
		c.doc = append(c.doc, pick("class A:", "class B:", "def f(self):", "def g():"))
		if nested {
			c.doc = append(c.doc, "    def f(self):")
			for range 1 + r.IntN(3) {
				c.doc = append(c.doc, "        "+line())
			}
			continue
		}
		for range 1 + r.IntN(4) {
			before := pick("    ", "    ", "\t", "        ")
			if r.IntN(8) == 0 { // a statement that goes on
				c.doc = append(c.doc, before+"s = g(a,", before+pick("      ", "    ")+"c)")
				continue
			}
			c.doc = append(c.doc, before+line()+pick("", "", "", "  "))
		}
	}
	at := r.IntN(len(c.doc))
	n := min(len(c.doc)-at, 1+r.IntN(4))
	meant := slices.Clone(c.doc[at : at+n])
	c.old = slices.Clone(meant)
	switch r.IntN(6) {
	case 4: // as if it stood at the margin, what goes on laid out anew
		before := c.old[0][:elision.IndentOf(c.old[0])]
		for i, l := range c.old {
			if c.old[i] = strings.TrimPrefix(l, before); strings.HasSuffix(l, " c)") {
				c.old[i] = "  " + c.old[i]
			}
		}
	case 0:
		for i, l := range c.old {
			c.old[i] = strings.TrimRight(l, " ") + pick("", " ")
		}
	case 1:
		for i, l := range c.old {
			c.old[i] = strings.ReplaceAll(l, "    ", "\t")
		}
	case 2:
		c.old[0] = strings.TrimLeft(c.old[0], " \t")
	case 3:
		for i, l := range c.old {
			c.old[i] = "  " + l
		}
	}
	k := r.IntN(n)
	c.put = slices.Clone(c.old)
	before, core, _ := text.CutBlanks(c.old[k])
	if c.lostIndent(at) && r.IntN(2) == 0 { // what is new has the file's
		before, _, _ = text.CutBlanks(meant[k])
	}
	switch r.IntN(5) {
	case 0:
		c.put[k] = before + pick("z = 9", line())
	case 1:
		c.put = slices.Insert(c.put, k+1, before+pick("new()", line()))
	case 2:
		c.put = slices.Delete(c.put, k, k+1)
	case 3:
		if k+1 < n { // two lines become one
			c.put = slices.Replace(c.put, k, k+2, before+core+" "+strings.TrimSpace(c.old[k+1]))
		} else {
			c.put[k] = before + "z = 9"
		}
	case 4:
		c.put = slices.Replace(c.put, k, k+1, before+"if q:", before+"    "+core)
	}
	switch r.IntN(6) {
	case 0: // it was applied before
		c.doc = slices.Replace(slices.Clone(c.doc), at, at+n, c.put...)
	case 1: // the file is another by now
		i := r.IntN(len(c.doc))
		c.doc[i] = c.doc[i][:elision.IndentOf(c.doc[i])] + line()
	case 2: // the first line begins within one of the file
		if _, core, _ := text.CutBlanks(c.old[0]); strings.HasPrefix(core, "max") && len(c.put) > 0 && c.old[0] == c.put[0] {
			c.old[0], c.put[0] = "x = 1", "x = 1"
		}
	}
	switch r.IntN(4) {
	case 0:
		c.anchor = pick("class A:", "class B:", "def f(self):", "def g():")
	case 1:
		c.number = 1 + r.IntN(len(c.doc)+20)
	case 2:
		c.number, c.quoted = 1+r.IntN(len(c.doc)+20), true
	}
	// If the hunk itself reaches beyond the block, where the block ends is a matter of taste.
	atMargin := func(l string) bool { return l != "" && elision.IndentOf(l) == 0 }
	around := c.doc[max(0, at-1):min(len(c.doc), at+n+2)]
	if nested {
		c.anchor = pick("", "def f(self):", "class A:", "class B:")
		around = nil
	}
	for _, at := range c.standsAt(c.old) {
		around = append(slices.Clip(around), c.doc[at:at+len(c.old)]...)
	}
	if slices.ContainsFunc(slices.Concat(meant, c.old, around), atMargin) {
		c.anchor = ""
	}
	return c
}

// judge sends the edit, and says what the outcome was and whether a careful human would have acted differently.
func (c carefulCase) judge(command string) (why string, wrong bool) {
	if slices.Equal(c.old, c.put) || match.AllBlank(c.old) {
		return "nothing", false
	}
	src := edits.Source{Path: "a", Text: text.New(draft.JoinLines(c.doc))}
	plan, err := c.plan(command, src)
	e, refused := errors.AsType[*edits.Error](err)
	anchored := command == "patch" && c.anchor != ""
	number := c.number
	if command == "str_replace" && !c.quoted {
		number = 0
	}
	places := c.allowed(anchored, number)
	saysThere := refused && e.Kind == edits.AlreadyApplied
	doc, old := draft.JoinLines(c.doc), draft.JoinLines(c.old)
	literal := command == "str_replace" && !c.quoted && strings.Contains(doc, old) && !slices.Contains(c.exactly(), true)
	if saysThere {
		if literal {
			return "a part is applied already", !strings.Contains(doc, joinedLines(c.put)) && len(c.standsAt(c.put)) == 0
		}
		made := c.standsAt(c.put)
		if len(made) == 0 {
			return "it is said to be applied, and is not there", true
		}
		if len(c.standsAt(c.old)) == 0 && command == "patch" && !c.tellsApplied(made) {
			return "it is said to be applied, and nothing tells so", true
		}
		for _, at := range places {
			if !slices.ContainsFunc(made, func(q int) bool { return q <= at && at+len(c.old) <= q+len(c.put) }) {
				return "it is said to be applied, and stands elsewhere as it was", true
			}
		}
		return "applied already", false
	}
	if refused {
		if s := e.Suggestion; s != nil {
			near, _ := s.Arguments["near_line"].(int)
			if _, err := (Replace{Old: s.Arguments["old_str"].(string), New: s.Arguments["new_str"].(string), NearLine: near}).Plan(src); err != nil {
				return "the suggestion fails: " + err.Error(), true
			}
		}
		return "refused", false
	}
	if literal {
		// The text contains old_str literally, but not as whole lines: it begins within a line. Of several
		// such places, the one that begins a word or a line is meant, if it is the only such one.
		from := strings.Index(doc, old)
		n := strings.Count(doc, old)
		if strings.Contains(doc[from+1:], old) { // they may overlap
			n = 0
			for i := range doc {
				if strings.HasPrefix(doc[i:], old) && (i == 0 || strings.ContainsRune(" \t\n", rune(doc[i-1]))) {
					from, n = i, n+1
				}
			}
		}
		want := doc[:from] + joinedLines(c.put) + doc[from+len(old):]
		return "a part of the text", n != 1 || plan.Edits.Apply(src.Text).String() != want
	}
	got := strings.Split(strings.TrimSuffix(plan.Edits.Apply(src.Text).String(), "\n"), "\n")
	if len(places) != 1 {
		return fmt.Sprintf("it has the places %v, and one was taken", places), true
	}
	at := places[0]
	for _, q := range c.standsAt(c.put) {
		if tool := command == "patch" && c.number == at+1; !tool && q <= at && at+len(c.old) <= q+len(c.put) && c.changesWords() && c.sameIndents(q) {
			return "it was applied a second time", true
		}
	}
	return c.reads(got, at)
}

func (c carefulCase) plan(command string, src edits.Source) (edits.Plan, error) {
	if command == "str_replace" {
		return c.replace().Plan(src)
	}
	return place.Plan(patch.File{Path: "a", Hunks: []patch.Hunk{c.hunk()}}, src, place.Options{})
}

// replace is the edit as a str_replace.
func (c carefulCase) replace() Replace {
	old := slices.Clone(c.old)
	for i := range old {
		if c.quoted {
			old[i] = fmt.Sprintf("%6d\t%s", c.number+i, old[i])
		}
	}
	return Replace{Old: draft.JoinLines(old), New: joinedLines(c.put), Lenient: true}
}

// hunk is the edit as the hunk of a patch.
func (c carefulCase) hunk() patch.Hunk {
	h := patch.ReplaceHunk(1, c.old, c.put)
	if c.anchor != "" {
		h.Anchors = []string{c.anchor}
	}
	h.Numbered, h.Start = c.number > 0, c.number
	return h
}

// carefulCases returns n cases, the same each time, for those who fuzz with them.
func carefulCases(n int) (cases []carefulCase) {
	r := rand.New(rand.NewPCG(1, 2))
	for range n {
		cases = append(cases, randomCareful(r))
	}
	return cases
}

// shrunk returns a smaller case that is wrong as well.
func (c carefulCase) shrunk(command string) carefulCase {
	without := func(lines []string, i int) []string { return slices.Delete(slices.Clone(lines), i, i+1) }
	for {
		var smaller []carefulCase
		for i := range c.doc {
			less := c
			less.doc = without(c.doc, i)
			smaller = append(smaller, less)
		}
		for i, l := range c.old {
			less := c
			if less.old = without(c.old, i); slices.Contains(c.put, l) {
				less.put = without(c.put, slices.Index(c.put, l))
			}
			smaller = append(smaller, less)
		}
		for i := range c.put {
			less := c
			less.put = without(c.put, i)
			smaller = append(smaller, less)
		}
		i := slices.IndexFunc(smaller, func(less carefulCase) bool {
			_, wrong := less.judge(command)
			return wrong && len(less.doc) > 0 && len(less.old) > 0 && len(less.put) > 0
		})
		if i < 0 {
			return c
		}
		c = smaller[i]
	}
}

// tellsApplied reports whether one of the places of the new lines may be that of the hunk, whose
// old lines occur nowhere: its anchor and its number must allow it. If the hunk only deletes lines
// between two others, each of the remaining two parts must occur exactly once.
func (c carefulCase) tellsApplied(made []int) bool {
	if n := len(c.old) - len(c.put); n > 0 {
		head := 0
		for head < len(c.put) && c.old[head] == c.put[head] {
			head++
		}
		if slices.Equal(c.old[head+n:], c.put[head:]) && (len(c.standsAt(c.put[:head])) != 1 || len(c.standsAt(c.put[head:])) != 1) {
			return false
		}
	}
	return slices.ContainsFunc(made, func(at int) bool {
		return (c.anchor == "" || !c.hasAnchor() || c.isBelowAnchor(at) || c.isBelowAnchor(min(len(c.doc), at+len(c.put))-1)) && (c.number == 0 || !draft.IsFar(at+1, c.number))
	})
}

// isAnchor reports whether a line is the anchor, ignoring blanks around it if no line equals it exactly.
func (c carefulCase) isAnchor(line string) bool {
	return line == c.anchor || strings.TrimSpace(line) == c.anchor && (c.anyDepth || !slices.Contains(c.doc, c.anchor))
}

func (c carefulCase) hasAnchor() bool { return slices.ContainsFunc(c.doc, c.isAnchor) }

// isBelowAnchor reports whether a line is the anchor or in the block that the anchor names.
func (c carefulCase) isBelowAnchor(line int) bool {
	for i, depth := line, 1<<20; i >= 0; i-- {
		closes := strings.TrimSpace(c.doc[i]) == "}" || strings.TrimSpace(c.doc[i]) == "end"
		if deep := match.IndentWidth(c.doc[i]); i == line || deep < depth {
			if c.isAnchor(c.doc[i]) {
				return true
			}
			if depth = deep; closes && i == line {
				depth++ // it is of the block that it closes
			}
		}
	}
	return false
}

// wordsOf returns the words of a line, separated by single blanks.
func wordsOf(line string) string { return strings.Join(strings.Fields(line), " ") }

// standsAt returns the lines of the document at which lines match, ignoring blanks at either end of a line.
func (c carefulCase) standsAt(lines []string) (places []int) {
	for at := 0; at+len(lines) <= len(c.doc) && len(lines) > 0; at++ {
		if slices.EqualFunc(lines, c.doc[at:at+len(lines)], func(a, b string) bool { return strings.TrimSpace(a) == strings.TrimSpace(b) }) {
			places = append(places, at)
		}
	}
	return places
}

// allowed returns the places that could be meant: the exact matches, else those that differ only
// in blanks at the ends of lines, else all. With an anchor, they are in its block, with their last
// line too if any such place exists; else in the block of an anchor at another depth; else on the line
// below the anchor. With a number, they are nearest to it.
func (c carefulCase) allowed(anchored bool, number int) []int {
	places := c.standsAt(c.old)
	if anchored && c.hasAnchor() {
		outside := func(at int) bool {
			first := at // the first line that it changes
			for k := 0; k+1 < len(c.old) && k < len(c.put) && c.old[k] == c.put[k]; k++ {
				first++
			}
			tail := 0
			for tail < min(len(c.old), len(c.put)) && c.old[len(c.old)-1-tail] == c.put[len(c.put)-1-tail] {
				tail++
			}
			if first-at+tail >= len(c.old) && first > 0 { // what is added may end the block
				first--
			}
			return !c.isBelowAnchor(first)
		}
		inside := func(at int) bool { return !outside(at) }
		c.anyDepth = !slices.ContainsFunc(places, inside)
		if c.anyDepth && !slices.ContainsFunc(places, inside) {
			outside = func(at int) bool { return at == 0 || !c.isAnchor(c.doc[at-1]) }
		}
		places = slices.DeleteFunc(places, outside)
		whole := slices.DeleteFunc(slices.Clone(places), func(at int) bool { return !c.isBelowAnchor(at + len(c.old) - 1) })
		if len(whole) > 0 && !slices.ContainsFunc(c.old, c.isAnchor) { // its own line tells no places apart
			places = whole
		}
	}
	for _, same := range []func(a, b string) bool{
		func(a, b string) bool { return a == b },
		func(a, b string) bool { return strings.TrimRight(a, " \t") == strings.TrimRight(b, " \t") },
	} {
		if some := slices.DeleteFunc(slices.Clone(places), func(at int) bool { return !slices.EqualFunc(c.old, c.doc[at:at+len(c.old)], same) }); len(some) > 0 {
			places = some
			break
		}
	}
	if number == 0 || len(places) < 2 && !c.quoted {
		return places
	}
	var near []int
	for _, at := range places {
		switch d := abs(at + 1 - number); {
		case d > 10:
		case len(near) == 0 || d < abs(near[0]+1-number):
			near = []int{at}
		case d == abs(near[0]+1-number):
			near = append(near, at)
		}
	}
	return near
}

// lostIndent reports whether only the first line lost its indentation when it was sent. The lines
// below must have that of the document; if there are none, the first line must open no block.
func (c carefulCase) lostIndent(at int) bool {
	return elision.IndentOf(c.old[0]) == 0 && elision.IndentOf(c.doc[at]) > 0 && (len(c.old) > 1 || !strings.HasSuffix(c.old[0], ":")) &&
		slices.EqualFunc(c.old[1:], c.doc[at+1:at+len(c.old)], func(a, b string) bool { return a[:elision.IndentOf(a)] == b[:elision.IndentOf(b)] && a != "" })
}

// exactly returns, for each place, whether the lines match exactly as sent.
func (c carefulCase) exactly() (is []bool) {
	for _, at := range c.standsAt(c.old) {
		is = append(is, slices.Equal(c.old, c.doc[at:at+len(c.old)]))
	}
	return is
}

func (c carefulCase) changesWords() bool {
	return !slices.EqualFunc(c.old, c.put, func(a, b string) bool { return strings.TrimSpace(a) == strings.TrimSpace(b) })
}

// sameIndents reports whether the new lines have just the indentation of those at a line.
func (c carefulCase) sameIndents(at int) bool {
	return slices.EqualFunc(c.put, c.doc[at:at+len(c.put)], func(a, b string) bool { return a[:elision.IndentOf(a)] == b[:elision.IndentOf(b)] })
}

// reads says whether got is a correct result of the edit at a line: the text around it is
// unchanged, its lines have the words that were sent, and equal indentation stays equal.
func (c carefulCase) reads(got []string, at int) (why string, wrong bool) {
	end := len(c.doc) - at - len(c.old)
	switch {
	case len(got) != at+len(c.put)+end:
		return fmt.Sprintf("%d lines came out: %q", len(got), got), true
	case !slices.Equal(got[:at], c.doc[:at]) || !slices.Equal(got[len(got)-end:], c.doc[len(c.doc)-end:]):
		return fmt.Sprintf("another place was changed: %q", got), true
	}
	made := got[at : at+len(c.put)]
	type sent struct {
		before string
		goesOn bool
	}
	shown := map[sent][]string{} // the indentations in the document for each one that was sent
	// Whether new lines are at a level is judged only if every level of the file and of the sent
	// lines is a multiple of four columns. In other files, what a level is is a matter of taste.
	inFours := !slices.ContainsFunc(c.doc, func(l string) bool { return match.IndentWidth(l)%4 != 0 && !strings.HasSuffix(l, "c)") })
	for i, l := range c.old {
		there := c.doc[at+i]
		key := sent{l[:elision.IndentOf(l)], isContinued(c.old, i)}
		shown[key] = append(shown[key], there[:elision.IndentOf(there)])
		inFours = inFours && (key.goesOn || match.IndentWidth(there)%4 == 0 && (match.IndentWidth(l)-match.IndentWidth(c.old[0]))%4 == 0)
	}
	for i, l := range c.put {
		can, before := shown[sent{l[:elision.IndentOf(l)], isContinued(c.put, i)}], made[i][:elision.IndentOf(made[i])]
		// The new line may be an old one that stays.
		stays := slices.Contains(c.old, l) && slices.Contains(shown[sent{l[:elision.IndentOf(l)], !isContinued(c.put, i)}], before)
		switch {
		case wordsOf(made[i]) != wordsOf(l):
			return fmt.Sprintf("%q was sent, and became %q", l, made[i]), true
		case len(can) > 0 && !stays && !slices.Contains(can, before):
			return fmt.Sprintf("%q became %q, but its indentation stands for %q", l, made[i], can), true
		case len(can) > 0 || stays || isContinued(c.put, i):
		case c.lostIndent(at) && (i == 0 || !strings.HasSuffix(c.put[i-1], ":")) && strings.HasPrefix(l, c.doc[at][:elision.IndentOf(c.doc[at])]) && (len(c.old) > 1 || elision.IndentOf(l) == elision.IndentOf(c.doc[at])) && before != l[:elision.IndentOf(l)]:
			return fmt.Sprintf("%q became %q, though only the first line lost its indentation", l, made[i]), true
		case i > 0 && strings.TrimSpace(c.put[i-1]) == "if q:" && elision.IndentOf(l) > elision.IndentOf(c.put[i-1]) && match.IndentWidth(made[i]) <= match.IndentWidth(made[i-1]):
			return fmt.Sprintf("%q is no deeper than what opens it: %q", made[i], made), true
		case inFours && (match.IndentWidth(l)-match.IndentWidth(c.old[0]))%4 == 0 && match.IndentWidth(made[i])%4 != 0:
			return fmt.Sprintf("%q became %q, which is at no level", l, made[i]), true
		}
	}
	return "made", false
}

// isContinued reports whether a line goes on with a statement that one above it begins.
func isContinued(lines []string, i int) bool {
	for i--; i >= 0 && !strings.Contains(lines[i], "c)"); i-- {
		if strings.HasSuffix(strings.TrimSpace(lines[i]), "(a,") {
			return true
		}
	}
	return false
}

// carefulShapes are the judges of edits that are not simply whole lines one below the other.
var carefulShapes = []func(*rand.Rand) (why string, wrong bool){judgePart, judgeElided, judgeContinued}

var carefulNames = []string{"a part of a line: ", "lines left out: ", "a statement that goes on: "}

// judgePart sends a part of a line with straight quotes for curly ones. The edit may be
// made only at the single place that begins and ends at word boundaries.
func judgePart(r *rand.Rand) (why string, wrong bool) {
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	var doc string
	for range 1 + r.IntN(3) {
		doc += pick("say “max = 10” x", "“x = 1” y", "max(“x”)", "f(“x = 1”, “x”) = 10") + "\n"
	}
	straight := strings.NewReplacer("“", `"`, "”", `"`).Replace(doc)
	line, _, _ := strings.Cut(straight, "\n")
	from := r.IntN(len(line))
	old := strings.TrimSpace(line[from : from+1+r.IntN(len(line)-from)])
	if old == "" || strings.Contains(doc, old) {
		return "", false
	}
	src := edits.Source{Path: "a", Text: text.New(doc)}
	plan, err := Replace{Old: old, New: old + "!", Lenient: true}.Plan(src)
	if err != nil {
		return "refused", false
	}
	isWord := func(i int) bool {
		return i >= 0 && i < len(straight) && (straight[i] >= '0' && straight[i] <= '9' || straight[i] >= 'a' && straight[i] <= 'z')
	}
	var ends []int
	for i := range straight {
		if end := i + len(old); strings.HasPrefix(straight[i:], old) && !(isWord(i-1) && isWord(i)) && !(isWord(end-1) && isWord(end)) {
			ends = append(ends, end)
		}
	}
	got := strings.NewReplacer("“", `"`, "”", `"`).Replace(plan.Edits.Apply(src.Text).String())
	if len(ends) != 1 || got != straight[:ends[0]]+"!"+straight[ends[0]:] {
		return fmt.Sprintf("%q in %q became %q", old, doc, got), true
	}
	return "made", false
}

// judgeElided sends a function with some lines left out and its indentation removed. The pieces
// must match in exactly one way within one function, whose other lines stay as they are.
func judgeElided(r *rand.Rand) (why string, wrong bool) {
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	var doc []string
	unit := pick("    ", "\t", "  ")
	for range 1 + r.IntN(2) {
		doc = append(doc, "class A:", unit+pick("def f(self):", "def g():"))
		for range 1 + r.IntN(4) {
			doc = append(doc, unit+unit+pick("a()", "b()", "c()", "return x"))
		}
	}
	from := r.IntN(len(doc)-2) + 1
	for !strings.HasSuffix(doc[from], "):") {
		from--
	}
	head, first, last := strings.TrimSpace(doc[from]), strings.TrimSpace(doc[from+1]), pick("b()", "c()", "return x")
	old := []string{head, "    " + first, "    ...", "    " + last}
	put := []string{head, "    " + first, "    ...", "    if q:", "        " + last}
	src := edits.Source{Path: "a", Text: text.New(draft.JoinLines(doc))}
	plan, err := Replace{Old: draft.JoinLines(old), New: draft.JoinLines(put), Lenient: true}.Plan(src)
	if err != nil {
		return "refused", false
	}
	var can []string
	for i := range doc {
		if strings.TrimSpace(doc[i]) != head || strings.TrimSpace(doc[i+1]) != first {
			continue
		}
		for k := i + 2; k < len(doc) && strings.HasPrefix(doc[k], unit+unit); k++ {
			if strings.TrimSpace(doc[k]) == last {
				can = append(can, draft.JoinLines(slices.Replace(slices.Clone(doc), k, k+1, unit+unit+"if q:", unit+unit+unit+last)))
			}
		}
	}
	if got := plan.Edits.Apply(src.Text).String(); len(can) != 1 || got != can[0] {
		return fmt.Sprintf("%q in %q became %q, and could become %q", old, doc, got, can), true
	}
	return "made", false
}

// judgeContinued sends a statement of two lines, the second aligned with words of the
// first, with any indentation, and wraps it. The statement goes a level deeper.
func judgeContinued(r *rand.Rand) (why string, wrong bool) {
	unit := []string{"    ", "\t", "  "}[r.IntN(3)]
	before := strings.Repeat(unit, 1+r.IntN(3))
	far := func() string { return strings.Repeat(" ", 1+r.IntN(15)) }
	begins, ends := "s = g(a,", "c)"
	switch r.IntN(4) {
	case 0:
		begins, ends = "s = a + \\", "c"
	case 1:
		begins, ends = "s = a", ".c()"
	case 2:
		begins, ends = "s = a &&", "c"
	}
	doc := "def f():\n" + before + begins + "\n" + before + far() + ends + "\n" + before + "return s\n" +
		strings.Repeat("if r:\n"+unit+"x()\n", 3)
	begins, ends = begins+"\n", far()+ends+"\n"
	pad := strings.Repeat("  ", r.IntN(5))
	put := pad + "if q:\n    " + pad + begins + pad + ends + pad + "else:\n    " + pad + "s = 1\n"
	src := edits.Source{Path: "a", Text: text.New(doc)}
	old := pad + begins + pad + ends
	if strings.Contains(doc, old) || pad == before { // the old text occurs literally
		return "", false
	}
	plan, err := Replace{Old: old, New: put, Lenient: true}.Plan(src)
	if err != nil {
		return "refused", false
	}
	for _, want := range []string{"if q:\n", unit + begins, "else:\n", unit + "s = 1\n"} {
		if got := plan.Edits.Apply(src.Text).String(); !strings.Contains(got, "\n"+before+want) {
			return fmt.Sprintf("%q for %q in %q gave %q", put, old, doc, got), true
		}
	}
	return "made", false
}

func abs(n int) int { return max(n, -n) }
