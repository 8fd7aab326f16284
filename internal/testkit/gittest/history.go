// Package gittest makes up histories of files, and returns git's diffs of them and the
// result of git apply. Tests compare patches with these.
package gittest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// Tree is the files of a directory, by their names with "/".
type Tree map[string]string

// History returns n trees, each of which changes the one before it, the first one
// an empty tree.
func History(rng *rand.Rand, n int) []Tree {
	history := []Tree{{}}
	for range n {
		history = append(history, history[len(history)-1].next(rng))
	}
	return history[1:]
}

// Differing describes the files of got that differ from want; files are those before the
// change.
func (files Tree) Differing(got, want Tree) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if s, ok := got[name]; s != want[name] || !ok {
			fmt.Fprintf(&b, "\n%q is    %q, there: %v\nshould be %q\nwas       %q", name, s, ok, want[name], files[name])
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			fmt.Fprintf(&b, "\n%q should not be there", name)
		}
	}
	return b.String()
}

// oddNames are names that a diff has to quote, or that look like something else.
var oddNames = []string{
	"a.go", "src/b.go", "src/deep/c.txt", "with a blank.txt", "quo\"te.txt", "ünï/日本.txt", "tab\there.txt",
	"a/b.txt", "b/a.txt", "-dash.txt", "back\\slash.txt", "dev/null.txt", "trailing ", "x y/z w.md", "+++ x", "--- y",
}

// next changes, makes, renames and deletes files.
func (files Tree) next(rng *rand.Rand) Tree {
	next := maps.Clone(files)
	for maps.Equal(next, files) {
		for range 1 + rng.IntN(3) {
			name := oddNames[rng.IntN(len(oddNames))]
			was, there := next[name]
			switch {
			case !there:
				next[name] = sourceText(rng)
			case rng.IntN(12) == 0:
				delete(next, name)
			case rng.IntN(10) == 0:
				if to := oddNames[rng.IntN(len(oddNames))]; next[to] == "" && to != name {
					delete(next, name)
					next[to] = edited(rng, was, rng.IntN(2))
				}
			default:
				next[name] = edited(rng, was, 1+rng.IntN(4))
			}
		}
	}
	return next
}

// sourceText returns a text of few different lines, with one kind of line end.
func sourceText(rng *rand.Rand) string {
	var b strings.Builder
	for range rng.IntN(60) {
		b.WriteString(sourceLine(rng) + "\n")
	}
	s := b.String()
	if rng.IntN(5) == 0 {
		s = strings.TrimSuffix(s, "\n")
	}
	if rng.IntN(5) == 0 {
		s = strings.ReplaceAll(s, "\n", "\r\n")
	}
	return s
}

func sourceLine(rng *rand.Rand) string {
	indent := strings.Repeat([]string{"\t", "  "}[rng.IntN(2)], rng.IntN(3))
	return indent + []string{
		"", "}", "return nil", fmt.Sprintf("x%d := %d", rng.IntN(9), rng.IntN(9)), "-- a comment", "++ plus", "@@ -1 +1 @@",
		"--- a/x", "+++ b/x", "*** End Patch", "say “hi”", "日本語 😀", "end ", "\\ No newline", "diff --git a/x b/x", fmt.Sprint("line ", rng.IntN(999)),
	}[rng.IntN(16)]
}

// edited returns s with some runs of lines changed.
func edited(rng *rand.Rand, s string, times int) string {
	end := "\n"
	if strings.Contains(s, "\r\n") {
		end = "\r\n"
	}
	for range times {
		lines := strings.SplitAfter(s, "\n")
		if lines[len(lines)-1] == "" {
			lines = lines[:len(lines)-1]
		}
		at := rng.IntN(len(lines) + 1)
		to := min(len(lines), at+rng.IntN(4))
		var put []string
		for range rng.IntN(4) {
			put = append(put, sourceLine(rng)+end)
		}
		if at == len(lines) && at > 0 && !strings.HasSuffix(lines[at-1], "\n") {
			lines[at-1] += end
		}
		lines = slices.Replace(lines, at, to, put...)
		s = strings.Join(lines, "")
		if rng.IntN(8) == 0 {
			s = strings.TrimSuffix(s, end)
		}
	}
	return s
}

// Drifted returns the files with unrelated changes: some lines were inserted and deleted here and there.
func (files Tree) Drifted(rng *rand.Rand) Tree {
	out := maps.Clone(files)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if s := files[name]; s != "" && rng.IntN(2) == 0 {
			out[name] = edited(rng, s, 1+rng.IntN(2))
		}
	}
	return out
}
