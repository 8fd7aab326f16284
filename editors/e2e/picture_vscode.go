package main

import (
	"context"
	"path/filepath"
)

// picturesOfVSCode show how a person reviews there.
var picturesOfVSCode = []picture{
	{name: "review", show: pictureOfReview, draw: drawn("review-vscode.png")},
	{name: "confirm", show: pictureOfConfirm, draw: drawn("confirm-vscode.png")},
}

// drawn writes the screen to a file of that name.
func drawn(name string) func(*trial, string) (string, error) {
	return func(t *trial, folder string) (string, error) {
		file := filepath.Join(folder, name)
		return file, t.window().do(nil, "screenshot", args{"file": file})
	}
}

func pictureOfReview(t *trial) {
	pictureOfEdits(t)
}

// pictureOfConfirm: the agent waits until the editor is closed.
func pictureOfConfirm(t *trial) {
	t.write(pictureFile, pictureText)
	t.open(pictureFile)
	a := args{"path": t.path(pictureFile), "old_str": "- bread\n- tea\n", "new_str": "- dark bread\n- green tea\n- coffee\n"}
	t.asks(context.Background(), "str_replace", a, "e2e wants to edit")
	t.chooses("Show diff")
}
