// Package view implements the commands that only show something: lines of a text or the entries of a directory (view), the
// open documents and the edits that can be taken back (list), and a whole text (document).
package view

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/lists"
	"github.com/patchls/patchls/lsp/lines"
	"github.com/patchls/patchls/lsp/page"
	"github.com/patchls/patchls/lsp/review"
	"github.com/patchls/patchls/lsp/schema"
	"github.com/patchls/patchls/lsp/transaction"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// Args are the arguments of the command view.
type Args struct {
	Path      string `json:"path" jsonschema:"the file or directory: relative to a workspace folder, absolute, or a URI"`
	StartLine int    `json:"start_line,omitempty" jsonschema:"the first line, from 1"`
	EndLine   int    `json:"end_line,omitempty" jsonschema:"the last line; -1 is the last one of the text"`
}

// SetDefaults sets the values of arguments that are not sent.
func (a *Args) SetDefaults() { a.StartLine, a.EndLine = 1, -1 }

// Shown is what the answers have in common that show lines of a text or entries of a directory (docs/build/results.md).
type Shown struct {
	Path         string   `json:"path"`
	URI          string   `json:"uri"`
	Rev          string   `json:"rev"`
	Version      int32    `json:"version"`
	Open         bool     `json:"open"`
	Dirty        bool     `json:"dirty"`
	EOL          string   `json:"eol"`
	FinalNewline bool     `json:"final_newline"`
	TotalLines   int      `json:"total_lines"`
	StartLine    int      `json:"start_line"`
	EndLine      int      `json:"end_line"`
	NextLine     int      `json:"next_line,omitempty"` // the line to continue with, if not all was shown
	Notes        []string `json:"notes"`
}

// AddNote puts a note before the others.
func (r *Shown) AddNote(note string) { r.Notes = append([]string{note}, r.Notes...) }

// View is the answer to the command view.
type View struct {
	Shown
	Text string `json:"text"`
}

// Show implements the command view.
func Show(_ context.Context, s *transaction.Session, args Args) (*View, error) {
	v := &View{}
	err := v.Read(s, args.Path, func(t text.Text, room int) error {
		return v.show(args, t.Lines(), t.Lines(), room, page.Numbered(t))
	})
	if edits.IsKind(err, edits.IsDirectory) {
		return directory(s, args)
	}
	return v, err
}

// Read reads the text at path to show lines of it. show sets which; from then on, the session's client knows them.
func (r *Shown) Read(s *transaction.Session, path string, show func(t text.Text, room int) error) error {
	snap, err := s.Engine.Read(s.Workspace(), path)
	if err != nil {
		return err
	}
	t := snap.Text
	*r = Shown{
		Path: snap.Path, URI: snap.URI, Rev: t.Hash(), Open: snap.Doc != nil,
		EOL: t.LineEnds(), FinalNewline: t.Terminator() != "", TotalLines: t.Lines(), Notes: append([]string{}, snap.Notes()...),
	}
	if snap.Doc != nil {
		r.Version, r.Dirty = snap.Doc.Version, paths.IsDirty(snap.Target, t)
	}
	if err := show(t, page.Room(s.Name())); err != nil {
		return workspace.About(err, snap)
	}
	s.Ledger.Showed(snap.Key, lines.Meeting{Text: t, Shown: lines.Spans{{From: r.StartLine, To: r.EndLine}}})
	return nil
}

// show fills in the requested ones of n rows, as many as have room, up to most.
func (v *View) show(args Args, n, most, room int, row func(line int) (row, note string)) error {
	start, end := cmp.Or(args.StartLine, 1), cmp.Or(args.EndLine, -1) // 0 is what clients send that fill in each argument
	if end == -1 {
		end = n
	}
	switch {
	case n == 0 && start <= 1:
		v.StartLine, v.EndLine = 1, 0
		return nil
	case start < 1:
		return schema.Invalid(`"start_line" must be 1 or more: lines are counted from 1`)
	case start > n:
		return edits.Errorf(edits.LineOutOfRange, "Line %d does not exist in file with %s: %s.", start, edits.Count(n, "line"), v.Path)
	case end < start:
		return edits.Errorf(edits.InvalidRange, "end_line must be >= start_line: %d is before %d.", end, start)
	case end > n:
		v.note("end_line %d is past the end; the text has %s.", end, edits.Count(n, "line"))
		end = n
	}
	rows, notes := page.Rows(start, min(end, start+most-1), room, row)
	v.StartLine, v.EndLine, v.Text = start, start+len(rows)-1, strings.Join(rows, "\n")
	v.Notes = append(v.Notes, notes...)
	if v.EndLine < end {
		v.NextLine = v.EndLine + 1
	}
	return nil
}

