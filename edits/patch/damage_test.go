package patch_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/internal/testkit/chance"
	"github.com/patchls/patchls/internal/testkit/gittest"
)

// TestDamagedPatches sends patches of a known change as they arrive: cut off, wrapped, quoted, with other line ends and marks
// around their names. Each makes the whole change or is refused. Blanks may differ, since some damage is about them.
func TestDamagedPatches(t *testing.T) {
	rng := chance.Rand(t)
	done := map[string]int{}
	for range 4000 {
		c := randomChange(rng)
		dialect := pick(rng, slices.Sorted(maps.Keys(dialects)))
		damage := pick(rng, slices.Sorted(maps.Keys(damages)))
		sent := damages[damage](rng, dialects[dialect](c))
		got, err := applied(c.before, sent)
		if err != nil {
			continue
		}
		if slices.Contains([]string{"says of another file", "coloured", "in an encoded mail", "in one line of a shell"}, damage) && sent != dialects[dialect](c) {
			t.Fatalf("%s is applied:\n%s", damage, sent)
		}
		if p, _ := patch.Parse(sent); strings.HasPrefix(damage, "cut") && strings.Contains(strings.Join(p.Notes, "\n"), "cut off") {
			continue // the answer says that a part of a line may be missing
		}
		if !maps.EqualFunc(got, c.after, alikeButForBlanks) {
			t.Fatalf("%s, %s:\n%s\nmakes %q\nof    %q,\nnot   %q", dialect, damage, sent, got, c.before, c.after)
		}
		done[damage]++
	}
	for _, name := range []string{"none", "fenced", "in a mail", "CRLF", "no tabs", "times after the name", "below another folder"} {
		if done[name] < 100 {
			t.Errorf("only %d patches were applied in spite of the damage %q", done[name], name)
		}
	}
	t.Logf("applied: %v", done)
}

func alikeButForBlanks(a, b string) bool {
	return slices.Equal(strings.Fields(a), strings.Fields(b)) && strings.Count(a, "\n") == strings.Count(b, "\n")
}

// meantChange replaces some lines of one file. Lines stay above and below them.
type meantChange struct {
	name                  string
	above, old, put, rest []string
	before, after         gittest.Tree
}

func randomChange(rng *rand.Rand) meantChange {
	n := 0
	lines := func(least, most int) (lines []string) {
		for range least + rng.IntN(most-least+1) {
			n++
			lines = append(lines, strings.Repeat("\t", rng.IntN(2))+fmt.Sprintf("word%d of the line", n+100*rng.IntN(9)+100))
		}
		return lines
	}
	c := meantChange{name: pick(rng, []string{"a.txt", "src/b.go"}), above: lines(2, 4), old: lines(1, 3), put: lines(1, 3), rest: lines(2, 4)}
	c.before = gittest.Tree{c.name: strings.Join(slices.Concat(c.above, c.old, c.rest, []string{""}), "\n")}
	c.after = gittest.Tree{c.name: strings.Join(slices.Concat(c.above, c.put, c.rest, []string{""}), "\n")}
	if c.name == "src/b.go" && rng.IntN(2) == 0 {
		c.before["b.go"] = c.before[c.name] // which the name without its folder would mean
		c.after["b.go"] = c.before[c.name]
	}
	return c
}

// signed returns the lines of the change as those of a hunk.
func (c meantChange) signed() string {
	var b strings.Builder
	for _, part := range []struct {
		sign  string
		lines []string
	}{{" ", c.above}, {"-", c.old}, {"+", c.put}, {" ", c.rest}} {
		for _, l := range part.lines {
			b.WriteString(part.sign + l + "\n")
		}
	}
	return b.String()
}

