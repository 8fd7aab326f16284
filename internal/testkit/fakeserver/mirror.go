package fakeserver

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf16"
)

// Mirror is a document as a server builds it from the sync notifications. It shares no
// code with the editor: it splits lines at "\n" and counts characters with unicode/utf16.
// Anything out of order, out of range or inside a code point is an error.
type Mirror struct {
	Text     string
	Version  int32
	Language string
	Saved    *string // text of the last didSave, if it had one
	Saves    int
}

type position struct{ Line, Character int }

type mirrorChange struct {
	Range *struct{ Start, End position }
	Text  *string
}

func (m *Mirror) change(version int32, changes []mirrorChange, encoding string, jumps, anyVersion bool) error {
	if version != m.Version+1 && !anyVersion && !(jumps && version > m.Version) {
		return fmt.Errorf("version %d after %d", version, m.Version)
	}
	if len(changes) == 0 {
		return fmt.Errorf("version %d changes nothing", version)
	}
	for _, c := range changes {
		if c.Text == nil {
			return fmt.Errorf("a change without text")
		}
		if c.Range == nil {
			m.Text = *c.Text
			continue
		}
		start, err := mirrorOffset(m.Text, c.Range.Start, encoding)
		if err != nil {
			return err
		}
		end, err := mirrorOffset(m.Text, c.Range.End, encoding)
		if err != nil {
			return err
		}
		if end < start {
			return fmt.Errorf("range %v ends before it starts", *c.Range)
		}
		m.Text = m.Text[:start] + *c.Text + m.Text[end:]
	}
	m.Version = version
	return nil
}

// mirrorOffset finds a position and insists that there is one.
func mirrorOffset(s string, p position, encoding string) (int, error) {
	lines := strings.SplitAfter(s, "\n")
	if p.Line >= len(lines) {
		return 0, fmt.Errorf("line %d of %d", p.Line, len(lines))
	}
	off := 0
	for _, l := range lines[:p.Line] {
		off += len(l)
	}
	line := strings.TrimSuffix(lines[p.Line], "\n")
	for i := 0; ; {
		if mirrorUnits(line[:i], encoding) == p.Character {
			return off + i, nil
		}
		if i == len(line) {
			return 0, fmt.Errorf("no character %d in line %q (%s)", p.Character, line, encoding)
		}
		for i++; i < len(line) && line[i]&0xC0 == 0x80; i++ {
		}
	}
}

// Position returns the line and the character of an offset of s.
func Position(s string, off int, encoding string) (line, character int) {
	before := s[:off]
	start := strings.LastIndexByte(before, '\n') + 1
	return strings.Count(before, "\n"), mirrorUnits(before[start:], encoding)
}

func mirrorUnits(s, encoding string) int {
	switch encoding {
	case "utf-8":
		return len(s)
	case "utf-32":
		return len([]rune(s))
	}
	return len(utf16.Encode([]rune(s)))
}

// sync applies a sync notification to the mirrors. Other methods are ignored.
func (s *Server) sync(method string, params json.RawMessage) error {
	var p struct {
		TextDocument struct {
			URI, LanguageID, Text string
			Version               *int32
		}
		ContentChanges []mirrorChange
		Text           *string
	}
	if !strings.HasPrefix(method, "textDocument/did") {
		return nil
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return err
	}
	m := s.docs[p.TextDocument.URI]
	if (m == nil) != (method == "textDocument/didOpen") && (m == nil || !s.Twice) {
		return fmt.Errorf("%s: open before: %t", p.TextDocument.URI, m != nil)
	}
	switch method {
	case "textDocument/didOpen":
		if m == nil {
			s.opened[p.TextDocument.URI] = p.TextDocument.Text
		}
		s.docs[p.TextDocument.URI] = &Mirror{Text: p.TextDocument.Text, Version: *p.TextDocument.Version, Language: p.TextDocument.LanguageID}
	case "textDocument/didChange":
		return m.change(*p.TextDocument.Version, p.ContentChanges, s.Encoding, s.Jumps, s.AnyVersion)
	case "textDocument/didSave":
		m.Saves++
		m.Saved = p.Text
		if p.Text != nil && *p.Text != m.Text {
			return fmt.Errorf("didSave has %q, the changes made %q", *p.Text, m.Text)
		}
	case "textDocument/didClose":
		delete(s.docs, p.TextDocument.URI)
	}
	return nil
}
