package patch_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/internal/lists"
	"github.com/patchls/patchls/internal/testkit/chance"
	"github.com/patchls/patchls/internal/testkit/gittest"
)

// TestDamagedPatches sends patches of a known change as they arrive: cut off, wrapped, quoted, with other line ends and marks
// around their names. Each makes the whole change or is refused. Blanks may differ, since some damage is about them.
// PATCHLS_DAMAGED is how many are sent.
func TestDamagedPatches(t *testing.T) {
	first, only := chance.First(t)
	n := chance.Cases(t, "PATCHLS_DAMAGED", 100_000)
	if only {
		n = 1
	}
	done := map[string]int{}
	for seed := first; seed < first+n; seed++ {
		rng := rand.New(rand.NewPCG(seed, 0))
		c := randomChange(rng)
		dialect := pick(rng, slices.Sorted(maps.Keys(dialects)))
		c.inBlocks = dialect == "blocks"
		switch {
		case strings.HasSuffix(dialect, "bare hunks"): // which are of one file
			c.parts = []meantPart{{name: "c.py", above: c.parts[0].above, old: c.parts[0].old, put: c.parts[0].put, rest: c.parts[0].rest}}
		case dialect == "diff of git" && rng.IntN(4) == 0:
			c.meetsItself(rng)
		}
		sent := dialects[dialect](c)
		damage := pick(rng, slices.Sorted(maps.Keys(damages)))
		whole, sent := sent, damages[damage](rng, sent)
		got, err := applied(c.before(), c.path, sent)
		if err != nil {
			continue
		}
		if slices.Contains(refusedDamages, damage) && sent != whole {
			t.Fatalf("PATCHLS_SEED=%d: %s is applied:\n%s", seed, damage, sent)
		}
		if p, _ := patch.Parse(sent); strings.HasPrefix(damage, "cut") && strings.Contains(strings.Join(p.Notes, "\n"), "cut off") {
			continue // the answer says that a part of a line may be missing
		}
		least := len(c.parts)
		if strings.HasPrefix(damage, "cut") && dialect != "context patch" {
			least = 1 // nothing in a diff and in blocks says that another file follows
			if dialect == "bare hunks" || dialect == "diff without counts" {
				continue // nor in hunks without counts that another line does
			}
		}
		if !slices.ContainsFunc(c.afters()[least:], func(want gittest.Tree) bool { return maps.EqualFunc(got, want, alikeButForBlanks) }) {
			t.Fatalf("PATCHLS_SEED=%d, %s, %s:\n%s\nmakes %q\nof    %q,\nnot   %q", seed, dialect, damage, sent, got, c.before(), c.afters()[len(c.parts)])
		}
		done[damage]++
	}
	for _, name := range []string{"none", "in one line of JSON", "fenced", "fenced in a list", "in a mail", "CRLF", "no tabs", "times after the name", "below another folder", "marks around the name"} {
		if done[name] < int(n/100) && !only {
			t.Errorf("only %d of %d patches were applied in spite of the damage %q", done[name], n, name)
		}
	}
	t.Logf("applied: %v", done)
}

func alikeButForBlanks(a, b string) bool {
	return slices.Equal(strings.Fields(a), strings.Fields(b)) && strings.Count(a, "\n") == strings.Count(b, "\n")
}

// meantChange is a change of a few files.
type meantChange struct {
	parts    []meantPart
	others   gittest.Tree // which the patch does not name
	inBlocks bool         // it is sent as blocks, which neither delete nor move
	circle   bool         // its two files exchange names
	path     string       // the argument of that name, for a patch that names no file
}

// meantPart replaces some lines of one file. Lines stay above and below them.
type meantPart struct {
	patch.Op
	name, to              string // to is the new name, "" if it stays
	above, old, put, rest []string
	copies                bool // to is a copy of name
}