// dialects print a change.
var dialects = map[string]func(c meantChange) string{
	"context patch": func(c meantChange) string {
		return fmt.Sprintf("*** Begin Patch\n*** Update File: %s\n@@\n%s*** End Patch\n", c.name, c.signed())
	},
	"unified diff": func(c meantChange) string {
		around := len(c.above) + len(c.rest)
		return fmt.Sprintf("--- a/%s\n+++ b/%s\n@@ -1,%d +1,%d @@\n%s", c.name, c.name, around+len(c.old), around+len(c.put), c.signed())
	},
	"blocks": func(c meantChange) string {
		return fmt.Sprintf("%s\n<<<<<<< SEARCH\n%s\n=======\n%s\n>>>>>>> REPLACE\n", c.name, strings.Join(slices.Concat(c.above, c.old), "\n"), strings.Join(slices.Concat(c.above, c.put), "\n"))
	},
	"new file": func(c meantChange) string {
		delete(c.before, c.name)
		c.after[c.name] = strings.Join(append(slices.Clone(c.put), ""), "\n")
		return fmt.Sprintf("*** Begin Patch\n*** Add File: %s\n+%s\n*** End Patch\n", c.name, strings.Join(c.put, "\n+"))
	},
	"new file in a diff": func(c meantChange) string {
		delete(c.before, c.name)
		c.after[c.name] = strings.Join(append(slices.Clone(c.put), ""), "\n")
		return fmt.Sprintf("--- /dev/null\n+++ b/%s\n@@ -0,0 +1,%d @@\n+%s\n", c.name, len(c.put), strings.Join(c.put, "\n+"))
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
		end := len(sent)
		if strings.HasPrefix(sent, "--- /dev") {
			return sent // what is below a diff is prose
		}
		if middle := strings.Index(sent, "=======\n"); middle >= 0 {
			end = middle // a new line that is wrapped in a block is text
		}
		at := rng.IntN(end)
		return sent[:at] + strings.Replace(sent[at:end], " of ", "\nof ", 1) + sent[end:]
	},
	"indented": func(rng *rand.Rand, sent string) string {
		indent := strings.Repeat(" ", 1+rng.IntN(4))
		return indent + strings.ReplaceAll(strings.TrimSuffix(sent, "\n"), "\n", "\n"+indent) + "\n"
	},
	"quoted":  func(_ *rand.Rand, sent string) string { return "> " + strings.ReplaceAll(sent, "\n", "\n> ") },
	"CRLF":    func(_ *rand.Rand, sent string) string { return strings.ReplaceAll(sent, "\n", "\r\n") },
	"no tabs": func(_ *rand.Rand, sent string) string { return strings.ReplaceAll(sent, "\t", "    ") },
	"fenced":  func(_ *rand.Rand, sent string) string { return "Here it is:\n```\n" + sent + "```\nDone.\n" },
	"in a mail": func(_ *rand.Rand, sent string) string {
		return "From: a\nSubject: [PATCH] change\n\nWhy.\n---\n a.txt | 2 +-\n\n" + sent + "-- \n2.39.5\n"
	},
	"marks around the name": func(rng *rand.Rand, sent string) string {
		for _, name := range []string{"a.txt", "src/b.go"} {
			sent = strings.ReplaceAll(sent, "File: "+name, "File: "+strings.ReplaceAll(pick(rng, []string{"`x`", `"x"`, "x ***", "x (new)", "x:", "**x**"}), "x", name))
		}
		return sent
	},
	"times after the name": func(_ *rand.Rand, sent string) string {
		for _, name := range []string{"a.txt", "src/b.go"} {
			sent = strings.ReplaceAll(sent, "/"+name+"\n", "/"+name+" 2024-05-01 10:00:00 +0200\n")
		}
		return sent
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
	"in one line of a shell": func(_ *rand.Rand, sent string) string { return strings.ReplaceAll(sent, "\n", "`n") + "\n" },
	"below another folder": func(rng *rand.Rand, sent string) string {
		if strings.Contains(sent, "Add File") || strings.Contains(sent, "/dev/null") {
			return sent // a new file may be meant to be there
		}
		for _, name := range []string{"a.txt", "src/b.go"} {
			old, put := "project/", "project/"
			if rng.IntN(2) == 0 {
				old, put = "x-1.0/", "x-1.1/"
			}
			sent = strings.NewReplacer("a/"+name, old+name, "b/"+name, put+name, "File: "+name, "File: "+put+name, name+"\n<<<", put+name+"\n<<<").Replace(sent)
		}
		return sent
	},
	"syntax among the new lines": func(rng *rand.Rand, sent string) string {
		return strings.Replace(sent, "=======\n", "=======\n"+pick(rng, []string{":start_line:1", "@@ -1 +1 @@", "*** End of File", "@@"})+"\n", 1)
	},
}
