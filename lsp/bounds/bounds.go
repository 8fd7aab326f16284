// Package bounds limits how much of each thing the server accepts: bytes of a message, agents, hunks of a patch,
// milliseconds of a command. [All] declares each bound once, with its default, what it bounds and what is done above it;
// settings, errors and docs/commands.md are derived from it. [Limits] holds the values that a server uses at a time.
package bounds

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/lists"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/schema"
)

// Bound is a limit on how much of something the server accepts. More is answered with an error that names the bound.
type Bound struct {
	Name    string
	Default int64
	Least   int64  // a lower setting counts as Least, one that is not positive as Default
	Doc     string // says what it bounds, and what is done above it
	Setting bool   // the user's settings may override Default
}

// ID is the index of a [Bound] in [All].
type ID int

// The bounds. [All] says what each is.
const (
	ApplyTimeoutMS ID = iota
	AskTimeoutMS
	HelloTimeoutMS
	WriteTimeoutMS
	MaxMessageBytes
	MaxAgentMessageBytes
	MaxRequests
	MaxAgentRequests
	MaxAgents
	MaxQuestions
	MaxHeldBytes
	MaxDocumentBytes
	MaxPatchBytes
	MaxPatchFiles
	MaxHunks
	MaxMatches
	MaxCandidates
	MaxHistoryBytes
	count
)

// MinMessageBytes is enough for the first message of any client.
const MinMessageBytes = 64 << 10

// All holds all bounds. The reading of settings, the texts of errors and docs/commands.md are derived from it.
var All = [count]Bound{
	ApplyTimeoutMS:       {Name: "apply_timeout_ms", Default: 8000, Least: 1, Setting: true, Doc: "How long a command may take, in milliseconds, including retries and waiting for other commands. A command about several files has this time for each of them."},
	AskTimeoutMS:         {Name: "ask_timeout_ms", Default: 600_000, Least: 1, Setting: true, Doc: "How long a question of `confirm` waits for the user, in milliseconds. On timeout nothing is changed."},
	HelloTimeoutMS:       {Name: "hello_timeout_ms", Default: 5000, Least: 1, Doc: "How long a connected agent may take to send the token, in milliseconds. Then its connection is closed and logged."},
	WriteTimeoutMS:       {Name: "write_timeout_ms", Default: 10_000, Least: 1, Doc: "How long an agent may take to receive one message, or to send one of more than 64 KiB, in milliseconds. Then its connection is closed and logged. Read when the server starts."},
	MaxMessageBytes:      {Name: "max_message_bytes", Default: 512 << 20, Least: MinMessageBytes, Setting: true, Doc: "The size of one message from the editor. A longer one gets an error without an id and is skipped. It may have contained a change, so the open documents are out of step until their text is sent again. A document that it opened is not known to be open."},
	MaxAgentMessageBytes: {Name: "max_agent_message_bytes", Default: 128 << 20, Least: MinMessageBytes, Doc: "The size of one message from an agent that has sent the token; before that, 64 KiB. A longer one gets an error without an id and is skipped. Read when the agent connects."},
	MaxRequests:          {Name: "max_requests", Default: 1000, Least: 1, Doc: "Unanswered requests from the editor. One more is refused before anything else is read; shutdown is not."},
	MaxAgentRequests:     {Name: "max_agent_requests", Default: 64, Least: 1, Doc: "Unanswered requests from each agent. Read when the agent connects."},
	MaxAgents:            {Name: "max_agents", Default: 32, Least: 1, Setting: true, Doc: "Connected agents. For one more, the one that waits for no answer and whose last message is the oldest is closed; if all wait, the new one gets an error. The user's own commands always get in."},
	MaxQuestions:         {Name: "max_questions", Default: 100, Least: 1, Doc: "Commands with `confirm` that wait for the user at the same time."},
	MaxHeldBytes:         {Name: "max_held_bytes", Default: 256 << 20, Least: MinMessageBytes, Setting: true, Doc: "Bytes of unanswered requests and of edits in questions, for all agents and the editor together. Above it, requests of 64 KiB and more are refused while others are held."},
	MaxDocumentBytes:     {Name: "max_document_bytes", Default: 64 << 20, Least: 1, Setting: true, Doc: "The size of a text that can be edited or viewed. Commands on a larger one fail, and its file is not touched."},
	MaxPatchBytes:        {Name: "max_patch_bytes", Default: 64 << 20, Least: 1, Doc: "The text of a patch."},
	MaxPatchFiles:        {Name: "max_patch_files", Default: 10_000, Least: 1, Doc: "Files that a patch changes."},
	MaxHunks:             {Name: "max_hunks", Default: 100_000, Least: 1, Doc: "Hunks of a patch, all files together, or edits in a list of them."},
	MaxMatches:           {Name: "max_matches", Default: 100, Least: 1, Doc: "Places that an error lists where a text or a hunk has several. Its message says how many there are."},
	MaxCandidates:        {Name: "max_candidates", Default: 3, Least: 1, Doc: "Places that an error offers where a text or a hunk has none, the most alike first. Its message says if there are more."},
	MaxHistoryBytes:      {Name: "max_history_bytes", Default: 16 << 20, Least: 4 << 10, Setting: true, Doc: "Memory for each document's history, by which edits are undone and line numbers are carried. Beyond it, the oldest edits are forgotten and can no longer be undone. Takes effect at once."},
}