func randomChange(rng *rand.Rand) *meantChange {
	n := 0
	lines := func(least, most int) (lines []string) {
		for range least + rng.IntN(most-least+1) {
			n++
			lines = append(lines, strings.Repeat("\t", rng.IntN(2))+fmt.Sprintf("word%d of %s line", n+100*rng.IntN(9)+100, pick(rng, []string{"the", "the", `"the"`, "thé", "the\\n", "the 😀"})))
		}
		return lines
	}
	c := &meantChange{others: gittest.Tree{}}
	names := []string{"a.txt", "src/b.go", "c.py", "docs/d.md"}
	rng.Shuffle(len(names), func(i, k int) { names[i], names[k] = names[k], names[i] })
	for _, name := range names[:1+rng.IntN(3)] {
		p := meantPart{name: name, Op: pick(rng, []patch.Op{patch.UpdateFile, patch.UpdateFile, patch.AddFile, patch.DeleteFile}), above: lines(2, 4), old: lines(1, 3), put: lines(1, 3), rest: lines(2, 4)}
		if p.Op == patch.UpdateFile && rng.IntN(4) == 0 {
			p.to = "moved/" + path.Base(name)
		}
		c.parts = append(c.parts, p)
		if name == "src/b.go" && rng.IntN(2) == 0 {
			c.others["b.go"] = p.text(p.old) // which the name without its folder would mean
		}
	}
	return c
}

// meetsItself has two files exchange names, or one be copied.
func (c *meantChange) meetsItself(rng *rand.Rand) {
	p, q := c.parts[0], randomChange(rng).parts[0]
	p.Op, p.name, p.to, c.others = patch.UpdateFile, "a.txt", "c.py", gittest.Tree{}
	q.Op, q.name, q.to = patch.UpdateFile, "c.py", "a.txt"
	if c.circle = rng.IntN(2) == 0; !c.circle {
		q = p
		p.to, q.copies = "", true
	}
	c.parts = []meantPart{p, q}
}

// text returns the text of the file with lines in the middle.
func (p meantPart) text(middle []string) string {
	return strings.Join(slices.Concat(p.above, middle, p.rest, []string{""}), "\n")
}

func (c *meantChange) before() gittest.Tree { return c.afters()[0] }

// afters returns the tree as each of the parts finds it, and as the last one leaves it.
func (c *meantChange) afters() (all []gittest.Tree) {
	tree := maps.Clone(c.others)
	for _, p := range c.parts {
		if p.Op != patch.AddFile {
			tree[p.name] = p.text(p.old)
		}
	}
	all = append(all, maps.Clone(tree))
	for _, p := range c.parts {
		switch {
		case p.Op == patch.UpdateFile && p.to != "" && !c.inBlocks:
			if !p.copies && (!c.circle || len(all) == 1) {
				delete(tree, p.name)
			}
			tree[p.to] = p.text(p.put)
		case p.Op == patch.UpdateFile, p.Op == patch.DeleteFile && c.inBlocks:
			tree[p.name] = p.text(p.put)
		case p.Op == patch.AddFile:
			tree[p.name] = p.text(p.put)
		default:
			delete(tree, p.name)
		}
		all = append(all, maps.Clone(tree))
	}
	return all
}

// signed returns the lines of the part as those of a hunk.
func (p meantPart) signed() string {
	above, rest := " ", " "
	switch p.Op {
	case patch.AddFile:
		above, rest, p.old = "+", "+", nil
	case patch.DeleteFile:
		above, rest, p.put = "-", "-", nil
	}
	var b strings.Builder
	for _, part := range []struct {
		sign  string
		lines []string
	}{{above, p.above}, {"-", p.old}, {"+", p.put}, {rest, p.rest}} {
		for _, l := range part.lines {
			b.WriteString(part.sign + l + "\n")
		}
	}
	return b.String()
}

// diff returns the part of a unified diff, below what git writes above the names.
func (p meantPart) diff() string {
	around := len(p.above) + len(p.rest)
	switch {
	case p.Op == patch.AddFile:
		return fmt.Sprintf("--- /dev/null\n+++ b/%s\n@@ -0,0 +1,%d @@\n%s", p.name, around+len(p.put), p.signed())
	case p.Op == patch.DeleteFile:
		return fmt.Sprintf("--- a/%s\n+++ /dev/null\n@@ -1,%d +0,0 @@\n%s", p.name, around+len(p.old), p.signed())
	case p.to != "":
		what := "rename"
		if p.copies {
			what = "copy"
		}
		return fmt.Sprintf("%[6]s from %[1]s\n%[6]s to %[2]s\n--- a/%[1]s\n+++ b/%[2]s\n@@ -1,%[3]d +1,%[4]d @@\n%[5]s", p.name, p.to, around+len(p.old), around+len(p.put), p.signed(), what)
	}
	return fmt.Sprintf("--- a/%s\n+++ b/%[1]s\n@@ -1,%d +1,%d @@\n%s", p.name, around+len(p.old), around+len(p.put), p.signed())
}

