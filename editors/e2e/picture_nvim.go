//go:build unix

package main

import "context"

// picturesOfNeovim show how a user reviews there.
var picturesOfNeovim = []picture{
	{name: "review", show: nvimPictureOfReview, draw: nvimDrawn("review-neovim", pictureColumns)},
	{name: "confirm", show: nvimPictureOfConfirm, draw: nvimDrawn("confirm-neovim", terminalColumns)},
}

func nvimDrawn(name string, columns int) func(*trial, string) (string, error) {
	return func(t *trial, folder string) (string, error) {
		t.presses(":set termguicolors | highlight Normal guibg=NONE<CR>") // as in a terminal of today, where lenses are grey
		return t.nvim().picture(folder, name, columns)
	}
}

func nvimPictureOfReview(t *trial) {
	pictureOfEdits(t)
	t.presses("")
	t.must("lenses", t.onScreen(2, "1 line by claude"))
}

// nvimPictureOfConfirm: the agent waits until the editor is closed.
func nvimPictureOfConfirm(t *trial) {
	t.write(pictureFile, pictureText)
	t.open(pictureFile)
	a := args{"path": t.path(pictureFile), "old_str": "- bread\n- tea\n", "new_str": "- dark bread\n- green tea\n- coffee\n"}
	t.proposes(context.Background(), "str_replace", a)
	t.must("question", t.onScreen(2, nvimWaits))
	t.presses(":Patchls answer<CR>")
	t.must("diff", t.onScreen(1, nvimKeys))
}
