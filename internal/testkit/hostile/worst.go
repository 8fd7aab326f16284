package hostile

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Worst is the verb of a command that is short to write and slow to run; [Recipe] expands
// its body to the arguments.
const Worst = "worst"

// worst makes the arguments of a command from a size.
type worst struct {
	command string
	most    int
	make    func(n int) map[string]any
}

// worsts are the commands that [Recipe] knows, by their names.
var worsts = map[string]worst{
	"absent-anchors": {"apply_patch", 50_000, func(n int) map[string]any {
		return patchOf("big.txt", n, func(i int) string { return fmt.Sprintf("@@ class X%d\n-nowhere %d\n+x\n", i, i) })
	}},
	"absent-anchors-first": {"apply_patch", 50_000, func(n int) map[string]any {
		args := patchOf("big.txt", n, func(i int) string { return fmt.Sprintf("@@ class X%d\n-nowhere %d\n+x\n", i, i) })
		args["on_ambiguous"] = "first"
		return args
	}},
	"equal-hunks": {"apply_patch", 50_000, func(n int) map[string]any {
		return patchOf("equal.txt", n, func(int) string { return "@@\n-x\n+y\n" })
	}},
	"shared-anchors": {"apply_patch", 50_000, func(n int) map[string]any {
		return patchOf("equal.txt", n, func(i int) string { return fmt.Sprintf("@@ x\n@@ x\n-nowhere %d\n+x\n", i) })
	}},
	"elided-lines": {"apply_patch", 20_000, func(n int) map[string]any {
		return patchOf("big.txt", n, func(i int) string {
			return fmt.Sprintf("@@\n-line %d of a text\n-...\n-line %d of no text\n+x\n+...\n+y\n", i, i)
		})
	}},
	"long-hunk": {"apply_patch", 50_000, func(n int) map[string]any {
		return map[string]any{"patch": "*** Begin Patch\n*** Update File: equal.txt\n@@\n" + strings.Repeat(" x \n", n) + "-z\n" + strings.Repeat("+x\n", n) + "*** End Patch\n"}
	}},
	"deep-files": {"apply_patch", 10_000, func(n int) map[string]any {
		deep := strings.Repeat("d/", 500)
		return patchOf("", n, func(i int) string { return fmt.Sprintf("*** Add File: %sf%d.txt\n+x\n", deep, i) })
	}},
	"absent-files": {"apply_patch", 10_000, func(n int) map[string]any {
		return patchOf("", n, func(i int) string { return fmt.Sprintf("*** Update File: none%d.txt\n@@\n-x\n+y\n", i) })
	}},
	"deceiving-names": {"apply_patch", 1000, func(n int) map[string]any {
		return patchOf("", n, func(i int) string {
			name := deceiving[i%len(deceiving)]
			return fmt.Sprintf("*** Add File: %s\n+%d\n", name, i)
		})
	}},
	"one-file-often": {"apply_patch", 10_000, func(n int) map[string]any {
		return patchOf("", n, func(i int) string {
			return fmt.Sprintf("*** Update File: big.txt\n@@\n-line %d of a text\n+line %d of another\n", i, i)
		})
	}},
	"large-write": {"write", 40 << 20, func(n int) map[string]any {
		return map[string]any{"path": "big.txt", "content": strings.Repeat("a line of a large text\n", n/23)}
	}},
	"large-create": {"create", 40 << 20, func(n int) map[string]any {
		return map[string]any{"path": "new.txt", "content": strings.Repeat("x", n)}
	}},
	"expected-elsewhere": {"edit_lines", 50_000, func(n int) map[string]any {
		var edits []any
		for i := range n {
			edits = append(edits, map[string]any{"from": i%1000 + 1, "to": i%1000 + 1, "content": "y", "expect": fmt.Sprintf("line %d of a text", i+2000)})
		}
		return map[string]any{"path": "big.txt", "edits": edits}
	}},
}

// deceiving are names that lead elsewhere, or seem to say something.
var deceiving = []string{
	"../outside.txt", "sub/../../outside.txt", "/etc/passwd", ".git/hooks/pre-commit", ".GIT/config", "linked.txt", "linked.txt/x",
	"x [Apply] Reject", "a\u202ec.txt", "![x](https:y).txt", "file:///etc/passwd", "%2e%2e/outside.txt", "sub//..//../outside.txt", ".vscode/settings.json",
}

// patchOf returns a patch of n parts, which are hunks of file unless file is empty.
func patchOf(file string, n int, part func(i int) string) map[string]any {
	var b strings.Builder
	b.WriteString("*** Begin Patch\n")
	if file != "" {
		fmt.Fprintf(&b, "*** Update File: %s\n", file)
	}
	for i := range n {
		b.WriteString(part(i))
	}
	b.WriteString("*** End Patch\n")
	return map[string]any{"patch": b.String()}
}

// DrawWorst draws one of the worsts, with at most the given part of its largest size.
func DrawWorst(d *Dice, part float64) Step {
	name := Pick(d, slices.Sorted(maps.Keys(worsts)))
	most := max(1, int(float64(worsts[name].most)*part))
	return Step{Verb: Worst, Body: fmt.Sprintf("%s %d", name, 1+d.Int(most))}
}

// Recipe returns the command and the arguments that the body of a step stands for. The
// command is a dry run, so that the texts it runs against stay.
func Recipe(body string) (command string, arguments map[string]any, err error) {
	name, size, _ := strings.Cut(body, " ")
	w, known := worsts[name]
	n, err := strconv.Atoi(size)
	if !known || err != nil || n < 1 || n > w.most {
		return "", nil, fmt.Errorf("no such command: %q", body)
	}
	arguments = w.make(n)
	arguments["dry_run"] = true
	return w.command, arguments, nil
}
