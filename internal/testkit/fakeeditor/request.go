package fakeeditor

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/workspace"
)

const (
	methodRefresh = "workspace/diagnostic/refresh"
	methodSave    = "patchls/save"
	methodConfirm = "patchls/confirm"
)

// request is a request to the editor, as far as the fake reads it.
type request struct {
	method string
	Edit   struct {
		DocumentChanges []documentChange `json:"documentChanges"`
	} `json:"edit"`
	URIs    []string `json:"uris"`    // of patchls/save
	Message string   `json:"message"` // of patchls/confirm
}

// documentChange is a file operation, if Kind is set, or the edits of a document.
type documentChange struct {
	Kind         string
	URI          string
	OldURI       string
	NewURI       string
	TextDocument struct {
		URI     string
		Version *int32
	}
	Edits []struct {
		Range struct {
			Start, End struct{ Line, Character int }
		}
		NewText string
	}
}

func (r *request) read(params any) error {
	raw, err := protocol.Marshal(params)
	if err != nil || params == nil {
		return err
	}
	return json.Unmarshal(raw, r)
}

// uri returns the document of the request.
func (r *request) uri() string {
	for _, c := range r.Edit.DocumentChanges {
		return c.uri()
	}
	return strings.Join(r.URIs, "")
}

func (c *documentChange) uri() string { return c.URI + c.OldURI + c.TextDocument.URI }

// describe returns what is asked for, in one line.
func (r *request) describe(name func(uri string) string) string {
	switch r.method {
	case methodSave:
		return "save " + name(r.uri())
	case methodConfirm:
		return "ask: " + r.Message
	}
	var all []string
	for _, c := range r.Edit.DocumentChanges {
		switch c.Kind {
		case "":
			words := []string{"edit " + name(c.TextDocument.URI)}
			if c.TextDocument.Version != nil {
				words[0] += fmt.Sprintf(" version %d", *c.TextDocument.Version)
			}
			for _, e := range c.Edits {
				at := e.Range
				words = append(words, fmt.Sprintf("%d:%d-%d:%d %q", at.Start.Line, at.Start.Character, at.End.Line, at.End.Character, e.NewText))
			}
			all = append(all, strings.Join(words, ", "))
		case "rename":
			all = append(all, "rename "+name(c.OldURI)+" to "+name(c.NewURI))
		default:
			all = append(all, c.Kind+" "+name(c.URI))
		}
	}
	return strings.Join(all, "; ")
}

// answer is what the editor answers.
type answer struct {
	raw string
	err error
}

// answer reads an answer of a script.
func (r *request) answer(said string) answer {
	word, rest, _ := strings.Cut(said, " ")
	reason, _ := strconv.Unquote(rest)
	switch word {
	case "error":
		return answer{err: &jsonrpc2.Error{Code: jsonrpc2.InternalError, Message: reason}}
	case "apply", "reject":
		return answer{raw: fmt.Sprintf(`{"decision":%q,"text":%q}`, word, reason)}
	case "null":
		return answer{raw: "null"}
	case "nonsense":
		return answer{raw: "[]"}
	case "versions":
		before, after, _ := strings.Cut(rest, " ")
		return answer{raw: fmt.Sprintf(`{"applied":true,"versions":{"before":%s,"after":%s}}`, before, after)}
	}
	if r.method == methodSave {
		return answer{raw: fmt.Sprintf(`{"results":[{"saved":%t,"error":%q}]}`, word == "yes", reason)}
	}
	return answer{raw: fmt.Sprintf(`{"applied":%t,"failureReason":%q}`, word == "yes", reason)}
}

// make makes what is asked for, or only the edits that have these numbers, counted from 1.
func (e *Editor) make(r *request, numbers []string) error {
	for _, c := range r.Edit.DocumentChanges {
		if err := e.makeChange(&c, numbers); err != nil {
			return err
		}
	}
	return nil
}

func (e *Editor) makeChange(c *documentChange, numbers []string) error {
	uri, abs := e.where(c.uri())
	doc := e.Docs.Get(e.key(uri))
	switch c.Kind {
	case "create":
		return os.WriteFile(abs, nil, 0o600)
	case "delete":
		e.Docs.Close(e.key(uri))
		return os.Remove(abs)
	case "rename":
		_, to := e.where(c.NewURI)
		err := os.Rename(abs, to)
		if doc != nil {
			e.Docs.Close(doc.Key)
			err = errors.Join(err, e.open(c.NewURI, to, []string{doc.Text.String()}))
		}
		return err
	}
	if doc == nil {
		if err := e.open(uri, abs, nil); err != nil {
			return err
		}
	}
	all := c.changes()
	if len(numbers) == 0 {
		slices.Reverse(all) // each refers to the text before all of them
		e.change(uri, all...)
	}
	for _, number := range numbers {
		n, err := strconv.Atoi(number)
		if err != nil {
			return err
		}
		e.change(uri, all[n-1])
	}
	return nil
}

// changes returns the edits of a document as changes of it, in their order.
func (c *documentChange) changes() (all []workspace.Change) {
	for _, ed := range c.Edits {
		all = append(all, workspace.Change{Text: ed.NewText, Range: workspace.Range{
			Start: text.Position{Line: ed.Range.Start.Line, Character: ed.Range.Start.Character},
			End:   text.Position{Line: ed.Range.End.Line, Character: ed.Range.End.Character},
		}})
	}
	return all
}

func (e *Editor) change(uri string, changes ...workspace.Change) {
	doc := e.Docs.Get(e.key(uri))
	e.Docs.Change(doc.Key, doc.Version+1, changes, text.UTF16)
}

// makeOnDisk makes what is asked for in the files alone.
func (e *Editor) makeOnDisk(r *request) error {
	for _, c := range r.Edit.DocumentChanges {
		_, abs := e.where(c.uri())
		switch c.Kind {
		case "delete":
			return os.Remove(abs)
		case "rename":
			_, to := e.where(c.NewURI)
			return os.Rename(abs, to)
		case "create":
			return os.WriteFile(abs, nil, 0o600)
		}
		raw, err := os.ReadFile(abs)
		if err != nil {
			return err
		}
		all := c.changes()
		slices.Reverse(all)
		doc := (&workspace.Document{Text: text.New(string(raw))}).Change(1, all, text.UTF16)
		if err := os.WriteFile(abs, []byte(doc.Text.String()), 0o600); err != nil {
			return err
		}
	}
	return nil
}
