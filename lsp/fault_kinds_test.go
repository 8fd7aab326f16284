package lsp_test

import (
	"encoding/json"
	"fmt"
)

// faultClass is a kind of messages at which a fault can be.
type faultClass int

const (
	anyUp      faultClass = iota // of the editor or the agent
	anyDown                      // of the server
	answers                      // of the editor
	changes                      // didChange
	applyEdits                   // requests of the server
)

var faultClasses = []faultClass{anyUp, anyDown, answers, changes, applyEdits}

func (c faultClass) has(dir direction, m message) bool {
	switch c {
	case anyUp:
		return dir == up
	case anyDown:
		return dir == down
	case answers:
		return dir == up && isAnswer(m)
	case changes:
		return dir == up && isChange(m)
	default:
		return dir == down && m.Method == "workspace/applyEdit"
	}
}

func isAnswer(m message) bool { return m.Method == "" && m.ID != nil }
func isChange(m message) bool { return m.Method == "textDocument/didChange" }
func anything(message) bool   { return true }

// fault is one fault: of which kind, and at which message of its class, from 0.
type fault struct {
	kind faultKind
	n    int
}

// faultKind is a kind of fault.
type faultKind struct {
	group, name string
	class       faultClass
	// act returns what is sent instead of the message.
	act func(w *faultWire, dir direction, m message, body []byte) ([][]byte, ending)
	// blind: LSP gives a server no way to notice the fault, so what is lost is counted
	// and is not a failure.
	blind bool
}

// instead is a fault that sends other messages in place of one, and does nothing else.
func instead(f func(m message, body []byte) []string) func(*faultWire, direction, message, []byte) ([][]byte, ending) {
	return func(_ *faultWire, _ direction, m message, body []byte) (out [][]byte, _ ending) {
		for _, s := range f(m, body) {
			out = append(out, framed([]byte(s)))
		}
		return out, goesOn
	}
}

// later is a fault that holds a message until another one, for which until is true, has passed.
func later(until func(message) bool, merge bool) func(*faultWire, direction, message, []byte) ([][]byte, ending) {
	return func(w *faultWire, dir direction, _ message, body []byte) ([][]byte, ending) {
		w.held[dir] = heldFrames{[][]byte{body}, until, merge}
		return nil, goesOn
	}
}

// breaks is a fault that sends only the first part of a message, after which nothing is
// sent any more.
func breaks(part float64, how ending) func(*faultWire, direction, message, []byte) ([][]byte, ending) {
	return func(w *faultWire, dir direction, _ message, body []byte) (out [][]byte, _ ending) {
		frame := framed(body)
		w.cut, w.still[dir] = how == cutOff, true
		if n := int(part * float64(len(frame))); n > 0 {
			out = append(out, frame[:n])
		}
		return out, how
	}
}

func answer(m message, rest string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, m.ID, rest)
}

