package lsp_test

import (
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/internal/testkit/acts"
	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/internal/testkit/personas"
)

// simLinesOf is the place of an act of the user: lines [from,to) of a text of n lines.
type simLinesOf struct {
	text        string
	from, to, n int
}

// simActs are what the user does to several lines at once: as Vim does it, told part by
// part, and as VS Code does it, told in one. Acts that only one of them has are nil in
// the other, where the user does what comes nearest.
var simActs = map[string]struct {
	vim  func(w *simWorld, r *rand.Rand, p simLinesOf) []acts.Act
	code func(w *simWorld, r *rand.Rand, p simLinesOf) []edits.Edit
}{
	"join": {simVimJoin, func(_ *simWorld, _ *rand.Rand, p simLinesOf) []edits.Edit {
		return acts.CodeJoin(p.text, p.from, p.to)
	}},
	"reflow": {simVimReflow, nil},
	"move":   {simVimMove, simCodeMove},
	"swap":   {simVimSwap, simCodeMove},
	"copy": {simVimCopy, func(_ *simWorld, _ *rand.Rand, p simLinesOf) []edits.Edit {
		return acts.CodeCopy(p.text, p.from, p.to)
	}},
	"cut": {simVimCut, func(w *simWorld, _ *rand.Rand, p simLinesOf) []edits.Edit { return simCodeCut(w, p) }},
	"put": {simVimPut, func(w *simWorld, _ *rand.Rand, p simLinesOf) []edits.Edit { return simCodePut(w, p) }},
	"indent": {simVimIndent, func(_ *simWorld, r *rand.Rand, p simLinesOf) []edits.Edit {
		return acts.CodeChange(p.text, p.from, p.to, simIndented(r))
	}},
	"sort": {simVimSort, func(_ *simWorld, _ *rand.Rand, p simLinesOf) []edits.Edit {
		return acts.CodeReplace(p.text, p.from, p.to, simSorted)
	}},
	"filter": {simVimFilter, nil},
	"block":  {simVimBlock, simCodeColumn},
	"subst":  {simVimSubstitute, nil},
	"global": {simVimGlobal, nil},
	"format": {simVimFormat, func(_ *simWorld, _ *rand.Rand, p simLinesOf) []edits.Edit {
		return acts.CodeChange(p.text, 0, p.n, simFormatted)
	}},
	"multi":   {nil, simCodeColumn},
	"snippet": {nil, simCodeSnippet},
	"enter": {simVimOpen, func(w *simWorld, r *rand.Rand, p simLinesOf) []edits.Edit {
		return acts.CodeEnter(p.text, w.endOf(p))
	}},
}

// act has the user do an act, if it is one.
func (w *simWorld) act(s simStep, d *simDoc, b *headless.Buffer) bool {
	how, ok := simActs[s.op]
	if !ok {
		return false
	}
	r := s.rand()
	p := w.linesIn(r, d, b.Text())
	if s.op == "put" { // an agent that took it out may bring it back as well
		for t := range tokensOf(strings.Join(w.cut, "\n")) {
			w.oracle.revived[t] = true
		}
	}
	vim := w.kind.vim || !w.kind.code && r.IntN(2) == 0
	if p.n == 0 {
		return true
	}
	for _, row := range simLines(p.text)[max(0, p.from-1):min(p.n, p.to+2)] {
		for t := range tokensOf(row) {
			w.oracle.rewritten[t] = true // by acts that put lines in anew and take the old ones out
		}
	}
	if how.code == nil || vim && how.vim != nil {
		for _, a := range how.vim(w, r, p) {
			_ = personas.Act(w.editor, b, a)
		}
		return true
	}
	_ = b.Change(how.code(w, r, p)...)
	return true
}