// contextDiff returns the part of a context diff, as diff -c writes it.
func (p meantPart) contextDiff() string {
	signed := func(sign string, lines []string) (s string) {
		for _, l := range lines {
			s += sign + l + "\n"
		}
		return s
	}
	around := len(p.above) + len(p.rest)
	switch p.Op {
	case patch.AddFile:
		return fmt.Sprintf("*** /dev/null\n--- b/%s\n***************\n*** 0 ****\n--- 1,%d ----\n%s", p.name, around+len(p.put), signed("+ ", slices.Concat(p.above, p.put, p.rest)))
	case patch.DeleteFile:
		return fmt.Sprintf("*** a/%s\n--- /dev/null\n***************\n*** 1,%d ****\n%s--- 0 ----\n", p.name, around+len(p.old), signed("- ", slices.Concat(p.above, p.old, p.rest)))
	}
	above, rest := signed("  ", p.above), signed("  ", p.rest)
	return fmt.Sprintf("*** a/%s\n--- b/%[1]s\n***************\n*** 1,%d ****\n%s--- 1,%d ----\n%s", p.name,
		around+len(p.old), above+signed("! ", p.old)+rest, around+len(p.put), above+signed("! ", p.put)+rest)
}

func unifiedDiff(c *meantChange) string {
	var b strings.Builder
	for i, p := range c.parts {
		if p.to != "" {
			c.parts[i].to, p.to = "", "" // only git renames
		}
		b.WriteString(p.diff())
	}
	return b.String()
}

// dialects print a change.
var dialects = map[string]func(c *meantChange) string{
	"context patch": func(c *meantChange) string {
		var b strings.Builder
		b.WriteString("*** Begin Patch\n")
		for _, p := range c.parts {
			switch {
			case p.Op == patch.AddFile:
				b.WriteString("*** Add File: " + p.name + "\n" + p.signed())
			case p.Op == patch.DeleteFile:
				b.WriteString("*** Delete File: " + p.name + "\n")
			case p.to != "":
				b.WriteString("*** Update File: " + p.name + "\n*** Move to: " + p.to + "\n@@\n" + p.signed())
			default:
				b.WriteString("*** Update File: " + p.name + "\n@@\n" + p.signed())
			}
		}
		return b.String() + "*** End Patch\n"
	},
	"unified diff": unifiedDiff,
	"context diff": func(c *meantChange) string {
		var b strings.Builder
		for i, p := range c.parts {
			if p.to != "" {
				c.parts[i].to, p.to = "", ""
			}
			b.WriteString(p.contextDiff())
		}
		return b.String()
	},
	"diff of git": func(c *meantChange) string {
		var b strings.Builder
		for _, p := range c.parts {
			to := p.name
			if p.to != "" {
				to = p.to
			}
			b.WriteString("diff --git a/" + p.name + " b/" + to + "\n")
			switch {
			case p.Op == patch.AddFile:
				b.WriteString("new file mode 100644\n")
			case p.Op == patch.DeleteFile:
				b.WriteString("deleted file mode 100644\n")
			case p.to != "":
				b.WriteString("similarity index 80%\n")
			}
			b.WriteString(p.diff())
		}
		return b.String()
	},
	"diff of two trees": func(c *meantChange) string { // as diff -ruN prints it
		const never, now = "\t1970-01-01 00:00:00.000000000 +0000", "\t2024-05-01 10:00:00.000000000 +0200"
		var b strings.Builder
		for i, p := range c.parts {
			if p.to != "" {
				c.parts[i].to, p.to = "", ""
			}
			old, put := now, now
			switch p.Op {
			case patch.AddFile:
				old = never
			case patch.DeleteFile:
				put = never
			}
			below := strings.SplitN(p.diff(), "\n", 3)[2]
			fmt.Fprintf(&b, "diff -ruN old/%[1]s new/%[1]s\n--- old/%[1]s%[2]s\n+++ new/%[1]s%[3]s\n%[4]s", p.name, old, put, below)
		}
		return b.String()
	},
	"diff of Subversion": func(c *meantChange) string {
		var b strings.Builder
		for i, p := range c.parts {
			if p.to != "" {
				c.parts[i].to, p.to = "", ""
			}
			old, put := "\t(revision 7)", "\t(working copy)"
			switch p.Op {
			case patch.AddFile:
				old = "\t(nonexistent)"
			case patch.DeleteFile:
				put = "\t(nonexistent)"
			}
			below := strings.SplitN(p.diff(), "\n", 3)[2]
			fmt.Fprintf(&b, "Index: %[1]s\n%[5]s\n--- %[1]s%[2]s\n+++ %[1]s%[3]s\n%[4]s", p.name, old, put, below, strings.Repeat("=", 67))
		}
		return b.String()
	},
	"diff without counts": func(c *meantChange) string {
		return hunkHeader.ReplaceAllString(unifiedDiff(c), "@@")
	},
	"bare hunks": func(c *meantChange) string {
		c.path = c.parts[0].name
		return "@@\n" + c.parts[0].signed()
	},
	"counted bare hunks": func(c *meantChange) string {
		c.path = c.parts[0].name
		return strings.SplitN(c.parts[0].diff(), "\n", 3)[2]
	},
	"blocks": func(c *meantChange) string {
		var b strings.Builder
		for _, p := range c.parts {
			search := strings.Join(slices.Concat(p.above, p.old, []string{""}), "\n")
			put := strings.Join(slices.Concat(p.above, p.put), "\n")
			if p.Op == patch.AddFile {
				search, put = "", strings.TrimSuffix(p.text(p.put), "\n")
			}
			b.WriteString(p.name + "\n<<<<<<< SEARCH\n" + search + "=======\n" + put + "\n>>>>>>> REPLACE\n")
		}
		return b.String()
	},
}

