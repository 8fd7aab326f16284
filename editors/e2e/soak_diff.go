//go:build unix

package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// unified is a diff of an answer, its hunks by the names of the documents.
type unified map[string][]hunk

// hunk is one place of a diff.
type hunk struct {
	first    int // its first line in the text before, from 1
	old, new []string
	last     byte // what its last line begins with
}

var hunkHead = regexp.MustCompile(`^@@ -(\d+)(,\d+)? \+`)

// readDiff reads the diff of an answer. It is ours, so it has no more than the server
// writes.
func readDiff(diff string) (unified, error) {
	u := unified{}
	name := ""
	var h *hunk
	for line := range strings.Lines(diff) {
		if part := hunkHead.FindStringSubmatch(line); part != nil {
			first, err := strconv.Atoi(part[1])
			if err != nil {
				return nil, err
			}
			if part[2] == ",0" {
				first++ // the line before is named where no line is
			}
			u[name] = append(u[name], hunk{first: first})
			h = &u[name][len(u[name])-1]
			continue
		}
		switch {
		case strings.HasPrefix(line, "diff "):
			h = nil
		case h == nil && strings.HasPrefix(line, "+++ "):
			name = filepath.Base(strings.TrimSpace(line[len("+++ "):]))
		case h == nil: // "---" and what else stands in the head
		case strings.HasPrefix(line, "--- a/"): // the documents have no line that begins with two dashes
			h = nil
		case !h.add(line):
			return nil, fmt.Errorf("a diff with the line %q", line)
		}
	}
	return u, nil
}

// add records a line of the hunk.
func (h *hunk) add(line string) bool {
	switch line[0] {
	case ' ':
		h.old, h.new = append(h.old, line[1:]), append(h.new, line[1:])
	case '-':
		h.old = append(h.old, line[1:])
	case '+':
		h.new = append(h.new, line[1:])
	case '\\': // the line before has no newline
		if h.last != '+' {
			h.old[len(h.old)-1] = strings.TrimSuffix(h.old[len(h.old)-1], "\n")
		}
		if h.last != '-' {
			h.new[len(h.new)-1] = strings.TrimSuffix(h.new[len(h.new)-1], "\n")
		}
	default:
		return false
	}
	h.last = line[0]
	return true
}

// apply applies the hunks to a text, exactly in their places. It returns false if the text
// does not match the diff.
func apply(hunks []hunk, text string) (string, bool) {
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	var out strings.Builder
	at := 0
	for _, h := range hunks {
		begin := h.first - 1
		if begin < at || begin+len(h.old) > len(lines) {
			return "", false
		}
		for i, want := range h.old {
			if lines[begin+i] != want {
				return "", false
			}
		}
		for _, line := range lines[at:begin] {
			out.WriteString(line)
		}
		for _, line := range h.new {
			out.WriteString(line)
		}
		at = begin + len(h.old)
	}
	for _, line := range lines[at:] {
		out.WriteString(line)
	}
	return out.String(), true
}

// fits reports whether the hunks are what a deed did.
func fits(hunks []hunk, d *deed) bool {
	after, ok := apply(hunks, d.Before)
	return ok && after == d.After
}

// back returns the hunks that undo hunks.
func back(hunks []hunk) []hunk {
	var b []hunk
	moved := 0 // by the hunks above
	for _, h := range hunks {
		b = append(b, hunk{first: h.first + moved, old: h.new, new: h.old})
		moved += len(h.new) - len(h.old)
	}
	return b
}

// lines counts the lines of a text that a deed put in, and as less than nothing those that
// it took out.
func (d *deed) lines() tokens { return linesOf(d.After).without(linesOf(d.Before)) }

func linesOf(text string) tokens {
	t := tokens{}
	for line := range strings.Lines(text) {
		t[line]++
	}
	return t
}

// tokens counts the tokens of a text. A token is a word with a number that is written only
// once. It ends with a letter, so that no token is a prefix of another one, and a half-typed
// token does not count. The tokens of the scenarios have no such end: no user types them.
type tokens map[string]int

var token = regexp.MustCompile(`word\d+|[auvw]\d+z`)

func tokensOf(text string) tokens {
	t := tokens{}
	for _, word := range token.FindAllString(text, -1) {
		t[word]++
	}
	return t
}

// without returns the difference of two counts.
func (t tokens) without(other tokens) tokens {
	d := tokens{}
	for word, n := range t {
		d[word] += n
	}
	for word, n := range other {
		if d[word] -= n; d[word] == 0 {
			delete(d, word)
		}
	}
	for word, n := range d {
		if n == 0 {
			delete(d, word)
		}
	}
	return d
}

// change counts the tokens that a deed put in, and as negative numbers those that it took out.
func (d *deed) change() tokens { return tokensOf(d.After).without(tokensOf(d.Before)) }

// change counts the same of a diff.
func (u unified) change() tokens {
	d := deed{}
	for _, hunks := range u {
		of := deedOf(hunks)
		d.Before += of.Before
		d.After += of.After
	}
	return d.change()
}

// deedOf is what hunks do, of which only the counts can be used.
func deedOf(hunks []hunk) *deed {
	d := &deed{}
	for _, h := range hunks {
		d.Before += strings.Join(h.old, "")
		d.After += strings.Join(h.new, "")
	}
	return d
}

// isLike reports whether the hunks put in and take out what a deed did, wherever.
func isLike(hunks []hunk, d *deed) bool {
	of := deedOf(hunks)
	change := of.change()
	return len(change) > 0 && len(change.without(d.change())) == 0 || len(of.lines().without(d.lines())) == 0
}