// Limits are the values of all bounds.
type Limits [count]int64

// Defaults returns the default values of all bounds.
func Defaults() Limits {
	var l Limits
	for i := range All {
		l[i] = All[i].Default
	}
	return l
}

// maxAllowed is more than any sensible value, and does not overflow as milliseconds.
const maxAllowed = 1 << 40

// Of returns the value of a bound.
func (l *Limits) Of(b ID) int { return int(l[b]) }

// Wait returns the value of a bound in milliseconds.
func (l *Limits) Wait(b ID) time.Duration {
	return time.Duration(l[b]) * time.Millisecond
}

// Exceeded describes what is above a bound: "more than max_hunks (100000)".
func (l *Limits) Exceeded(b ID) string {
	return fmt.Sprintf("more than %s (%d)", All[b].Name, l[b])
}

// Correct replaces values that are out of range, and logs them.
func (l *Limits) Correct(log *slog.Logger) {
	for i := range All {
		b := &All[i]
		if given := l[i]; b.Allowed(given) != given {
			l[i] = b.Allowed(given)
			log.Warn("setting out of its range", "setting", b.Name, "given", given, "least", b.Least, "taken", l[i])
		}
	}
}

// Allowed returns the value that is used if given is set.
func (b *Bound) Allowed(given int64) int64 {
	if given <= 0 {
		return b.Default
	}
	return min(max(given, b.Least), maxAllowed)
}

// Source returns a text for planning, with the bounds on what errors list.
func (l *Limits) Source(path string, t text.Text, work *edits.Work) edits.Source {
	return edits.Source{Path: path, Text: t, Work: work, Candidates: l.Of(MaxCandidates), Matches: l.Of(MaxMatches)}
}

// Check returns an error if arguments exceed their limit of size.
func (l *Limits) Check(args any) error {
	a, ok := args.(commands.Sized)
	if !ok {
		return nil
	}
	n := a.Size()
	if err := l.tooMuch(MaxPatchBytes, n.Patch, "has %d bytes"); err != nil {
		return err
	}
	if err := l.hunks(n.Hunks); err != nil {
		return err
	}
	if n.Edits <= l.Of(MaxHunks) {
		return nil
	}
	return schema.Invalid(`"edits" has %d edits, %s: nothing was done; send them in parts`, n.Edits, l.Exceeded(MaxHunks))
}

// CheckPatch returns an error if a patch changes too many files or has too many hunks.
func (l *Limits) CheckPatch(p patch.Patch) error {
	if err := l.tooMuch(MaxPatchFiles, len(p.Files), "changes %d files"); err != nil {
		return err
	}
	return l.hunks(lists.Sum(p.Files, func(f patch.File) int { return len(f.Hunks) }))
}

func (l *Limits) hunks(n int) error { return l.tooMuch(MaxHunks, n, "has %d hunks") }

func (l *Limits) tooMuch(b ID, n int, what string) error {
	if n <= l.Of(b) {
		return nil
	}
	return edits.Errorf(edits.TooLarge, "The patch "+what+", %s; nothing was done. Send it in parts.", n, l.Exceeded(b))
}