func (v *View) note(format string, args ...any) {
	v.Notes = append(v.Notes, fmt.Sprintf(format, args...))
}

func directory(s *transaction.Session, args Args) (*View, error) {
	w := s.Workspace()
	place, err := w.Resolve(args.Path)
	if err != nil {
		return nil, err
	}
	list, err := w.Policy.List(place)
	if err != nil {
		return nil, err
	}
	v := &View{Shown: Shown{Path: place.Path, URI: place.URI, EOL: "none", TotalLines: len(list.Entries), Notes: []string{}}}
	v.note("%s is a directory; these are its entries, two levels deep, hidden ones left out.", place.Path)
	if list.Truncated {
		v.note("There are more entries than %d; view a directory below.", len(list.Entries))
	}
	err = v.show(args, len(list.Entries), page.MaxEntries, page.Room(s.Name()), func(line int) (entry, note string) { return list.Entries[line-1], "" })
	return v, err
}

// Listing is the answer to the command list.
type Listing struct {
	Documents []DocumentInfo `json:"documents"`
	Edits     []EditInfo     `json:"edits"`             // the newest first
	Refused   string         `json:"refused,omitempty"` // what the editor said first, if it has refused all edits so far
}

// DocumentInfo is an open document. A file that is open both as text and as something else is two documents.
type DocumentInfo struct {
	Path       string `json:"path"`
	URI        string `json:"uri"`
	Rev        string `json:"rev"` // "" if commands refuse the document
	Version    int32  `json:"version"`
	Dirty      bool   `json:"dirty"`
	Unsaved    bool   `json:"unsaved"` // the document has text that was never saved, or may have
	TotalLines int    `json:"total_lines"`
	// OutOfStep says why commands refuse the document: its text is not known any more, or is too
	// large. It is "" if commands accept the document.
	OutOfStep string `json:"out_of_step,omitempty"`
	// As is the kind of document that the file is open as, such as "a notebook"; "" is text. Of another kind nothing but
	// the name is known, and commands refuse it.
	As string `json:"as,omitempty"`
}

// EditInfo is an agent's edit that can be taken back.
type EditInfo struct {
	EditID  string     `json:"edit_id"`
	Command string     `json:"command"`
	Agent   string     `json:"agent"` // the name that the agent gave itself
	Time    string     `json:"time"`  // RFC 3339
	Paths   []string   `json:"paths"`
	Turn    string     `json:"turn,omitempty"`   // what it was made for: all edits for one prompt have it
	Prompt  string     `json:"prompt,omitempty"` // how that begins, if the agent's program has said it
	Marks   []MarkInfo `json:"marked"`           // the hunks that are not reviewed yet
}

// MarkInfo is a hunk of an edit at its place in the current text. Lines are counted
// from 1. EndLine is StartLine-1 if lines were only removed.
type MarkInfo struct {
	Path      string `json:"path"`
	Hunk      int    `json:"hunk"` // its number in the answer of the edit
	StartLine int    `json:"start_line"`
	EndLine   int    `json:"end_line"`
}

// List implements the command list, which takes no arguments.
func List(_ context.Context, s *transaction.Session, _ struct{}) (any, error) {
	w := s.Workspace()
	r := &Listing{Documents: []DocumentInfo{}, Edits: []EditInfo{}}
	for _, doc := range w.Documents.All() {
		d := DocumentInfo{Path: doc.URI, URI: doc.URI, Version: doc.Version, TotalLines: doc.Text.Lines(), OutOfStep: cmp.Or(doc.Drift, w.Excess(doc))}
		place, err := w.Resolve(doc.URI)
		d.Unsaved = edits.IsKind(err, edits.Protected) && (doc.Drift != "" || doc.Unsaved()) // as far as it is known without the file
		if err == nil {
			d.Path = place.Path
			d.Dirty, d.Unsaved = w.Unsaved(place, doc)
		}
		if err == nil && d.OutOfStep == "" { // otherwise nothing is said of the text
			d.Rev = doc.Text.Hash()
			doc.History.Mark(doc.Seq, d.Rev)
		}
		r.Documents = append(r.Documents, d)
	}
	for _, key := range slices.Sorted(maps.Keys(w.Policy.NotText)) {
		place := w.Policy.Target(key, w.IsOpen)
		r.Documents = append(r.Documents, DocumentInfo{Path: place.Path, URI: place.URI, As: edits.Printable(w.Policy.NotText[key])})
	}
	if why := s.Refusal.Load(); why != nil {
		r.Refused = *why
	}
	all := s.EditLog.List()
	marked := markInfos(s, all)
	for _, e := range slices.Backward(all) {
		info := EditInfo{EditID: e.ID, Command: e.Command, Agent: e.Agent, Time: e.At.Format(time.RFC3339), Marks: append([]MarkInfo{}, marked[e.ID]...)}
		info.Paths = lists.Unique(lists.Map(e.Steps, func(st review.Step) string { return st.ShownPath }))
		if e.Turn != nil {
			info.Turn = e.Turn.ID
		}
		if e.Turn != nil && (s.Conversation == nil || s.Conversation == e.Conversation) { // others' prompts are not for an agent
			info.Prompt = e.Turn.Title
		}
		r.Edits = append(r.Edits, info)
	}
	return r, nil
}

