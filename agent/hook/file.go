package hook

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/agent/words"
	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/lsp/view"
	"github.com/patchls/patchls/workspace/paths"
)

// unsaved returns a sentence that says where a file has unsaved text, and whether it is on disk at all.
func unsaved(f agent.File) string {
	only := ""
	key, _ := paths.KeyOf(f.URI) // the name of an open document is one
	if path, _ := key.FilePath(); !paths.OnOtherMachine(path, f.Editor.Live().Roots) && !paths.Listed(path) {
		only = "is not on disk and "
	}
	return fmt.Sprintf("%s %shas unsaved text in %s", paths.OneLine(f.Path, paths.MaxShownPath), only, cmp.Or(f.Editor.Live().Name, "an editor"))
}

// abs returns a path, which is relative to the agent's folder.
func (h hook) abs(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(h.Dir, path)
}

// open returns the first file of those at names, which are absolute paths, that has unsaved text. If it returns nil, no says
// why the agent's own tool must not write them either; it is empty if the tool may.
func (h hook) open(ctx context.Context, names ...string) (f *agent.File, no outcome) {
	f, err := h.find.Open(ctx, false, names...)
	switch {
	case f != nil && f.Unsaved:
		return f, no
	case err != nil:
		message, _ := words.ErrorData(err)
		message = strings.TrimPrefix(message, agent.NotDone)
		no = outcome{"failed: " + message, "Nothing was written: " + message}
	}
	return nil, no
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
