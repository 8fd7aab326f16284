package lsp_test

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/patchls/patchls/edits/text"
)

// sent checks a message of the server.
func (w *wireCheck) sent(body []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var m message
	if err := json.Unmarshal(body, &m); err != nil {
		w.fault(noHazard, "no JSON: %s", body)
		return
	}
	w.checkNulls(body)
	id := string(m.ID)
	switch m.Method {
	case "":
		if r := w.asked[id]; r != nil && r.method == "initialize" && m.Error == nil {
			w.checkInitialize(m.Result)
		}
		if r := w.asked[id]; r != nil && r.isCommand() && time.Since(r.began) >= minTime {
			w.land("") // it has given up what it had asked
			w.late = time.Now()
		}
		delete(w.asked, id)
	case "workspace/applyEdit":
		if w.flight != nil && time.Since(w.flight.began) < patience && !w.timeIsUp() {
			w.fault("one-in-flight", "an applyEdit while one has no answer: %s", m.Params)
		}
		if w.flight != nil && w.flight.merge && time.Since(w.flight.began) >= minTime {
			w.late = time.Now()
		}
		w.land("")
		merge := strings.Contains(string(m.Params), `"label":"Merge the file on disk"`)
		w.flight = &wireFlight{id: id, began: time.Now(), merge: merge, answered: make(chan struct{})}
		w.checkApplyEdit(m.Params)
	case "$/cancelRequest":
		w.fault("one-in-flight", "a request is taken back, and its answer may be missing: %s", m.Params)
	case "client/registerCapability":
		w.checkRegistration(m.Params)
	case "window/showDocument":
		w.fault("asks-the-user", "nobody asked for %s", m.Params)
	case "textDocument/diagnostic", "workspace/diagnostic":
		w.fault("pulled-diagnostics", "diagnostics are pulled: %s", body)
	case "workspace/diagnostic/refresh":
		if !w.client.refresh || w.isZed() {
			w.fault("held-back-changes", "a refresh for a client that does not take it")
		}
	}
}

// checkNulls finds members that are null: Neovim takes them for values (hazard:
// null-member). Only a version may be null, and a whole result.
func (w *wireCheck) checkNulls(body []byte) {
	var m map[string]any
	_ = json.Unmarshal(body, &m)
	if m["error"] != nil && m["id"] == nil { // an answer to what had no id to be read
		delete(m, "id")
	}
	if _, ok := m["result"]; ok && m["result"] == nil {
		delete(m, "result")
	}
	if at := nullIn(m, ""); at != "" {
		w.fault("null-member", "%s is null in %s", at, body)
	}
}

// nullIn returns the path of a member that is null, "" if there is none.
func nullIn(v any, path string) string {
	switch v := v.(type) {
	case nil:
		return path
	case []any:
		for _, item := range v {
			if at := nullIn(item, path+"[]"); at != "" {
				return at
			}
		}
	case map[string]any:
		for name, item := range v {
			if item == nil && name == "version" {
				continue
			}
			if at := nullIn(item, path+"."+name); at != "" {
				return at
			}
		}
	}
	return ""
}

func (w *wireCheck) isZed() bool    { return strings.EqualFold(w.client.name, "zed") }
func (w *wireCheck) isNeovim() bool { return strings.EqualFold(w.client.name, "neovim") }

// checkInitialize checks the capabilities that the server declares.
func (w *wireCheck) checkInitialize(result json.RawMessage) {
	var r struct {
		Capabilities struct {
			PositionEncoding       *string
			TextDocumentSync       map[string]any
			DiagnosticProvider     any
			ExecuteCommandProvider struct{ Commands []string }
			Workspace              struct{ FileOperations map[string]any }
		}
	}
	if err := json.Unmarshal(result, &r); err != nil {
		w.fault(noHazard, "initialize: %v in %s", err, result)
		return
	}
	c := r.Capabilities
	if name := c.PositionEncoding; name != nil {
		enc, known := text.ParseEncoding(*name)
		if !known || !slices.Contains(w.client.encodings, *name) {
			w.fault("position-encoding", "the encoding %s, of which the client offers %q", *name, w.client.encodings)
		}
		w.client.encoding = enc
	}
	if c.TextDocumentSync["change"] != float64(2) {
		w.fault("full-sync", "the sync is %v, not incremental", c.TextDocumentSync["change"])
	}
	for _, name := range []string{"willSave", "willSaveWaitUntil"} {
		if c.TextDocumentSync[name] == true {
			w.fault("blocking-request", "%s is advertised", name)
		}
	}
	for name := range c.Workspace.FileOperations {
		if strings.HasPrefix(name, "will") {
			w.fault("blocking-request", "%s is advertised", name)
		}
	}
	if w.client.silent && len(c.ExecuteCommandProvider.Commands) > 0 {
		w.fault("global-commands", "commands are advertised to a client that wants none: %q", c.ExecuteCommandProvider.Commands)
	}
	if c.DiagnosticProvider != nil && (!w.client.refresh || w.isZed()) {
		w.fault("held-back-changes", "diagnostics are advertised to a client that cannot be asked for a refresh")
	}
}

// checkRegistration checks what the server registers later.
func (w *wireCheck) checkRegistration(params json.RawMessage) {
	var p struct {
		Registrations []struct{ Method string }
	}
	_ = json.Unmarshal(params, &p)
	for _, r := range p.Registrations {
		switch r.Method {
		case "workspace/willCreateFiles", "workspace/willRenameFiles", "workspace/willDeleteFiles",
			"textDocument/willSave", "textDocument/willSaveWaitUntil":
			w.fault("blocking-request", "%s is registered", r.Method)
		case "workspace/executeCommand":
			w.fault("global-commands", "commands are registered: %s", params)
		}
	}
}
