package lsp

import (
	"bytes"
	"encoding/json"
	"regexp"

	"github.com/patchls/patchls/workspace/paths"
)

// endKept is how much is looked at of either end of a message that is passed over.
const endKept = 8 << 10

// passOverRequest passes over the current message, which is longer than endKept, and
// answers it.
func (s *stream) passOverRequest(err error) error {
	select {
	case s.refusals <- refusal{idIn(s.in.Peek(endKept)), err}: // whoever takes no answers is not listened to
	case <-s.closed:
	}
	return s.passOver(err.Error())
}

// passOver passes over the current message, and tells why.
func (s *stream) passOver(why string) error {
	ends, err := s.in.Skip(endKept)
	if err == nil {
		s.over(ends, why)
	}
	return err
}

// idIn returns the id of a request that begins like that, nil if it comes later.
func idIn(head []byte) json.RawMessage {
	d := json.NewDecoder(bytes.NewReader(head))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil || name == "id" {
			return value
		}
	}
	return nil
}

// uriGiven is a member of an object, which no text in a string looks like: there the
// quotes are escaped.
var uriGiven = regexp.MustCompile(`[{,]\s*"uri"\s*:\s*("(?:[^"\\]|\\.)*")`)

// tooLong takes in that a message was passed over, of which these are the ends. It may
// have been a change of any document. If it opened one, that is known as open: its file
// must not be taken for one that is closed.
func (s *server) tooLong(ends []byte, why string) {
	s.lostMessage()
	if !bytes.Contains(ends, []byte(`"textDocument/didOpen"`)) {
		return
	}
	for _, m := range uriGiven.FindAllSubmatch(ends, -1) {
		var uri string
		if err := json.Unmarshal(m[1], &uri); err != nil {
			continue
		}
		if key, err := paths.KeyOf(uri); err == nil {
			s.left(key, uri, 0, why)
		}
	}
}
