package view

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp/review"
	"github.com/patchls/patchls/lsp/transaction"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// ListArgs are the arguments of the command list: none.
type ListArgs struct{}

// Listing is the answer to the command list.
type Listing struct {
	Documents []DocumentInfo `json:"documents"`
	Edits     []EditInfo     `json:"edits"` // the newest first
}

// DocumentInfo is an open document.
type DocumentInfo struct {
	Path       string `json:"path"`
	URI        string `json:"uri"`
	Rev        string `json:"rev"`
	Version    int32  `json:"version"`
	Dirty      bool   `json:"dirty"`
	Unsaved    bool   `json:"unsaved"` // the document has text that was never saved
	TotalLines int    `json:"total_lines"`
	// OutOfStep says why commands refuse the document: its text is not known any more, or is too
	// large. It is "" if commands accept the document.
	OutOfStep string `json:"out_of_step,omitempty"`
}

// EditInfo is an agent's edit that can be taken back.
type EditInfo struct {
	EditID  string     `json:"edit_id"`
	Command string     `json:"command"`
	Agent   string     `json:"agent"` // the name that the agent gave itself
	Time    string     `json:"time"`  // RFC 3339
	Paths   []string   `json:"paths"`
	Marks   []MarkInfo `json:"marked"` // the hunks that are not reviewed yet
}

// MarkInfo is a hunk of an edit at its place in the current text. Lines are counted
// from 1. EndLine is StartLine-1 if lines were only removed.
type MarkInfo struct {
	Path      string `json:"path"`
	Hunk      int    `json:"hunk"` // its number in the answer of the edit
	StartLine int    `json:"start_line"`
	EndLine   int    `json:"end_line"`
}

// List implements the command list.
func List(_ context.Context, s *transaction.Session, _ ListArgs) (any, error) {
	w := s.Workspace()
	r := &Listing{Documents: []DocumentInfo{}, Edits: []EditInfo{}}
	for _, doc := range w.Documents.All() {
		d := DocumentInfo{Path: doc.URI, URI: doc.URI, Version: doc.Version, TotalLines: doc.Text.Lines(), OutOfStep: cmp.Or(doc.Drift, w.Excess(doc))}
		if place, err := w.Resolve(doc.URI); err == nil {
			d.Path = place.Path
			d.Dirty = w.Excess(doc) == "" && paths.IsDirty(place, doc.Text)
			d.Unsaved = d.Dirty && isUnsaved(w, place, doc)
		}
		if d.OutOfStep == "" {
			d.Rev = doc.Text.Hash()
			doc.History.Mark(doc.Seq, d.Rev)
		}
		r.Documents = append(r.Documents, d)
	}
	all := s.EditLog.List()
	marked := markInfos(s, all)
	for _, e := range slices.Backward(all) {
		info := EditInfo{EditID: e.ID, Command: e.Command, Agent: e.Agent, Time: e.At.Format(time.RFC3339), Paths: []string{}, Marks: append([]MarkInfo{}, marked[e.ID]...)}
		for _, st := range e.Steps {
			if !slices.Contains(info.Paths, st.ShownPath) {
				info.Paths = append(info.Paths, st.ShownPath)
			}
		}
		r.Edits = append(r.Edits, info)
	}
	return r, nil
}

// isUnsaved reports whether a document, whose file has another text, has text that was never saved. The file may differ
// for another reason: another program wrote it and the editor is about to read it, or it has another encoding.
func isUnsaved(w *workspace.Workspace, place paths.Target, doc *workspace.Document) bool {
	if doc.DiskSeen || doc.Unsaved() {
		return doc.Unsaved()
	}
	// The document is as it was opened. Terse: the error is not shown, so no similar names are looked for.
	policy := w.Policy
	policy.Terse = true
	_, err := policy.ReadClosed(place)
	return err == nil || edits.IsKind(err, paths.FileNotFound) && doc.Text.Len() > len("\n") // Vim shows an empty file as "\n"
}

// markInfos returns the marks of all edits, by the edit's id.
func markInfos(s *transaction.Session, all []*review.Edit) map[string][]MarkInfo {
	infos := map[string][]MarkInfo{}
	seen := map[paths.Key]bool{}
	for _, e := range all {
		for _, st := range e.Steps {
			if seen[st.Target.Key] {
				continue
			}
			seen[st.Target.Key] = true
			marks, now := s.EditLog.Marks(s.Documents, st.Target.Key)
			for _, m := range marks {
				first, last := m.Lines(now)
				if m.Start == m.End {
					last = first - 1
				}
				infos[m.Edit.ID] = append(infos[m.Edit.ID], MarkInfo{Path: m.Step.ShownPath, Hunk: m.HunkNumber(), StartLine: first + 1, EndLine: last + 1})
			}
		}
	}
	return infos
}

// DocumentArgs are the arguments of the command document.
type DocumentArgs struct {
	URI string `json:"uri" jsonschema:"the document, by the name that list has for it"`
}

// Document is the answer to the command document.
type Document struct {
	Path    string `json:"path"`
	URI     string `json:"uri"`
	Rev     string `json:"rev"`
	Version int32  `json:"version"`
	Text    string `json:"text"`
}

// Get implements the command document.
func Get(_ context.Context, s *transaction.Session, args DocumentArgs) (any, error) {
	w := s.Workspace()
	place, err := w.Resolve(args.URI)
	if err != nil {
		return nil, err
	}
	snap, err := s.Engine.Read(w, place)
	if err != nil {
		return nil, err
	}
	if snap.Doc == nil {
		return nil, &edits.Error{Kind: paths.FileNotFound, Path: place.Path, Message: "No document is open as " + args.URI + "."}
	}
	return &Document{Path: snap.Path, URI: snap.URI, Rev: snap.Text.Hash(), Version: snap.Doc.Version, Text: snap.Text.String()}, nil
}
