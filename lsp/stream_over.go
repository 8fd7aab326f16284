package lsp

import (
	"bytes"
	"encoding/json"
	"io"
	"regexp"
	"slices"

	"github.com/patchls/patchls/workspace/paths"
)

// endKept is how much is looked at of either end of a message that is passed over.
const endKept = 8 << 10

// passOverRequest passes over a message of n bytes, more than endKept, and answers it.
func (s *stream) passOverRequest(n int64, err error) error {
	head, _ := s.in.Peek(endKept)
	select {
	case s.refusals <- refusal{idIn(head), err}: // whoever takes no answers is not listened to
	case <-s.closed:
	}
	return s.passOver(n, err.Error())
}

// passOver passes over a message of n bytes, and tells why.
func (s *stream) passOver(n int64, why string) error {
	head := make([]byte, min(n, endKept))
	if _, err := io.ReadFull(s.in, head); err != nil {
		return unexpected(err)
	}
	tail := min(n-int64(len(head)), endKept)
	if _, err := io.CopyN(io.Discard, s.in, n-int64(len(head))-tail); err != nil {
		return unexpected(err)
	}
	ends := slices.Concat(head, make([]byte, tail))
	if _, err := io.ReadFull(s.in, ends[len(head):]); err != nil {
		return unexpected(err)
	}
	s.over(ends, why)
	return nil
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
