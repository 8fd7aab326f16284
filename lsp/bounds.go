package lsp

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/schema"
	"github.com/patchls/patchls/workspace/paths"
)

// Bound says how much of something is taken. Whatever exceeds it is answered with an error
// that names it.
type Bound struct {
	Name    string
	Default int64
	Least   int64  // what is set below it counts as it; what is not positive, as the default
	Doc     string // what it bounds, and what is done above it
	Setting bool   // the user's settings may say another value than the default
}

// bound is the index of a [Bound] in [Bounds].
type bound int

const (
	applyTimeoutMS bound = iota
	askTimeoutMS
	helloTimeoutMS
	writeTimeoutMS
	maxMessageBytes
	maxAgentMessageBytes
	maxRequests
	maxAgentRequests
	maxAgents
	maxQuestions
	maxHeldBytes
	maxDocumentBytes
	maxDocuments
	maxPatchBytes
	maxPatchFiles
	maxHunks
	maxMatches
	maxCandidates
	maxHistoryBytes
	boundCount
)

// minMessageBytes is enough for the first message of any client.
const minMessageBytes = 64 << 10

// Bounds are all of them. How settings are read, what errors say and docs/commands.md follow
// from here.
var Bounds = [boundCount]Bound{
	applyTimeoutMS:       {Name: "apply_timeout_ms", Default: 8000, Least: 1, Setting: true, Doc: "Milliseconds for a command, all its tries and its waiting for others included."},
	askTimeoutMS:         {Name: "ask_timeout_ms", Default: 600_000, Least: 1, Setting: true, Doc: "Milliseconds for the user to answer a command with `confirm`. After them nothing was changed."},
	helloTimeoutMS:       {Name: "hello_timeout_ms", Default: 5000, Least: 1, Doc: "Milliseconds for an agent that has connected to say the token; then it is closed, which the log says."},
	writeTimeoutMS:       {Name: "write_timeout_ms", Default: 10_000, Least: 1, Doc: "Milliseconds for an agent to take one message, or to send one of more than 64 KiB once it has begun it; then its connection is closed, which the log says. As it is when the server starts."},
	maxMessageBytes:      {Name: "max_message_bytes", Default: 512 << 20, Least: minMessageBytes, Setting: true, Doc: "One message of the editor. A longer one is answered without an id and passed over, and since it may have told of a change, the open documents are out of step until their text is sent again."},
	maxAgentMessageBytes: {Name: "max_agent_message_bytes", Default: 128 << 20, Least: minMessageBytes, Doc: "One message of an agent, once it has said the token; before, it is 64 KiB. A longer one is answered without an id and passed over. As it is when the agent connects."},
	maxRequests:          {Name: "max_requests", Default: 1000, Least: 1, Doc: "Requests of the editor that are not answered. One more is refused before anything else is read; shutdown is not."},
	maxAgentRequests:     {Name: "max_agent_requests", Default: 64, Least: 1, Doc: "The same for each agent. As it is when the agent connects."},
	maxAgents:            {Name: "max_agents", Default: 32, Least: 1, Setting: true, Doc: "Agents that are connected. One more is told so and closed. As it is when the server starts."},
	maxQuestions:         {Name: "max_questions", Default: 100, Least: 1, Doc: "Commands with `confirm` that wait for the user at a time."},
	maxHeldBytes:         {Name: "max_held_bytes", Default: 256 << 20, Least: minMessageBytes, Setting: true, Doc: "Requests that are not answered and the edits that questions are about, of all agents and the editor together. One more is refused while others are held, unless it has less than 64 KiB."},
	maxDocumentBytes:     {Name: "max_document_bytes", Default: 64 << 20, Least: 1, Setting: true, Doc: "A text that is edited or viewed. The text of a document that is larger when it is opened is not kept; one that grows while it is open is followed up to twice the size, in case it shrinks again. Commands on either fail, and its file is left alone."},
	maxDocuments:         {Name: "max_documents", Default: 10_000, Least: 1, Doc: "Open documents. The text of one more is not kept; commands on it fail, and its file is left alone, until it is opened again when others are closed."},
	maxPatchBytes:        {Name: "max_patch_bytes", Default: 64 << 20, Least: 1, Doc: "The text of a patch."},
	maxPatchFiles:        {Name: "max_patch_files", Default: 10_000, Least: 1, Doc: "Files that a patch changes."},
	maxHunks:             {Name: "max_hunks", Default: 100_000, Least: 1, Doc: "Hunks of a patch, all files together, or edits in a list of them."},
	maxMatches:           {Name: "max_matches", Default: 100, Least: 1, Doc: "Places that an error lists where a text or a hunk has several. Its message says how many there are."},
	maxCandidates:        {Name: "max_candidates", Default: 3, Least: 1, Doc: "Places that an error offers where a text or a hunk has none, the most alike first. Its message says if there are more."},
	maxHistoryBytes:      {Name: "max_history_bytes", Default: 16 << 20, Least: 4 << 10, Setting: true, Doc: "What is remembered of each document to undo edits and carry line numbers. Beyond, the oldest is forgotten, and undoing it is refused. It counts at once."},
}

