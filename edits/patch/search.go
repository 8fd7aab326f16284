package patch

import (
	"slices"
	"strconv"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/internal/lazy"
	"github.com/patchls/patchls/internal/lists"
)

// markerRun returns how often a line, not empty, repeats its first character, and the rest, trimmed.
func markerRun(l string) (n int, rest string) {
	rest = strings.TrimLeft(l, l[:1])
	return len(l) - len(rest), strings.TrimSpace(rest)
}

// isMarker reports whether a line is 5 to 9 times one of the characters, and a word of any case.
func isMarker(l, characters string, words ...string) bool {
	if l == "" || strings.IndexByte(characters, l[0]) < 0 {
		return false
	}
	n, rest := markerRun(l)
	return 5 <= n && n <= 9 && slices.ContainsFunc(words, func(w string) bool { return strings.EqualFold(rest, w) })
}

func isSearchMarker(l string) bool  { return isMarker(l, "<-", "SEARCH", "SEARCH>") }
func isMiddleMarker(l string) bool  { return isMarker(l, "=", "") }
func isReplaceMarker(l string) bool { return isMarker(l, ">+", "REPLACE", "UPDATED") }

// usualMarkers are the markers as aider and cline spell them.
var usualMarkers = []string{"<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE", ">>>>>>> UPDATED", "------- SEARCH", "+++++++ REPLACE"}

// blockReader reads SEARCH/REPLACE blocks.
type blockReader struct{ *cursor }

// blocks reads all blocks from the next line on.
func (r blockReader) blocks() error {
	above := 0 // the first line that may name the file of the next block
	for ; r.at < len(r.lines); r.at++ {
		if !isSearchMarker(r.lines[r.at]) {
			continue
		}
		name, line := r.nameAbove(above, r.at)
		if err := r.around(above, r.at, line); err != nil {
			return err
		}
		b, err := r.block(r.at)
		if err != nil {
			return err
		}
		n := len(r.patch.Files)
		isProse := n > 0 && b.begin+1 < b.middle && (name == "" || proseLine().MatchString(name))
		m := nameInProse().FindStringSubmatch(strings.Join(r.lines[above:r.at], "\n"))
		if isProse && m != nil {
			name = m[1]
		}
		f := named(name, line+1)
		f.InProse = isProse && m != nil && m[2] != ""
		if n == 0 || name != "" && f.Path != r.patch.Files[n-1].Path {
			if isProse {
				f.Path, f.Readings = r.patch.Files[n-1].Path, slices.Concat(f.Readings, r.patch.Files[n-1].Readings)
			}
			r.patch.Files = append(r.patch.Files, f)
		}
		last := &r.patch.Files[len(r.patch.Files)-1]
		last.Hunks = append(last.Hunks, b.hunk(r.cursor))
		r.at, above = b.end, b.end+1
	}
	tail := strings.TrimSpace(strings.Join(r.lines[above:], "\n"))
	fences := lists.Count(strings.Split(tail, "\n"), func(l string) bool { return fenceRun(l) != "" })
	if last := tail[strings.LastIndex(tail, "\n")+1:]; fenceRun(last) != "" && (fenceRun(last) != last || fenceRun(tail) != "" && fences%2 == 0) {
		return syntax(len(r.lines), "the patch ends here, where a block would begin, so it may have been cut off; send it whole")
	}
	return r.around(above, len(r.lines), -1)
}

// cutMarker finds a marker that stands alone, or what is left of one.
var cutMarker = lazy.Regexp(`^(<{4}|>{5}|-{5,9} S|\+{5,9} [RU])`)

// proseLine finds what is hardly the name of a file: no letter at all, or several words without a "/" or an ending.
var proseLine = lazy.Regexp(`^([^\pL\pN]*|[^/\\]*\s[^/\\.]*\.?)$`)

// around notes text between blocks that is neither the line name nor a fence.
// Something like a marker is an error, since its block would be lost.
func (r blockReader) around(from, to, name int) error {
	for i := from; i < to; i++ {
		l := strings.TrimSpace(r.lines[i])
		if cutMarker().MatchString(l) {
			return syntax(i+1, "%q is outside of a block, whose lines are %q, %q and %q", edits.Excerpt(l), "<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE")
		}
		if r.another(i); l != "" && i != name && fenceRun(l) == "" {
			r.patch.note(noteAround)
			r.shell(i+1, l)
		}
	}
	return nil
}

// block is the place of a block: its three markers.
type block struct{ begin, middle, end int }