// linesIn draws one to three lines: often those of the last change, or those that an
// agent has named last.
func (w *simWorld) linesIn(r *rand.Rand, d *simDoc, now string) simLinesOf {
	n := strings.Count(now, "\n")
	if !strings.HasSuffix(now, "\n") && now != "" {
		n++
	}
	if n == 0 {
		return simLinesOf{text: now}
	}
	from := r.IntN(n)
	switch x := r.IntN(8); {
	case x < 5 && d.addressed > 0:
		from = d.addressed - 1 - r.IntN(2)
	case x < 7 && len(d.states) > 1:
		from = strings.Count(now[:commonHead(d.states[len(d.states)-2].text, now)], "\n") - r.IntN(2)
	}
	from = max(0, min(n-1, from))
	return simLinesOf{now, from, min(n, from+1+r.IntN(3)), n}
}

// more returns the place extended to two lines, if the text has them.
func (p simLinesOf) more() simLinesOf {
	p.to = max(p.to, min(p.n, p.from+2))
	return p
}

func (p simLinesOf) rows() []string { return slices.Clone(simLines(p.text)[p.from:p.to]) }

// endOf returns where the first line of a place ends.
func (w *simWorld) endOf(p simLinesOf) int {
	at := 0
	for range p.from {
		at += strings.IndexByte(p.text[at:], '\n') + 1
	}
	return at + len(simLines(p.text)[p.from])
}

func one(a acts.Act) []acts.Act { return []acts.Act{a} }

func simVimJoin(_ *simWorld, _ *rand.Rand, p simLinesOf) []acts.Act {
	p = p.more()
	return one(acts.VimJoin(p.text, p.from, p.to))
}

func simVimReflow(_ *simWorld, r *rand.Rand, p simLinesOf) []acts.Act {
	p = p.more()
	return one(acts.VimReflow(p.text, p.from, p.to, 12+r.IntN(30)))
}

func simVimMove(_ *simWorld, r *rand.Rand, p simLinesOf) []acts.Act {
	dest := r.IntN(p.n + 1)
	if p.from <= dest && dest <= p.to {
		return nil
	}
	return one(acts.VimMove(p.text, p.from, p.to, dest))
}

// simVimSwap is ddp or ddkP, which are two acts.
func simVimSwap(_ *simWorld, r *rand.Rand, p simLinesOf) []acts.Act {
	p.to = p.from + 1
	rows := p.rows()
	cut := acts.VimDelete(p.text, p.from, p.to)
	rest := cut.Parts[0]
	after := p.text[:rest.Start] + rest.New + p.text[rest.End:]
	at := p.from + 1
	if r.IntN(2) == 0 {
		at = max(0, p.from-1)
	}
	if after == "" {
		return one(cut)
	}
	at = min(at, len(simLines(after))) // a last line that is empty is none any more
	return []acts.Act{cut, acts.VimPut(after, at, rows...)}
}

func simVimCopy(_ *simWorld, _ *rand.Rand, p simLinesOf) []acts.Act {
	return one(acts.VimPut(p.text, p.to, p.rows()...))
}

func simVimCut(w *simWorld, _ *rand.Rand, p simLinesOf) []acts.Act {
	w.cut = p.rows()
	return one(acts.VimDelete(p.text, p.from, p.to))
}

func simVimPut(w *simWorld, r *rand.Rand, p simLinesOf) []acts.Act {
	if len(w.cut) == 0 {
		return nil
	}
	if r.IntN(4) == 0 {
		return one(acts.VimPutOver(p.text, p.from, p.from+1, w.cut...))
	}
	return one(acts.VimPut(p.text, p.from+r.IntN(2), w.cut...))
}

func simCodeCut(w *simWorld, p simLinesOf) []edits.Edit {
	w.cut = p.rows()
	return acts.VimDelete(p.text, p.from, p.to).Parts
}

func simCodePut(w *simWorld, p simLinesOf) []edits.Edit {
	if len(w.cut) == 0 {
		return nil
	}
	return acts.VimPut(p.text, p.from, w.cut...).Parts
}

