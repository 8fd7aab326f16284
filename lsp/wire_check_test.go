package lsp_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/patchls/patchls/edits/text"
)

// wireCheck holds what a server sends against the rules of
// docs/editor-hazards.md: what some client answers with damage must never be on the wire, whatever a
// test is about. It knows the client's documents as the wire has them.
type wireCheck struct {
	mu     sync.Mutex
	faults []string
	client wireClient
	docs   map[string]*wireDoc     // by URI, as the client spells it
	asked  map[string]*wireRequest // the client's requests without an answer, by id
	flight *wireFlight             // the applyEdit without an answer
	late   time.Time               // when a command had no time left last
	count  int                     // messages of the client
}

// wireFlight is an applyEdit without an answer.
type wireFlight struct {
	id       string
	began    time.Time
	merge    bool          // of what is on disk, for which no command has asked
	answered chan struct{} // closed by the answer
}

// patience is the least time for which a server must wait for an answer before it
// may go on without: the shortest of the clients' usual delays.
const patience = 400 * time.Millisecond

// land ends the flight of the applyEdit with that id, "" for any.
func (w *wireCheck) land(id string) {
	if f := w.flight; f != nil && (id == "" || id == f.id) {
		close(f.answered)
		w.flight = nil
	}
}

// answered returns a channel that is closed when no applyEdit waits for its answer
// any more, nil if none does.
func (w *wireCheck) answered() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.flight == nil {
		return nil
	}
	return w.flight.answered
}

// giveUp records that the server's time is up by the test's clock.
func (w *wireCheck) giveUp() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.land("")
}

// wireClient is what initialize said.
type wireClient struct {
	name      string
	encodings []string
	encoding  text.Encoding // as the server chose it
	refresh   bool          // workspace.diagnostics.refreshSupport
	silent    bool          // advertise_commands is false
	saves     bool          // patchls/save
}

// wireDoc is a document in all states that it ever had.
type wireDoc struct {
	open     bool
	since    int // number of the message that opened it
	unknown  bool
	newest   text.Text
	version  int32
	versions map[int32][]text.Text
}

// wireRequest is a request of the client.
type wireRequest struct {
	number  int // among the client's messages
	began   time.Time
	method  string
	command string
	words   string // all strings of its arguments
}

func newWireCheck() *wireCheck {
	return &wireCheck{docs: map[string]*wireDoc{}, asked: map[string]*wireRequest{}}
}

// noHazard is the fault of a message that no editor could read.
const noHazard = "no hazard"

// fault notes that a rule, called by the name of its hazard, was broken. It is
// called with the lock, or where there is no other goroutine.
func (w *wireCheck) fault(hazard, format string, args ...any) {
	w.faults = append(w.faults, hazard+": "+fmt.Sprintf(format, args...))
}

func (w *wireCheck) found() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.faults
}

// taken returns the faults, which are for the caller to report.
func (w *wireCheck) taken() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	faults := w.faults
	w.faults = nil
	return faults
}

// lost records that the client's messages can no longer be understood.
func (w *wireCheck) lost() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.forget()
}

func (w *wireCheck) forget() {
	for _, d := range w.docs {
		d.unknown = true
	}
}

// received records a message of the client.
func (w *wireCheck) received(body []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.count++
	var m message
	if json.Unmarshal(body, &m) != nil {
		w.forget()
		return
	}
	id := string(m.ID)
	switch {
	case m.Method == "":
		w.land(id)
	case id != "":
		w.asked[id] = w.request(m)
		if m.Method == "patchls/synced" {
			w.notified(m.Method, m.Params)
		}
	default:
		w.notified(m.Method, m.Params)
	}
}

// request reads what a request is about; initialize is taken in.
func (w *wireCheck) request(m message) *wireRequest {
	var p struct {
		ClientInfo   struct{ Name string }
		Capabilities struct {
			General   struct{ PositionEncodings []string }
			Workspace struct {
				Diagnostics struct{ RefreshSupport bool }
			}
			Experimental struct{ Patchls struct{ Save bool } }
		}
		InitializationOptions map[string]any
		Command               string
		Arguments             any
	}
	_ = json.Unmarshal(m.Params, &p) // what is odd reads as absent
	if m.Method == "initialize" {
		w.client = wireClient{
			name: p.ClientInfo.Name, encodings: p.Capabilities.General.PositionEncodings,
			refresh: p.Capabilities.Workspace.Diagnostics.RefreshSupport,
			silent:  p.InitializationOptions["advertise_commands"] == false,
			saves:   p.Capabilities.Experimental.Patchls.Save,
		}
	}
	var words strings.Builder
	wordsOf(p.Arguments, &words)
	return &wireRequest{number: w.count, began: time.Now(), method: m.Method, command: p.Command, words: words.String()}
}

// wordsOf collects the strings in a value.
func wordsOf(v any, words *strings.Builder) {
	switch v := v.(type) {
	case string:
		words.WriteString(v + "\n")
	case []any:
		for _, item := range v {
			wordsOf(item, words)
		}
	case map[string]any:
		for _, item := range v {
			wordsOf(item, words)
		}
	}
}

// isCommand reports whether the request runs a command.
func (r *wireRequest) isCommand() bool {
	return r.method == "workspace/executeCommand" || r.method == "patchls/execute"
}

// minTime is the earliest time at which a command's time may be up: the part of
// apply_timeout_ms in which one of several edits goes forward.
const minTime = 4800 * time.Millisecond

// timeIsUp reports whether the time of an unanswered command may be up, so that the server
// goes on without what it asked of the client. The same holds for a merge that has waited
// for such a command, or for such a merge.
func (w *wireCheck) timeIsUp() bool {
	if w.flight.merge && time.Since(w.late) < minTime {
		return true
	}
	for _, r := range w.asked {
		if r.isCommand() && time.Since(r.began) >= minTime {
			return true
		}
	}
	return false
}

// since returns the number of the oldest unanswered command: whatever the server asks
// of the client now, it asks after it has read that command.
func (w *wireCheck) since() int {
	oldest := 0
	for _, r := range w.asked {
		if r.isCommand() && (oldest == 0 || r.number < oldest) {
			oldest = r.number
		}
	}
	return oldest
}
