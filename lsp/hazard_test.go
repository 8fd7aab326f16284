package lsp_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/lsp"
	"github.com/patchls/patchls/workspace/paths"
)

// The tests TestHazard... reproduce what editors do with a server's edits. Each hazard is described
// under its name in docs/editor-hazards.md. "Fails if" in the comment of a test is followed by what
// to break in the server to see the test fail.

// silence answers no applyEdit, and does nothing.
func silence(ctx context.Context, _ *headless.Editor, _ *applyParams, _ applyNext) (applyResult, error) {
	<-ctx.Done()
	return applyResult{}, ctx.Err()
}

// player is a client that plays an editor by the script of a test. It is for one
// goroutine. Its positions are in UTF-8.
type player struct {
	*rawClient
	root    string
	hello   json.RawMessage // the answer to initialize
	began   time.Time       // of the last command
	serial  int
	answers map[int]message // to commands, by id
	edits   []message       // applyEdits that the script has not taken
	buffer  *sheet          // takes or refuses every applyEdit, as a compliant editor would
	refresh func(m message) // answers workspace/diagnostic/refresh
	sent    []message       // all that the server sent
}

// sheet is a document of a player.
type sheet struct {
	uri     string
	version int
	text    string
}

const yes = `{"applied":true}`

// noApplyEdit is of an editor that cannot apply edits.
const noApplyEdit = `workspace."applyEdit":false`

// startPlayer starts a server for an editor of that name. more are members of its
// capabilities, after "workspace." of those of the workspace, or after ";" of
// initialize itself.
func startPlayer(t *testing.T, name string, more ...string) *player {
	t.Helper()
	return startPlayerWith(t, lsp.Options{}, name, more...)
}

func startPlayerWith(t *testing.T, opts lsp.Options, name string, more ...string) *player {
	t.Helper()
	d := &player{rawClient: startRaw(t, opts), root: t.TempDir(), answers: map[int]message{}}
	capabilities := []string{`"general":{"positionEncodings":["utf-8"]}`}
	if len(more) > 0 && strings.HasPrefix(more[0], `"general"`) { // it has its own
		capabilities = nil
	}
	var params strings.Builder
	workspace := `"applyEdit":true`
	for _, m := range more {
		if rest, ok := strings.CutPrefix(m, ";"); ok {
			params.WriteString("," + rest)
		} else if m == noApplyEdit {
			workspace = `"applyEdit":false`
		} else if rest, ok := strings.CutPrefix(m, "workspace."); ok {
			workspace += "," + rest
		} else {
			capabilities = append(capabilities, m)
		}
	}
	capabilities = append(capabilities, `"workspace":{`+workspace+`}`)
	d.send(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"processId":null,"clientInfo":{"name":%q},"rootUri":%q,"capabilities":{%s}%s}}`,
		name, paths.FileURI(d.root), strings.Join(capabilities, ","), params.String())
	d.hello = d.answer(`"init"`).Result
	d.send(`{"jsonrpc":"2.0","method":"initialized","params":{}}`)
	return d
}

// file returns the URI of a file of the workspace.
func (d *player) file(name string) string { return paths.FileURI(d.root) + "/" + name }

// opened opens a document.
func (d *player) opened(uri string, version int, s string) *sheet {
	d.t.Helper()
	b := &sheet{uri, version, s}
	d.send(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":%q,"languageId":"x","version":%d,"text":%s}}}`, uri, version, quote(s))
	return b
}

// changed makes s the document's text, in one didChange.
func (d *player) changed(b *sheet, version int, s string) {
	d.t.Helper()
	b.version, b.text = version, s
	d.send(`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":%q,"version":%d},"contentChanges":[{"text":%s}]}}`, b.uri, version, quote(s))
}

// closed closes a document.
func (d *player) closed(b *sheet) {
	d.t.Helper()
	d.send(`{"jsonrpc":"2.0","method":"textDocument/didClose","params":{"textDocument":{"uri":%q}}}`, b.uri)
}

// say answers a request of the server.
func (d *player) say(m message, result string) {
	d.t.Helper()
	d.send(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
}

// ask sends a command and returns its id.
func (d *player) ask(command string, a args) int {
	d.t.Helper()
	raw, err := json.Marshal(a)
	if err != nil {
		d.t.Fatal(err)
	}
	d.serial++
	d.began = time.Now()
	d.send(`{"jsonrpc":"2.0","id":%d,"method":"workspace/executeCommand","params":{"command":"patchls.%s","arguments":[%s]}}`, d.serial, command, raw)
	return d.serial
}

// replace asks for a str_replace.
func (d *player) replace(path, from, to string) int {
	d.t.Helper()
	return d.ask("str_replace", args{"path": path, "old_str": from, "new_str": to})
}

// inBubbles runs f for each name, in a test of its own that is a bubble.
func inBubbles[V any](t *testing.T, cases map[string]V, f func(t *testing.T, v V)) {
	t.Helper()
	for name, v := range cases {
		t.Run(name, func(t *testing.T) { bubble(t, func(t *testing.T) { f(t, v) }) })
	}
}

// contains reports whether s has one of these words.
func contains(s string, words ...string) bool {
	return slices.ContainsFunc(words, func(word string) bool {
		return strings.Contains(strings.ToLower(s), word)
	})
}
