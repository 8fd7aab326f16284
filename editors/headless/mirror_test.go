package headless

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf16"
)

// mirror is a document as a server builds it from the sync notifications. It
// shares no code with the editor: lines are strings split at "\n", characters
// are counted through unicode/utf16, and anything out of order, out of range or
// inside a code point is an error.
type mirror struct {
	text     string
	version  int32
	language string
	saved    *string // text of the last didSave, if it had one
	saves    int
}

type mirrorChange struct {
	Range *Range  `json:"range"`
	Text  *string `json:"text"`
}

func (m *mirror) change(version int32, changes []mirrorChange, encoding string, jumps bool) error {
	if version != m.version+1 && !(jumps && version > m.version) {
		return fmt.Errorf("version %d after %d", version, m.version)
	}
	if len(changes) == 0 {
		return fmt.Errorf("version %d changes nothing", version)
	}
	for _, c := range changes {
		if c.Text == nil {
			return fmt.Errorf("a change without text")
		}
		if c.Range == nil {
			m.text = *c.Text
			continue
		}
		start, err := mirrorOffset(m.text, c.Range.Start, encoding)
		if err != nil {
			return err
		}
		end, err := mirrorOffset(m.text, c.Range.End, encoding)
		if err != nil {
			return err
		}
		if end < start {
			return fmt.Errorf("range %v ends before it starts", *c.Range)
		}
		m.text = m.text[:start] + *c.Text + m.text[end:]
	}
	m.version = version
	return nil
}

// mirrorOffset finds a position and insists that there is one.
func mirrorOffset(s string, p Position, encoding string) (int, error) {
	lines := strings.SplitAfter(s, "\n")
	if int(p.Line) >= len(lines) {
		return 0, fmt.Errorf("line %d of %d", p.Line, len(lines))
	}
	off := 0
	for _, l := range lines[:p.Line] {
		off += len(l)
	}
	line := strings.TrimSuffix(lines[p.Line], "\n")
	for i := 0; ; {
		if mirrorUnits(line[:i], encoding) == int(p.Character) {
			return off + i, nil
		}
		if i == len(line) {
			return 0, fmt.Errorf("no character %d in line %q (%s)", p.Character, line, encoding)
		}
		for i++; i < len(line) && line[i]&0xC0 == 0x80; i++ {
		}
	}
}

// mirrorPosition is the inverse of mirrorOffset.
func mirrorPosition(s string, off int, encoding string) Position {
	before := s[:off]
	start := strings.LastIndexByte(before, '\n') + 1
	return Position{uint32(strings.Count(before, "\n")), uint32(mirrorUnits(before[start:], encoding))}
}

func mirrorRange(s string, start, end int, encoding string) Range {
	return Range{mirrorPosition(s, start, encoding), mirrorPosition(s, end, encoding)}
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

// sync takes one sync notification into the mirrors. Other methods are let by.
func (s *fakeServer) sync(method string, params json.RawMessage) error {
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
	if (m == nil) != (method == "textDocument/didOpen") && (m == nil || !s.twice) {
		return fmt.Errorf("%s: open before: %t", p.TextDocument.URI, m != nil)
	}
	switch method {
	case "textDocument/didOpen":
		if m == nil {
			s.opened[p.TextDocument.URI] = p.TextDocument.Text
		}
		s.docs[p.TextDocument.URI] = &mirror{text: p.TextDocument.Text, version: *p.TextDocument.Version, language: p.TextDocument.LanguageID}
	case "textDocument/didChange":
		return m.change(*p.TextDocument.Version, p.ContentChanges, s.encoding, s.jumps)
	case "textDocument/didSave":
		m.saves++
		m.saved = p.Text
		if p.Text != nil && *p.Text != m.text {
			return fmt.Errorf("didSave has %q, the changes made %q", *p.Text, m.text)
		}
	case "textDocument/didClose":
		delete(s.docs, p.TextDocument.URI)
	}
	return nil
}
