package hostile

import (
	"fmt"
	"strconv"
	"strings"
)

// World is what a hostile peer knows of the place where it is let loose.
type World struct {
	Root  string   // the workspace folder
	URIs  []string // of documents
	Token string   // of an agent
	// Call draws a command: {"command":…,"arguments":…}.
	Call func(d *Dice) string
	// Harmless: the other end does whatever it is told, so it is sent nothing that would
	// damage files or take much memory.
	Harmless bool
}

// longest is how many steps a case has at most.
const longest = 24

// Editor draws what a hostile editor sends to a server.
func Editor(d *Dice, w World) []Step {
	p := &peer{Dice: d, World: w}
	if !d.Once(8) {
		p.send(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":%s}`, p.initialize())
		p.send(`{"jsonrpc":"2.0","method":"initialized","params":{}}`)
	}
	if !d.Once(4) {
		p.send("%s", p.didOpen())
	}
	return p.mischief(p.editorMessage)
}

// Agent draws what a hostile agent sends, most often after it was let in.
func Agent(d *Dice, w World) []Step {
	p := &peer{Dice: d, World: w}
	if !d.Once(4) {
		p.send(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"clientInfo":{"name":"hostile"},"initializationOptions":{"token":%s,"changes":true}}}`, strconv.Quote(w.Token))
	}
	return p.mischief(p.agentMessage)
}

// peer derives a case.
type peer struct {
	*Dice
	World
	steps []Step
	ids   int
}

func (p *peer) send(format string, args ...any) {
	p.steps = append(p.steps, Step{Verb: Send, Body: fmt.Sprintf(format, args...)})
}

// mischief adds messages of that kind, and corrupted ones.
func (p *peer) mischief(message func() string) []Step {
	for range 1 + p.Int(longest) {
		switch p.Int(20) {
		case 16:
			p.steps = append(p.steps, Step{Verb: Answers, Body: Pick(p.Dice, Manners)})
		case 17:
			p.steps = append(p.steps, Step{Verb: Send, Times: 1 + p.Int(100), Body: message()})
		case 18:
			p.steps = append(p.steps, Step{Verb: Send, Body: p.odd()})
		case 19:
			p.steps = append(p.steps, p.breakFrame(message()))
		default:
			body := message()
			if p.Once(2) {
				body = Spoil(p.Dice, body, 1+p.Int(3))
			}
			p.steps = append(p.steps, Step{Verb: Send, Body: body})
		}
	}
	switch p.Int(8) {
	case 1:
		p.steps = append(p.steps, Step{Verb: Close})
	case 2:
		at := p.Int(len(p.steps))
		p.steps = append(p.steps[:at:at], append([]Step{{Verb: Stall}}, p.steps[at:]...)...)
	}
	return p.steps
}

// id returns an unused id, or now and then a used one.
func (p *peer) id() string {
	if p.ids > 0 && p.Once(10) {
		return strconv.Itoa(1 + p.Int(p.ids))
	}
	p.ids++
	if p.Once(8) {
		return fmt.Sprintf("%q", "s"+strconv.Itoa(p.ids))
	}
	return strconv.Itoa(p.ids)
}

func (p *peer) uri() string { return strconv.Quote(Pick(p.Dice, p.URIs)) }

func (p *peer) initialize() string {
	folders := fmt.Sprintf(`"rootUri":"file://%s","workspaceFolders":[{"uri":"file://%s","name":"w"}]`, p.Root, p.Root)
	name := Pick(p.Dice, []string{"Neovim", "Visual Studio Code", "Zed", "helix", "Eglot", "emacs", "hostile", ""})
	able := Pick(p.Dice, []string{
		`{"workspace":{"applyEdit":true,"workspaceEdit":{"documentChanges":true,"resourceOperations":["create","rename","delete"]}}}`,
		`{"workspace":{"applyEdit":true,"configuration":true,"didChangeWatchedFiles":{"dynamicRegistration":true},"diagnostics":{"refreshSupport":true},"codeLens":{"refreshSupport":true},"inlayHint":{"refreshSupport":true}},"window":{"workDoneProgress":true,"showMessage":{}}}`,
		`{"workspace":{"applyEdit":true},"general":{"positionEncodings":["utf-8"]},"experimental":{"patchls":{"applyEdits":true,"save":true}}}`,
		`{}`,
	})
	text := fmt.Sprintf(`{"processId":1,"clientInfo":{"name":%q},%s,"capabilities":%s,"initializationOptions":{"review":{"diagnostics":true},"match":"lenient"}}`, name, folders, able)
	if p.Once(4) {
		text = Spoil(p.Dice, text, 1+p.Int(2))
	}
	return text
}

func (p *peer) didOpen() string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":%s,"languageId":"x","version":%d,"text":%s}}}`, p.uri(), p.Int(3), p.text())
}

