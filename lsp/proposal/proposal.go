package proposal

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/internal/lists"
	"github.com/patchls/patchls/lsp/apply"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/review"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// Proposal is an edit as the user sees it. It does not change.
type Proposal struct {
	Message string // describes the planned edit in a sentence
	Diff    string // the diff of all files but the large ones, below a sentence that names these
	Changes []*apply.Change
	large   []*apply.Change
}

// Of returns the proposal to make changes, which message describes. Those of guarded files come first. Files whose names would
// be shown alike, as those in two workspace folders, are shown with their whole paths.
func Of(message string, changes ...*apply.Change) *Proposal {
	changes = lists.Map(changes, func(c *apply.Change) *apply.Change {
		if !slices.ContainsFunc(changes, func(o *apply.Change) bool { return o.Path == c.Path && o.Key != c.Key }) {
			return c
		}
		whole := *c
		whole.Path = c.Abs
		return &whole
	})
	slices.SortStableFunc(changes, func(a, b *apply.Change) int { return min(1, len(guards(b))) - min(1, len(guards(a))) })
	p, left := &Proposal{Message: message, Changes: changes}, maxDiffAsked
	var shown []*apply.Change
	for _, c := range changes {
		if n := Size(c); n > left {
			p.large = append(p.large, c)
		} else {
			shown, left = append(shown, c), left-n
		}
	}
	if p.Diff = Diff(shown...); len(p.large) > 0 {
		p.Diff = fmt.Sprintf("There is no diff of %s: more than %d bytes are changed.\n%s", edits.Listed((&Proposal{Changes: p.large}).Names()), maxDiffAsked, p.Diff)
	}
	return p
}

// guards names each guarded file of changes, and says why it is guarded.
func guards(changes ...*apply.Change) (whys []string) {
	for _, c := range changes {
		for _, t := range []paths.Target{c.Target, c.To} {
			if t.Guarded != nil {
				whys = append(whys, fmt.Sprintf("%s is protected: %s.", paths.OneLine(t.Path, paths.MaxShownPath), t.Guarded.Why))
			}
		}
	}
	return whys
}

// Why says why the user is asked even if the command does not ask for it: it names each guarded file with the
// reason. It returns "" if there is none.
func (p *Proposal) Why() string { return strings.Join(guards(p.Changes...), " ") }

// maxWhy is how many characters [Proposal.Why] may have. VS Code cuts a message at 1000, and the question has the names
// of the agent and of three files as well. Two names of files always fit.
const maxWhy = 650

// shown returns the diff as the user sees it, below the reasons why files are guarded.
func (p *Proposal) shown() string { return strings.Join(append(guards(p.Changes...), p.Diff), "\n") }

// Is reports whether p is the proposal that was agreed to: it adds and removes the same lines,
// at the places where those of agreed are in the current text, the names of the files lead where they led, and the same of
// them are guarded.
func (p *Proposal) Is(agreed *Proposal) bool {
	isSame := func(c, of *apply.Change) bool { return c.Text.Equal(of.Text) }
	return p.Why() == agreed.Why() && p.lines() == agreed.lines() && slices.EqualFunc(p.Changes, agreed.Changes, comesTo) && slices.EqualFunc(p.large, agreed.large, isSame)
}

// comesTo reports whether c has the same result as the change agreed to, carried over to the text of c.
func comesTo(c, agreed *apply.Change) bool {
	return c.IsAt(agreed.Target) && c.To.IsAt(agreed.To) && hasResult(c, agreed)
}

// hasResult is comesTo, wherever the names of the files lead.
func hasResult(c, agreed *apply.Change) bool {
	if c.After.Equal(agreed.After) {
		return true
	}
	_, now, meet := changeset.Transform(workspace.Between(agreed.Snapshot, c.Snapshot), changeset.Of(agreed.Plan.Edits, agreed.Text))
	return meet == nil && now.Edits().Apply(c.Text).Equal(c.After)
}

