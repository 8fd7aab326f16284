package patchls_test

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode"
)

// TestDocsLinks follows the links of all pages that stay in the repository.
func TestDocsLinks(t *testing.T) { repositoryPasses(t, checkLinks) }

// TestDocsLinksComplain shows that TestDocsLinks can fail.
func TestDocsLinksComplain(t *testing.T) {
	for _, tt := range []struct{ name, link, want string }{
		{"a page", "[b](b.md)", ""},
		{"a heading", "[b](b.md#what-it-is-and-isnt)", ""},
		{"a heading of its own", "[a](#a)", ""},
		{"the second of two", "[b](b.md#two-1)", ""},
		{"a heading in a block", "[b](b.md#not-one)", "docs/a.md links to b.md#not-one, which is no heading"},
		{"elsewhere", "[w](https://example.com/x)", ""},
		{"in a block", "```\n[b](c.md)\n```", ""},
		{"in code", "`[b](c.md)`", ""},
		{"a folder", "[f](../docs)", ""},
		{"no page", "[b](c.md)", "docs/a.md links to c.md, which is not there"},
		{"no picture", "![b](c.png)", "docs/a.md links to c.png, which is not there"},
		{"over a line end", "[b\nc](c.md)", "docs/a.md links to c.md, which is not there"},
		{"no heading", "[b](b.md#what)", "docs/a.md links to b.md#what, which is no heading"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := checkLinks(fstest.MapFS{
				"docs/a.md": {Data: []byte("# A\n\n" + tt.link + "\n")},
				"docs/b.md": {Data: []byte("# B\n\n## What it *is*, and isn't\n\n## Two\n\n## Two\n\n```\n# Not one\n```\n")},
			})
			if err != nil {
				t.Fatal(err)
			}
			expect(t, got, tt.want)
		})
	}
}

var (
	codeBlock = regexp.MustCompile("(?ms)^ *```.*?\n *```$")
	codeSpan  = regexp.MustCompile("`[^`]*`")
	pageLink  = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	heading   = regexp.MustCompile(`(?m)^#+ (.*)$`)
)

// checkLinks complains of links to files and headings of the repository that are not there.
func checkLinks(tree fs.FS) (complaints []string, err error) {
	links, anchors := map[string][]string{}, map[string][]string{} // of each page
	err = walkText(tree, func(file, text string) {
		if path.Ext(file) != ".md" {
			return
		}
		text = codeBlock.ReplaceAllString(text, "")
		for _, m := range heading.FindAllStringSubmatch(text, -1) {
			anchors[file] = append(anchors[file], anchor(anchors[file], m[1]))
		}
		for _, m := range pageLink.FindAllStringSubmatch(codeSpan.ReplaceAllString(text, ""), -1) {
			links[file] = append(links[file], m[1])
		}
	})
	for file, targets := range links {
		for _, target := range targets {
			if strings.Contains(target, ":") {
				continue
			}
			name, part, _ := strings.Cut(target, "#")
			to := file
			if name != "" {
				to = path.Join(path.Dir(file), name)
			}
			if _, err := fs.Stat(tree, to); err != nil {
				complaints = append(complaints, fmt.Sprintf("%s links to %s, which is not there", file, target))
			} else if part != "" && !slices.Contains(anchors[to], part) {
				complaints = append(complaints, fmt.Sprintf("%s links to %s, which is no heading", file, target))
			}
		}
	}
	slices.Sort(complaints)
	return complaints, err
}

// anchor is what GitHub calls a heading, after those before it on the page.
func anchor(before []string, heading string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, strings.TrimSpace(heading))
	for n, first := 1, name; slices.Contains(before, name); n++ {
		name = fmt.Sprintf("%s-%d", first, n)
	}
	return name
}