// text is a document, as JSON.
func (p *peer) text() string {
	return Pick(p.Dice, []string{`"one\ntwo\nthree\n"`, `"one\r\ntwo\r\n"`, `"one"`, `""`, `"\ufeffone\n😀two\u0301\n"`, `"a\rb\u2028c\n\n\n"`, `"§3000*line of text\n§"`, `"--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n"`})
}

// position is one that a document may have, or none.
func (p *peer) position() string {
	n := func() string {
		if p.Once(8) {
			return Pick(p.Dice, []string{"-1", "4294967295", "4294967296", "1.5", "null", `"1"`, "100000", "2147483647"})
		}
		return strconv.Itoa(p.Int(5))
	}
	return fmt.Sprintf(`{"line":%s,"character":%s}`, n(), n())
}

func (p *peer) rangeOf() string {
	return fmt.Sprintf(`{"start":%s,"end":%s}`, p.position(), p.position())
}

func (p *peer) change() string {
	if p.Once(5) {
		return fmt.Sprintf(`{"text":%s}`, p.text())
	}
	at := p.position()
	if p.Once(3) {
		return fmt.Sprintf(`{"range":%s,"text":"x\n"}`, p.rangeOf())
	}
	return fmt.Sprintf(`{"range":{"start":%s,"end":%s},"text":%s}`, at, at, Pick(p.Dice, []string{`"x"`, `"\n"`, `""`, `"\ud83d"`, `"😀"`}))
}

func (p *peer) document() string { return fmt.Sprintf(`{"textDocument":{"uri":%s}}`, p.uri()) }

func (p *peer) notification(method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, params)
}

func (p *peer) request(method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, p.id(), method, params)
}

func (p *peer) editorMessage() string {
	switch p.Int(16) {
	case 0, 1:
		return p.didOpen()
	case 2, 3, 4:
		all := []string{p.change()}
		for range p.Int(3) {
			all = append(all, p.change())
		}
		changes := strings.Join(all, ",")
		return p.notification("textDocument/didChange", fmt.Sprintf(`{"textDocument":{"uri":%s,"version":%d},"contentChanges":[%s]}`, p.uri(), p.Int(9)-1, changes))
	case 5:
		return p.notification(Pick(p.Dice, []string{"textDocument/didClose", "textDocument/didSave"}), p.document())
	case 6:
		return p.notification("workspace/didChangeConfiguration", `{"settings":{"patchls":{"review":{"codeLens":true},"max_document_bytes":100000,"protected_paths":[".git"]}}}`)
	case 7:
		return p.notification("workspace/didChangeWorkspaceFolders", fmt.Sprintf(`{"event":{"added":[{"uri":"file://%s/sub","name":"s"}],"removed":[]}}`, p.Root))
	case 8:
		return p.notification("workspace/didChangeWatchedFiles", fmt.Sprintf(`{"changes":[{"uri":%s,"type":%d}]}`, p.uri(), p.Int(4)))
	case 9:
		return p.ofBoth()
	case 10:
		at := fmt.Sprintf(`{"textDocument":{"uri":%s},"range":%s,"position":%s,"context":{"diagnostics":[],"triggerKind":1}}`, p.uri(), p.rangeOf(), p.position())
		return p.request(Pick(p.Dice, []string{"textDocument/codeLens", "textDocument/codeAction", "textDocument/inlayHint", "textDocument/diagnostic"}), at)
	case 11:
		return p.request("workspace/textDocumentContent", fmt.Sprintf(`{"uri":%s}`, p.uri()))
	case 12:
		return p.request("patchls/synced", fmt.Sprintf(`{"textDocument":{"uri":%s,"version":%d,"text":%s}}`, p.uri(), p.Int(9), p.text()))
	case 13:
		return p.notification("unknown/notification", fmt.Sprintf(`{"mode":"insert","idle_ms":0,"uri":%s,"range":%s}`, p.uri(), p.rangeOf()))
	}
	return p.request(Pick(p.Dice, []string{"workspace/executeCommand", "patchls/execute"}), p.Call(p.Dice))
}

