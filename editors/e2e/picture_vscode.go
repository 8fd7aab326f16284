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

// vscodeFilm shows some seconds: the user types and does not save, an agent edits what stands around it, and
// the user types on.
func vscodeFilm(t *trial, folder string) (string, error) {
	t.write(pictureFile, pictureText)
	t.open(pictureFile)
	var f film
	shows := func(delay int) {
		file, err := t.window().draw(folder, "frame.png")
		t.must("frame", err)
		t.must("frame", f.add(file, delay))
		t.must("frame", os.Remove(file))
	}
	column := 1
	types := func(typed ...string) {
		for _, s := range typed {
			t.types(pictureFile, 5, column, s)
			column += len(s)
			shows(35)
		}
	}
	shows(100)
	t.types(pictureFile, 5, 1, "\n")
	types("- a cake", " that is", " typed,", " not saved")
	t.edit("str_replace", args{"path": t.path(pictureFile), "old_str": "- bread", "new_str": "- dark bread, by the agent"})
	shows(150)
	t.edit("str_replace", args{"path": t.path(pictureFile), "old_str": "Open from noon. Bring cash.", "new_str": "Open from eleven. Cards are fine."})
	shows(150)
	types(", with", " cream")
	shows(300)
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
