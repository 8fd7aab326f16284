//go:build unix

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// picturesOfVSCode show how a user reviews there.
var picturesOfVSCode = []picture{
	{name: "film", show: func(*trial) {}, draw: vscodeFilm},
	{name: "review", show: pictureOfReview, draw: drawn("review-vscode.png")},
	{name: "confirm", show: pictureOfConfirm, draw: drawn("confirm-vscode.png")},
}

// drawn writes the screen to a file of that name.
func drawn(name string) func(*trial, string) (string, error) {
	return func(t *trial, folder string) (string, error) { return t.window().draw(folder, name) }
}

const (
	filmText = `def total(prices):
    net = sum(prices)
    return net


def label(name):
    return name.upper()
`
	filmFile = "cart.py"
)

// filmSettings are larger letters and less around them. Screencast mode shows the pressed keys that do something.
var filmSettings = args{
	"editor.fontSize": 17, "editor.cursorBlinking": "solid", "editor.occurrencesHighlight": "off", "editor.scrollBeyondLastLine": false,
	"breadcrumbs.enabled": false, "workbench.activityBar.location": "hidden", "terminal.integrated.shellIntegration.decorationsEnabled": "never",
	"screencastMode.keyboardOptions": args{"showKeys": false}, "screencastMode.keyboardOverlayTimeout": 5000,
}

// vscodeFilm shows some seconds: the user types and does not save, an agent in the terminal edits the same file twice,
// and the user keeps one edit and undoes the other.
func vscodeFilm(t *trial, folder string) (string, error) {
	var f film
	shows := func(delay int) {
		file, err := t.window().draw(folder, "frame.png")
		t.must("frame", err)
		t.must("frame", f.add(file, delay))
		t.must("frame", os.Remove(file))
	}
	do := func(operation string, more args) { t.must(operation, t.window().do(nil, operation, more)) }
	command := func(name string) { do("command", args{"command": name}) }
	marks := func(edits int) { t.must("marks", t.showsIn(filmFile, edits, "1 line by patchls")) }
	column := 1
	types := func(typed ...string) {
		for _, s := range typed {
			t.types(filmFile, 1, column, s)
			column += len(s)
			shows(30)
		}
	}
	calls := func(old, replacement string, edits int) {
		command("workbench.action.terminal.focus")
		do("type", args{"text": fmt.Sprintf("patchls call str_replace path=%s old_str='%s' new_str='%s' | tail -2", filmFile, old, replacement)})
		shows(100)
		do("type", args{"text": "\n"})
		marks(edits)
		shows(150)
	}

	t.write(filmFile, filmText)
	do("set", args{"settings": filmSettings})
	command("workbench.action.toggleSidebarVisibility")
	do("terminal", nil)
	do("type", args{"text": "cd film; PS1='agent$ '; clear\n"})
	t.open(filmFile)
	shows(80)

	t.types(filmFile, 1, 1, "\n\n\n")
	types("VAT", " = 1.19")
	calls("return net", "return net * VAT", 1)
	types("  # the", " standard", " rate")
	calls("name.upper()", "name.title()", 2)

	do("point", args{"title": "patchls: keep"})
	shows(100)
	t.clicks("patchls: keep", 0)
	marks(1)
	shows(130)
	command("workbench.action.toggleScreencastMode")
	t.must("undo", t.Undo(t.path(filmFile)))
	marks(0)
	shows(180)
	command("workbench.action.toggleScreencastMode")
	shows(220)
	file := filepath.Join(folder, "vscode.gif")
	return file, f.write(file)
}

func pictureOfReview(t *trial) {
	t.write(pictureFile, pictureText)
	t.open(pictureFile)
	t.types(pictureFile, 7, 1, "Typed, not saved. ")
	t.edit("str_replace", args{"path": t.path(pictureFile), "old_str": "- bread\n", "new_str": "- dark bread\n- butter\n- salt\n"})
	t.edit("str_replace", args{"path": t.path(pictureFile), "old_str": "- tea\n", "new_str": ""})
	t.edit("str_replace", args{"path": t.path(pictureFile), "old_str": "Bring cash.", "new_str": "Cards are fine."})
	t.must("lenses", until(settleTime, func() error {
		var lenses [][]string
		err := t.window().do(&lenses, "lenses", nil)
		if err == nil && len(lenses) != 3 {
			err = fmt.Errorf("the lenses are %q", lenses)
		}
		return err
	}))
}

// pictureOfConfirm: the agent waits until the editor is closed.
func pictureOfConfirm(t *trial) {
	t.write(pictureFile, pictureText)
	t.open(pictureFile)
	t.types(pictureFile, 7, 1, "Typed, not saved. ")
	a := args{"path": t.path(pictureFile), "old_str": "- bread\n- tea\n", "new_str": "- dark bread\n- green tea\n- coffee\n"}
	t.asks(context.Background(), "str_replace", a, "May claude edit ")
	t.chooses("Show diff")
	t.must("diff", t.window().do(nil, "seen", args{"part": ".monaco-diff-editor .char-insert"}))
}
