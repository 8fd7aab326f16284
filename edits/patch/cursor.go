package patch

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/lazy"
	"github.com/patchls/patchls/internal/lists"
)

// cursor goes through the lines of a patch, each line once, so that the time is linear. A parser of a dialect has one,
// and appends to patch.Files.
type cursor struct {
	lines   patchLines
	first   int      // the line, from 0, of the first mark of a dialect
	at      int      // the next line, from 0
	closers []string // the lines that close what is open around the patch: code fences, the shell's here-documents
	open    bool     // the last line has no line end
	// escape finds what a shell would change in the lines below, which are in its quotes; nil if it changes nothing.
	escape *regexp.Regexp
	// elsewhere is a command above that goes to another folder than the patch may be read for; "" if there is none.
	elsewhere string
	fault     error // why the patch is refused, where reading goes on all the same
	patch     Patch
}

// patchLines are the lines of a patch, without "\n".
type patchLines []string

// newCursor returns a cursor at the first of the lines of a patch. Only "\n" ends a line; "\r" is a part of it.
func newCursor(patch string) *cursor {
	var c cursor
	patch = strings.TrimPrefix(patch, text.BOM)
	if one := strings.TrimSpace(patch); !strings.Contains(one, "\n") && strings.Contains(one, `\n`) {
		one = stringOf().ReplaceAllString(one, `$1\n$2$3\n$4`)
		patch = jsonEscape().ReplaceAllStringFunc(one, unescaped)
		c.patch.note(noteEscaped)
	}
	patch = gluedHeader().ReplaceAllString(patch, "$1\n$2")
	c.open = !strings.HasSuffix(patch, "\n")
	c.lines = strings.Split(strings.TrimSuffix(patch, "\n"), "\n")
	return &c
}

// stringOf finds the string in a line, as of a call, that has the lines of a patch, and what is around it.
var stringOf = lazy.Regexp(`^((?:[^\\]|\\[^n])*?)(?:"((?:[^"\\]|\\[^n])+\\n(?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\[^n])+\\n(?:[^'\\]|\\.)*)')(.*)$`)

// gluedHeader finds the first header of a patch behind a quote or a tag, as of a shell.
var gluedHeader = lazy.Regexp(`\A([^\n]*['">])(\*\*\* [^\n]*\n|--- [^\n]*\n\+\+\+ |diff --git |Index: [^\n]*\n===)`)

// jsonEscape finds the escapes of JSON, and of an apostrophe, which only other languages escape.
var jsonEscape = lazy.Regexp(`\\(?:u[0-9a-fA-F]{4}(?:\\u[0-9a-fA-F]{4})*|["'\\/nrt])`)

// unescaped returns what escapes stand for, in a text that was escaped once too often.
func unescaped(escapes string) string {
	if escapes[1] != 'u' {
		return strings.NewReplacer("n", "\n", "r", "\r", "t", "\t").Replace(escapes[1:])
	}
	var units []uint16
	for unit := range strings.SplitSeq(escapes[2:], `\u`) {
		n, _ := strconv.ParseUint(unit, 16, 16)
		units = append(units, uint16(n))
	}
	return string(utf16.Decode(units))
}

// next returns the next line, and advances to the line after it.
func (c *cursor) next() string {
	c.at++
	return c.lines[c.at-1]
}

// skip skips a line that is not part of the patch, but may open or close something around it.
func (c *cursor) skip() {
	c.another(c.at)
	l := strings.TrimSpace(c.next())
	if l != "" && !strings.HasPrefix(l, "diff -") { // which diff -r prints above each file
		c.patch.note(noteAround)
	}
	if i := slices.Index(c.closers, l); i >= 0 {
		c.closers = c.closers[:i]
	} else if run := fenceRun(l); run != "" && len(c.closers) == 0 {
		c.closers = append(c.closers, run)
	} else if word := c.shell(c.at, l); word != "" {
		c.closers = append(c.closers, word)
	}
}

