//go:build unix

package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

//go:embed testdata/neovim/observer.lua
var nvimObserver string

// observed runs an operation of observer.lua.
func (e *nvim) observed(result any, operation string, paths []string) error {
	list := []any{}
	for _, path := range paths {
		list = append(list, path)
	}
	done := make(chan struct{})
	defer close(done)
	go e.pressEnter(done) // a message may wait for the user
	v, err := e.rpc.call("nvim_exec_lua", nvimObserver, []any{operation, list})
	if err != nil || result == nil {
		return err
	}
	text, ok := v.(string)
	if !ok {
		return fmt.Errorf("%s: %v is no record", operation, v)
	}
	return json.Unmarshal([]byte(text), result)
}

func (e *nvim) prepare() error { return e.observed(nil, "prepare", nil) }

func (e *nvim) observe(paths []string) (map[string]string, error) {
	var r record
	err := e.observed(&r, "observe", paths)
	return r.Texts, err
}

func (e *nvim) record() (r record, err error) {
	err = e.observed(&r, "record", nil)
	return r, err
}

func (e *nvim) forget(paths []string) error { return e.observed(nil, "forget", paths) }

func (e *nvim) press(keys ...string) error { return e.keys(strings.Join(keys, "")) }

// ready ends what waits for a key, as a user does who sees it.
func (e *nvim) ready() error {
	return until(settleTime, func() error {
		mode, err := modeOf(e.side)
		switch {
		case err != nil || mode == "n":
			return err
		case strings.HasPrefix(mode, "r"):
			err = e.keys("<CR>")
		default:
			err = e.keys("<Esc>")
		}
		if err == nil {
			err = fmt.Errorf("the mode is %s", mode)
		}
		return err
	})
}

// idle has Neovim run something that comes after all keys.
func (e *nvim) idle() error {
	for range 2 { // what was pressed before the first may have left a mode
		if err := e.ready(); err != nil {
			return err
		}
		if _, err := e.rpc.call("nvim_exec_lua", "return 0", []any{}); err != nil {
			return err
		}
	}
	return nil
}

var nvimKey = regexp.MustCompile(`<[^<> ]+>|.`)

// nvimStockKey is nvimKey without a plugin that delays edits until an operator has its motion: after
// such an edit, Neovim may not report to a server what "g~" changes (see docs/editor-hazards.md).
var nvimStockKey = regexp.MustCompile(`g~w|<[^<> ]+>|.`)

// act is something that people do in Neovim. Each begins and ends in normal mode.
func (e *nvim) act(u *user) ([]string, error) {
	v, err := e.side.call("nvim_buf_line_count", 0)
	u.count, _ = v.(int)
	if err != nil {
		return nil, err
	}
	acts := nvimActs
	switch {
	case u.count > maxLines:
		acts = nvimShorter
	case u.count < minLines:
		acts = nvimLonger
	case len(u.paths) > 1 && u.rand.IntN(8) == 0:
		return []string{"<C-^>"}, nil // the other document
	}
	act := acts[u.rand.IntN(len(acts))]
	keys := strings.NewReplacer("LINE", fmt.Sprint(u.line()), "WORD", u.word(), "MORE", u.word()).Replace(act)
	if before, is := strings.CutSuffix(keys, "<CR>"); is && strings.Contains(act, ":") && u.rand.IntN(5) == 0 {
		keys = before + "<Esc>" // on second thoughts
	}
	if e.stock {
		return nvimStockKey.FindAllString(keys, -1), nil
	}
	return nvimKey.FindAllString(keys, -1), nil
}

// nvimActs are acts in Neovim's notation of keys. LINE is a number, and WORD and MORE are
// tokens.
var nvimActs = []string{
	"LINEGA WORD typed on<Esc>", "LINEGIWORD <Esc>", "LINEGoWORD below<CR>MORE and more<Esc>", "LINEGOWORD above<Esc>",
	"LINEGA WORD with a slip<BS><BS><BS><BS><Esc>", "LINEGwiWORD <Esc>", "LINEGcwWORD<Esc>", "LINEGccWORD anew<Esc>",
	"LINEGA<CR>WORD<CR>MORE<Esc>", "LINEGJ", "LINEG3J", "LINEGgJ", "LINEGgqip", "LINEGgqj", "LINEG:m+2<CR>", "LINEG:m-3<CR>", "LINEGddp",
	"LINEGddP", "LINEGddkP", "LINEGyyp", "LINEG>>", "LINEG<lt><lt>", "LINEG>ip", "LINEG0<C-v>2jIWORD <Esc>",
	"LINEG0<C-v>jj$A WORD<Esc>", "LINEG:s/o/WORD /<CR>", "LINEG:.,+3s/some/WORD/<CR>", "LINEG:%s/more/WORD/<CR>", "LINEG:.,+4sort<CR>",
	"LINEG:.,+4sort!<CR>", "LINEGdd", "LINEGD", "LINEGxp", "LINEGdw", "LINEGp", "LINEGP", "LINEGg~w", "u", "u", "uu", "<C-r>", "u<C-r>",
	"LINEG:t.<CR>", "LINEGdap", "LINEGyyjp", "LINEG:g/WORD/d<CR>",
}

// nvimShorter and nvimLonger are those for a document that has too many lines, or too few.
var (
	nvimShorter = []string{"LINEGdd", "LINEG3dd", "LINEGdap", "LINEG4J", "LINEG:d4<CR>"}
	nvimLonger  = []string{"LINEGyyp", "LINEGoWORD below<CR>MORE and more<Esc>", "u", "LINEGyap}p"}
)
