package command

import (
	"cmp"
	"encoding/json"
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

// escapedLine is a line of a file or of an edit of it, and how a model sends it.
type escapedLine struct {
	kind     patch.LineKind // 0: it is not sent
	is, sent string
}

// escapedCase is an edit of a file that was escaped once too often.
type escapedCase struct {
	damage string
	lines  []escapedLine
	joined bool // sent as one line, by escapes
}

func (c escapedCase) side(of string, as func(escapedLine) string) (lines []string) {
	for _, l := range c.lines {
		if strings.IndexByte(of, byte(l.kind)) >= 0 {
			lines = append(lines, as(l))
		}
	}
	return lines
}

func isText(l escapedLine) string   { return l.is }
func sentText(l escapedLine) string { return l.sent }

func (c escapedCase) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, joined %v\n", c.damage, c.joined)
	for _, l := range c.lines {
		fmt.Fprintf(&b, "%c %-40q %q\n", cmp.Or(l.kind, patch.LineKind(46)), l.is, l.sent)
	}
	return b.String()
}

// TestEscapedRandom sends edits that were escaped once too often, as a whole or in part. What comes out is the edit that was
// meant, or an error. PATCHLS_SEED repeats a run, and PATCHLS_ESCAPED_STEPS makes it longer.
func TestEscapedRandom(t *testing.T) {
	t.Parallel()
	seed, steps := chance.Seed(t), int(chance.Cases(t, "PATCHLS_ESCAPED_STEPS", 2000))
	r := rand.New(rand.NewPCG(seed, 3))
	seen := map[string]int{}
	for n := range steps {
		c := randomEscaped(r)
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
func (c escapedCase) judge(command string) string {
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
func (c escapedCase) shrunk(command string) escapedCase {
	for i := 0; i < len(c.lines); i++ {
		less := c
		less.lines = slices.Delete(slices.Clone(c.lines), i, i+1)
		if less.judge(command) == "wrong" {
			c, i = less, -1
		}
	}
	return c
}

// randomEscaped makes an edit that was escaped once too often: as JSON escapes a text, or only a part of what JSON escapes.
func randomEscaped(r *rand.Rand) (c escapedCase) {
	n := 0
	word := func() string {
		words := []string{"w%d", "f(\"s%d\")", "f('s%d')", "C:\\new\\t%d", "sed s/x%d/\\n/", "\\textbf{%d}", "p(\"%d\\n\")", "r'\\d%d'", "a%d\tb", "\\\\host%d", "\\u%04d", "q('%d\\n')", "`%d\\n`", "echo \"a%d\\tb\""}
		if n++; r.IntN(3) > 0 {
			return fmt.Sprintf("w%d", n)
		}
		return fmt.Sprintf(words[r.IntN(len(words))], n)
	}
	for range 2 + r.IntN(6) {
		l := escapedLine{is: []string{"", "", "\t", "    "}[r.IntN(4)] + word()}
		c.lines = append(c.lines, l)
	}
	from := r.IntN(len(c.lines))
	for i := from; i < min(len(c.lines), from+1+r.IntN(3)); i++ {
		c.lines[i].kind = patch.KeptLine
	}
	for range 1 + r.IntN(2) {
		l := escapedLine{kind: patch.AddedLine, is: []string{"", "", "\t", "    "}[r.IntN(4)] + word()}
		if r.IntN(2) == 0 {
			c.lines[from].kind = patch.DeletedLine
		}
		c.lines = slices.Insert(c.lines, from+1, l)
	}
	asJSON := func(s string) string {
		b, _ := json.Marshal(s)
		return strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(b[1 : len(b)-1]))
	}
	part := strings.NewReplacer("\t", `\t`).Replace
	quotes := strings.NewReplacer(`"`, `\"`).Replace
	all := []struct {
		name   string
		f      func(string) string
		joined bool
	}{
		{"all escaped", asJSON, true},
		{"all but line ends escaped", asJSON, false},
		{"line ends and tabs escaped", part, true},
		{"line ends, tabs and quotes escaped", func(s string) string { return quotes(part(s)) }, true},
		{"quotes escaped", quotes, false},
		{"nothing escaped", func(s string) string { return s }, false},
	}
	how := all[r.IntN(len(all))]
	added := strings.Join(c.side("+", isText), "\n")
	for (strings.Contains(added, `\\`) || strings.Contains(added, `\text`)) && !strings.HasPrefix(how.name, "all") {
		how = all[r.IntN(len(all))] // nothing tells two backslashes from one that is escaped, and a tab from the start of a word
	}
	c.damage, c.joined = how.name, how.joined
	for i, l := range c.lines {
		c.lines[i].sent = how.f(l.is)
	}
	return c
}
