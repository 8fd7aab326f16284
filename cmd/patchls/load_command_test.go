package main

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/patchls/patchls/edits/text"
)

// loadCommand is a command that is to be sent.
type loadCommand struct {
	name  string
	args  map[string]any
	docs  []*loadDoc // that the command may change; nil: any
	reads bool       // the command changes no document
	token string     // in the text after the command, if it is applied
}

// loadKinds are what agents ask for, each with its share. An overview of all documents
// is asked for every two or three seconds.
var loadKinds = []struct {
	share int
	make  func(l *load, r *rand.Rand, d *loadDoc, s string) *loadCommand
}{
	{300, (*load).strReplace},
	{150, (*load).editLines},
	{160, (*load).insertOrDelete},
	{90, (*load).patch},
	{40, (*load).patchOfTwo},
	{60, (*load).undo},
	{20, (*load).revert},
	{30, (*load).keep},
	{148, (*load).view},
	{2, (*load).list},
}

// draw returns a command for the texts as they are now.
func (l *load) draw(r *rand.Rand) *loadCommand {
	all := 0
	for _, k := range loadKinds {
		all += k.share
	}
	n, kind := r.IntN(all), 0
	for ; n >= loadKinds[kind].share; kind++ {
		n -= loadKinds[kind].share
	}
	for {
		d := l.docs[r.IntN(len(l.docs))]
		if b := d.buffer(l.editor); b != nil {
			if c := loadKinds[kind].make(l, r, d, b.Text()); c != nil {
				return c
			}
			kind = 0
		}
	}
}

func (l *load) strReplace(r *rand.Rand, d *loadDoc, s string) *loadCommand {
	rows := d.rows(r, s, 1+r.IntN(3))
	if rows == nil {
		return nil
	}
	was := make([]string, len(rows))
	for i, row := range rows {
		was[i] = row.text
	}
	now := loadLine(r)
	return &loadCommand{name: "str_replace", docs: []*loadDoc{d}, token: tokenOf(now), args: map[string]any{
		"path": d.name, "old_str": strings.Join(was, "\n"), "new_str": strings.Join(append([]string{now}, was[1:]...), "\n"),
	}}
}

// tokenOf returns the token of a line.
func tokenOf(line string) string { return line[strings.LastIndexByte(line, ' '):] }

func (l *load) editLines(r *rand.Rand, d *loadDoc, s string) *loadCommand {
	one, other := d.rows(r, s, 1), d.rows(r, s, 1)
	if one == nil || other == nil || one[0].number == other[0].number {
		return nil
	}
	edits, token := []map[string]any{}, ""
	for _, row := range append(one, other...) {
		line := loadLine(r)
		token = tokenOf(line)
		edits = append(edits, map[string]any{"from": row.number, "to": row.number, "content": line, "expect": row.text})
	}
	return &loadCommand{name: "edit_lines", docs: []*loadDoc{d}, token: token, args: map[string]any{"path": d.name, "edits": edits}}
}

// withRev adds the rev of the text that the line numbers refer to, unless the text is large.
func withRev(s string, args map[string]any) map[string]any {
	if len(s) < 20_000 {
		args["rev"] = text.New(s).Hash()
	}
	return args
}

// insertOrDelete keeps the document as long as it was.
func (l *load) insertOrDelete(r *rand.Rand, d *loadDoc, s string) *loadCommand {
	rows := d.rows(r, s, 1+r.IntN(3))
	if rows == nil {
		return nil
	}
	from, to := rows[0].number, rows[len(rows)-1].number
	if strings.Count(s, "\n") > d.lines {
		return &loadCommand{name: "delete_lines", docs: []*loadDoc{d}, args: withRev(s, map[string]any{
			"path": d.name, "start_line": from, "end_line": to,
		})}
	}
	lines := make([]string, len(rows))
	for i := range lines {
		lines[i] = loadLine(r)
	}
	return &loadCommand{name: "insert", docs: []*loadDoc{d}, token: tokenOf(lines[0]), args: withRev(s, map[string]any{
		"path": d.name, "after_line": from, "content": strings.Join(lines, "\n"),
	})}
}

// patch is a unified diff or one as Codex writes it.
func (l *load) patch(r *rand.Rand, d *loadDoc, s string) *loadCommand {
	rows := d.rows(r, s, 5)
	if len(rows) < 3 {
		return nil
	}
	change, token := loadHunk(r, rows)
	patch := fmt.Sprintf("--- a/%s\n+++ b/%s\n@@ -%d,%d +%d,%d @@\n%s", d.name, d.name, rows[0].number, len(rows), rows[0].number, len(rows), change)
	if r.IntN(2) == 0 {
		patch = "*** Begin Patch\n*** Update File: " + d.name + "\n@@\n" + change + "*** End Patch\n"
	}
	return &loadCommand{name: "apply_patch", docs: []*loadDoc{d}, token: token, args: map[string]any{"patch": patch}}
}

// loadHunk replaces the line in the middle of the rows.
func loadHunk(r *rand.Rand, rows []row) (hunk, token string) {
	for i, row := range rows {
		if i != len(rows)/2 {
			hunk += " " + row.text + "\n"
			continue
		}
		line := loadLine(r)
		hunk, token = hunk+"-"+row.text+"\n+"+line+"\n", tokenOf(line)
	}
	return hunk, token
}

func (l *load) patchOfTwo(r *rand.Rand, d *loadDoc, s string) *loadCommand {
	other := l.docs[r.IntN(len(l.docs))]
	b := other.buffer(l.editor)
	if other == d || b == nil {
		return nil
	}
	rows, others := d.rows(r, s, 5), other.rows(r, b.Text(), 5)
	if len(rows) < 3 || len(others) < 3 {
		return nil
	}
	one, _ := loadHunk(r, rows)
	two, _ := loadHunk(r, others)
	return &loadCommand{name: "apply_patch", docs: []*loadDoc{d, other}, args: map[string]any{
		"patch": "*** Begin Patch\n*** Update File: " + d.name + "\n@@\n" + one + "*** Update File: " + other.name + "\n@@\n" + two + "*** End Patch\n",
	}}
}

func (l *load) undo(r *rand.Rand, d *loadDoc, _ string) *loadCommand {
	if r.IntN(4) == 0 { // the newest edit of the document may be of others as well
		return &loadCommand{name: "undo", args: map[string]any{"path": d.name}}
	}
	made := l.made.any(r)
	if made == nil {
		return nil
	}
	return &loadCommand{name: "undo", docs: made.docs, args: map[string]any{"edit_id": made.id}}
}

func (l *load) revert(r *rand.Rand, _ *loadDoc, _ string) *loadCommand {
	made := l.made.any(r)
	if made == nil {
		return nil
	}
	return &loadCommand{name: "revert", docs: made.docs, args: map[string]any{"edit_id": made.id, "hunk": 1}}
}

// keep is a user who has reviewed a document.
func (l *load) keep(_ *rand.Rand, d *loadDoc, _ string) *loadCommand {
	return &loadCommand{name: "keep", reads: true, args: map[string]any{"path": d.name}}
}

func (l *load) view(r *rand.Rand, d *loadDoc, s string) *loadCommand {
	from := 1 + r.IntN(1+strings.Count(s, "\n")/2)
	return &loadCommand{name: "view", reads: true, args: map[string]any{"path": d.name, "start_line": from, "end_line": from + r.IntN(200)}}
}

func (l *load) list(*rand.Rand, *loadDoc, string) *loadCommand {
	return &loadCommand{name: "list", reads: true, args: map[string]any{}}
}
