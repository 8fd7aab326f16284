package patch

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/internal/lazy"
	"github.com/patchls/patchls/internal/lists"
)

// Parse reads a patch in any of the [Dialects], which agents write. The notes of the patch say what Parse skipped or
// tolerated.
func Parse(patch string) (Patch, error) {
	c := newCursor(patch)
	var around error
	for i := range c.lines {
		if err := c.lines.refused(i, false); err != nil {
			return Patch{}, err
		}
		d, ok := c.lines.dialectAt(i)
		if !ok {
			if f, fenced := fenceAt(c.lines[i]); fenced && f.indent > 0 { // as in a list
				f.undent(c.lines[i+1:])
			}
			around = cmp.Or(around, c.lines.refused(i, true))
			if i > 0 && c.fault == nil && strayLine().MatchString(c.lines[i-1]) && strayLine().MatchString(c.lines[i]) && c.lines[i-1][0] == '-' && c.lines[i][0] == '+' {
				c.fault = syntax(i+1, "%q is a line of a change, and no file is named above it; send it with the names of its file", edits.Excerpt(c.lines[i]))
			}
			continue
		}
		// The header of a unified diff shows whether the "\r" are those of the patch. A line with
		// "@@" does not: the text after it may be quoted from the file, with its line end.
		if !d.keepsCR || strings.HasSuffix(c.lines[i], "\r") {
			for k, l := range c.lines {
				c.lines[k] = strings.TrimSuffix(l, "\r")
			}
		}
		c.first = i
		err := d.read(c, i)
		if err = cmp.Or(err, c.fault, c.escaped()); err != nil {
			return Patch{}, err
		}
		if len(c.patch.Files) == 0 {
			return Patch{}, syntax(len(c.lines), "the patch changes no text")
		}
		for i, f := range c.patch.Files {
			if _, isNew := f.WholeText(); !c.patch.Git && (oddName().MatchString(f.NewPath) || (isNew || f.Op == AddFile) && oddName().MatchString(f.Path)) {
				return Patch{}, syntax(f.Line, "%q is hardly meant as a name; send the name alone, or make such a file with create", edits.Excerpt(cmp.Or(f.NewPath, f.Path)))
			}
			c.patch.Files[i].Readings = slices.Concat(f.Readings, f.shorter())
		}
		return c.patch, nil
	}
	return Patch{}, cmp.Or(around, error(syntax(1, "this is no patch: it must hold %s", OneOf(func(d Dialect) string { return d.mark }))))
}

// A Dialect is a way to write patches.
type Dialect struct {
	Name  string // as in sentences about what Parse reads
	Can   string // the rest of such a sentence about apply_patch
	Title string // in docs/patches.md
	mark  string // what begins it, in errors
	// begins reports whether line i is such a mark.
	begins func(ls patchLines, i int) bool
	read   func(c *cursor, i int) error // reads a patch whose first mark is line i
	// keepsCR: the lines of such a patch end in "\r" only if the lines of the texts do.
	keepsCR bool
}

// Dialects returns the dialects that [Parse] reads. A line is a mark of the first one that it begins.
func Dialects() [4]Dialect {
	return [...]Dialect{
		{
			Name: "*** Begin Patch", Can: " with Add, Update and Delete File and Move to", Title: "context patch", mark: `"*** Begin Patch"`,
			begins: func(ls patchLines, i int) bool {
				m, _ := paddedMarkerOf(ls[i])
				return m == beginPatch || m == updateFile || m == addFile || m == deleteFile
			},
			read: func(c *cursor, i int) error { return contextReader{c.skipTo(i)}.patches() },
		},
		{
			Name: "a unified or context diff", Title: "unified or context diff", keepsCR: true,
			mark:   `the header of a unified diff ("--- a/x" and "+++ b/x") or of a context diff ("*** a/x" and "--- b/x")`,
			begins: patchLines.fileBeginsAt,
			read:   func(c *cursor, i int) error { return unifiedReader{c.skipTo(i)}.files() },
		},
		{
			Name: "SEARCH/REPLACE blocks", Title: "SEARCH/REPLACE", mark: `"<<<<<<< SEARCH"`,
			begins: func(ls patchLines, i int) bool { return isSearchMarker(ls[i]) },
			read:   func(c *cursor, _ int) error { return blockReader{c}.blocks() }, // from the top, since the file's name is above
		},
		{
			Name: "bare @@ hunks", Title: "bare hunks", mark: `hunks that begin with "@@"`,
			begins: func(ls patchLines, i int) bool { return strings.HasPrefix(ls[i], "@@") },
			read:   func(c *cursor, i int) error { return contextReader{c.skipTo(i)}.bareHunks() },
		},
	}
}