// another refuses the patch if line i, which is below its first mark, begins one in another dialect, with or without an
// indentation, or in a format that cannot be read.
func (c *cursor) another(i int) {
	if i < c.first || c.fault != nil {
		return
	}
	c.fault = c.lines.refused(i, true)
	_, ok := patchLines(lists.Map(c.lines[i:min(i+3, len(c.lines))], strings.TrimSpace)).dialectAt(0)
	ok = ok || strayLine().MatchString(c.lines[i]) && !strings.HasPrefix(c.lines[max(0, i-1)], "## ") // as svn has above properties
	if ok && c.fault == nil {
		c.fault = syntax(i+1, "%q is not read as part of the patch above it; send each patch on its own, and each hunk with all of its lines", edits.Excerpt(c.lines[i]))
	}
}

// strayLine finds a line that is hardly prose.
var strayLine = lazy.Regexp(`^[-+]\pL`)

// shell reads a line of shell around the patch, which is the given line of it, and returns the word that ends the here-document
// which it begins, "" if it begins none. Of the commands only apply_patch is done, in the folder to which "cd folder &&" goes.
// A patch that may be meant for another folder is refused.
func (c *cursor) shell(line int, l string) (word string) {
	if m := heredoc().FindStringSubmatch(l); m != nil {
		word = m[1] + m[2]
	}
	c.findEscape(line, l, word)
	folder, rest := inFolder(l)
	plain := word != "" && strings.HasPrefix(rest, "apply_patch")
	if otherFolder().MatchString(l) && (folder == "" || !plain || otherFolder().MatchString(rest)) {
		c.elsewhere = l
	}
	begins, isBelow := word != "" || strings.Contains(l, string(beginPatch)), line > c.first+1
	applies := begins || strings.Contains(l, "apply_patch") || isBelow && strings.Contains(l, "git apply ")
	switch {
	case applies && c.elsewhere != "", isBelow && (begins && folder != c.patch.Folder || folderOfCall().MatchString(l)): // all have one folder
		c.fault = syntax(line, "%q: only the shell knows in which folder and how the patch is meant; send the patch alone, with names from the workspace folder", edits.Excerpt(cmp.Or(c.elsewhere, l)))
	case !applies:
		return ""
	case word != "" && !patchCommand().MatchString(rest):
		c.patch.note(noteCommands)
	}
	c.patch.Folder = cmp.Or(folder, c.patch.Folder)
	return word
}

// findEscape sets c.escape if a line of shell, which is as for [cursor.shell], begins a quote or a here-document in which the
// shell changes something.
func (c *cursor) findEscape(line int, l, word string) {
	quote := openQuote().FindStringSubmatch(l)
	switch {
	case word != "" && !quotedWord().MatchString(l):
		c.escape = noQuote()
	case line > c.first || quote == nil || strings.Count(l, quote[1])%2 == 0:
	case quote[1] == "'":
		c.escape = singleQuote()
	default:
		c.escape = doubleQuote()
	}
}

// escaped refuses a patch with an escape of the quotes around it.
func (c *cursor) escaped() error {
	for i, l := range c.lines[c.first:] {
		if c.escape != nil && c.escape.MatchString(l) {
			return syntax(c.first+i+1, "%q has an escape of the quotes that are around the patch; send the patch alone, as its lines are meant", edits.Excerpt(l))
		}
	}
	return nil
}

var (
	// otherFolder finds a command that goes to a folder or does not just apply a patch, or a member of a call that names a folder.
	otherFolder = lazy.Regexp("(?:^(?:[$>#] )?|[;&|(\"'`]\\s*)(?:cd|chdir|pushd|Set-Location)\\s+\\S+|\\bgit\\s+-C\\s|\\b(?:patch|git apply)\\b.*\\s(?:-d|--directory|-R|--reverse|--check|--dry-run)|\\bpatch(?:\\s+-\\S+)*\\s+[^-<\\s\\d]\\S*.*<<|\"(?:workdir|cwd)\":\\s*\"[^\"]")
	// folderOfCall finds that member alone.
	folderOfCall = lazy.Regexp(`"(?:workdir|cwd)":\s*"[^"]`)
	// openQuote finds a quote behind which a patch begins.
	openQuote = lazy.Regexp(`(['"])(?:diff -.*)?$`)
	// The others find what a shell changes in quotes, and a here-document in which it changes nothing.
	quotedWord  = lazy.Regexp(`<<-?\s*['"\\]`)
	singleQuote = lazy.Regexp(`'\\''|'"'"'|\\'`)
	doubleQuote = lazy.Regexp("\\\\[\"$`\\\\]")
	noQuote     = lazy.Regexp("\\\\[$`]")
	// patchCommand finds a command that applies the patch and does nothing else, or a here-document without a command.
	patchCommand = lazy.Regexp(`^(apply_patch)?\s*<<-?\s*['"]?\w+['"]?$`)
)

