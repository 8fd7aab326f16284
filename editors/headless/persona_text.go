package headless

import (
	"bytes"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
)

// form is what an editor knows of a document's text besides the text.
type form struct {
	eol  string // what line ends in new text become; "" leaves them
	crlf bool   // the file has "\r\n" where the buffer has "\n"
	bare bool   // the buffer has no newline of its own at the end (Vim's noeol)
}

// shape sets the form for a text that is opened, and returns the text that the
// editor makes of it. ofFile says that it is what a file holds.
func (b *Buffer) shape(s string, ofFile bool) string {
	dos := strings.Contains(s, "\n") && strings.Count(s, "\r\n") == strings.Count(s, "\n")
	habits := b.e.opts.Persona.Text
	switch habits.Ends {
	case EndsUniform:
		b.form.eol = frequentEnd(s)
		s = b.newText(s)
	case EndsOfFormat:
		b.form.eol = "\n"
		if dos {
			b.form.eol = "\r\n"
		}
	case EndsDecoded:
		if ofFile {
			b.form.crlf = dos
		}
		if b.form.crlf {
			s = strings.ReplaceAll(s, "\r\n", "\n")
		}
	case EndsStripped:
		b.form.crlf = frequentEnd(s) == "\r\n"
		s = b.newText(s)
	case EndsKept:
	}
	if habits.Final == FinalOfBuffer {
		if s == "" {
			s = b.form.eol
		}
		b.form.bare = !strings.HasSuffix(s, "\n")
	}
	return s
}

// newText returns what the editor makes of text that comes into the buffer.
func (b *Buffer) newText(s string) string {
	switch b.e.opts.Persona.Text.Ends {
	case EndsUniform, EndsOfFormat:
		s = strings.NewReplacer("\r\n", b.form.eol, "\r", b.form.eol, "\n", b.form.eol).Replace(s)
	case EndsStripped:
		s = strings.ReplaceAll(s, "\r", "")
	case EndsKept, EndsDecoded:
	}
	return s
}

// frequentEnd returns the line end that VS Code makes of a text's: "\r\n" if more
// than half of them have a "\r".
func frequentEnd(s string) string {
	all := strings.Count(s, "\n") + strings.Count(s, "\r") - strings.Count(s, "\r\n")
	if strings.Count(s, "\r")*2 > all {
		return "\r\n"
	}
	return "\n"
}

// wholeText is newText of a text that becomes the whole buffer's.
func (b *Buffer) wholeText(s string) string {
	s = b.newText(s)
	if s == "" && b.e.opts.Persona.Text.Final == FinalOfBuffer {
		return b.form.eol
	}
	return s
}

// typed returns the edit that the editor makes of one the person makes: with the
// line ends of the buffer, none of which it cuts in two, and without emptying a
// buffer that cannot be empty.
func (b *Buffer) typed(t text.Text, e edits.Edit) edits.Edit {
	if b.form.eol == "\r\n" {
		e.Start, e.End = beforeEnd(t, e.Start), beforeEnd(t, e.End)
	}
	if e.New = b.newText(e.New); e.New == "" && e.Start == 0 && e.End == t.Len() && e.End > 0 {
		e.New = b.wholeText("")
	}
	return e
}

// beforeEnd returns the offset, or the one before the "\r\n" that it is inside of.
func beforeEnd(t text.Text, off int) int {
	if off > 0 && off < t.Len() && t.Slice(off-1, off+1) == "\r\n" {
		return off - 1
	}
	return off
}

// content returns what a file with that text holds.
func (b *Buffer) content(t text.Text) []byte {
	out := make([]byte, 0, len(text.BOM)+t.Len()+len(b.form.eol))
	if b.bom {
		out = append(out, text.BOM...)
	}
	for run := range t.Runs() {
		out = append(out, run...)
	}
	if b.form.crlf {
		out = bytes.ReplaceAll(out, []byte("\n"), []byte("\r\n"))
	}
	if b.form.bare {
		out = append(out, b.form.eol...)
	}
	return out
}

// refine sets what the text itself says of the form. It needs e.mu.
func (b *Buffer) refine() {
	if b.e.opts.Persona.Text.Final == FinalOfBuffer {
		b.form.bare = !strings.HasSuffix(b.now.Load().text.String(), "\n")
	}
}

// completeLine adds a final newline before a buffer is saved. It needs e.mu.
func (b *Buffer) completeLine() {
	t := b.now.Load().text
	if b.e.opts.Persona.Text.Final == FinalAdded && t.Len() > 0 && !strings.HasSuffix(t.String(), "\n") {
		end := text.Terminator(t.Slice(0, t.LineStart(t.Lines()-1)))
		if end == "" {
			end = "\n"
		}
		b.apply("", []edits.Edits{{{Start: t.Len(), End: t.Len(), New: end}}})
	}
}
