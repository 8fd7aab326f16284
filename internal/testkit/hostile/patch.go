package hostile

import (
	"fmt"
	"strings"
)

// Patch draws a patch in one of the dialects, for files with those names and lines, and
// corrupts it up to three times.
func Patch(d *Dice, paths, lines []string) string {
	p := patcher{d, paths, lines}
	var b strings.Builder
	switch d.Int(5) {
	case 0:
		b.WriteString("*** Begin Patch\n")
		for range 1 + d.Int(3) {
			p.codexFile(&b)
		}
		b.WriteString("*** End Patch\n")
	case 1, 2:
		for range 1 + d.Int(2) {
			p.unifiedFile(&b)
		}
	case 3:
		for range 1 + d.Int(3) {
			fmt.Fprintf(&b, "%s\n<<<<<<< SEARCH\n%s=======\n%s>>>>>>> REPLACE\n", p.path(), p.run(""), p.run(""))
		}
	case 4:
		for range 1 + d.Int(3) {
			fmt.Fprintf(&b, "@@ %s\n%s", Pick(d, append([]string{""}, lines...)), p.hunk())
		}
	}
	text := b.String()
	for range d.Int(4) {
		text = p.spoil(text)
	}
	return text
}

type patcher struct {
	*Dice
	paths, lines []string
}

func (p patcher) path() string { return Pick(p.Dice, p.paths) }

func (p patcher) line() string { return Pick(p.Dice, p.lines) }

// run is some lines that follow each other in the text, each with a mark before it.
func (p patcher) run(mark string) string {
	var b strings.Builder
	at := p.Int(len(p.lines))
	for i := range 1 + p.Int(3) {
		b.WriteString(mark + p.lines[(at+i)%len(p.lines)] + "\n")
	}
	return b.String()
}

// hunk returns context with deleted or added lines in between.
func (p patcher) hunk() string {
	at := p.Int(len(p.lines))
	next := func() string { at++; return p.lines[(at-1)%len(p.lines)] + "\n" }
	var b strings.Builder
	for range p.Int(3) {
		b.WriteString(" " + next())
	}
	for range p.Int(3) {
		b.WriteString("-" + next())
	}
	for range p.Int(3) {
		b.WriteString("+new " + p.line() + "\n")
	}
	for range p.Int(3) {
		b.WriteString(" " + next())
	}
	return b.String()
}

func (p patcher) codexFile(b *strings.Builder) {
	switch p.Int(6) {
	case 0:
		fmt.Fprintf(b, "*** Add File: %s\n%s", Pick(p.Dice, append([]string{"new/made.txt"}, p.paths...)), p.run("+"))
	case 1:
		fmt.Fprintf(b, "*** Delete File: %s\n", p.path())
	default:
		fmt.Fprintf(b, "*** Update File: %s\n", p.path())
		if p.Once(6) {
			fmt.Fprintf(b, "*** Move to: %s\n", Pick(p.Dice, append([]string{"moved.txt"}, p.paths...)))
		}
		for range 1 + p.Int(3) {
			fmt.Fprintf(b, "@@%s\n%s", Pick(p.Dice, []string{"", " " + p.line()}), p.hunk())
		}
		if p.Once(8) {
			b.WriteString("*** End of File\n")
		}
	}
}

func (p patcher) unifiedFile(b *strings.Builder) {
	from, to := p.path(), p.path()
	if !p.Once(6) {
		to = from
	}
	if p.Once(3) {
		fmt.Fprintf(b, "diff --git a/%s b/%s\n", from, to)
		b.WriteString(Pick(p.Dice, []string{"", "index 123..456 100644\n", "new file mode 100644\n", "deleted file mode 100644\n", "old mode 100644\nnew mode 120000\n", "similarity index 90%\nrename from " + from + "\nrename to moved.txt\n", "GIT binary patch\nliteral 4\nLc${NkU\n\n", "Binary files a/x and b/x differ\n"}))
	}
	fmt.Fprintf(b, "--- %s\n+++ %s\n", Pick(p.Dice, []string{"a/" + from, from, "/dev/null"}), Pick(p.Dice, []string{"b/" + to, to, "b/" + to, "/dev/null"}))
	for range 1 + p.Int(3) {
		fmt.Fprintf(b, "@@ -%d,%d +%d,%d @@ %s\n%s", p.Int(9), p.Int(9), p.Int(9), p.Int(9), Pick(p.Dice, []string{"", p.line()}), p.hunk())
	}
	if p.Once(6) {
		b.WriteString("\\ No newline at end of file\n")
	}
}

// spoil does something wrong to a line of the patch.
func (p patcher) spoil(text string) string {
	lines := strings.SplitAfter(text, "\n")
	i := p.Int(len(lines))
	switch p.Int(9) {
	case 0:
		lines[i] = ""
	case 1:
		lines[i] += lines[i]
	case 2:
		lines[i] = Pick(p.Dice, oddLines) + "\n"
	case 3:
		lines[i] = strings.TrimLeft(lines[i], " +-@*")
	case 4:
		lines[i] = strings.ReplaceAll(lines[i], "\n", "\r\n")
	case 5:
		lines[i] = "  " + lines[i]
	case 6: // cut off
		return text[:p.Int(min(len(text), 1<<16)+1)]
	case 7:
		j := p.Int(len(lines))
		lines[i], lines[j] = lines[j], lines[i]
	case 8:
		return "Here it is:\n```diff\n" + text + "```\n"
	}
	return strings.Join(lines, "")
}

// oddLines are lines that belong elsewhere in a patch, or nowhere.
var oddLines = []string{
	"*** Begin Patch", "*** End Patch", "*** Update File: ", "*** Update File: ../../etc/passwd", "*** Add File: .git/hooks/pre-commit", "*** Move to: ../../x", "*** Move to: a.txt",
	"*** Delete File: /etc/passwd", "*** End of File", "*** ", "@@", "@@ @@", "@@ -1 +1 @@", "@@ -0,0 +1,1 @@", "@@ -99999999999999999999,1 +1,1 @@", "@@ --1,1 +1 @@", "@@ -4294967297,2147483648 +1 @@",
	"--- a/../../etc/passwd", "+++ b/../../etc/passwd", "--- /dev/null", "+++ /dev/null", "rename from a.txt", "rename to /etc/x", "<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE", "```",
	"\\ No newline at end of file", "+", "-", " ", "", "\x00", "\xff\xfe", "\u2028", "§3000*+x\n§", "§2000*@@\n§", "+§70000*y§", "-...", "+// existing code",
}
