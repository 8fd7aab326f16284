package command

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/match"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/edits/place"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/chance"
)

// quotedLine is a line of a file or of an edit of it, and how a model sends it.
type quotedLine struct {
	kind  patch.LineKind // 0: it is not sent
	depth int            // in levels
	pad   string         // what stands below the levels: beside a dash, and in a string
	core  string
	data  bool // it is within a string, whose text has no levels

	is, sent string // the line in the file, and as it is sent
}

// quotedCase is an edit of a file that is misquoted in its blanks or by escapes.
type quotedCase struct {
	damage string
	lines  []quotedLine
	joined bool // sent as one line, by escapes
}

func (c quotedCase) side(of string, as func(quotedLine) string) (lines []string) {
	for _, l := range c.lines {
		if strings.IndexByte(of, byte(l.kind)) >= 0 {
			lines = append(lines, as(l))
		}
	}
	return lines
}

func isText(l quotedLine) string   { return l.is }
func sentText(l quotedLine) string { return l.sent }

func (c quotedCase) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, joined %v\n", c.damage, c.joined)
	for _, l := range c.lines {
		fmt.Fprintf(&b, "%c %-40q %q\n", cmp.Or(l.kind, patch.LineKind(46)), l.is, l.sent)
	}
	return b.String()
}

// TestQuotedRandom sends edits that are misquoted in the ways of models: in indentation, with strings, documents
// within the text, lists of YAML and flat blocks. What comes out is the edit that was meant, or an error. PATCHLS_SEED repeats a run, and PATCHLS_QUOTED_STEPS makes it longer.
func TestQuotedRandom(t *testing.T) {
	t.Parallel()
	seed, steps := chance.Seed(t), int(chance.Cases(t, "PATCHLS_QUOTED_STEPS", 4000))
	r := rand.New(rand.NewPCG(seed, 3))
	seen := map[string]int{}
	for n := range steps {
		c := randomQuoted(r)
		for _, command := range []string{"str_replace", "patch"} {
			got := c.judge(command)
			if seen[c.damage+": "+got]++; got == "wrong" {
				t.Fatalf("PATCHLS_SEED=%d, step %d, %s: wrong\n%s\nless of it:\n%s", seed, n, command, c, c.shrunk(command))
			}
		}
	}
	t.Logf("seed %d: %v", seed, seen)
}

// judge sends the edit and says what came of it.
func (c quotedCase) judge(command string) string {
	old, put := c.side(" -", sentText), c.side(" +", sentText)
	if slices.Equal(old, put) || match.AllBlank(old) {
		return "nothing"
	}
	src := edits.Source{Path: "a", Text: text.New(strings.Join(c.side("\x00 -", isText), "\n") + "\n")}
	if c.joined {
		old, put = []string{strings.Join(old, `\n`)}, []string{strings.Join(put, `\n`)}
	}
	there, sent := src.Text.String(), strings.Join(old, "\n")
	if command == "patch" {
		there, sent = "\n"+there, "\n"+sent+"\n"
	}
	if strings.Contains(there, sent) {
		return "as sent" // old stands exactly, and new is written as it was sent
	}
	var plan edits.Plan
	var err error
	if command == "str_replace" {
		plan, err = Replace{Old: strings.Join(old, "\n"), New: strings.Join(put, "\n"), Lenient: true}.Plan(src)
	} else {
		plan, err = place.Plan(patch.File{Path: "a", Hunks: []patch.Hunk{patch.ReplaceHunk(1, old, put)}}, src, place.Options{})
	}
	switch {
	case err != nil:
		return "refused"
	case plan.Edits.Apply(src.Text).String() == strings.Join(c.side("\x00 +", isText), "\n")+"\n":
		return "right"
	}
	return "wrong"
}

// shrunk is a smaller case with the same fault.
func (c quotedCase) shrunk(command string) quotedCase {
	for i := 0; i < len(c.lines); i++ {
		less := c
		less.lines = slices.Delete(slices.Clone(c.lines), i, i+1)
		if less.judge(command) == "wrong" {
			c, i = less, -1
		}
	}
	return c
}