// limits are the values of all bounds.
type limits [boundCount]int64

func defaultLimits() limits {
	var l limits
	for i := range Bounds {
		l[i] = Bounds[i].Default
	}
	return l
}

// maxAllowed is more than any sensible value, and does not overflow as milliseconds.
const maxAllowed = 1 << 40

// of returns the value of a bound.
func (l *limits) of(b bound) int { return int(l[b]) }

// wait returns the value of a bound in milliseconds.
func (l *limits) wait(b bound) time.Duration {
	return time.Duration(l[b]) * time.Millisecond
}

// exceeded words what is above a bound: "more than max_hunks (100000)".
func (l *limits) exceeded(b bound) string {
	return fmt.Sprintf("more than %s (%d)", Bounds[b].Name, l[b])
}

// read adds to the known settings those that are bounds. Values that cannot be are set
// right, and the log says so.
func (l *limits) read(known map[string]any, log *slog.Logger) {
	for i := range Bounds {
		if Bounds[i].Setting {
			known[Bounds[i].Name] = &boundValue{&l[i], &Bounds[i], log}
		}
	}
}

// boundValue reads a bound.
type boundValue struct {
	value *int64
	*Bound
	log *slog.Logger
}

func (v *boundValue) UnmarshalJSON(raw []byte) error {
	given := int64(0)
	if err := json.Unmarshal(raw, &given); err != nil {
		return err
	}
	*v.value = v.Allowed(given)
	if *v.value != given {
		v.log.Warn("setting out of its range", "setting", v.Name, "given", given, "least", v.Least, "taken", *v.value)
	}
	return nil
}

// Allowed returns the value that counts if that one is given.
func (b *Bound) Allowed(given int64) int64 {
	if given <= 0 {
		return b.Default
	}
	return min(max(given, b.Least), maxAllowed)
}

// source is a text for planning, with the bounds of what errors say of it.
func (l *limits) source(path string, t text.Text, work *edits.Work) edits.Source {
	return edits.Source{Path: path, Text: t, Work: work, Candidates: l.of(maxCandidates), Matches: l.of(maxMatches)}
}

// checkBounds returns an error if the arguments exceed their limit of size.
func (s *server) checkBounds(args any) error {
	a, ok := args.(commands.Sized)
	if !ok {
		return nil
	}
	l, n := s.limitsNow(), a.Size()
	if err := l.patchBytes(n.Patch); err != nil {
		return err
	}
	if err := l.hunks(n.Hunks); err != nil {
		return err
	}
	return l.listed(n.Edits)
}

// patchBytes returns the error of a patch of so many bytes, nil if it is within its bound.
func (l *limits) patchBytes(n int) error { return l.tooMuch(maxPatchBytes, n, "has %d bytes") }

// patch returns the error of a patch that is too much, nil if it is not.
func (l *limits) patch(p patch.Patch) error {
	n := 0
	for _, f := range p.Files {
		n += len(f.Hunks)
	}
	if err := l.tooMuch(maxPatchFiles, len(p.Files), "changes %d files"); err != nil {
		return err
	}
	return l.hunks(n)
}

func (l *limits) hunks(n int) error { return l.tooMuch(maxHunks, n, "has %d hunks") }

func (l *limits) tooMuch(b bound, n int, what string) error {
	if n <= l.of(b) {
		return nil
	}
	return &edits.Error{Kind: paths.TooLarge, Message: fmt.Sprintf("The patch "+what+", %s; nothing was done. Send it in parts.", n, l.exceeded(b))}
}

// listed returns the error of a list of so many edits, nil if it is within its bound.
func (l *limits) listed(n int) error {
	if n <= l.of(maxHunks) {
		return nil
	}
	return schema.Invalid(`"edits" has %d edits, %s: nothing was done; send them in parts`, n, l.exceeded(maxHunks))
}
