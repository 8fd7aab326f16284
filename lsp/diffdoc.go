package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"sync"

	"go.lsp.dev/jsonrpc2"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/editor"
)

// The server has documents of its own, by which an editor can show any edit (LSP 3.18,
// workspace/textDocumentContent):
//
//	patchls-diff:/ID/before/PATH   a file's text without the edit
//	patchls-diff:/ID/after/PATH    and with it
//	patchls-diff:/ID/diff/ID.diff  the whole of it as a unified diff
//
// ID is that of an edit, or of a question to the user while it stands; PATH is the
// file's as results call it.

// diffScheme is that of the documents' URIs.
const diffScheme = "patchls-diff"

// The sides of an edit.
const (
	sideBefore = "before"
	sideAfter  = "after"
	sideDiff   = "diff"
)

// sideDocument names the document with one side of a file.
func sideDocument(id, side, path string) string {
	return (&url.URL{Scheme: diffScheme, OmitHost: true, Path: "/" + id + "/" + side + "/" + strings.TrimPrefix(path, "/")}).String()
}

// diffDocument names the document with the diff.
func diffDocument(id string) string { return sideDocument(id, sideDiff, id+".diff") }

func (p *proposal) confirmFiles(id string) []confirmFile {
	files := []confirmFile{}
	for _, f := range p.files {
		files = append(files, confirmFile{
			URI: f.uri, Path: f.given, Change: f.change, NewPath: f.newPath,
			Before: sideDocument(id, sideBefore, f.given), After: sideDocument(id, sideAfter, f.given),
		})
	}
	return files
}

// proposals are those that the user is asked about. They are safe for concurrent use.
type proposals struct {
	mu    sync.Mutex
	count int
	all   map[string]*proposal
}

// add returns the id of the question, and what forgets it; "" if so many stand.
func (ps *proposals) add(p *proposal, most int) (id string, forget func()) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	if len(ps.all) >= most {
		return "", nil
	}
	if ps.all == nil {
		ps.all = map[string]*proposal{}
	}
	ps.count++
	id = fmt.Sprintf("p%d", ps.count)
	ps.all[id] = p
	return id, func() {
		ps.mu.Lock()
		defer ps.mu.Unlock()
		delete(ps.all, id)
	}
}

func (ps *proposals) get(id string) *proposal {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	return ps.all[id]
}

// textDocumentContent is workspace/textDocumentContent.
func (s *server) textDocumentContent(_ context.Context, params []byte) (work, error) {
	var p struct {
		URI string `json:"uri"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%v", err)
	}
	return func(context.Context) (any, error) {
		content, err := s.diffContent(p.URI)
		if err != nil {
			return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%v", err)
		}
		return map[string]string{"text": content}, nil
	}, nil
}

// diffContent returns the text of one of the server's own documents.
func (s *server) diffContent(raw string) (string, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != diffScheme {
		return "", fmt.Errorf("%s is not one of the documents of patchls, which are named %s:/ID/SIDE/PATH", raw, diffScheme)
	}
	parts := strings.SplitN(strings.TrimPrefix(u.Path, "/"), "/", 3)
	if len(parts) < 3 {
		return "", fmt.Errorf("%s does not say which side of which file is meant", raw)
	}
	id, side, path := parts[0], parts[1], parts[2]
	p := s.proposals.get(id)
	if p == nil {
		if p = s.madeProposal(id); p == nil {
			return "", fmt.Errorf("there is no edit %s, or none any more", id)
		}
	}
	if side == sideDiff {
		return p.diff, nil
	}
	for _, f := range p.files {
		switch {
		case strings.TrimPrefix(f.given, "/") != path:
		case side == sideBefore:
			return f.before.String(), nil
		case side == sideAfter:
			return f.after.String(), nil
		}
	}
	return "", fmt.Errorf("edit %s has no %s of %s", id, side, path)
}

// madeProposal returns an edit that was made, as it would be proposed. nil if it is not
// remembered.
func (s *server) madeProposal(id string) *proposal {
	e := s.made.Find(id, "")
	if e == nil {
		return nil
	}
	p := &proposal{}
	for _, st := range e.Steps {
		f := proposedFile{given: st.Given, uri: st.Target.URI, change: st.Change}
		from, to := "a/"+st.Given, "b/"+st.Given
		switch st.Change {
		case editor.Create:
			f.after, from = st.Text, "/dev/null"
		case editor.Delete:
			f.before, to = st.Text, "/dev/null"
		case editor.Rename:
			continue // its text is that of the edit that comes with it, if one does
		default:
			h := s.docs.History(st.Target.Key)
			if h == nil {
				continue
			}
			var ok bool
			if f.before, f.after, ok = h.Sides(id); !ok {
				continue
			}
		}
		p.files = append(p.files, f)
		p.diff += diff.Unified(diff.QuotedName(from), diff.QuotedName(to), f.before, differs(f.before, f.after))
	}
	return p
}

func differs(before, after text.Text) edits.Edits { return changeset.Difference(before, after).Edits() }
