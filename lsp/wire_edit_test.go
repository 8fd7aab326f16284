package lsp_test

import (
	"encoding/json"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/patchls/patchls/edits/text"
)

// maxLabel is how many characters "one short line" may have.
const maxLabel = 80

type wirePosition struct{ Line, Character uint32 }

func (p wirePosition) before(q wirePosition) bool {
	return p.Line < q.Line || p.Line == q.Line && p.Character < q.Character
}

type wireTextEdit struct {
	Range   struct{ Start, End wirePosition }
	NewText string
}

// checkApplyEdit checks the parameters of an applyEdit.
func (w *wireCheck) checkApplyEdit(raw json.RawMessage) {
	var p struct {
		Label *string
		Edit  map[string]json.RawMessage
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &p) != nil || json.Unmarshal(raw, &members) != nil {
		w.fault("explicit-version", "no parameters: %s", raw)
		return
	}
	for name := range members {
		if name != "label" && name != "edit" && (name != "leads" || !w.client.saves) {
			w.fault("edit-metadata", "a member %s: %s", name, raw)
		}
	}
	if l := p.Label; l != nil && (*l == "" || strings.ContainsAny(*l, "\r\n") || utf8.RuneCountInString(*l) > maxLabel || w.isNeovim()) {
		w.fault("edit-metadata", "the label %q for %s", *l, w.client.name)
	}
	for name := range p.Edit {
		if name != "documentChanges" {
			w.fault("both-changes", "a member %s: %s", name, raw)
		}
	}
	var changes []json.RawMessage
	if json.Unmarshal(p.Edit["documentChanges"], &changes) != nil {
		w.fault("explicit-version", "no documentChanges: %s", raw)
	} else if len(changes) == 0 {
		w.fault("empty-edit", "no documentChange: %s", raw)
	}
	docs := map[string]bool{}
	operations := 0
	for _, change := range changes {
		var of struct{ Kind string }
		_ = json.Unmarshal(change, &of)
		if of.Kind == "" {
			docs[w.checkDocumentEdit(change)] = true
			continue
		}
		docs[w.checkOperation(of.Kind, change)] = true
		if of.Kind != "create" {
			operations++
		}
	}
	if len(docs) > 1 || operations > 0 && len(changes) > 1 {
		w.fault("second-document", "more than one document: %s", raw)
	}
}

// checkOperation checks a resource operation and returns the URI that it is of.
func (w *wireCheck) checkOperation(kind string, raw json.RawMessage) (uri string) {
	var op struct {
		URI, OldURI, NewURI string
		Options             map[string]any
	}
	_ = json.Unmarshal(raw, &op)
	if op.Options == nil || op.Options["overwrite"] == true {
		w.fault("create-truncates", "options that some editor takes for leave to truncate: %s", raw)
	}
	for _, uri := range []string{op.URI, op.OldURI, op.NewURI} {
		if uri != "" {
			w.checkURI(uri)
		}
	}
	if kind == "create" {
		return op.URI
	}
	if of := op.URI + op.OldURI; !w.wasAskedFor(of) {
		w.fault("delete-and-rename", "no patch asks for it: %s", raw)
	}
	return op.URI + op.OldURI
}

// wasAskedFor reports whether a command that is under way names the file in a
// patch, or takes something back. Names that git quotes are not read.
func (w *wireCheck) wasAskedFor(uri string) bool {
	u, err := url.Parse(uri)
	if err != nil {
		return false
	}
	for _, r := range w.asked {
		switch strings.TrimPrefix(r.command, "patchls.") {
		case "undo", "revert":
			return true
		case "str_replace_editor": // of a file that was made, it is a deletion
			if strings.Contains(r.words, "undo_edit") {
				return true
			}
		case "apply_patch":
			if strings.Contains(r.words, path.Base(u.Path)) || strings.Contains(r.words, `"a/`) {
				return true
			}
		}
	}
	return false
}

// checkURI refuses what makes junk in some editor: a name without a path, and a
// document of a scheme of its own that is not open.
func (w *wireCheck) checkURI(uri string) {
	if name, isFile := strings.CutPrefix(uri, "file://"); isFile {
		if !strings.HasPrefix(name, "/") || len(name) < 2 {
			w.fault("junk-buffer", "the URI %q has no path", uri)
		}
		return
	}
	if d := w.docs[uri]; d == nil || !d.open && d.since < w.since() {
		w.fault("junk-buffer", "the URI %q, which is not open", uri)
	}
}

