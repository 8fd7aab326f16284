package review

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/lists"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/schema"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/history"
	"github.com/patchls/patchls/workspace/paths"
)

// MaxRemembered is the maximum number of edits in a log; the oldest are dropped first.
const MaxRemembered = 1000

// Log holds the edits that agents have made and that can be taken back, the oldest first. The log records which documents
// they changed; the changes themselves are in the histories of the documents. It is safe for concurrent use.
type Log struct {
	Tag string // ends each id; set before the first edit

	mu    sync.Mutex
	count int // of edits, and of turns
	turns int
	all   []*Edit
}

// Edit is one command's edit of one text or, for a patch, of several. It does not change after it is added to a log.
type Edit struct {
	ID           string
	Command      string
	Agent        string        // the name that the agent gave itself
	At           time.Time     // when the edit was added
	Steps        []Step        // in the order in which they were applied
	Conversation *Conversation // that it was made in; nil for the user's own
	Turn         *Turn         // of that; Log.Add sets it
}

// Step is what an edit did to one document.
type Step struct {
	Number    int          // from 0; other steps of the edit may have been removed
	Change    string       // the kind of the change in results
	Target    paths.Target // the document, under its current name
	Was       paths.Target // for a rename: the document's name before it
	ShownPath string       // the name of the document in results
	Text      text.Text    // the text of a file that was created or deleted
	BOM       bool         // the file begins with a byte order mark, which Text leaves out
	Unseen    bool         // the editor accepted the edit without opening the file
	// Hunks is the number of hunks that the answer has for this file, and Before the number that
	// it has for the files above. Hunks are numbered through all files.
	Hunks, Before int
	Effects       []Effect // of the hunks, in order
}

// Effect is a hash of what a hunk does: of its file, and of its lines and the line above them, before and after.
type Effect uint64

// NewID returns the id of a new edit, which the histories of its documents have before the log has the edit.
func (m *Log) NewID() string { return m.newID("e", &m.count) }

func (m *Log) newID(kind string, count *int) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	*count++
	return fmt.Sprintf("%s%d%s", kind, *count, m.Tag)
}

// Add adds an edit, and takes ownership of it. If the log drops its oldest edit, Add calls forget with that.
func (m *Log) Add(e *Edit, forget func(*Edit)) {
	if e.Conversation != nil {
		e.Turn = e.Conversation.now(m)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	e.At = time.Now()
	if m.all = append(m.all, e); len(m.all) > MaxRemembered {
		forget(m.all[0])
		if t := m.all[0].Turn; t != nil {
			t.cut.Store(true)
		}
		m.all = slices.Delete(m.all, 0, 1)
	}
}

// Rename records that a document has a new name.
func (m *Log) Rename(from paths.Key, to paths.Target) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, e := range m.all {
		m.all[i] = e.Renamed(from, to)
	}
}

// Renamed returns a copy of e with a new name for a document. Other goroutines may be reading e.
func (e *Edit) Renamed(from paths.Key, to paths.Target) *Edit {
	now := *e
	now.Steps = slices.Clone(e.Steps)
	for i, st := range now.Steps {
		if st.Target.Key == from && st.Change != editor.Delete {
			now.Steps[i].Target = to
		}
	}
	return &now
}

// Remove removes a step of an edit, and the edit itself if that was its last step.
func (m *Log) Remove(id string, step int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := slices.IndexFunc(m.all, func(e *Edit) bool { return e.ID == id })
	if i < 0 {
		return
	}
	left := *m.all[i] // a copy: other goroutines may be reading the edit
	left.Steps = slices.DeleteFunc(slices.Clone(left.Steps), func(st Step) bool {
		return st.Number == step
	})
	if m.all[i] = &left; len(left.Steps) == 0 {
		m.all = slices.Delete(m.all, i, i+1)
	}
}

// List returns the edits, the oldest first.
func (m *Log) List() []*Edit {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.all)
}

// Find returns the newest edit that has the id and is about the document identity. Either
// may be "", and then any edit matches it. Find returns nil if there is no such edit.
func (m *Log) Find(id string, identity paths.Key) *Edit {
	for _, e := range slices.Backward(m.List()) {
		switch {
		case id != "" && e.ID != id:
		case identity == "" || slices.Contains(e.Texts(), identity):
			return e
		}
	}
	return nil
}

// Texts returns the keys under which commands take turns for the edit's documents.
func (e *Edit) Texts() []paths.Key {
	var keys []paths.Key
	for _, st := range e.Steps {
		keys = append(keys, st.Target.Identity())
		if st.Change == editor.Rename {
			keys = append(keys, st.Was.Identity())
		}
	}
	return keys
}

// Args are the arguments of keep and revert, the commands that lenses and actions offer.
type Args struct {
	EditID string `json:"edit_id,omitempty" jsonschema:"the edit, by the id in its answer; e7.2 is its hunk 2"`
	Path   string `json:"path,omitempty" jsonschema:"all that agents changed in this file and the user has not reviewed; with edit_id, its part in this file"`
	Hunk   int    `json:"hunk,omitempty" jsonschema:"only this hunk of the edit, counted through all files of its answer; 0 is all"`
}