func (p *peer) agentMessage() string {
	switch p.Int(8) {
	case 0, 1:
		return p.ofBoth()
	case 2: // nothing for an agent
		return p.editorMessage()
	}
	return p.request("workspace/executeCommand", p.Call(p.Dice))
}

// ofBoth is what an editor and an agent may send.
func (p *peer) ofBoth() string {
	switch p.Int(8) {
	case 0:
		return p.request("initialize", p.initialize())
	case 1:
		if p.Once(3) {
			return p.request("shutdown", "null")
		}
		return p.request("textDocument/rename", "{}")
	case 2:
		if p.Once(3) {
			return p.notification("exit", "null")
		}
		return p.notification("$/unknown", "[]")
	case 3:
		return p.notification("window/workDoneProgress/cancel", `{"token":"1"}`)
	}
	return p.notification("$/cancelRequest", fmt.Sprintf(`{"id":%d}`, p.Int(longest)))
}

// odd returns a message that is no request: an answer without a request, a batch, no JSON.
func (p *peer) odd() string {
	return Pick(p.Dice, []string{
		`{"jsonrpc":"2.0","id":1,"result":{"applied":true}}`,
		`{"jsonrpc":"2.0","id":2,"result":{"applied":true}}`,
		`{"jsonrpc":"2.0","id":"init","result":null}`,
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"you are broken"}}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":1.5,"message":[]}}`,
		`{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1,"message":"both"}}`,
		`{"jsonrpc":"2.0","id":1}`, `{"jsonrpc":"2.0"}`, `{}`, `[]`, `null`, `1`, `""`, ` `, ``,
		`[{"jsonrpc":"2.0","id":901,"method":"patchls/synced"},{"jsonrpc":"2.0","method":"exit"}]`,
		`{"jsonrpc":"2.0","id":1.5,"method":"patchls/synced"}`,
		`{"jsonrpc":"2.0","id":null,"method":"patchls/synced"}`,
		`{"jsonrpc":"2.0","id":{},"method":"shutdown"}`,
		`{"jsonrpc":"1.0","id":902,"method":"patchls/synced"}`,
		`{"id":903,"method":"patchls/synced"}`,
		"\ufeff" + `{"jsonrpc":"2.0","id":904,"method":"patchls/synced"}`,
		`{"jsonrpc":"2.0","id":905,"method":"patchls/synced"}{"jsonrpc":"2.0","id":906,"method":"patchls/synced"}`,
		`§100000*[§`, `§1000*{"a":§`, `{"jsonrpc":"2.0","method":"textDocument/didChange","params":{`, "\x00\x00", "\xff\xfe{}",
	})
}

// breakFrame returns a message in a frame that is malformed or has the wrong length.
func (p *peer) breakFrame(body string) Step {
	header := Pick(p.Dice, []string{
		"Content-Length: -1\r\n\r\n", "Content-Length: 0\r\n\r\n", "Content-Length: 1\r\n\r\n", "Content-Length: 3\r\n\r\n", "Content-Length:\r\n\r\n",
		"Content-Length: 99999999999999999999\r\n\r\n", "Content-Length: 9223372036854775807\r\n\r\n", "Content-Length: 18446744073709551617\r\n\r\n",
		"Content-Length: 0x10\r\n\r\n", "Content-Length: 1e2\r\n\r\n", "Content-Length: +5\r\n\r\n", "Content-Length: 5, 5\r\n\r\n",
		"Content-Length: 5\r\nContent-Length: 500\r\n\r\n", "Content-Length: 700000000\r\n\r\n", "Content-Length: 100000\r\n\r\n",
		"\r\n\r\n", "\r\n", "\n\n", "X: y\r\n\r\n", "Content-Length 5\r\n\r\n", ": \r\n\r\n", "content-length : 2 \r\n\r\n", "Content-Length: 2\n\n",
		"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "§300*X: y\r\n§Content-Length: 2\r\n\r\n", "X: §9000*y§\r\nContent-Length: 2\r\n\r\n", "§70000*y§", "Content-Le",
		"Content-Type: application/vscode-jsonrpc; charset=utf-16\r\nContent-Length: 2\r\n\r\n", "\x16\x03\x01\x02\x00\x01\x00", "\x00",
	})
	if p.Once(3) {
		body = "{}"
	}
	if p.Harmless { // the other end allocates memory for the announced length
		header = strings.Replace(header, "700000000", "700000", 1)
	}
	return Step{Verb: Raw, Body: header + body}
}