var faultKinds = []faultKind{
	{group: "answer", name: "dropped", class: answers, act: instead(func(message, []byte) []string { return nil })},
	{group: "answer", name: "after the next message", class: answers, act: later(anything, false)},
	{group: "answer", name: "twice", class: answers, act: instead(func(_ message, b []byte) []string { return []string{string(b), string(b)} })},
	{group: "answer", name: "an error", class: answers, act: instead(func(m message, _ []byte) []string {
		return []string{answer(m, `"error":{"code":-32603,"message":"no"}`)}
	})},
	{group: "answer", name: "a no to what is done", class: answers, act: instead(func(m message, _ []byte) []string {
		return []string{answer(m, `"result":{"applied":false}`)}
	})},
	{group: "answer", name: "a yes to what is not done", class: applyEdits, act: func(w *faultWire, _ direction, m message, _ []byte) ([][]byte, ending) {
		w.sendBack(answer(m, `"result":{"applied":true}`))
		return nil, goesOn
	}},
	{group: "answer", name: "of another kind", class: answers, act: instead(func(m message, _ []byte) []string { return []string{answer(m, `"result":[42,"yes"]`)} })},
	{group: "answer", name: "not JSON", class: answers, act: instead(func(m message, _ []byte) []string { return []string{answer(m, `"result":{"applied`)} })},
	{group: "answer", name: "with another id", class: answers, act: instead(func(m message, b []byte) []string {
		return []string{rewritten(b, func(all map[string]any) { all["id"] = 4711 })}
	})},
	{group: "didChange", name: "after the next message", class: changes, act: later(anything, false)},
	{group: "didChange", name: "after the next answer", class: changes, act: later(isAnswer, false)},
	{group: "didChange", name: "merged with the next", class: changes, act: later(func(m message) bool { return m.Method == "workspace/executeCommand" }, true)},
	{group: "didChange", name: "split", class: changes, act: instead(split)},
	{group: "didChange", name: "a version left out", class: changes, act: instead(func(_ message, b []byte) []string {
		return []string{rewritten(b, func(all map[string]any) { versionOf(all)["version"] = int(versionOf(all)["version"].(float64)) + 1 })}
	})},
	{group: "didChange", name: "a version of before", class: changes, act: instead(func(_ message, b []byte) []string {
		return []string{rewritten(b, func(all map[string]any) { versionOf(all)["version"] = int(versionOf(all)["version"].(float64)) - 2 })}
	})},
	{group: "didChange", name: "not JSON", class: changes, act: instead(func(_ message, b []byte) []string { return []string{string(b[:len(b)-1])} })},
	{group: "didChange", name: "doubled", class: changes, blind: true, act: instead(func(_ message, b []byte) []string { return []string{string(b), string(b)} })},
	{group: "didChange", name: "dropped", class: changes, blind: true, act: instead(func(message, []byte) []string { return nil })},
	{group: "connection", name: "cut before a message to the server", class: anyUp, act: breaks(0, cutOff)},
	{group: "connection", name: "cut in a message to the server", class: anyUp, act: breaks(0.7, cutOff)},
	{group: "connection", name: "cut before a message of the server", class: anyDown, act: breaks(0, cutOff)},
	{group: "connection", name: "cut in a message of the server", class: anyDown, act: breaks(0.7, cutOff)},
	{group: "connection", name: "silent to the server for ever", class: anyUp, act: breaks(0, goesOn)},
	{group: "connection", name: "silent in a message to the server", class: anyUp, act: breaks(0.7, goesOn)},
	{group: "connection", name: "silent to the editor for ever", class: anyDown, act: breaks(0, goesOn)},
	{group: "connection", name: "taking nothing from the server", class: anyDown, act: breaks(0, deaf)},
}

// rewritten changes a message.
func rewritten(body []byte, change func(all map[string]any)) string {
	var all map[string]any
	_ = json.Unmarshal(body, &all) // the peers are ours
	change(all)
	out, _ := json.Marshal(all)
	return string(out)
}

func versionOf(all map[string]any) map[string]any {
	return all["params"].(map[string]any)["textDocument"].(map[string]any)
}

func uriOf(m message) string {
	var p didChange
	_ = json.Unmarshal(m.Params, &p)
	return p.TextDocument.URI
}

// didChange is the part of a didChange that faults read.
type didChange struct {
	TextDocument struct {
		URI     string `json:"uri"`
		Version int    `json:"version"`
	} `json:"textDocument"`
	ContentChanges []json.RawMessage `json:"contentChanges"`
}

// merged is the second of two didChanges, with the changes of both.
func merged(first, second []byte) []byte {
	var a, b didChange
	_ = json.Unmarshal(parsed(first).Params, &a)
	_ = json.Unmarshal(parsed(second).Params, &b)
	b.ContentChanges = append(a.ContentChanges, b.ContentChanges...)
	return []byte(rewritten(second, func(all map[string]any) { all["params"] = b }))
}

// split makes two didChanges of one: first the deletion, then the insertion. Both have
// the same version, since there is no number between.
func split(m message, body []byte) []string {
	var p didChange
	var c struct {
		Range struct{ Start, End map[string]int } `json:"range"`
		Text  string                              `json:"text"`
	}
	if err := json.Unmarshal(m.Params, &p); err != nil || len(p.ContentChanges) != 1 || json.Unmarshal(p.ContentChanges[0], &c) != nil || c.Text == "" {
		return []string{string(body)}
	}
	change := func(start, end map[string]int, text string) string {
		return rewritten(body, func(all map[string]any) {
			all["params"].(map[string]any)["contentChanges"] = []any{map[string]any{"range": map[string]any{"start": start, "end": end}, "text": text}}
		})
	}
	return []string{change(c.Range.Start, c.Range.End, ""), change(c.Range.Start, c.Range.Start, c.Text)}
}
