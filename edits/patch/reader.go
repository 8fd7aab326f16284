package patch

import (
	"regexp"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits/text"
)

// patchReader reads a patch line by line. Whatever it does with a line it does
// once, or the time would not be linear.
type patchReader struct {
	lines   patchLines
	at      int      // the line that is next
	closers []string // the lines that close what is open around the patch: code fences, the shell's here-documents
	other   int      // the first line, from 1, of a patch of another kind that was skipped
	patch   Patch
}

// patchLines are the lines of a patch, without "\n".
type patchLines []string

// newReader returns a reader of the lines of a patch. Only "\n" ends one; every other
// character is the content's.
func newReader(patch string) *patchReader {
	var r patchReader
	patch = strings.TrimPrefix(patch, text.BOM)
	if one := strings.TrimSpace(patch); !strings.Contains(one, "\n") && strings.Contains(one, `\n`) {
		patch = unescapeLine.Replace(one)
		r.patch.note(noteEscaped)
	}
	r.lines = strings.Split(strings.TrimSuffix(patch, "\n"), "\n")
	return &r
}

// unescapeLine undoes what JSON does to a text, for one that went through it once
// too often.
var unescapeLine = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\r\n`, "\n", `\t`, "\t", `\"`, `"`)

// next returns the line that is next, and goes on to the one after it.
func (r *patchReader) next() string {
	r.at++
	return r.lines[r.at-1]
}

// stripCRs takes one "\r" off the end of every line.
func (ls patchLines) stripCRs() {
	for i, l := range ls {
		ls[i] = strings.TrimSuffix(l, "\r")
	}
}

// skip passes over a line that is not of the patch, and looks whether it opens or
// closes something around it.
func (r *patchReader) skip() {
	if d := r.lines.dialectAt(r.at); r.other == 0 && d != noDialect && d != bareHunks {
		r.other = r.at + 1
	}
	l := strings.TrimSpace(r.next())
	if l != "" && !strings.HasPrefix(l, "diff -") { // which diff -r prints above each file
		r.patch.note(noteAround)
	}
	if i := slices.Index(r.closers, l); i >= 0 {
		r.closers = r.closers[:i]
	} else if run := fenceRun(l); run != "" && len(r.closers) == 0 {
		r.closers = append(r.closers, run)
	} else if word := heredocWord(l); word != "" {
		r.closers = append(r.closers, word)
	}
}

// skipTo passes over the lines before to.
func (r *patchReader) skipTo(to int) {
	for r.at < to {
		r.skip()
	}
}

// closes reports whether a line closes what is around the patch. It begins at the
// first column, as no content does.
func (r *patchReader) closes(l string) bool {
	return len(r.closers) > 0 && slices.Contains(r.closers, strings.TrimRight(l, " \t\r"))
}

// closing returns the first line from the next one up to a line that closes what is
// around the patch, or that line.
func (r *patchReader) closing(to int) int {
	if i := slices.IndexFunc(r.lines[r.at:to], r.closes); i >= 0 {
		return r.at + i
	}
	return to
}

// fenceRun returns the characters of a Markdown fence that a line begins with, ""
// if it is none.
func fenceRun(l string) string {
	if !strings.HasPrefix(l, "```") && !strings.HasPrefix(l, "~~~") {
		return ""
	}
	return l[:len(l)-len(strings.TrimLeft(l, l[:1]))]
}

// heredoc finds the word behind the last "<<" of a line.
var heredoc = regexp.MustCompile(`.*<<-?(?: *['"]([^'"]+)|(\w+))`)

// heredocWord returns the word that ends the here-document which a line of shell
// begins, as "apply_patch <<'EOF'"; "" if it begins none.
func heredocWord(l string) string {
	if !strings.Contains(l, "<<") {
		return ""
	}
	if m := heredoc.FindStringSubmatch(l); m != nil {
		return m[1] + m[2]
	}
	return ""
}

// IsWordByte reports whether a byte is a letter or digit of ASCII, or "_".
func IsWordByte(b byte) bool {
	return b == '_' || '0' <= b && b <= '9' || 'a' <= b|0x20 && b|0x20 <= 'z'
}

// clip shortens a line that a message quotes.
func clip(l string) string {
	const enough = 100
	if len(l) <= enough {
		return l
	}
	return strings.ToValidUTF8(l[:enough], "") + "…"
}