// damages are what happens to patches on their way.
var damages = map[string]func(rng *rand.Rand, sent string) string{
	"none": func(_ *rand.Rand, sent string) string { return sent },
	"cut at a line": func(rng *rand.Rand, sent string) string {
		lines := strings.SplitAfter(sent, "\n")
		return strings.Join(lines[:rng.IntN(len(lines))], "")
	},
	"cut": func(rng *rand.Rand, sent string) string {
		at := strings.LastIndex(strings.TrimSuffix(sent, "\n"), "\n") // within the last line is another cut than elsewhere
		return sent[:pick(rng, []int{rng.IntN(at + 1), at + rng.IntN(len(sent)-at)})]
	},
	"wrapped": func(rng *rand.Rand, sent string) string {
		if newFile.MatchString(sent) {
			return sent // what is below a diff is prose, and a new line that is wrapped in a block is text
		}
		end := len(sent)
		if middle := strings.Index(sent, "\n=======\n"); middle >= 0 {
			end = middle
		}
		at := rng.IntN(end)
		return sent[:at] + strings.Replace(sent[at:end], " of ", "\nof ", 1) + sent[end:]
	},
	"indented":     func(rng *rand.Rand, sent string) string { return indented(sent, strings.Repeat(" ", 1+rng.IntN(4))) },
	"quoted":       func(_ *rand.Rand, sent string) string { return indented(sent, "> ") },
	"quoted twice": func(_ *rand.Rand, sent string) string { return indented(sent, ">> ") },
	"CRLF":         func(_ *rand.Rand, sent string) string { return strings.ReplaceAll(sent, "\n", "\r\n") },
	"CRLF in part": func(rng *rand.Rand, sent string) string {
		at := rng.IntN(len(sent))
		return sent[:at] + strings.ReplaceAll(sent[at:], "\n", "\r\n")
	},
	"no tabs": func(_ *rand.Rand, sent string) string { return strings.ReplaceAll(sent, "\t", "    ") },
	"blanks at line ends": func(rng *rand.Rand, sent string) string {
		return strings.ReplaceAll(sent, "line\n", "line"+pick(rng, []string{" ", "  ", "\t"})+"\n")
	},
	"fenced": func(_ *rand.Rand, sent string) string { return "Here it is:\n```\n" + sent + "```\nDone.\n" },
	"fenced in a list": func(rng *rand.Rand, sent string) string {
		return "1. Here it is:\n\n" + indented("```\n"+sent+"```\n", strings.Repeat(" ", 2+rng.IntN(3))) + "\nDone.\n"
	},
	"in a mail": func(_ *rand.Rand, sent string) string {
		return "From: a\nSubject: [PATCH] change\n\nWhy.\n---\n a.txt | 2 +-\n\n" + sent + "-- \n2.39.5\n"
	},
	"in a here-document": func(rng *rand.Rand, sent string) string {
		return pick(rng, []string{"apply_patch <<'EOF'\n", "git apply - <<EOF\n"}) + sent + "EOF\n"
	},
	"prose above the blocks": func(rng *rand.Rand, sent string) string {
		prose := pick(rng, []string{"\nReplace this:\n", "\nThe change:\n\n", "<diff>\n"})
		return strings.ReplaceAll(sent, "<<<<<<< SEARCH\n", prose+"<<<<<<< SEARCH\n")
	},
	"in another folder": func(rng *rand.Rand, sent string) string {
		return pick(rng, []string{"echo x; cd src && apply_patch <<EOF\n", "(cd src && apply_patch <<EOF\n", "cd src\napply_patch <<EOF\n", "git -C src apply <<EOF\n", "cd src; cat <<EOF | patch -p1\n"}) + sent + "EOF\n"
	},
	"marks around the name": func(rng *rand.Rand, sent string) string {
		mark := pick(rng, []string{"`x`", `"x"`, "x ***", "x (new)", "x:", "**x**", "'x'", "<x>", "x,", "<path>x</path>", "x # new", "x (NEW FILE)", "1. x", "x;"})
		return eachName.ReplaceAllStringFunc(sent, func(l string) string {
			m := eachName.FindStringSubmatch(l)
			return m[1] + strings.ReplaceAll(mark, "x", m[2]) + "\n"
		})
	},
	"times after the name": func(rng *rand.Rand, sent string) string {
		time := pick(rng, []string{" 2024-05-01 10:00:00 +0200", " Wed May  1 10:00:00 2024", " (revision 12)", "\t(working copy)", "\t2024-05-01 10:00:00.000000000 +0200",
			" Wed May 01 10:00:00 2024 +0200", " 1 May 2024 10:00:00 -0000 1.12"})
		return diffName.ReplaceAllString(sent, "${0}"+time)
	},
	"says of another file": func(rng *rand.Rand, sent string) string {
		if !strings.HasPrefix(sent, "--- a/") {
			return sent
		}
		name := strings.TrimPrefix(strings.Split(sent, "\n")[0], "--- ")
		git := "diff --git " + name + " b" + name[1:] + "\n"
		return pick(rng, []string{
			"diff --git a/x b/x\n", git + "index 1234567..89abcde 120000\n", git + "index 1234567..89abcde 160000\n", git + "old mode 100644\nnew mode 120000\n",
			git + "new file mode 100644\ndeleted file mode 100644\n", git + "new file mode 100644\nrename from x\nrename to y\n",
		}) + sent
	},
	"coloured": func(_ *rand.Rand, sent string) string {
		return "\x1b[1m" + strings.ReplaceAll(strings.TrimSuffix(sent, "\n"), "\n", "\x1b[m\n\x1b[32m") + "\x1b[m\n"
	},
	"in an encoded mail": func(_ *rand.Rand, sent string) string {
		return "Subject: x\nContent-Transfer-Encoding: quoted-printable\n\n" + strings.ReplaceAll(sent, "word1", "word=\n1")
	},
	"in an encoded mail without its head": func(_ *rand.Rand, sent string) string {
		return amongNew(sent, func(lines []string) []string {
			return lists.Map(lines, func(l string) string { return strings.Replace(l, " of ", " =3D ", 1) })
		})
	},
	"in one line of JSON": func(rng *rand.Rand, sent string) string {
		line := strconv.QuoteToASCII(sent)
		for _, m := range wideEscape.FindAllString(line, -1) {
			n, _ := strconv.ParseUint(m[2:], 16, 32)
			high, low := utf16.EncodeRune(rune(n))
			line = strings.ReplaceAll(line, m, fmt.Sprintf(`\u%04x\u%04x`, high, low))
		}
		return pick(rng, []string{"", "apply_patch ", `{"input": `}) + line
	},
	"in the quotes of a shell": func(_ *rand.Rand, sent string) string {
		return `apply_patch "` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(sent) + "\"\n"
	},
	"the last new line without its sign": func(_ *rand.Rand, sent string) string {
		at := strings.LastIndex(sent, "\n+word")
		if at < 0 || !strings.Contains(sent, "@@ -") {
			return sent
		}
		return sent[:at+1] + sent[at+2:]
	},
	"numbers before the lines of a new file": func(_ *rand.Rand, sent string) string {
		head, rest, ok := strings.Cut(sent, "*** Add File: ")
		if !ok {
			return sent
		}
		return head + "*** Add File: " + amongNew(rest, func(lines []string) []string {
			for i := range lines {
				lines[i] = fmt.Sprintf("%6d\t%s", i+1, lines[i])
			}
			return lines
		})
	},
	"another one below": func(rng *rand.Rand, sent string) string {
		other := "--- a/src/b.go\n+++ b/src/b.go\n@@ -1 +1 @@\n-a\n+b\n"
		return sent + pick(rng, []string{"\nAnd:\n\n" + indented(other, "    "), "\n" + indented(other, "> "), "\n1c1\n< a\n---\n> b\n"})
	},
	"in one line of a shell": func(_ *rand.Rand, sent string) string { return strings.ReplaceAll(sent, "\n", "`n") + "\n" },
	"below another folder": func(rng *rand.Rand, sent string) string {
		if strings.Contains(sent, "Add File") || strings.Contains(sent, "Delete File") || strings.Contains(sent, "/dev/null") || strings.Contains(sent, "diff --git") ||
			strings.Contains(sent, "SEARCH\n=======") || strings.Contains(sent, "Move to") {
			return sent // a new file may be meant to be there
		}
		old, put := "project/", "project/"
		if rng.IntN(2) == 0 {
			old, put = "x-1.0/", "x-1.1/"
		}
		sent = strings.NewReplacer("--- a/", "--- "+old, "+++ b/", "+++ "+put).Replace(sent)
		return contextName.ReplaceAllString(sent, "${1}"+put+"${2}")
	},
	"syntax among the new lines": func(rng *rand.Rand, sent string) string {
		l := pick(rng, []string{":start_line:1", "@@ -1 +1 @@", "@@ func f() {", "*** End of File", "@@", "<<<<<<< HEAD", ">>>>>>> theirs", "*** End Patch", "diff --git a/x b/x", `\ No newline at end of file`, "+++ b/x"})
		if strings.HasPrefix(l, ">>>>>>> ") && strings.Contains(sent, "\n=======\n") {
			return sent // what is below is no block
		}
		return amongNew(sent, func(lines []string) []string { return slices.Insert(lines, rng.IntN(len(lines)+1), l) })
	},
	"fence around the new lines": func(_ *rand.Rand, sent string) string {
		if strings.Contains(sent, ".txt") || strings.Contains(sent, ".md") {
			return sent // where it is text
		}
		return amongNew(sent, func(lines []string) []string { return slices.Concat([]string{"```go"}, lines, []string{"```"}) })
	},
	"signs before the new lines": func(_ *rand.Rand, sent string) string {
		return amongNew(sent, func(lines []string) []string {
			for i := range lines {
				lines[i] = "+" + lines[i]
			}
			return lines
		})
	},
}

