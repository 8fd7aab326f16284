package headless

import (
	"encoding/json"
	"errors"
	"strings"
)

// saveResult is the part of patchls/save's answer for one URI.
type saveResult struct {
	URI   string `json:"uri"`
	Saved bool   `json:"saved"` // disk holds the buffer's text
	Error string `json:"error,omitempty"`
}

// saveURIs answers patchls/save: {"uris":[…]} gives {"results":[…]}, one for
// each URI in its order. Nothing but these buffers is saved. Saving what was
// deleted deletes the file; saving what was renamed also deletes the old one.
func (e *Editor) saveURIs(params json.RawMessage) (any, error) {
	var p struct {
		URIs []string `json:"uris"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, badParams("patchls/save", err)
	}
	results := make([]saveResult, len(p.URIs))
	for i, uri := range p.URIs {
		err := e.SaveURI(uri)
		results[i] = saveResult{URI: uri, Saved: err == nil || errors.Is(err, ErrNotDurable)}
		if err != nil {
			results[i].Error = strings.ToValidUTF8(err.Error(), "\uFFFD")
		}
	}
	return map[string]any{"results": results}, nil
}

// SaveURI saves the document of that URI as patchls/save does, so that one which
// was deleted is deleted from disk. The error is as for [Buffer.Save], or says
// that there is no such document.
func (e *Editor) SaveURI(uri string) error {
	err := e.SaveAll(uri)
	if of, ok := errors.AsType[*SaveError](err); ok {
		return of.Err
	}
	return err
}
