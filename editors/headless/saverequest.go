package headless

import (
	"encoding/json"
	"fmt"
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
		results[i] = saveResult{URI: uri, Saved: err == nil}
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
	return e.savable(uri, (*Buffer).Save, e.saveRemoval)
}

// MaySaveURI asks [Options.AllowSave] for all that SaveURI would touch, and touches
// nothing.
func (e *Editor) MaySaveURI(uri string) error {
	return e.savable(uri, func(b *Buffer) error { return b.maySave(false) }, e.mayRemove)
}

// savable does one of the two with the document of that URI, as it is there or was
// deleted.
func (e *Editor) savable(uri string, there func(*Buffer) error, deleted func(key string) error) error {
	key, _, err := keyOfURI(uri)
	if err != nil {
		return err
	}
	e.mu.Lock()
	b := e.buffers[key]
	_, removed := e.removals[key]
	e.mu.Unlock()
	switch {
	case b != nil:
		return there(b)
	case removed:
		return deleted(key)
	}
	return fmt.Errorf("save %s: the document is not open", uri)
}
