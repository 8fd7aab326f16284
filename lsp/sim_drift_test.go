package lsp_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/patchls/patchls/lsp/view"
)

// saveDrifted saves a document of an editor that loses changes, and records whether the
// save shows the server that its text differs.
func (w *simWorld) saveDrifted(d *simDoc) {
	b, open := w.editor.Buffer(d.path)
	if !open || !b.Dirty() {
		return
	}
	raw, err := w.editor.Execute(context.Background(), "patchls.view", args{"path": d.name})
	var v view.View
	if err != nil || json.Unmarshal(raw, &v) != nil {
		return
	}
	lines := simLines(b.Text())
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], "\r")
	}
	same := slices.Equal(viewedLines(v.Text), lines)
	if b.Save() == nil && !same {
		d.drifted, d.since = b, time.Now()
	}
}

// viewedLines returns the lines that a view shows, without their numbers.
func viewedLines(s string) []string {
	if s == "" {
		return nil
	}
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		_, line, _ = strings.Cut(line, "\t")
		lines[i] = strings.TrimRight(line, "\r")
	}
	return lines
}
