package headless

import (
	"bytes"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
)

// open implements [form].
func (d *document) open(s string, ofFile bool) string {
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

// insert implements [form].
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

// whole implements [form].
func (d *document) whole(s string) string {
	s = d.insert(s)
	if s == "" && d.q.Text.Final == FinalOfBuffer {
		return d.eol
	}
	return s
}

// typed returns the edit that the editor makes of one the user makes: with the
// line ends of the buffer, none of which it cuts in two, and without emptying a
// buffer that cannot be empty.
func (d *document) typed(t text.Text, e edits.Edit) edits.Edit {
	if d.eol == "\r\n" {
		e.Start, e.End = beforeEnd(t, e.Start), beforeEnd(t, e.End)
	}
	if e.New = d.insert(e.New); e.New == "" && e.Start == 0 && e.End == t.Len() && e.End > 0 {
		e.New = d.whole("")
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

// file implements [form].
func (d *document) file(s []byte) []byte {
	if d.crlf {
		s = bytes.ReplaceAll(s, []byte("\n"), []byte("\r\n"))
	}
	if d.bare {
		s = append(s, d.eol...)
	}
	return s
}

// inherit implements [form].
func (d *document) inherit(old form) {
	if o, ok := old.(*document); ok {
		d.eol, d.crlf, d.bare = o.eol, o.crlf, o.bare
	}
}

// refine implements [form].
func (d *document) refine(t text.Text) {
	if d.q.Text.Final == FinalOfBuffer {
		d.bare = !strings.HasSuffix(t.String(), "\n")
	}
}

// completeLine adds a final newline before a buffer is saved. It needs e.mu.
func (d *document) completeLine() {
	t := d.b.now.Load().text
	if d.q.Text.Final == FinalAdded && t.Len() > 0 && !strings.HasSuffix(t.String(), "\n") {
		end := text.Terminator(t.Slice(0, t.LineStart(t.Lines()-1)))
		if end == "" {
			end = "\n"
		}
		d.b.apply("", []edits.Edits{{{Start: t.Len(), End: t.Len(), New: end}}})
	}
}