func simVimIndent(_ *simWorld, r *rand.Rand, p simLinesOf) []acts.Act {
	indented := simIndented(r)
	return one(acts.VimChange(p.text, p.from, p.to, func(rows []string) []string {
		for i := range rows {
			rows[i] = indented(rows[i])
		}
		return rows
	}))
}

// simIndented puts a line further in or out.
func simIndented(r *rand.Rand) func(string) string {
	in := r.IntN(2) == 0
	return func(row string) string {
		switch {
		case row == "":
			return row
		case in:
			return "  " + row
		}
		return strings.TrimPrefix(strings.TrimPrefix(row, " "), " ")
	}
}

func simSorted(rows []string) []string {
	slices.Sort(rows)
	return rows
}

func simVimSort(_ *simWorld, _ *rand.Rand, p simLinesOf) []acts.Act {
	p = p.more()
	return one(acts.VimChange(p.text, p.from, p.to, simSorted))
}

func simVimFilter(_ *simWorld, _ *rand.Rand, p simLinesOf) []acts.Act {
	p = p.more()
	return one(acts.VimFilter(p.text, p.from, p.to, simSorted))
}

func simVimBlock(w *simWorld, r *rand.Rand, p simLinesOf) []acts.Act {
	p = p.more()
	return one(acts.VimBlock(p.text, p.from, p.to, 0, []string{"- ", "// ", "x"}[r.IntN(3)]))
}

// simCodeColumn types with a cursor at the beginning of each line.
func simCodeColumn(_ *simWorld, r *rand.Rand, p simLinesOf) []edits.Edit {
	p = p.more()
	typed := []string{"- ", "// ", "x"}[r.IntN(3)]
	return acts.CodeChange(p.text, p.from, p.to, func(row string) string { return typed + row })
}

// simCodeSnippet is a snippet with two placeholders, and what is typed into both.
func simCodeSnippet(w *simWorld, r *rand.Rand, p simLinesOf) []edits.Edit {
	at := w.endOf(p)
	put := " if (x) { x }"
	name := strings.TrimSpace(w.typed(r))
	last := at + strings.LastIndex(put, "x")
	first := at + strings.Index(put, "x")
	return []edits.Edit{{Start: at, End: at, New: put}, {Start: last, End: last + 1, New: name + "2"}, {Start: first, End: first + 1, New: "y"}}
}

func simVimSubstitute(_ *simWorld, r *rand.Rand, p simLinesOf) []acts.Act {
	what := [][2]string{{"x", "y"}, {" ", "_"}, {"e", "E"}, {"}", "];"}}[r.IntN(4)]
	if r.IntN(2) == 0 {
		p.from, p.to = 0, p.n
	}
	return one(acts.VimSubstitute(p.text, p.from, p.to, what[0], what[1]))
}

func simVimGlobal(_ *simWorld, r *rand.Rand, p simLinesOf) []acts.Act {
	return one(acts.VimGlobalDelete(p.text, []string{"x", "}", "end", "y"}[r.IntN(4)]))
}

// simFormatted is what a formatter makes of a line: no blanks behind it, and blanks for
// tabs.
func simFormatted(row string) string {
	return strings.ReplaceAll(strings.TrimRight(row, " \t"), "\t", "  ")
}

func simVimFormat(_ *simWorld, _ *rand.Rand, p simLinesOf) []acts.Act {
	return one(acts.VimChange(p.text, 0, p.n, func(rows []string) []string {
		for i := range rows {
			rows[i] = simFormatted(rows[i])
		}
		return rows
	}))
}

func simVimOpen(w *simWorld, r *rand.Rand, p simLinesOf) []acts.Act {
	return one(acts.VimOpen(p.text, p.from+1, strings.TrimSpace(w.typed(r))))
}

// simCodeMove is Alt+Up or Alt+Down.
func simCodeMove(_ *simWorld, r *rand.Rand, p simLinesOf) []edits.Edit {
	switch down := r.IntN(2) == 0; {
	case down && p.to < p.n, !down && p.from > 0:
		return acts.CodeMove(p.text, p.from, p.to, down)
	default:
		return nil
	}
}