// block finds the block that begins at a line. Only middle markers that are as long as the
// one that begins the block count, or all of them if none is: others may be content.
func (r blockReader) block(begin int) (block, error) {
	var middles, alike []int
	long, _ := markerRun(r.lines[begin])
	end := begin + 1
	for ; end < len(r.lines) && !isReplaceMarker(r.lines[end]) && !isSearchMarker(r.lines[end]); end++ {
		if !isMiddleMarker(r.lines[end]) {
			continue
		}
		if n, _ := markerRun(r.lines[end]); n == long {
			alike = append(alike, end)
		}
		middles = append(middles, end)
	}
	if alike != nil {
		middles = alike
	}
	another := func(i int) error {
		return syntax(i+1, "the block that begins at line %d holds another %q line, so its parts cannot be told; if that line is text, write \\ before it", begin+1, strings.TrimRight(r.lines[i], " \t"))
	}
	switch ended := end < len(r.lines) && isReplaceMarker(r.lines[end]); {
	case !ended && len(middles) == 2:
		r.patch.note(noteNoReplace)
		return block{begin, middles[0], middles[1]}, nil
	case !ended && end < len(r.lines):
		return block{}, another(end)
	case len(middles) == 0:
		return block{}, syntax(begin+1, "the block has no %q line", "=======")
	case !ended:
		return block{}, syntax(begin+1, "the block has no %q line", ">>>>>>> REPLACE")
	case len(middles) > 1:
		return block{}, another(middles[1])
	}
	for _, at := range []int{begin, middles[0], end} {
		if !slices.Contains(usualMarkers, strings.TrimRight(r.lines[at], " \t")) {
			r.patch.note(noteMarkers)
		}
	}
	return block{begin, middles[0], end}, nil
}

// hunk turns the block into a hunk, with the line number that Roo writes at its top.
func (b block) hunk(c *cursor) Hunk {
	lines, start, rule := c.lines[b.begin+1:b.middle], "", ""
	old := lines
	for ; len(old) > 0; old = old[1:] {
		if s, is := strings.CutPrefix(old[0], ":start_line:"); is {
			start = strings.TrimSpace(s)
		} else if !strings.HasPrefix(old[0], ":end_line:") {
			break
		}
	}
	if 0 < len(old) && len(old) < len(lines) && len(old[0]) >= 5 && strings.TrimRight(old[0], "- \t") == "" {
		rule, old = old[0], old[1:]
	}
	put := c.lines[b.middle+1 : b.end]
	if rule != "" && len(put) > 0 && put[0] == rule && !slices.Contains(old, rule) {
		c.fault = syntax(b.middle+2, `%q is syntax of a patch and no new text; leave it out, or write such text with str_replace`, edits.Excerpt(rule))
	}
	for i := b.begin + 1; i < b.end; i++ { // the lines of old and put
		if escapedMarker().MatchString(c.lines[i]) {
			c.lines[i] = c.lines[i][1:]
			c.patch.note(noteEscapes)
		}
	}
	h := ReplaceHunk(b.begin+1, old, put)
	h.Block = true
	n, err := strconv.ParseInt(start, 10, 32)
	switch {
	case start == "":
		h.Whole = len(old) == 0
	case err != nil || n < 1:
		c.patch.note(noteNumbers)
	default: // without old lines, the new ones go above that line
		h.Numbered, h.Start = true, int(n)-1+min(1, len(old))
	}
	return h
}

// escapedMarker finds a line that Roo has escaped, since it would be a marker.
var escapedMarker = lazy.Regexp(`^\\(<{7}|={7}|>{7}|-{7}|:start_line:|:end_line:)`)

// nameAbove returns the name of the file of the block at line to, and its line: the last line of [from,to) that is neither
// blank nor the fence around the block. If there is no name, it returns "" and to.
func (r blockReader) nameAbove(from, to int) (name string, line int) {
	fenced := false
	for i := to - 1; i >= from; i-- {
		l := strings.TrimSpace(r.lines[i])
		if run := fenceRun(l); run != "" {
			if fenced {
				break // the fence of the block before
			}
			fenced = true
			l = strings.TrimSpace(l[len(run):])
			l = l[strings.LastIndexAny(l, " :")+1:]
			if !strings.ContainsAny(l, "./") {
				continue // a language
			}
		}
		if l == "" || tag().MatchString(l) {
			continue
		}
		if name = cleanName(l); name != "" {
			return name, i
		}
		break
	}
	return "", to
}

var (
	// nameInProse finds the last that looks like the name of a file, on a line of its own or in backticks, and what follows in
	// a sentence that goes on behind it.
	nameInProse = lazy.Regexp("(?ms).*(?:^[#*>\\s-]*|`)([^\\s`*<>|:]*[./][^\\s`*<>|:]*\\w)(?:[`*:\\s]*$|`(.))")
	tag         = lazy.Regexp(`^(</?[a-z_]+>|<!\[CDATA\[)+$`) // around the blocks of cline and Roo
)

// cleanName returns the name of a file without the Markdown around it, or "" for a sentence.
func cleanName(l string) string {
	name := l
	for was := ""; was != name; {
		was = name
		name = beforeName().ReplaceAllString(bareName(name), "$1")
	}
	if l = strings.TrimRight(l, "*` \t"); strings.ContainsAny(name, " \t") && (strings.HasSuffix(l, ".") || strings.HasSuffix(l, ":")) {
		return ""
	}
	return name
}

// beforeName finds what models write before the name of a file. What follows a number is a name only with marks around it.
var beforeName = lazy.Regexp("(?i)^(?:#+\\s*|//\\s*|[-*>]\\s+|\\d+[.)]\\s+([`*\"])|(?:file|filename|path|title)(?::|=)\\s*)")