// skipTo skips the lines before to, and returns c.
func (c *cursor) skipTo(to int) *cursor {
	for c.at < to {
		c.skip()
	}
	return c
}

// closes reports whether a line closes, from its first column on, something around the patch.
func (c *cursor) closes(l string) bool {
	return len(c.closers) > 0 && slices.Contains(c.closers, strings.TrimRight(l, " \t\r"))
}

// until returns the first line, from the next one on, for which is is true, or to if no line before to is.
func (c *cursor) until(to int, is func(l string) bool) int {
	if i := slices.IndexFunc(c.lines[c.at:to], is); i >= 0 {
		return c.at + i
	}
	return to
}

// fenceRun returns the characters of a Markdown fence that a line begins with, else "".
func fenceRun(l string) string {
	if !strings.HasPrefix(l, "```") && !strings.HasPrefix(l, "~~~") {
		return ""
	}
	return l[:len(l)-len(strings.TrimLeft(l, l[:1]))]
}

// content turns the hunks of a new file into its text.
func (c *cursor) content(f *File) error {
	var b strings.Builder
	open := false
	for n, h := range f.Hunks {
		if n > 0 && slices.Equal(h.Lines, f.Hunks[n-1].Lines) {
			return syntax(h.Line, "the same hunk of a new file stands here twice; leave one out")
		}
		for i, l := range h.Lines[:len(h.Lines)-h.Blanks] {
			switch line := l.Text; {
			case l.Kind == AddedLine:
			case l.Kind == KeptLine && line == "":
				c.patch.note(noteEmptyAdded)
			default:
				if !l.NoSign {
					line = string(l.Kind) + line
				}
				return syntax(h.Line+i+1, `%q must begin with "+", as every line of a new file does`, edits.Excerpt(line))
			}
			b.WriteString(l.Text)
			if l.CR {
				b.WriteByte('\r')
			}
			b.WriteByte('\n')
		}
		open = h.NewOpen
	}
	f.Content, f.Hunks = b.String(), nil
	if open {
		f.Content = strings.TrimSuffix(f.Content, "\n")
	}
	return nil
}

// Invocation returns the patch that a shell command passes to apply_patch in a here-document, and the folder to which
// the command goes first; "" is none. ok is false if the command does more than that, or another thing.
func Invocation(command string) (patch, folder string, ok bool) {
	folder, command = inFolder(command)
	m := invocation().FindStringSubmatch(command)
	if len(m) == 0 || m[1] != m[3] || strings.Count(m[2], "*** Begin Patch\n") > 1 {
		return "", "", false
	}
	return m[2], folder, true
}

// invocation matches a command that passes a patch to apply_patch; groups 1 and 3 are the words around the patch.
var invocation = lazy.Regexp(`(?s)^\s*apply_patch\s*<<\s*['"]?(\w+)['"]?\n(\*\*\* Begin Patch\n.*\n\*\*\* End Patch)\n(\w+)\s*$`)

// inFolder returns the folder to which the shell goes before a command, and that command. The folder is "" if there is
// none, or the shell may not take its name literally.
func inFolder(command string) (folder, rest string) {
	if m := cd().FindStringSubmatch(command); m != nil {
		return strings.Trim(m[1], `'"`), command[len(m[0]):]
	}
	return "", command
}

var cd = lazy.Regexp(`^\s*cd[ \t]+('[\pL\pN_./][^']*'|"[\pL\pN_./][\pL\pN_./+@=,: -]*"|[\pL\pN_./][\pL\pN_./+@=,:-]*)[ \t]*&&[ \t]*`)

// heredoc finds the word after the last "<<" of a line, as in "apply_patch <<'EOF'".
var heredoc = lazy.Regexp(`.*<<-?(?: *['"]([^'"]+)|(\w+))`)
