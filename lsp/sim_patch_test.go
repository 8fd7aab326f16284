package lsp_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// patchOf returns a patch of one place of a page: a unified diff, or the one that
// begins with *** Begin Patch.
func (c writing) patchOf(d *simDoc, page simPage, unified bool) string {
	if unified {
		return fmt.Sprintf("--- a/%s\n+++ b/%s\n%s", d.name, d.name, c.hunk(d, page))
	}
	return "*** Begin Patch\n" + c.section(d, page) + "*** End Patch\n"
}

func (c writing) section(d *simDoc, page simPage) string {
	_, body, _ := strings.Cut(c.hunk(d, page), "\n")
	return fmt.Sprintf("*** Update File: %s\n@@\n%s", d.name, body)
}

// hunk replaces, deletes or inserts lines of a page.
func (c writing) hunk(d *simDoc, page simPage) string {
	lines := page.lines()
	from, to := 0, 0 // from 0, half open
	if len(lines) > 0 {
		from = c.r.IntN(len(lines))
		to = min(len(lines), from+c.r.IntN(3))
	}
	before, after := max(0, from-3), min(len(lines), to+3)
	var rows []string
	add := func(sign string, lines []string) {
		for _, line := range lines {
			rows = append(rows, sign+line)
		}
	}
	add(" ", lines[before:from])
	add("-", lines[from:to])
	news := 0
	if from == to || c.r.IntN(4) > 0 {
		content := strings.Split(c.content(d), "\n")
		news = len(content)
		add("+", content)
	}
	add(" ", lines[to:after])
	if c.may[d] == nil {
		c.may[d] = set{}
	}
	maps.Copy(c.may[d], setOf(strings.Join(lines[from:to], "\n")))
	header := fmt.Sprintf("@@ -%d,%d +%d,%d @@\n", before+1, after-before, before+1, after-before-(to-from)+news)
	return header + strings.Join(rows, "\n") + "\n"
}

// patchSeveral patches all documents that the agent has seen, at times with a new
// one.
func (c writing) patchSeveral() {
	c.name = "apply_patch"
	delete(c.args, "path")
	clear(c.from)
	var b strings.Builder
	b.WriteString("*** Begin Patch\n")
	for _, d := range c.w.docs {
		if page, ok := c.a.seen[d]; ok {
			c.about(d)
			b.WriteString(c.section(d, page))
		}
	}
	if added := c.w.docs[slices.Index(simNames, "new.txt")]; c.r.IntN(3) == 0 && c.own[added] == nil {
		c.about(added)
		fmt.Fprintf(&b, "*** Add File: %s\n+%s\n", added.name, strings.ReplaceAll(c.content(added), "\n", "\n+"))
	}
	b.WriteString("*** End Patch\n")
	c.args["patch"] = b.String()
}