// Checked returns the arguments with a hunk that edit_id names in hunk. It refuses arguments that name nothing. A
// hunk is not named by its place in a file, since that changes whenever the user has reviewed another one.
func (r Args) Checked(command string) (Args, error) {
	if id, hunk, ok := strings.Cut(r.EditID, "."); ok {
		n, err := strconv.Atoi(hunk)
		if err != nil || n < 1 || r.Hunk != 0 && r.Hunk != n {
			return r, schema.Invalid(`"edit_id" must be the id of an edit, e7, or of a hunk of it, e7.2`)
		}
		r.EditID, r.Hunk = id, n
	}
	switch {
	case r.EditID == "" && r.Path == "":
		return r, schema.Invalid(`%s takes "edit_id" or "path"`, command)
	case r.Hunk < 0:
		return r, schema.Invalid(`"hunk" must be 0 (all) or the number of a hunk, from 1`)
	case r.Hunk > 0 && r.EditID == "":
		return r, schema.Invalid(`"hunk" is the number of a hunk in an edit; send "edit_id" with it, or the id of the hunk, such as e7.2, as "edit_id"`)
	}
	return r, nil
}

// Part is what an edit did to one document, or some of its hunks there.
type Part struct {
	Edit  *Edit
	Step  Step
	Hunks []int // nil for all that are left
}

// Parts returns all parts of the edit, the last first.
func (e *Edit) Parts() []Part {
	parts := lists.Map(e.Steps, func(st Step) Part { return Part{Edit: e, Step: st} })
	slices.Reverse(parts)
	return parts
}

// Name returns the name of the part: "Edit e3", or "Hunk 2 of edit e3".
func (pt Part) Name() string {
	if len(pt.Hunks) == 0 {
		return "Edit " + pt.Edit.ID
	}
	numbers := lists.Map(pt.Hunks, func(n int) string { return strconv.Itoa(n + pt.Step.Before) })
	word := "Hunk "
	if len(numbers) > 1 {
		word = "Hunks "
	}
	return word + edits.Listed(numbers) + " of edit " + pt.Edit.ID
}

// CountEdits returns of how many edits the parts are.
func CountEdits(parts []Part) int {
	return len(lists.Unique(lists.Map(parts, func(pt Part) string { return pt.Edit.ID })))
}

// InHistory returns parts in the form that the history of their document uses.
func InHistory(parts []Part) []history.Part {
	return lists.Map(parts, func(pt Part) history.Part { return history.Part{ID: pt.Edit.ID, Hunks: pt.Hunks} })
}

// Turn returns what is to be taken back of all edits of a turn that are left: text by text, the newest part first, and the
// renamings of a text last. "last" is the newest turn of a conversation, or of all if c is nil.
func (m *Log) Turn(id string, c *Conversation) (parts []Part, err error) {
	var ids []string
	for _, e := range slices.Backward(m.List()) {
		if e.Turn == nil {
			continue
		}
		if id == LastTurn && (c == nil || e.Conversation == c) {
			id = e.Turn.ID
		}
		if ids = append(ids, e.Turn.ID); e.Turn.ID != id {
			continue
		}
		if e.Turn.cut.Load() {
			return nil, edits.Errorf(edits.UndoConflict, "The first edits of turn %s are forgotten, since only the last %d of all agents are remembered; undo those that are left one by one, the newest first.", id, MaxRemembered)
		}
		parts = append(parts, e.Parts()...)
	}
	all := parts
	parts = nil
	for _, key := range lists.Unique(lists.Map(all, func(pt Part) paths.Key { return pt.Step.Target.Key })) {
		var others, renamings []Part
		for _, pt := range all {
			switch {
			case pt.Step.Target.Key != key:
			case pt.Step.Change == editor.Rename:
				renamings = append(renamings, pt)
			default:
				others = append(others, pt)
			}
		}
		// In which order several of these go together, only the edits one by one tell.
		if n := len(renamings) + lists.Count(others, func(pt Part) bool { return pt.Step.Change != editor.Update }); n > 1 || n == 1 && len(others) > 1 && others[0].Step.Change == editor.Delete {
			newest := slices.Concat(others, renamings)[0]
			return nil, edits.ErrorIn(edits.UndoConflict, newest.Step.ShownPath, "Turn %s has made, renamed or deleted %s beside other edits of it; undo its edits one by one, the newest first.", id, newest.Step.ShownPath)
		}
		parts = slices.Concat(parts, others, renamings)
	}
	if len(parts) == 0 {
		return nil, edits.Errorf(edits.NothingToUndo, "There is no turn %s that can be undone; there are %s.", edits.Printable(id), cmp.Or(edits.Listed(lists.Unique(ids)), "none"))
	}
	return parts, nil
}

// LastTurn names the newest turn.
const LastTurn = "last"

// Edit is like [Log.Find], but returns an error if there is no such edit. path is the name that was sent for identity.
func (m *Log) Edit(id, path string, identity paths.Key) (*Edit, error) {
	if e := m.Find(id, identity); e != nil {
		return e, nil
	}
	return nil, m.nothingToUndo(id, path)
}