// style is how a language lays out its text.
type style struct {
	unit   string
	opens  string // a block, with a number
	closes string // "" for none
	quotes [2]string
	list   bool // it has lists with dashes
}

var styles = []style{
	{"\t", "if q%d {", "}", [2]string{"s := `", "`"}, false},
	{"\t", "if q%d {", "}", [2]string{"f(`a", "b`)"}, false},
	{"    ", "if q%d:", "", [2]string{`s = """`, `"""`}, false},
	{"  ", "if q%d:", "", [2]string{`s = '''`, `'''`}, false},
	{"  ", "if q%d; then", "fi", [2]string{"cat <<EOF", "EOF"}, false},
	{"    ", "if q%d; then", "fi", [2]string{"awk '", "'"}, false},
	{"\t", "if q%d; then", "fi", [2]string{"cat > f << 'END'", "END"}, false},
	{"  ", "a%d:", "", [2]string{"", ""}, true},
	{"    ", "a%d:", "", [2]string{"", ""}, true},
}

// writer writes lines of a style; no two have the same words.
type writer struct {
	style
	*rand.Rand
	n int
}

func (w *writer) next(format string) string {
	w.n++
	return fmt.Sprintf(format, w.n)
}

// body returns some statements.
func (w *writer) body(depth, most int) (lines []quotedLine) {
	statement := func(depth int, pad string) quotedLine {
		core := w.next("x%d()")
		if w.list {
			core = w.next("k%d: v")
		}
		return quotedLine{depth: depth, pad: pad, core: core}
	}
	for range 1 + w.IntN(most) {
		switch w.IntN(6) {
		case 0, 1:
			if depth > 3 {
				continue
			}
			lines = append(lines, quotedLine{depth: depth, core: w.next(w.opens)})
			lines = append(lines, w.body(depth+1, most)...)
			if w.closes != "" {
				lines = append(lines, quotedLine{depth: depth, core: w.closes})
			}
		case 2:
			switch {
			case w.list:
				lines = append(lines, quotedLine{depth: depth, core: w.next("- r%d: v")})
				for range w.IntN(3) {
					lines = append(lines, statement(depth, "  "))
				}
				if w.IntN(3) == 0 {
					lines = append(lines, quotedLine{depth: depth, pad: "  ", core: w.next("e%d:")}, statement(depth+1, "  "))
				}
			default:
				lines = append(lines, quotedLine{depth: depth, core: w.quotes[0]})
				for range 1 + w.IntN(3) {
					pads := []string{"", "", "  ", "    ", "        ", "      ", "\t"}
					if w.unit != "\t" {
						pads = pads[:6] // nothing tells a tab there from blanks
					}
					lines = append(lines, quotedLine{data: true, pad: pads[w.IntN(len(pads))], core: w.next("d%d: v")})
				}
				lines = append(lines, quotedLine{data: true, core: w.quotes[1]})
			}
		default:
			lines = append(lines, statement(depth, ""))
		}
	}
	if len(lines) == 0 {
		lines = append(lines, statement(depth, ""))
	}
	return lines
}

