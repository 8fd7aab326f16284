package lsp_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/patchls/patchls/editors/headless"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp"
)

// The tests TestHazard01 to TestHazard46 reproduce what clients do with an edit of
// a server: the numbered list of editor-clients.md part b, of which each number is
// a requirement. They are in files by its groups.

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
	buffer  *sheet          // takes every applyEdit as a compliant editor would
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

// startPlayer starts a server for an editor of that name. more are members of its
// capabilities, after "workspace." of those of the workspace, or after ";" of
// initialize itself.
func startPlayer(t *testing.T, name string, more ...string) *player {
	t.Helper()
	d := &player{rawClient: startRaw(t, lsp.Options{}), root: t.TempDir(), answers: map[int]message{}}
	capabilities := []string{`"general":{"positionEncodings":["utf-8"]}`}
	if len(more) > 0 && strings.HasPrefix(more[0], `"general"`) { // it has its own
		capabilities = nil
	}
	var params strings.Builder
	workspace := `"applyEdit":true`
	for _, m := range more {
		if rest, ok := strings.CutPrefix(m, ";"); ok {
			params.WriteString("," + rest)
		} else if rest, ok := strings.CutPrefix(m, "workspace."); ok {
			workspace += "," + rest
		} else {
			capabilities = append(capabilities, m)
		}
	}
	capabilities = append(capabilities, `"workspace":{`+workspace+`}`)
	d.send(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"processId":null,"clientInfo":{"name":%q},"rootUri":%q,"capabilities":{%s}%s}}`,
		name, "file://"+d.root, strings.Join(capabilities, ","), params.String())
	d.hello = d.answer(`"init"`).Result
	d.send(`{"jsonrpc":"2.0","method":"initialized","params":{}}`)
	return d
}

// file returns the URI of a file of the workspace.
func (d *player) file(name string) string { return "file://" + d.root + "/" + name }

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

// read takes in one message of the server.
func (d *player) read() {
	d.t.Helper()
	m, ok := <-d.messages
	if !ok {
		d.t.Fatal("the connection ended")
	}
	d.take(m)
}

// poll takes in what the server has sent, once nothing more comes of itself.
func (d *player) poll() {
	d.t.Helper()
	for {
		synctest.Wait()
		select {
		case m := <-d.messages:
			d.take(m)
		default:
			return
		}
	}
}

func (d *player) take(m message) {
	d.t.Helper()
	d.sent = append(d.sent, m)
	switch m.Method {
	case "":
		var id int
		if json.Unmarshal(m.ID, &id) == nil {
			d.answers[id] = m
		}
	case "workspace/applyEdit":
		if d.buffer == nil {
			d.edits = append(d.edits, m)
			return
		}
		d.changed(d.buffer, d.buffer.version+1, d.land(d.buffer.text, m))
		d.say(m, yes)
	case "workspace/diagnostic/refresh":
		if d.refresh != nil {
			d.refresh(m)
		}
	}
}

// applyEdit returns the next applyEdit. It must come before any answer to the last
// command.
func (d *player) applyEdit() message {
	d.t.Helper()
	for len(d.edits) == 0 {
		if m, over := d.answers[d.serial]; over {
			d.t.Fatalf("the command was answered before it sent an edit: %+v %s", m.Error, m.Result)
		}
		d.read()
	}
	m := d.edits[0]
	d.edits = d.edits[1:]
	return m
}

// reply returns the answer to a command.
func (d *player) reply(id int) message {
	d.t.Helper()
	for {
		if m, ok := d.answers[id]; ok {
			return m
		}
		d.read()
	}
}

// result returns the result of a command, which must be one that is verified.
func (d *player) result(id int) lsp.Result {
	d.t.Helper()
	m := d.reply(id)
	var r lsp.Result
	if m.Error != nil {
		d.t.Fatalf("command %d failed: %s %s", id, m.Error.Message, m.Error.Data)
	}
	if err := json.Unmarshal(m.Result, &r); err != nil {
		d.t.Fatal(err)
	}
	if !r.Applied || !r.Verified {
		d.t.Errorf("command %d is not verified: %+v", id, r)
	}
	return r
}

// failure returns the error of a command, which must be of one of these kinds.
func (d *player) failure(id int, kinds ...string) failure {
	d.t.Helper()
	m := d.reply(id)
	if m.Error == nil {
		d.t.Fatalf("command %d should fail with one of %q: %s", id, kinds, m.Result)
	}
	f := failure{Message: m.Error.Message}
	if len(m.Error.Data) > 0 {
		if err := json.Unmarshal(m.Error.Data, &f.ErrorData); err != nil {
			d.t.Fatal(err)
		}
	}
	if !slices.Contains(kinds, string(f.Kind)) {
		d.t.Errorf("command %d failed with %s, want one of %q: %s", id, f.Kind, kinds, f.Message)
	}
	return f
}

// took checks how long the last command has taken until now.
func (d *player) took(want time.Duration) {
	d.t.Helper()
	if took := time.Since(d.began); took != want {
		d.t.Errorf("it took %v, want %v", took, want)
	}
}

// wantNoEdit checks that the server has sent no applyEdit.
func (d *player) wantNoEdit() {
	d.t.Helper()
	for _, m := range d.sent {
		if m.Method == "workspace/applyEdit" {
			d.t.Errorf("the server sent %s", m.Params)
		}
	}
}

// land returns s after the text edits of an applyEdit, at their positions, whatever
// the text was that they are meant for.
func (d *player) land(s string, m message) string {
	d.t.Helper()
	now := text.New(s)
	for _, e := range slices.Backward(d.textEdits(m)) {
		at := func(p wirePosition) int {
			return now.Offset(text.Position{Line: int(p.Line), Character: int(p.Character)}, text.UTF8)
		}
		now = now.Replace(at(e.Range.Start), at(e.Range.End), e.NewText)
	}
	return now.String()
}

// textEdits returns the text edits of an applyEdit.
func (d *player) textEdits(m message) []wireTextEdit {
	d.t.Helper()
	var p struct {
		Edit struct {
			DocumentChanges []struct{ Edits []wireTextEdit }
		}
	}
	if err := json.Unmarshal(m.Params, &p); err != nil {
		d.t.Fatal(err)
	}
	var list []wireTextEdit
	for _, change := range p.Edit.DocumentChanges {
		list = append(list, change.Edits...)
	}
	return list
}

// wantSheet checks a document's text.
func (d *player) wantSheet(b *sheet, want string) {
	d.t.Helper()
	if b.text != want {
		d.t.Errorf("the editor has %q, want %q", b.text, want)
	}
}

// hash returns the rev of a text.
func hash(s string) string { return text.New(s).Hash() }

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
