//go:build unix

package main

import (
	"context"
	"fmt"
)

// picturesOfVSCode show how a user reviews there.
var picturesOfVSCode = []picture{
	{name: "review", show: pictureOfReview, draw: drawn("review-vscode.png")},
	{name: "confirm", show: pictureOfConfirm, draw: drawn("confirm-vscode.png")},
}

// drawn writes the screen to a file of that name.
func drawn(name string) func(*trial, string) (string, error) {
	return func(t *trial, folder string) (string, error) { return t.window().draw(folder, name) }
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
