package proposal

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"
	"sync"

	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/lsp/apply"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/review"
	"github.com/patchls/patchls/workspace"
)

// The server has documents of its own, in which an editor can show any edit (LSP 3.18, workspace/textDocumentContent):
//
//	patchls-diff:/ID/before/PATH   a file's text without the edit
//	patchls-diff:/ID/after/PATH    a file's text with the edit
//	patchls-diff:/ID/diff/ID.diff  the whole edit as a unified diff
//
// ID is the id of an edit, or of a question to the user that is not answered yet. PATH is the path of the file in results.

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
	for _, c := range p.Changes {
		switch {
		case strings.TrimPrefix(c.Path, "/") != path:
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