// lines returns the lines of the diff that are added or removed, and the headers of the files,
// without the places of the hunks.
func (p *Proposal) lines() string {
	var b strings.Builder
	for line := range strings.Lines(p.Diff) {
		if !strings.HasPrefix(line, "@@") && !strings.HasPrefix(line, " ") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// size returns how many bytes a proposal holds in addition to the texts of documents.
func (p *Proposal) size() int {
	return len(p.Diff) + lists.Sum(p.Changes, func(c *apply.Change) int { return c.After.Len() })
}

// document returns the path of a change in the names of its documents. Two changes can be of one name, as where a patch moves a
// file and makes another in its place.
func (p *Proposal) document(i int) string {
	path := strings.TrimPrefix(p.Changes[i].Path, "/")
	if slices.ContainsFunc(p.Changes[:i], func(c *apply.Change) bool { return c.Path == p.Changes[i].Path }) {
		return fmt.Sprintf("%d/%s", i+1, path)
	}
	return path
}

// Names returns the name of each file once, shortened to fit in one line of a message.
func (p *Proposal) Names() []string {
	return lists.Unique(lists.Map(p.Changes, func(c *apply.Change) string { return paths.OneLine(c.Path, paths.MaxShownPath) }))
}

// maxShown is the maximum number of lines of a diff in a message.
const maxShown = 60

func croppedDiff(diff string) string {
	lines := strings.SplitAfter(diff, "\n")
	if len(lines) <= maxShown {
		return diff
	}
	return strings.Join(lines[:maxShown], "") + fmt.Sprintf("... %d more lines", len(lines)-maxShown)
}

// The server has documents of its own, in which an editor can show any edit (LSP 3.18, workspace/textDocumentContent):
//
//	patchls-diff:/ID/before/PATH   a file's text without the edit
//	patchls-diff:/ID/after/PATH    a file's text with the edit
//	patchls-diff:/ID/diff/ID.diff  the whole edit as a unified diff
//
// ID is the id of an edit, or of a question to the user that is not answered yet. PATH is the path of the file in results; of a
// second change of that name in a question, its number comes before it.

// Scheme is the scheme of the documents' URIs.
const Scheme = "patchls-diff"

// The sides of an edit.
const (
	Before = "before"
	After  = "after"
	whole  = "diff"
)

// URI returns the URI of the document with one side of a file.
func URI(id, side, path string) string {
	return (&url.URL{Scheme: Scheme, OmitHost: true, Path: "/" + id + "/" + side + "/" + strings.TrimPrefix(path, "/")}).String()
}

// Sides holds the URIs of the documents with the text of a file before and after an edit.
type Sides struct {
	EditID string `json:"edit_id"`
	Path   string `json:"path"`
	Before string `json:"before"`
	After  string `json:"after"`
}

// SidesOf returns the sides of a file. id is that of the edit, and path is the file's path in its result.
func SidesOf(id, path string) Sides {
	return Sides{EditID: id, Path: path, Before: URI(id, Before, path), After: URI(id, After, path)}
}

// Documents serves the documents of edits that were made and of proposals that the user is
// being asked about. It is safe for concurrent use.
type Documents struct {
	log   *review.Log
	texts *workspace.Documents

	mu       sync.Mutex
	count    int
	proposed map[string]*Proposal
}

// NewDocuments returns the documents of the edits in a log. The texts of those edits are in texts.
func NewDocuments(made *review.Log, texts *workspace.Documents) *Documents {
	return &Documents{log: made, texts: texts, proposed: map[string]*Proposal{}}
}

// add adds a question about p. It returns the question's id, "" if there are most already, and its removal.
func (d *Documents) add(p *Proposal, most int) (id string, forget func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.proposed) >= most {
		return "", nil
	}
	d.count++
	id = fmt.Sprintf("p%d", d.count)
	d.proposed[id] = p
	return id, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.proposed, id)
	}
}

// Content returns the text of a document.
func (d *Documents) Content(raw string) (string, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != Scheme {
		return "", fmt.Errorf("%s is not one of the documents of patchls, which are named %s:/ID/SIDE/PATH", raw, Scheme)
	}
	parts := strings.SplitN(strings.TrimPrefix(u.Path, "/"), "/", 3)
	if len(parts) < 3 {
		return "", fmt.Errorf("%s does not say which side of which file is meant", raw)
	}
	id, side, path := parts[0], parts[1], parts[2]
	d.mu.Lock()
	p := d.proposed[id]
	d.mu.Unlock()
	if p = cmp.Or(p, d.ofMade(id)); p == nil {
		return "", fmt.Errorf("there is no edit %s, or none any more", id)
	}
	if side == whole {
		return p.shown(), nil
	}
	for i, c := range p.Changes {
		switch {
		case p.document(i) != path:
		case side == Before:
			return c.Text.String(), nil
		case side == After:
			return c.After.String(), nil
		}
	}
	return "", fmt.Errorf("edit %s has no %s of %s", id, side, path)
}

// ofMade returns an edit that was made in the form of a proposal, or nil if the edit is not remembered.
func (d *Documents) ofMade(id string) *Proposal {
	e := d.log.Find(id, "")
	if e == nil {
		return nil
	}
	var changes []*apply.Change
	for _, st := range e.Steps {
		c := &apply.Change{Kind: st.Change}
		c.Path = st.ShownPath
		switch st.Change {
		case editor.Create:
			c.After = st.Text
		case editor.Delete:
			c.Text = st.Text
		case editor.Rename:
			continue // an update that comes with the rename has the text
		default:
			h := d.texts.History(st.Target.Key)
			if h == nil {
				continue
			}
			var ok bool
			if c.Text, c.After, ok = h.Sides(id); !ok {
				continue
			}
			c.Plan.Edits = changeset.Difference(c.Text, c.After).Edits()
		}
		changes = append(changes, c)
	}
	return Of("", changes...)
}
