//go:build unix

package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Editor is a real editor with one user in front of it. Paths are absolute, lines and
// columns from 1. An operation is done when it returns, but for what is typed.
type Editor interface {
	Version() string
	// Open shows a file. The server may get it later; an agent can ask the server.
	Open(path string) error
	// Goto ends typing and puts the cursor before a character.
	Goto(path string, line, column int) error
	// Type presses the keys of a text and stays ready for more, in insert mode where
	// there is one.
	Type(text string) error
	// Rest ends typing: the user goes back to normal mode.
	Rest() error
	// Text returns the editor's text of a file with its line ends, as a language server
	// would get it.
	Text(path string) (buffer, error)
	Undo(path string) error
	Redo(path string) error
	Save(path string) error
	// Reload takes the text from disk, whatever the buffer has.
	Reload(path string) error
	// Picture writes what is on the screen to a file, whose name it returns.
	Picture(folder string) (file string, err error)
	// Screen returns what is on the screen, for the report of a failure.
	Screen() string
	// Kill ends the editor as a crash does.
	Kill() error
	Close() error
}

// buffer is an editor's text of a file.
type buffer struct {
	Open  bool   `json:"open"`
	Dirty bool   `json:"dirty"`
	Text  string `json:"text"`
}

// kind is an editor as it is set up for a run.
type kind struct {
	name string // for -only and in faults.txt
	// plugin is set if the editor runs our plugin, which saves and reports what the editor does.
	plugin bool
	// install installs the editor; the error says why that is not possible.
	install func(context.Context, *kit) error
	// start opens it with an empty buffer, or none.
	start func(*seat) (Editor, error)
	// own are the cases of this editor alone, and pictures what it shows alone.
	own      []testCase
	pictures []picture
}

// kinds are all editors, the most important first.
var kinds = []kind{
	{name: "neovim", install: installNeovim, start: startNeovim, plugin: true, own: slices.Concat(reviewInNeovim, links, absorb, absorbInNeovim, shadowedWhileTyping, shadowedAndPaused, editOrReload, newFiles), pictures: picturesOfNeovim},
	{name: "vscode", install: installVSCode, start: startVSCode, plugin: true, own: slices.Concat(reviewInVSCode, links, absorb, shadowedWhileTyping, shadowedAndPaused, editOrReload, newFiles), pictures: picturesOfVSCode},
	{name: "neovim-stock", install: installNeovim, start: startNeovimStock, own: slices.Concat(reviewInStockNeovim, absorbInStockNeovim, shadowedWhileTyping)},
	{name: "neovim-0.7", install: installOldNeovim, start: startOldNeovim, own: shadowedWhileTyping},
	{name: "helix", install: installHelix, start: startHelix, own: slices.Concat(reviewInHelix, absorbInHelix, shadowedWhileTyping)},
	{name: "emacs-eglot", install: installEmacs, start: startEmacs, own: absorbInEmacs},
}

func kindNames() string {
	var names []string
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return strings.Join(names, ", ")
}

func kindNamed(name string) (kind, error) {
	i := slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })
	if i < 0 {
		return kind{}, fmt.Errorf("no editor is called %q; there are %s", name, kindNames())
	}
	return kinds[i], nil
}

// leftOutError says why an editor does not take part. That is no failure of patchls.
type leftOutError struct{ why string }

func (l leftOutError) Error() string { return l.why }

// until calls ask again and again until it returns nil, and returns the last error if the
// time is up.
func until(limit time.Duration, ask func() error) error {
	deadline := time.Now().Add(limit)
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		err := ask()
		if err == nil || time.Now().After(deadline) {
			return err
		}
		time.Sleep(pause)
	}
}
