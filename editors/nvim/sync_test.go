//go:build unix

package nvim_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

var syncSeed = flag.Uint64("sync-seed", 1, "what the random keys of TestRandomKeysAreSeen begin with")

// lspText is the text of a buffer as Neovim sends it whole.
const lspText = `(function()
	local lines, ff = vim.api.nvim_buf_get_lines(0, 0, -1, false), vim.bo.fileformat
	local line_end = ff == "dos" and "\r\n" or "\n"
	return table.concat(lines, line_end) .. (vim.bo.eol and line_end or "")
end)()`

// agree waits until the server has the text of the buffer that is shown.
func (c *client) agree(e *editor, name, after string) {
	c.t.Helper()
	var want, got string
	defer func() {
		if c.t.Failed() {
			c.t.Logf("after %s the buffer is %q, and the server has %q", after, want, got)
		}
	}()
	e.until("the server to have the text", func() bool {
		want = e.eval(lspText).(string)
		a, err := c.try("document", args{"uri": e.uri(name)})
		if got = a.Text; err != nil {
			got = err.Error()
		}
		return err == nil && got == want
	})
}

// Neovim 0.12 reports some changes wrong, and of some it reports nothing. The server has the text all the same, and an edit
// of an agent is made where it belongs.
func TestWrongChangesOfNeovim(t *testing.T) {
	for _, c := range []struct{ disk, keys string }{
		{"(q\n x)\n(y)\n", "ggvG$hy ggvG$hp ggvG$hp"},
		{"(q\n x)\n(y)\n", "ggvG$hd u <C-r> u p u"},
		{"1\n2\n3", "Gox<Esc> u"},
		{"1\n2\n3", "ggyyGp ggdd"},
		{"1\n2\n3", ":3m0<CR> u"},
		{"1\n2\n3", "Gdd u Gdd"},
		{"1\n2\n3", ":set<Space>ff=unix<CR> ggdd"},
		{"1\n2\n3", ":set<Space>eol<CR> ggdd :set<Space>noeol<CR>"},
		{"1\n2\n3\n", ":set<Space>noeol<Space>nofixeol<CR> Gox<Esc>"},
		{"1\n2\n3\n", ":set<Space>ff=dos<CR> ggdd :set<Space>ff=unix<CR>"},
		{"1\r\n2\r\n3", "Gox<Esc> Gdd ggyyGp"},
	} {
		t.Run(strings.NewReplacer("<", "", ">", "", "/", "").Replace(c.keys), func(t *testing.T) {
			e := start(t, map[string]string{"a.txt": c.disk}, options{args: []string{"a.txt"}})
			a := e.agent("a.txt")
			for i, keys := range strings.Fields(c.keys) {
				e.keys(keys)
				a.agree(e, "a.txt", keys)
				// Each inserts a line of its own: the user's u brings the last one back.
				a.edit("insert", args{"path": "a.txt", "after_line": 0, "content": fmt.Sprint("new ", i)})
				a.agree(e, "a.txt", keys+" and an edit")
				a.edit("undo", args{})
				a.agree(e, "a.txt", keys+" and its undo")
			}
		})
	}
}

// Whatever the user does, the server has the text.
func TestRandomKeysAreSeen(t *testing.T) {
	moves := []string{"gg", "G", "j", "k", "0", "$", "w", "b", "$h"}
	acts := []string{
		"x", "dd", "dG", "dgg", "yy", "yG", "p", "P", "J", "gJ", "ox<Esc>", "Oy<Esc>", "Az<Esc>", "i<CR><Esc>", "u", "<C-r>",
		"vG$hy", "vG$hd", "vG$hp", "Vp", "VGp", "vggp", "<C-v>Gd", "guG", ":m0<CR>", ":m$<CR>", ":t$<CR>", ":t0<CR>", ":sort!<CR>", ":s/./&&/<CR>", ":g/x/d<CR>",
		":set eol<CR>", ":set noeol<CR>", "cc<Esc>", "ccé😀<Esc>", "ggvG$hp", "ggvG$hy", "ggvG$hd",
	}
	for i, disk := range []string{"(q\n x)\n(y)\n", "one\ntwo\nthree", "1\r\n2\r\n3\r\n", ""} {
		t.Run(fmt.Sprintf("%q", disk), func(t *testing.T) {
			random := rand.New(rand.NewPCG(*syncSeed, uint64(i)))
			e := start(t, map[string]string{"a.txt": disk}, options{args: []string{"a.txt"}})
			a := e.agent("a.txt")
			var all []string
			for range 60 {
				keys := moves[random.IntN(len(moves))] + acts[random.IntN(len(acts))]
				all = append(all, keys)
				e.keys(strings.ReplaceAll(keys, " ", "<Space>"))
				a.agree(e, "a.txt", fmt.Sprintf("%q (seed %d)", all[max(0, len(all)-8):], *syncSeed))
			}
		})
	}
}
