package main

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"go.lsp.dev/jsonrpc2"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/agent/words"
	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/transaction"
)

// loadRefusals are the expected errors of a command whose text has changed in the meantime.
var loadRefusals = []edits.Kind{
	"stale", "no_match", "multiple_matches", "no_change", "already_applied", "undo_conflict", "nothing_to_undo",
	"context_not_found", "context_ambiguous", "line_out_of_range", "overlapping_edits",
}

// work sends commands as they become due.
func (l *load) work(r *rand.Rand, due <-chan time.Time) {
	for at := range due {
		c := l.draw(r)
		err := l.send(c, l.entries[r.IntN(len(l.entries))])
		l.figures.done(c.name, at, loadKind(err))
		late := loadKind(err) == "rejected_by_editor" && !l.soaking // on a slow machine the user is faster each time
		if err != nil && !late && !slices.Contains(loadRefusals, loadKind(err)) {
			l.wrong("%s %v: %v", c.name, c.args, err)
		}
	}
}

// alone sends a command to each document while no other agent and no user works. On a busy machine no answer before these may
// be one that can be compared.
func (l *load) alone(r *rand.Rand) {
	for _, d := range l.docs {
		b := d.buffer(l.editor)
		if b == nil {
			continue
		}
		if c := l.strReplace(r, d, b.Text()); c != nil {
			if err := l.send(c, l.entries[0]); err != nil && !slices.Contains(loadRefusals, loadKind(err)) {
				l.wrong("%s %v: %v", c.name, c.args, err)
			}
		}
	}
}

// loadKind returns the kind under which an answer is counted, "" if err is nil.
func loadKind(err error) edits.Kind {
	if err == nil {
		return ""
	}
	if _, data := words.ErrorData(err); data.Kind != "" {
		return data.Kind
	}
	if wire, ok := errors.AsType[*jsonrpc2.Error](err); ok {
		return edits.Kind("code " + wire.Error())
	}
	return "no answer"
}

// send sends a command, and checks the answer for those of its documents that only this
// agent was changing.
func (l *load) send(c *loadCommand, entry loadEntry) error {
	docs := c.docs
	if docs == nil && !c.reads {
		docs = l.docs
	}
	quiet := map[*loadDoc]func() bool{}
	var ends []func()
	for _, d := range docs {
		isQuiet, end := d.begin()
		quiet[d], ends = isQuiet, append(ends, end)
	}
	defer func() {
		for _, end := range ends {
			end()
		}
	}()
	raw, err := entry(c.name, c.args)
	if err != nil || c.reads {
		return err
	}
	var res transaction.Result
	if err := json.Unmarshal(raw, &res); err != nil {
		return err
	}
	if !res.Applied || !res.Verified {
		l.wrong("%s %v was answered with %s", c.name, c.args, raw)
	}
	if c.docs != nil && res.EditID != "" && c.name != "undo" && c.name != "revert" {
		l.made.add(&loadEdit{res.EditID, c.docs})
	}
	for _, f := range res.Files {
		i := slices.IndexFunc(l.docs, func(d *loadDoc) bool { return d.name == f.Path })
		if i < 0 {
			l.wrong("%s %v: unknown file %s", c.name, c.args, f.Path)
			continue
		}
		l.compare(c, l.docs[i], f, quiet[l.docs[i]])
	}
	return nil
}

// compare checks the answer's figures of a document against the editor's text.
func (l *load) compare(c *loadCommand, d *loadDoc, f transaction.FileResult, quiet func() bool) {
	b := d.buffer(l.editor)
	if b == nil || quiet == nil {
		return
	}
	has := b.Text()
	if !quiet() {
		return
	}
	l.figures.told.Add(1)
	if text.New(has).Hash() != f.Rev || !strings.Contains(has, c.token) {
		l.diverged("%s %v was answered with rev %s, and the editor has another text of %s", c.name, c.args, f.Rev, d.name)
	}
}

// loadEntry is a function that sends a command to the server.
type loadEntry func(name string, args map[string]any) (json.RawMessage, error)

// enter finds the ways in: the editor's own connection, and agents by the socket.
func (l *load) enter() {
	l.entries = []loadEntry{func(name string, args map[string]any) (json.RawMessage, error) {
		return l.editor.Execute(context.Background(), "patchls."+name, args)
	}}
	for late := time.After(time.Minute); len(l.entries) < 4; {
		finder := &agent.Finder{Client: agent.ClientInfo{Name: "load"}} // each agent has a connection of its own
		conn, err := finder.ByPID(l.t.Context(), l.editor.pid, "", agent.About{})
		if err == nil {
			l.t.Cleanup(func() { _ = conn.Close() })
			l.entries = append(l.entries, func(name string, args map[string]any) (json.RawMessage, error) {
				return conn.Execute(context.Background(), agent.Call{Command: name, Arguments: args})
			})
			continue
		}
		select { // the server says hello once its socket listens
		case <-time.After(5 * time.Millisecond):
		case <-late:
			l.t.Fatalf("the server lets no agents in: %v", err)
		}
	}
}
