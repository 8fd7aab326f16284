package hook

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/lsp/view"
	"github.com/patchls/patchls/workspace/paths"
)

// file is a file that an editor has open with unsaved text, or as something other than text.
type file struct {
	view.DocumentInfo
	editor *agent.Conn
	path   string
}

func (f file) name() string { return paths.OneLine(f.Path, paths.MaxShownPath) }

// notText returns a sentence about a file that is open as something other than text.
func (f file) notText() string {
	return fmt.Sprintf("%s is open in %s as %s, so its text there is not known; ask the user to save and close it first.", f.name(), f.at(), f.As)
}

func (f file) at() string { return cmp.Or(f.editor.Live().Name, "an editor") }

// unsaved returns a sentence that says where the file has unsaved text, and whether it is on disk at all.
func (f file) unsaved() string {
	only := ""
	if !paths.OnOtherMachine(f.path, f.editor.Live().Roots) && !paths.Listed(f.path) {
		only = "is not on disk and "
	}
	return fmt.Sprintf("%s %shas unsaved text in %s", f.name(), only, f.at())
}

// files returns all files with unsaved text, and those that are open as something other than text, those of the most
// recently active editor first. silent is the error for an editor that does not answer, which may have other such files.
func (h hook) files(ctx context.Context) (all []file, silent error) {
	ctx, cancel := context.WithTimeout(ctx, agent.LookTime)
	defer cancel()
	conns, silent := h.find.All(ctx)
	lists, errs := agent.Lists(ctx, conns)
	for i, c := range conns {
		if errs[i] != nil {
			silent = cmp.Or(silent, c.Live().Silence(errs[i]))
			continue
		}
		for _, d := range lists[i].Documents {
			key, err := paths.KeyOf(d.URI)
			if path, is := key.FilePath(); err == nil && is && (d.Unsaved || d.As != "") {
				all = append(all, file{d, c, path})
			}
		}
	}
	return all, silent
}

// abs returns a path, which is relative to the agent's folder.
func (h hook) abs(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(h.Dir, path)
}

// open returns the first file of those at names, which are paths, that has unsaved text. If it returns nil, no says why the
// agent's own tool must not write them either; it is empty if the tool may.
func (h hook) open(ctx context.Context, names ...string) (f *file, no outcome) {
	all, silent := h.files(ctx)
	for _, name := range names {
		switch f = find(all, h.abs(name)); {
		case f != nil && f.As != "":
			return nil, outcome{"failed: " + f.notText(), "Nothing was written: " + f.notText()}
		case f != nil:
			return f, no
		}
	}
	if silent != nil {
		no = outcome{"failed: " + silent.Error(), "Nothing was written: " + silent.Error()}
	}
	return nil, no
}

// find returns the file at an absolute path, nil if there is none.
func find(all []file, path string) *file {
	keys := make([]paths.Key, len(all))
	for i, f := range all {
		keys[i] = paths.FileKey(f.path)
	}
	if i := paths.Find(paths.FileKey(path), keys); i >= 0 {
		return &all[i]
	}
	return nil
}

// The bounds of what Read shows: mostLines without a limit, as Claude Code's own. A result of more than mostRead bytes may
// become the name of a file that has it.
const (
	mostLines = 2000
	mostRead  = 30_000
)

// readResult is a result of Claude Code's Read.
type readResult struct {
	Type string `json:"type"`
	File struct {
		Path  string `json:"filePath"`
		Text  string `json:"content"`
		Lines int    `json:"numLines"`
		Start int    `json:"startLine"`
		Total int    `json:"totalLines"`
	} `json:"file"`
}

// readLines returns lines of a text as the result of a Read, which counts one more line after a final line end. If the
// result ends before the text, cut says how to go on. limit is how many lines were asked for.
func readLines(path string, doc view.Document, limit int) (result readResult, cut string) {
	var lines []string
	if doc.EndLine >= doc.StartLine {
		lines = strings.Split(strings.TrimSuffix(diff.UnixLines(doc.Text), "\n"), "\n")
	}
	total := doc.TotalLines
	if doc.FinalNewline {
		total++
	}
	if doc.EndLine < total && doc.EndLine == doc.TotalLines && len(lines) < limit {
		lines = append(lines, "")
	}
	if doc.Cropped {
		cut = fmt.Sprintf(" Lines are cropped at %d characters.", edits.MaxShownLine)
	}
	if next := doc.StartLine + len(lines); next <= total {
		cut += fmt.Sprintf(" It has %d lines; an offset of %d goes on.", total, next)
	}
	result.Type, result.File.Path, result.File.Text = "text", path, strings.Join(lines, "\n")
	result.File.Lines, result.File.Start, result.File.Total = len(lines), doc.StartLine, total
	return result, cut
}
