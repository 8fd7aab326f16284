package personas

import (
	"bytes"
	"cmp"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
)

// Open implements [headless.Document].
func (d *document) Open(s string, ofFile bool) string {
	if s == "" && !ofFile && d.q.edit != nil && d.b != nil && d.q.edit.made[d.b.URI()] {
		s = d.q.Files.MissingText
	}
	dos := strings.Contains(s, "\n") && strings.Count(s, "\r\n") == strings.Count(s, "\n")
	habits := d.q.Text
	switch habits.Ends {
	case EndsUniform:
		d.eol = frequentEnd(s)
		s = d.insert(s)
	case EndsOfFormat:
		d.eol = "\n"
		if dos {
			d.eol = "\r\n"
		}
	case EndsDecoded:
		if ofFile {
			d.crlf = dos
		}
		if d.crlf {
			s = strings.ReplaceAll(s, "\r\n", "\n")
		}
	case EndsStripped:
		d.crlf = frequentEnd(s) == "\r\n"
		s = d.insert(s)
	case EndsKept:
	}
	if habits.Final == FinalOfBuffer {
		if s == "" {
			s = d.eol
		}
		d.bare = !strings.HasSuffix(s, "\n")
	}
	return s
}

// insert returns what the editor makes of text that comes into the buffer.
func (d *document) insert(s string) string {
	switch d.q.Text.Ends {
	case EndsUniform, EndsOfFormat:
		s = strings.NewReplacer("\r\n", d.eol, "\r", d.eol, "\n", d.eol).Replace(s)
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

// Typed implements [headless.Document]: the edit has the line ends of the buffer, none of
// which it cuts in two, and does not empty a buffer that cannot be empty.
func (d *document) Typed(t text.Text, e edits.Edit) edits.Edit {
	if d.eol == "\r\n" {
		e.Start, e.End = beforeEnd(t, e.Start), beforeEnd(t, e.End)
	}
	e.New = d.insert(e.New)
	if e.New == "" && e.Start == 0 && e.End == t.Len() && e.End > 0 && d.q.Text.Final == FinalOfBuffer {
		e.New = d.eol
	}
	return e
}

// beforeEnd returns off, or the offset before the "\r\n" that off splits.
func beforeEnd(t text.Text, off int) int {
	if off > 0 && off < t.Len() && t.Slice(off-1, off+1) == "\r\n" {
		return off - 1
	}
	return off
}

// File implements [headless.Document].
func (d *document) File(s []byte) []byte {
	if d.crlf {
		s = bytes.ReplaceAll(s, []byte("\n"), []byte("\r\n"))
	}
	if d.bare {
		s = append(s, d.eol...)
	}
	return s
}

// refine records whether the user left a final newline.
func (d *document) refine(t text.Text) {
	if d.q.Text.Final == FinalOfBuffer {
		d.bare = !strings.HasSuffix(t.String(), "\n")
	}
}

// BeforeSave implements [headless.Document]: a final newline that is missing is added.
func (d *document) BeforeSave() {
	t := d.b.State().Text
	if d.q.Text.Final == FinalAdded && t.Len() > 0 && !strings.HasSuffix(t.String(), "\n") {
		end := cmp.Or(text.Terminator(t.Slice(0, t.LineStart(t.Lines()-1))), "\n")
		d.b.Make([]edits.Edits{{{Start: t.Len(), End: t.Len(), New: end}}})
	}
	d.Flush()
}
