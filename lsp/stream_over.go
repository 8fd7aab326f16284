package lsp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"

	"go.lsp.dev/jsonrpc2"

	"github.com/patchls/patchls/workspace"
)

// endKept is how much is looked at of either end of a message that is passed over.
const endKept = 8 << 10

// passOver passes over a message of n bytes, which are more than may be.
func (s *stream) passOver(n, most int64) error {
	s.reply(jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "a message of %d bytes was passed over: it is more than %s (%d)", n, s.named, most))
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
	s.over(ends, fmt.Sprintf("its message had %d bytes, more than %s (%d)", n, s.named, most))
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
		if key, err := workspace.KeyOf(uri); err == nil {
			s.left(key, uri, 0, why)
		}
	}
}
