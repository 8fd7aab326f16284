//go:build unix

package main

import (
	"strings"
)

// soakSettings turn on what the cases turn off: VS Code's own changes to typed text, which
// agents' edits meet as well.
var soakSettings = map[string]any{
	"editor.autoIndent": "full", "editor.autoClosingBrackets": "always", "editor.trimAutoWhitespace": true,
}

// Keys that the probe's manifest binds to commands which have none in VS Code.
const (
	keyJoin   = "Control+Alt+1"
	keySort   = "Control+Alt+2"
	keyTrim   = "Control+Alt+3"
	keyCursor = "Control+Alt+4"
	keyFormat = "Control+Alt+5"
)

func (e *vscode) prepare() error { return nil }

func (e *vscode) observe(paths []string) (map[string]string, error) {
	var r record
	err := e.do(&r, "observe", args{"paths": paths})
	return r.Texts, err
}

func (e *vscode) record() (r record, err error) {
	err = e.do(&r, "record", nil)
	return r, err
}

func (e *vscode) forget(paths []string) error { return e.do(nil, "forget", args{"paths": paths}) }

func (e *vscode) reset(path, text string) error {
	return e.do(nil, "reset", args{"path": path, "text": text})
}

func (e *vscode) press(keys ...string) error { return e.do(nil, "press", args{"keys": keys}) }

// ready leaves one cursor, and nothing open over the text.
func (e *vscode) ready() error { return e.press("Escape", "Escape") }

func (e *vscode) idle() error { return e.do(nil, "active", nil) }

// act is something that people do in VS Code, after a click at a line.
func (e *vscode) act(u *user) ([]string, error) {
	path := u.paths[u.rand.IntN(len(u.paths))]
	b, err := e.Text(path)
	if err != nil {
		return nil, err
	}
	u.count = strings.Count(b.Text, "\n")
	acts := vscodeActs
	switch {
	case u.count > maxLines:
		acts = vscodeShorter
	case u.count < minLines:
		acts = vscodeLonger
	}
	act := acts[u.rand.IntN(len(acts))]
	if err := e.Goto(path, u.line(), 1); err != nil {
		return nil, err
	}
	var keys []string
	for _, key := range act {
		if typed, is := strings.CutPrefix(key, "type "); is {
			typed = strings.NewReplacer("WORD", u.word(), "MORE", u.word()).Replace(typed)
			keys = append(keys, strings.Split(typed, "")...)
			continue
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// vscodeActs are keys, and texts to type, in which WORD and MORE are tokens.
var vscodeActs = [][]string{
	{"type WORD "}, {"End", "type  WORD typed on"}, {"End", "Enter", "type WORD below", "Enter", "type MORE and more"},
	{"Tab", "type WORD ", "End", "Enter", "type MORE"}, {"End", "type  WORD with a slip", "Backspace", "Backspace", "Backspace"},
	{"Alt+ArrowUp"}, {"Alt+ArrowDown"}, {"Alt+ArrowDown", "Alt+ArrowDown", "Alt+ArrowDown"}, {"Shift+ArrowDown", "Shift+ArrowDown", "Alt+ArrowUp", "Alt+ArrowUp"},
	{keyJoin}, {keyJoin, keyJoin}, {keyFormat}, {keyTrim}, {"Shift+Alt+ArrowDown"}, {"Shift+Alt+ArrowUp"},
	{keyCursor, keyCursor, "type WORD ", "Escape"}, {keyCursor, "End", "type  WORD", "Backspace", "Escape"},
	{"Shift+ArrowDown", "Shift+ArrowDown", "Shift+ArrowDown", keySort}, {"Control+Shift+k"}, {"Control+z"}, {"Control+z", "Control+z"}, {"Control+Shift+z"},
	{"Control+z", "Control+Shift+z"}, {"Control+x", "ArrowDown", "Control+v"}, {"Control+c", "Control+v"}, {"Control+]"}, {"Control+["},
	{"Control+Enter", "type WORD"}, {"Control+Shift+Enter", "type WORD"}, {"Control+Delete"}, {"End", "Delete"}, {"type (WORD MORE "},
	{"Control+d", "type WORD", "Escape"}, {"End", "type   ", "Enter", "type WORD"},
}

// vscodeShorter and vscodeLonger are those for a document that has too many lines, or too
// few.
var (
	vscodeShorter = [][]string{{"Control+Shift+k"}, {"Shift+ArrowDown", "Shift+ArrowDown", "Control+Shift+k"}, {keyJoin, keyJoin}}
	vscodeLonger  = [][]string{{"Shift+Alt+ArrowDown"}, {"End", "Enter", "type WORD below", "Enter", "type MORE and more"}, {"Control+z"}}
)