// randomQuoted makes a file, an edit of it, and a way to misquote it.
func randomQuoted(r *rand.Rand) (c quotedCase) {
	w := &writer{styles[r.IntN(len(styles))], r, 0}
	lines := []quotedLine{{core: w.next("top%d")}}
	for range 1 + r.IntN(2) {
		lines = append(lines, quotedLine{core: w.next(w.opens)})
		lines = append(lines, w.body(1, 3)...)
		if w.closes != "" {
			lines = append(lines, quotedLine{core: w.closes})
		}
	}
	from := r.IntN(len(lines))
	to := min(len(lines), from+1+r.IntN(6))
	for lines[from].data { // a quote that begins within a string looks as if it did not
		from--
	}
	for to < len(lines) && lines[to].data {
		to++
	}
	for i := from; i < to; i++ {
		lines[i].kind = patch.KeptLine
	}
	for range 1 + r.IntN(2) {
		w.edit(&lines)
	}
	for i, l := range lines {
		lines[i].is = strings.Repeat(w.unit, l.depth) + l.pad + l.core
		lines[i].sent = lines[i].is
	}
	c.lines = lines
	damage := damages[r.IntN(len(damages))]
	c.damage = damage.name
	damage.to(w, c.lines)
	if damage.some && !slices.ContainsFunc(lines, func(l quotedLine) bool {
		return strings.IndexByte(" -", byte(l.kind)) >= 0 && !l.data && l.depth > 0 && l.sent == l.is
	}) {
		return randomQuoted(r) // nothing tells that the others are sent as they stand
	}
	return c
}

// edit adds lines before or after a line that is sent, or replaces one.
func (w *writer) edit(lines *[]quotedLine) {
	var sent []int
	for i, l := range *lines {
		if l.kind == patch.KeptLine {
			sent = append(sent, i)
		}
	}
	if len(sent) == 0 {
		return
	}
	i := sent[w.IntN(len(sent))]
	l := (*lines)[i]
	var put []quotedLine
	switch {
	case l.data:
		put = []quotedLine{{data: true, pad: l.pad, core: w.next("d%d: v")}}
	case l.pad != "":
		put = []quotedLine{{depth: l.depth, pad: l.pad, core: w.next("k%d: v")}}
	default:
		put = w.body(l.depth, 2)
	}
	for k := range put {
		put[k].kind = patch.AddedLine
	}
	opens := func(l quotedLine) bool {
		return strings.HasSuffix(l.core, ":") || strings.HasSuffix(l.core, "{") || strings.HasSuffix(l.core, "then") || l.core == w.quotes[0] || strings.HasPrefix(l.core, "- ")
	}
	closes := l.core == w.closes || l.core == w.quotes[1] && l.data
	switch {
	case w.IntN(3) == 0 && !opens(l) && !closes:
		(*lines)[i].kind = patch.DeletedLine
		fallthrough
	case w.IntN(2) == 0 && !opens(l) && !(l.data && closes):
		*lines = slices.Insert(*lines, i+1, put...)
	case !closes || l.data:
		*lines = slices.Insert(*lines, i, put...)
	}
}