// checkDocumentEdit checks the edits of one document and returns its URI.
func (w *wireCheck) checkDocumentEdit(raw json.RawMessage) (uri string) {
	var change struct {
		TextDocument map[string]json.RawMessage
		Edits        []json.RawMessage
	}
	_ = json.Unmarshal(raw, &change)
	_ = json.Unmarshal(change.TextDocument["uri"], &uri)
	w.checkURI(uri)
	if len(change.Edits) == 0 {
		w.fault("empty-edit", "an empty list of edits: %s", raw)
	}
	list := make([]wireTextEdit, len(change.Edits))
	for i, e := range change.Edits {
		var members map[string]json.RawMessage
		_ = json.Unmarshal(e, &members)
		if names := slices.Sorted(maps.Keys(members)); !slices.Equal(names, []string{"newText", "range"}) {
			w.fault("snippet", "an edit with the members %q: %s", names, raw)
		}
		_ = json.Unmarshal(e, &list[i])
	}
	opens := len(list) == 1 && string(change.TextDocument["version"]) == "null" // an edit of nothing has Neovim open a new file
	if fault := disorder(list); fault != "" && !opens {
		w.fault("overlapping-edits", "%s: %s", fault, raw)
		return uri
	}
	w.checkVersion(uri, change.TextDocument["version"], list, raw)
	return uri
}

// disorder returns what is wrong with a list of edits for any text.
func disorder(list []wireTextEdit) string {
	for i, e := range list {
		if e.Range.End.before(e.Range.Start) {
			return "a range that ends before it starts"
		}
		if e.Range.Start == e.Range.End && e.NewText == "" {
			return "an edit that does nothing"
		}
		if i == 0 {
			continue
		}
		last := list[i-1].Range
		if e.Range.Start.before(last.End) || e.Range.Start == last.Start {
			return "edits that are not sorted, or meet"
		}
	}
	return ""
}

// checkVersion checks that the edits are of a text that the client has had.
func (w *wireCheck) checkVersion(uri string, raw json.RawMessage, list []wireTextEdit, change json.RawMessage) {
	doc := w.docs[uri]
	if raw == nil {
		w.fault("explicit-version", "no version: %s", change)
		return
	}
	var version *int32
	if err := json.Unmarshal(raw, &version); err != nil {
		w.fault("explicit-version", "the version %s: %s", raw, change)
		return
	}
	if version == nil {
		if doc != nil && doc.open && doc.since < w.since() {
			w.fault("explicit-version", "the version null for an open document: %s", change)
		}
		return
	}
	if doc == nil || doc.unknown {
		if doc == nil {
			w.fault("explicit-version", "the version %d for a document that was never open: %s", *version, change)
		}
		return
	}
	texts := doc.versions[*version]
	if len(texts) == 0 && *version == 1 {
		texts = doc.versions[0] // as Neovim is told, which does not check 0
	}
	if len(texts) == 0 {
		w.fault("explicit-version", "the document never had this version: %s", change)
		return
	}
	fault := ""
	for _, t := range texts {
		if fault = misfit(t, list, w.client.encoding); fault == "" {
			return
		}
	}
	w.fault("overlapping-edits", "%s: %s", fault, change)
}

// misfit returns why a list of edits does not fit t.
func misfit(t text.Text, list []wireTextEdit, enc text.Encoding) string {
	for _, e := range list {
		var at [2]int
		for i, p := range []wirePosition{e.Range.Start, e.Range.End} {
			want := text.Position{Line: int(p.Line), Character: int(p.Character)}
			at[i] = t.Offset(want, enc)
			if t.Position(at[i], enc) != want {
				return "a position that is not in the text"
			}
			if at[i] > 0 && at[i] < t.Len() && t.Slice(at[i]-1, at[i]+1) == "\r\n" {
				return "a position within a line end"
			}
		}
		if t.Slice(at[0], at[1]) == e.NewText {
			return "an edit that changes nothing"
		}
	}
	return ""
}
