package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"

	"github.com/patchls/patchls/edits/text"
)

const (
	us             = "patchls"
	languageServer = "vscode-languageserver"
)

// server is a language server that keeps the open documents, as a process.
type server struct {
	name string
	*client
}

// servers starts patchls and vscode-languageserver, each with its own pipes.
func (e *env) servers() (all []server, stop func(), err error) {
	stop = func() {
		for _, s := range all {
			s.close()
		}
	}
	start := func(name, program string, args ...string) {
		if err != nil {
			return
		}
		var c *client
		if c, err = started(program, args...); err == nil {
			all = append(all, server{name, c})
		}
	}
	start(us, e.patchls, "serve", "--log-file", filepath.Join(e.temp, "log"))
	if e.peers.node != "" {
		start(languageServer, e.peers.node, filepath.Join(e.peers.folder, "server.mjs"), "--stdio")
	}
	if err != nil {
		stop()
	}
	return all, stop, err
}

const documentURI = "file:///bench/document.txt"

// openFrame is didOpen of a text, closeFrame its didClose.
func openFrame(s string) []byte {
	return frame(0, "textDocument/didOpen", map[string]any{
		"textDocument": map[string]any{"uri": documentURI, "languageId": "plaintext", "version": 1, "text": s},
	})
}

func closeFrame() []byte {
	return frame(0, "textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": documentURI}})
}

// changeFrames are the session's changes as didChange, one after the other, and
// where each ends. They are as VS Code writes them, members in its order.
func changeFrames(s session) (all []byte, ends []int) {
	for i, c := range s.changes {
		body := fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":%q,"version":%d},`+
			`"contentChanges":[{"range":{"start":{"line":%d,"character":%d},"end":{"line":%d,"character":%d}},"text":%s}]}}`,
			documentURI, i+2, c.from.Line, c.from.Character, c.to.Line, c.to.Character, encoded(c.put))
		all = append(all, withHeader(body)...)
		ends = append(ends, len(all))
	}
	return all, ends
}

// synced returns when the server has taken in all that was sent.
func (c *client) synced() error {
	_, err := c.call("patchls/synced", nil)
	return err
}

// send writes all of it at once, or in pieces that end there, and returns the
// nanoseconds until the server has taken it in.
func (c *client) send(all []byte, ends ...int) (float64, error) {
	if len(ends) == 0 {
		ends = []int{len(all)}
	}
	began, at := time.Now(), 0
	for _, end := range ends {
		if _, err := c.in.Write(all[at:end]); err != nil {
			return 0, err
		}
		at = end
	}
	err := c.synced()
	return float64(time.Since(began).Nanoseconds()), err
}

// holds checks that the server's document is this text.
func (s server) holds(want string) error {
	var got, wanted string
	if s.name == us {
		raw, err := s.call("workspace/executeCommand", map[string]any{
			"command": "patchls.view", "arguments": []any{map[string]any{"path": documentURI, "start_line": 1, "end_line": 1}},
		})
		if err != nil {
			return err
		}
		var view struct{ Rev string }
		if err := json.Unmarshal(raw, &view); err != nil {
			return err
		}
		got, wanted = view.Rev, text.New(want).Hash()
	} else {
		raw, err := s.call("bench/text", map[string]any{"uri": documentURI})
		if err != nil {
			return err
		}
		if err := json.Unmarshal(raw, &got); err != nil {
			return err
		}
		sum := sha256.Sum256([]byte(want))
		wanted = hex.EncodeToString(sum[:])
	}
	if got != wanted {
		return fmt.Errorf("%s has another text than was sent", s.name)
	}
	return nil
}