// refusedDamages are the damages that must have a patch refused.
var refusedDamages = []string{"says of another file", "coloured", "in an encoded mail", "in one line of a shell", "in another folder", "another one below", "quoted", "quoted twice"}

var (
	newFile     = regexp.MustCompile(`(?m)^((---|\*\*\*) (/dev|.*\t1970-|.*\(nonexistent)|<{7} SEARCH\n=======)`)
	wideEscape  = regexp.MustCompile(`\\U[0-9a-f]{8}`)
	hunkHeader  = regexp.MustCompile(`(?m)^@@ .* @@$`)
	diffName    = regexp.MustCompile(`(?m)^(?:-{3}|\+{3}|\*{3}) [ab]/\S+`)
	contextName = regexp.MustCompile(`(?m)^((?:\*{3} Update File: )?)([\w/]+\.(?:txt|go|py|md))$`)
	eachName    = regexp.MustCompile(`(?m)^((?:\*\*\* (?:Add File|Update File|Delete File|Move to): |(?:---|\+\+\+|\*{3}) [ab]/)?)([\w/]+\.(?:txt|go|py|md))\n`)
	newLines    = regexp.MustCompile(`(?m)(^\+word.*\n|^\+\tword.*\n)+`)
)

func indented(sent, by string) string {
	return by + strings.ReplaceAll(strings.TrimSuffix(sent, "\n"), "\n", "\n"+by) + "\n"
}

// amongNew returns a patch with others of its first new lines.
func amongNew(sent string, change func(lines []string) []string) string {
	split := func(s string) []string { return strings.Split(strings.TrimSuffix(s, "\n"), "\n") }
	if head, rest, ok := strings.Cut(sent, "\n=======\n"); ok {
		put, tail, _ := strings.Cut(rest, ">>>>>>> REPLACE\n")
		return head + "\n=======\n" + strings.Join(change(split(put)), "\n") + "\n>>>>>>> REPLACE\n" + tail
	}
	at := newLines.FindStringIndex(sent)
	if at == nil {
		return sent
	}
	lines := split(sent[at[0]:at[1]])
	for i := range lines {
		lines[i] = lines[i][1:]
	}
	return sent[:at[0]] + indented(strings.Join(change(lines), "\n"), "+") + sent[at[1]:]
}
