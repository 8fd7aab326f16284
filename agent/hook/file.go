package hook

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/lsp/view"
	"github.com/patchls/patchls/workspace/paths"
)

// file is a file that an editor has open with unsaved text.
type file struct {
	view.DocumentInfo
	editor *agent.Conn
	path   string
}

// unsaved returns a sentence that says where the file has unsaved text.
func (f file) unsaved() string {
	return fmt.Sprintf("%s has unsaved text in %s", paths.OneLine(f.Path, paths.MaxShownPath), cmp.Or(f.editor.Live().Name, "an editor"))
}

// files returns all files with unsaved text, those of the most recently active editor first.
func (h hook) files(ctx context.Context) (all []file) {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	conns := h.find.All(ctx)
	lists, errs := agent.Lists(ctx, conns)
	for i, c := range conns {
		if errs[i] != nil {
			continue
		}
		for _, d := range lists[i].Documents {
			key, err := paths.KeyOf(d.URI)
			if path, is := key.FilePath(); err == nil && is && d.Unsaved {
				all = append(all, file{d, c, path})
			}
		}
	}
	return all
}

// abs returns a path, which is relative to the agent's folder.
func (h hook) abs(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(h.Dir, path)
}

// open returns the file at a path, if it has unsaved text.
func (h hook) open(ctx context.Context, path string) (file, bool) {
	return find(h.files(ctx), h.abs(path))
}

// find returns the file at an absolute path.
func find(all []file, path string) (file, bool) {
	keys := make([]paths.Key, len(all))
	for i, f := range all {
		keys[i] = paths.FileKey(f.path)
	}
	if i := paths.Find(paths.FileKey(path), keys); i >= 0 {
		return all[i], true
	}
	return file{}, false
}

// The bounds of what Read shows: mostLines without a limit, as Claude Code's own. A result of more than mostRead bytes may
// become the name of a file that has it.
const (
	mostLines = 2000
	mostRead  = 30_000
)

// readResult returns a text as the result of Claude Code's Read. If the result ends before the text, cut says how to go
// on. Lines count from 1. An offset or a limit of 0 means that none was given.
func readResult(path, text string, offset, limit int) (result any, cut string) {
	lines := strings.Split(diff.UnixLines(text), "\n")
	total := len(lines)
	from := min(max(offset, 1), total+1)
	lines = lines[from-1:]
	lines = lines[:min(cmp.Or(max(limit, 0), mostLines), len(lines))]
	left := mostRead
	for i, line := range lines {
		if len(line) > edits.MaxShownLine && utf8.RuneCountInString(line) > edits.MaxShownLine {
			lines[i] = string([]rune(line)[:edits.MaxShownLine]) + "…"
			cut = fmt.Sprintf(" Lines are cropped at %d characters.", edits.MaxShownLine)
		}
		if left -= len(lines[i]) + 1; left < 0 {
			lines = lines[:i]
			break
		}
	}
	if next := from + len(lines); next <= total {
		cut += fmt.Sprintf(" It has %d lines; an offset of %d goes on.", total, next)
	}
	type part struct {
		Path  string `json:"filePath"`
		Text  string `json:"content"`
		Lines int    `json:"numLines"`
		Start int    `json:"startLine"`
		Total int    `json:"totalLines"`
	}
	return struct {
		Type string `json:"type"`
		File part   `json:"file"`
	}{"text", part{path, strings.Join(lines, "\n"), len(lines), from, total}}, cut
}