// damages are the ways in which models misquote indentation, in what is old and new alike.
var damages = []struct {
	name string
	some bool // it is a fault of some lines, and the others are sent as they stand
	to   func(w *writer, lines []quotedLine)
}{
	{"another unit", false, func(w *writer, lines []quotedLine) {
		unit := []string{"  ", "    ", "\t"}[w.IntN(3)]
		resend(lines, func(_ int, l quotedLine) string { return strings.Repeat(unit, l.depth) + l.pad })
	}},
	{"another unit, without the outer indentation", false, func(w *writer, lines []quotedLine) {
		unit := []string{"  ", "    ", "\t"}[w.IntN(3)]
		base, deeper := leastDepth(lines), w.IntN(2)
		resend(lines, func(_ int, l quotedLine) string { return strings.Repeat(unit, max(0, l.depth-base+deeper)) + l.pad })
	}},
	{"blanks for tabs everywhere", false, func(_ *writer, lines []quotedLine) {
		resend(lines, func(_ int, l quotedLine) string { return strings.ReplaceAll(indentOf(l.is), "\t", "    ") })
	}},
	{"moved out", false, func(_ *writer, lines []quotedLine) {
		outer := strings.Repeat("\t", 99)
		for _, l := range lines {
			if l.kind != 0 && (outer == strings.Repeat("\t", 99) || !strings.HasPrefix(l.is, outer)) {
				outer = indentOf(l.is)
			}
		}
		for _, l := range lines {
			for l.kind != 0 && !strings.HasPrefix(l.is, outer) {
				outer = outer[1:]
			}
		}
		resend(lines, func(_ int, l quotedLine) string { return strings.TrimPrefix(indentOf(l.is), outer) })
	}},
	{"statements moved out", false, func(w *writer, lines []quotedLine) {
		base := leastDepth(lines)
		resend(lines, func(_ int, l quotedLine) string { return strings.Repeat(w.unit, max(0, l.depth-base)) + l.pad })
	}},
	{"moved in", false, func(w *writer, lines []quotedLine) {
		resend(lines, func(_ int, l quotedLine) string { return w.unit + indentOf(l.is) })
	}},
	{"statements moved in", false, func(w *writer, lines []quotedLine) {
		resend(lines, func(_ int, l quotedLine) string {
			if l.data {
				return l.pad
			}
			return w.unit + indentOf(l.is)
		})
	}},
	{"flat", false, func(w *writer, lines []quotedLine) {
		if w.list {
			return // it would be another text, and not only badly laid out
		}
		depth := leastDepth(lines) * w.IntN(2)
		resend(lines, func(_ int, l quotedLine) string { return strings.Repeat(w.unit, min(depth, l.depth)) + l.pad })
	}},
	{"first line", true, func(w *writer, lines []quotedLine) {
		for i, l := range lines {
			if l.kind != 0 && l.kind != patch.AddedLine {
				lines[i].sent = strings.Repeat(w.unit, w.IntN(l.depth+1)) + l.pad + l.core
				return
			}
		}
	}},
	{"a line", true, func(w *writer, lines []quotedLine) {
		for _, i := range w.Perm(len(lines)) {
			if l := lines[i]; l.kind == patch.KeptLine && !l.data {
				lines[i].sent = strings.Repeat(w.unit, max(0, l.depth+w.IntN(3)-1)) + l.pad + l.core
				return
			}
		}
	}},
	{"a block", true, func(w *writer, lines []quotedLine) {
		from := oldLine(w, lines)
		by := w.IntN(3) - 1
		for i := from; i < len(lines) && (lines[i].depth >= lines[from].depth || lines[i].data); i++ {
			l := lines[i]
			if l.data {
				continue
			}
			lines[i].sent = strings.Repeat(w.unit, max(0, l.depth+by)) + l.pad + l.core
		}
	}},
	{"a block, in another unit", false, func(w *writer, lines []quotedLine) {
		from := oldLine(w, lines)
		by := w.IntN(3) - 1
		unit := []string{"  ", "    ", "\t"}[w.IntN(3)]
		if !slices.ContainsFunc(lines[:from], func(l quotedLine) bool {
			return strings.IndexByte(" -", byte(l.kind)) >= 0 && !l.data && l.depth > 0
		}) {
			by = 0 // nothing tells that it is a fault of this block
		}
		resend(lines, func(i int, l quotedLine) string {
			depth := l.depth
			if i >= from && l.depth >= lines[from].depth && !l.data {
				depth = max(0, depth+by)
			} else if i >= from && !l.data {
				from = len(lines)
			}
			return strings.Repeat(unit, depth) + l.pad
		})
	}},
}

// oldLine returns an old line that is sent.
func oldLine(w *writer, lines []quotedLine) int {
	for _, i := range w.Perm(len(lines)) {
		if strings.IndexByte(" -", byte(lines[i].kind)) >= 0 {
			return i
		}
	}
	return 0
}

func indentOf(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " \t"))] }

// resend sets how lines are sent; data that f says nothing of is sent as it is.
func resend(lines []quotedLine, f func(i int, l quotedLine) string) {
	for i, l := range lines {
		lines[i].sent = f(i, l) + l.core
	}
}

// leastDepth is the depth of the least deep statement that is sent.
func leastDepth(lines []quotedLine) int {
	least := 1 << 10
	for _, l := range lines {
		if l.kind != 0 && !l.data {
			least = min(least, l.depth)
		}
	}
	if least == 1<<10 {
		return 0
	}
	return least
}