// OneOf lists the dialects in a sentence, in the words that of returns for each.
func OneOf(of func(Dialect) string) string {
	all := Dialects()
	words := lists.Map(all[:], of)
	words[len(words)-1] = "or " + words[len(words)-1]
	return strings.Join(words, ", ")
}

// dialectAt returns the dialect that line i is a mark of.
func (ls patchLines) dialectAt(i int) (d Dialect, ok bool) {
	for _, d := range Dialects() {
		if d.begins(ls, i) {
			return d, true
		}
	}
	return Dialect{}, false
}

// refusals are the formats that Parse does not read: what each is, a line that shows it, and what to send in its place.
// Lines that may stand in a text around a patch count only if there is none.
var refusals = [...]struct {
	what   string
	line   func() *regexp.Regexp
	send   string
	around bool
}{
	{"a patch whose line breaks are written as `n", lazy.Regexp("^(\\*\\*\\* Begin Patch`n\\*|diff --git .*`n(---|index|new|deleted|old|similarity) |--- .*`n\\+\\+\\+ )"), "it with line breaks", false},
	{"a coloured diff", lazy.Regexp(`^(\x1b?\[[\d;]*m)+(diff |--- |\+\+\+ |@@|[-+ ])`), "the output of git diff --no-color", false},
	{"an encoded mail", lazy.Regexp(`(?i)^content-transfer-encoding:\s*(quoted-printable|base64)`), "the decoded text", false},
	{"the diff of a merge", lazy.Regexp(`^(@@@|diff --(cc|combined) )`), "one against the text that is there", false},
	{"a binary patch", binary, "the output of git diff --text, if the file is a text", false},
	{"a diff that begins behind other text", lazy.Regexp(`^[^@].*diff --git "?\w+/`), "it with that line alone", false},
	{"a renaming without its first line", lazy.Regexp(`^similarity index \d+%`), `it with the line "diff --git"`, false},
	{"a diff of Bazaar that renames a file", lazy.Regexp(`^=== (renamed|modified) (file|directory) '.*' => '`), "one of git", false},
	{"the change of a submodule", lazy.Regexp(`^Submodule \S+ ([0-9a-f]{7,}|contains )`), "a diff of its files", false},
	{"a context diff without the names of its file", lazy.Regexp(`^\*{15}`), `it with the lines "*** a/x" and "--- b/x" above`, true},
	{"a normal diff", lazy.Regexp(`^\d+(,\d+)?[acd]\d+(,\d+)?\s*$`), "the output of diff -u", true},
	{"an ed script", lazy.Regexp(`^(\d+(,\d+)?[acd]|[ad]\d+ \d+)\s*$`), "the output of diff -u", true},
	{"a patch quoted in a mail", lazy.Regexp(`^>\s*(>\s*)*(\*\*\* Begin Patch|--- |diff --git |@@ |<{7} )`), "it without the quote marks", true},
}

// binary finds the lines that git and diff write in place of the hunks of a binary file.
var binary = lazy.Regexp(`^(GIT binary patch|Binary files .* differ|(Binärdateien|Les fichiers binaires|(Los )?[Aa]rchivos binarios|Arquivos binários|I file binari) .*)\r?$`)

// refused returns an error if line i shows one of the refusals; around says whether lines count that may be around a patch.
func (ls patchLines) refused(i int, around bool) error {
	for _, f := range &refusals {
		if f.around == around && f.line().MatchString(ls[i]) {
			return syntax(i+1, "%q is a line of %s, which cannot be read; send %s", edits.Excerpt(ls[i]), f.what, f.send)
		}
	}
	return nil
}

// note adds a note on how the patch was read, unless the patch has it already.
func (p *Patch) note(what string) {
	if !slices.Contains(p.Notes, what) {
		p.Notes = append(p.Notes, what)
	}
}