// markInfos returns the marks of all edits, by the edit's id.
func markInfos(s *transaction.Session, all []*review.Edit) map[string][]MarkInfo {
	infos := map[string][]MarkInfo{}
	steps := lists.FlatMap(all, func(e *review.Edit) []review.Step { return e.Steps })
	for _, key := range lists.Unique(lists.Map(steps, func(st review.Step) paths.Key { return st.Target.Key })) {
		marks, now := s.EditLog.Marks(s.Documents, key)
		for _, m := range marks {
			first, last := m.Lines(now)
			if m.Start == m.End {
				last = first - 1
			}
			infos[m.Edit.ID] = append(infos[m.Edit.ID], MarkInfo{Path: m.Step.ShownPath, Hunk: m.HunkNumber(), StartLine: first + 1, EndLine: last + 1})
		}
	}
	return infos
}

// DocumentArgs are the arguments of the command document.
type DocumentArgs struct {
	URI       string `json:"uri" jsonschema:"the document, by the name that list has for it"`
	StartLine int    `json:"start_line,omitempty" jsonschema:"the first line, from 1"`
	Limit     *int   `json:"limit,omitempty" jsonschema:"how many lines at most"`
	Room      int    `json:"room,omitempty" jsonschema:"how many bytes at most, for a model: as many whole lines as have room, and lines of more than 2,000 characters are cropped"`
	Shown     bool   `json:"shown,omitempty" jsonschema:"these lines are shown to whoever sends the command, who then knows them"`
}

// Document is the answer to the command document.
type Document struct {
	Path         string `json:"path"`
	URI          string `json:"uri"`
	Rev          string `json:"rev"`
	Version      int32  `json:"version"`
	StartLine    int    `json:"start_line"`
	EndLine      int    `json:"end_line"`
	TotalLines   int    `json:"total_lines"`
	FinalNewline bool   `json:"final_newline"`
	Text         string `json:"text"`
	Cropped      bool   `json:"cropped,omitempty"` // some lines are
}

// Get implements the command document.
func Get(_ context.Context, s *transaction.Session, args DocumentArgs) (any, error) {
	snap, err := s.Engine.Read(s.Workspace().Terse(), args.URI) // programs ask for this, of any file, and show no error
	if err != nil {
		return nil, err
	}
	if snap.Doc == nil {
		return nil, &edits.Error{Kind: edits.FileNotFound, Path: snap.Path, Message: "No document is open as " + args.URI + "."}
	}
	t := snap.Text
	n := t.Lines()
	d := &Document{
		Path: snap.Path, URI: snap.URI, Rev: t.Hash(), Version: snap.Doc.Version,
		StartLine: min(max(args.StartLine, 1), n+1), EndLine: n, TotalLines: n, FinalNewline: t.Terminator() != "",
	}
	if args.Limit != nil {
		d.EndLine = d.StartLine - 1 + min(max(*args.Limit, 0), n+1-d.StartLine)
	}
	from := 0 // a byte order mark is a part of the first line
	if d.StartLine > 1 {
		from = t.LineStart(d.StartLine - 1)
	}
	d.Text = t.Slice(from, t.LineStart(d.EndLine))
	if args.Room > 0 {
		d.fit(t, args.Room)
	}
	if args.Shown {
		s.Ledger.Showed(snap.Key, lines.Meeting{Text: t, Shown: lines.Spans{{From: d.StartLine, To: d.EndLine}}, Whole: args.Room == 0})
	}
	return d, nil
}

// fit leaves in the answer what has room for a model.
func (d *Document) fit(t text.Text, room int) {
	var b strings.Builder
	for i := d.StartLine; i <= d.EndLine; i++ {
		line, whole := edits.ShownLine(t, i)
		if b.Len()+len(line) >= room {
			d.EndLine = i - 1
			break
		}
		d.Cropped = d.Cropped || !whole
		b.WriteString(line + t.Slice(t.Line(i-1).End, t.Line(i-1).Next))
	}
	d.Text = b.String()
}