// nothingToUndo returns the error for an edit that does not exist, or does not exist any more.
func (m *Log) nothingToUndo(id, path string) error {
	what := "There is no edit"
	if id != "" {
		what += " " + edits.Printable(id)
	}
	if path != "" || id == "" {
		what += " of " + edits.Printable(cmp.Or(path, "an agent"))
	}
	what += " that can be taken back"
	ids := lists.Map(m.List(), func(e *Edit) string { return e.ID })
	if slices.Reverse(ids); len(ids) > 0 {
		what += "; there are " + edits.Listed(ids)
	}
	return &edits.Error{Kind: edits.NothingToUndo, Path: path, Message: what + "."}
}

// Parts returns the parts of edits to keep or revert, the newest first. place is the file that r.Path names, if it is set. A
// path without an edit means all that is marked in the file; an edit means all of its parts, kept or not.
func (m *Log) Parts(docs *workspace.Documents, r Args, place paths.Target) ([]Part, error) {
	if r.EditID == "" {
		return m.marked(docs, place)
	}
	e, err := m.Edit(r.EditID, r.Path, place.Identity())
	if err != nil {
		return nil, err
	}
	var parts []Part
	for _, pt := range e.Parts() {
		st := pt.Step
		number := r.Hunk - st.Before
		switch {
		case r.Path != "" && st.Target.Identity() != place.Identity():
		case r.Hunk == 0:
			parts = append(parts, pt)
		case 1 <= number && number <= st.Hunks && st.Change == editor.Update:
			return []Part{{Edit: e, Step: st, Hunks: []int{number}}}, nil
		case 1 <= number && number <= st.Hunks:
			return []Part{pt}, nil // the whole file was created or deleted
		}
	}
	switch {
	case len(parts) == 0 && r.Hunk == 0: // the file had that name only before the edit
		return nil, m.nothingToUndo(r.EditID, r.Path)
	case len(parts) == 0:
		in := ""
		if r.Path != "" {
			in = " in " + edits.Printable(place.Path)
		}
		return nil, edits.ErrorIn(edits.NothingToUndo, r.Path, "Edit %s has no hunk %d%s, or none any more; hunks are numbered as in the edit's answer, from 1 through all of its files.", r.EditID, r.Hunk, in)
	}
	return parts, nil
}

// marked implements [Log.Parts] for the marks in a file.
func (m *Log) marked(docs *workspace.Documents, place paths.Target) ([]Part, error) {
	marks, _ := m.Marks(docs, place.Key)
	if len(marks) == 0 {
		return nil, edits.ErrorIn(edits.NothingToUndo, place.Path, "There is no hunk of an agent's edit in %s that is still to be reviewed.", place.Path)
	}
	var parts []Part
	for _, e := range slices.Backward(m.List()) {
		pt := Part{Edit: e}
		for _, mark := range marks {
			if mark.Edit.ID == e.ID {
				pt.Step, pt.Hunks = mark.Step, append(pt.Hunks, mark.Number)
			}
		}
		if len(pt.Hunks) > 0 {
			if pt.Step.Change == editor.Create {
				pt.Hunks = nil
			}
			parts = append(parts, pt)
		}
	}
	return parts, nil
}

// KeepResult is the answer to the command keep.
type KeepResult struct {
	Message string `json:"message"`
	Hunks   int    `json:"hunks"` // the number of hunks that are no longer marked
}

// Keep removes the marks of parts, which r names.
func Keep(docs *workspace.Documents, r Args, parts []Part) *KeepResult {
	kept := &KeepResult{}
	var names []string
	for _, pt := range parts {
		h := docs.History(pt.Step.Target.Key)
		if h == nil {
			continue
		}
		before, _ := h.Hunks()
		h.Keep(pt.Edit.ID, pt.Hunks...)
		after, _ := h.Hunks()
		kept.Hunks += len(before) - len(after)
		names = append(names, pt.Step.ShownPath)
	}
	kept.Message = fmt.Sprintf("Kept %s in %s.", r.Words(parts), edits.Listed(lists.Unique(names)))
	if kept.Hunks == 0 {
		kept.Message = fmt.Sprintf("Nothing of %s is marked any more.", r.Words(parts))
	}
	return kept
}

// Words says in words what was kept or reverted.
func (r Args) Words(parts []Part) string {
	hunks := 0
	for _, pt := range parts {
		if hunks += len(pt.Hunks); len(pt.Hunks) == 0 {
			hunks += pt.Step.Hunks
		}
	}
	switch {
	case r.EditID == "" && hunks != 1:
		return edits.Count(hunks, "hunk")
	case r.EditID == "" || r.Hunk > 0:
		number := 1 // the whole file was created or deleted
		if len(parts[0].Hunks) > 0 {
			number = parts[0].Hunks[0]
		}
		return fmt.Sprintf("hunk %d of edit %s", parts[0].Step.Before+number, parts[0].Edit.ID)
	}
	return "edit " + parts[0].Edit.ID
}