// The notes, one for each leniency.
const (
	noteAround     = "Text around the patch was skipped."
	noteCommands   = "Of the commands of a shell around the patch, only apply_patch was done."
	noteEscaped    = `The patch came in one line, whose \n were read as line breaks.`
	noteNoBegin    = `"*** Begin Patch" was missing.`
	noteNoEnd      = `"*** End Patch" was missing; if the patch was cut off, its rest was not made.`
	noteHere       = `"*** Environment ID" was passed over: the patch was applied here.`
	noteDiffNames  = `The "---" and "+++" lines below "*** Update File" were skipped.`
	noteNoPlus     = `The lines of a new file were taken as they are, since they have no "+" in front.`
	noteEmptyAdded = `Empty lines between "+" lines were added as well.`
	noteNoSign     = `Lines that do not begin with " ", "-" or "+" were read as context.`
	noteNoChange   = "A hunk that changes no line was left out."
	noteElided     = `"@@ ... @@" names no place and was read as "@@".`
	noteNumbers    = "Line numbers that cannot be were passed over."
	noteCounts     = "A hunk's header has none or other line counts than the hunk; the lines that are there were taken."
	noteEscapes    = "The backslash before a marker was left out, which is then text."
	noteLastLine   = "The patch has no line end after its last line, a new one; if it was cut off there, a part of that line is missing."
	noteModes      = "File modes are not changed."
	noteCircle     = "Files that were to exchange names keep theirs, and got each other's text."
	noteMarkers    = `Markers of SEARCH/REPLACE blocks were read though they are not spelt "<<<<<<< SEARCH", "=======" and ">>>>>>> REPLACE".`
	noteNoReplace  = `A block that ends in "=======" was read as if it ended in ">>>>>>> REPLACE".`
)

// Block is a patch inside a document.
type Block struct {
	Line  int // of the document, from 1, at which Patch begins
	Lines int // number of lines, without the fence
	Patch string
}

// Blocks returns the patches in a Markdown document: the text in each fence that says
// "diff" or "patch" if it has the marks of a patch, and each "*** Begin Patch" in any fence
// or in none. A fence that is not closed goes on to the end. The time is linear.
func Blocks(markdown string) []Block {
	lines := strings.SplitAfter(markdown, "\n")
	var blocks []Block
	for i := 0; i < len(lines); i++ {
		if isMarked(lines[i], beginPatch) {
			end := i + 1
			for end < len(lines) && !isMarked(lines[end], beginPatch) && !isMarked(lines[end-1], endPatch) {
				end++
			}
			blocks = append(blocks, Block{i + 1, end - i, strings.Join(lines[i:end], "")})
			i = end - 1
			continue
		}
		f, ok := fenceAt(lines[i])
		if !ok {
			continue
		}
		from := i + 1
		i = from + f.undent(lines[from:])
		if inside := lines[from:i]; f.holdsPatch(inside) {
			blocks = append(blocks, Block{from + 1, i - from, strings.Join(inside, "")})
		}
	}
	return blocks
}

// isMarked reports whether a line begins with a marker.
func isMarked(l string, with marker) bool {
	m, _ := markerOf(l)
	return m == with
}

// codeFence is the line that begins a fenced block.
type codeFence struct {
	run    string // its backticks or tildes
	indent int    // the blanks before them, as in a list
	word   string // the language that it names
}

func fenceAt(line string) (f codeFence, ok bool) {
	bare := strings.TrimLeft(line, " ")
	f.run, f.indent = fenceRun(bare), len(line)-len(bare)
	info := bare[len(f.run):]
	if words := strings.Fields(info); len(words) > 0 {
		f.word = strings.ToLower(words[0])
	}
	return f, f.run != "" && (f.run[0] == '~' || !strings.Contains(info, "`"))
}

// inner returns a line of the block without the indentation of the fence.
func (f codeFence) inner(line string) string {
	n := min(f.indent, len(line))
	return strings.TrimLeft(line[:n], " ") + line[n:]
}

// undent takes the indentation of the fence off the lines of the block and the line that closes it, and returns how many
// lines the block has.
func (f codeFence) undent(lines []string) (n int) {
	for ; n < len(lines); n++ {
		closed := f.closes(lines[n])
		if lines[n] = f.inner(lines[n]); closed {
			break
		}
	}
	return n
}

// closes reports whether a line ends the block. Unlike in other Markdown, it must not be
// indented deeper than the fence: " ```" is context of a patch.
func (f codeFence) closes(line string) bool {
	l := strings.TrimRight(f.inner(line), " \t\r\n")
	return strings.HasPrefix(l, f.run) && fenceRun(l) == l
}

// holdsPatch reports whether the block contains a patch. Many blocks that say "diff" only
// show what a change looks like, without saying where it is.
func (f codeFence) holdsPatch(lines []string) bool {
	if f.word != "diff" && f.word != "patch" {
		i := slices.IndexFunc(lines, func(l string) bool { return strings.TrimSpace(l) != "" })
		return i >= 0 && isMarked(lines[i], beginPatch)
	}
	for i := range lines {
		if _, ok := patchLines(lines).dialectAt(i); ok {
			return true
		}
	}
	return false
}
