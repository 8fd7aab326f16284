package lsp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/patchls/patchls/internal/testkit/headless"
)

// These tests are of the log: a maintainer who wants to know what happened to a command
// has nothing else.

// logged is a record of the log.
type logged struct {
	Level, Msg                         string
	Call, Agent, Command, Edit         string
	Path, Verdict, Kind, Error, Reason string
	Sent                               int
	Took                               int64
}

// journeysOf returns the records of each command, in their order. A record about a file
// that is about no command is an error.
func journeysOf(t *testing.T, log string) map[string][]logged {
	t.Helper()
	all := map[string][]logged{}
	for line := range strings.Lines(log) {
		var r logged
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		switch {
		case r.Call != "":
			all[r.Call] = append(all[r.Call], r)
		case r.Path != "" || r.Command != "":
			t.Errorf("a record about no command: %s", line)
		}
	}
	return all
}

// words are what a journey's records say, one after the other.
func words(records []logged) (said []string) {
	for _, r := range records {
		said = append(said, strings.TrimSuffix(r.Msg+" "+r.Verdict, " "))
	}
	return said
}

// startLogged starts an editor that is never late, with a log of each step.
func startLogged(t *testing.T, files map[string]string, opts headless.Options) *endpointWorld {
	t.Helper()
	ours, theirs, check := watchedPipe(t)
	s := &session{t: t, root: t.TempDir(), done: make(chan error, 1), check: check}
	return startEndpointLogging(s, ours, theirs, files, opts, s.after, slog.LevelDebug)
}

// A journey through an editor that drops the edit twice and says that it made it.
func TestTheLogFollowsACommand(t *testing.T) {
	var asked atomic.Int32
	opts := answering(func(_ context.Context, _ *headless.Editor, p *applyParams, next applyNext) (applyResult, error) {
		if asked.Add(1) < 3 {
			return applyResult{Applied: true}, nil
		}
		return next(p), nil
	})
	d := startLogged(t, map[string]string{"a.txt": "one\n"}, opts)
	d.open("a.txt")
	a := d.enter()
	a.call("str_replace", `{"path":"a.txt","old_str":"one","new_str":"two"}`)
	a.call("save", `{"paths":["a.txt"]}`)
	a.call("undo", `{}`)
	a.send(`{"jsonrpc":"2.0","id":1,"method":"workspace/executeCommand","params":{"command":"patchls.insert","arguments":[{}]}}`)
	a.wantKind(a.answer("1"), "invalid_params")

	want := map[string]struct {
		edit, kind string
		sent       int
		words      string
	}{
		"patchls.str_replace": {"e1", "", 3, "arrived, its turn, planned, applyEdit, verdict not applied, " +
			"planned, applyEdit, verdict not applied, planned, applyEdit, verdict landed, answered"},
		"patchls.save":   {"", "", 0, "arrived, its turn, saved, answered"},
		"patchls.undo":   {"e1", "", 1, "arrived, its turn, planned, applyEdit, verdict landed, answered"},
		"patchls.insert": {"", "invalid_params", 0, "arrived, answered"},
	}
	journeys := journeysOf(t, d.log.String())
	if len(journeys) != len(want) {
		t.Errorf("%d journeys", len(journeys))
	}
	for call, records := range journeys {
		end := records[len(records)-1]
		w := want[end.Command]
		said := words(records)
		// Either of these two may be settled before it is waited for; and an edit is
		// planned again if the text has changed before it was sent.
		said = slices.DeleteFunc(said, func(word string) bool { return word == "didChange" || word == "applyEdit answered" })
		if got := strings.Join(slices.Compact(said), ", "); got != w.words {
			t.Errorf("%s of %s: %s", end.Command, call, got)
		}
		if end.Level != "INFO" || end.Edit != w.edit || end.Kind != w.kind || end.Sent != w.sent || end.Took <= 0 || end.Agent != "an agent" {
			t.Errorf("it ends with %+v", end)
		}
		for _, r := range records[:len(records)-1] {
			if r.Level != "DEBUG" || r.Command != end.Command || r.Agent != end.Agent || r.Edit != "" && r.Edit != end.Edit {
				t.Errorf("on its way to %+v there is %+v", end, r)
			}
		}
	}
}

// Commands of two agents at once, one of which the editor refuses, do not mix.
func TestTheLogTellsCommandsApart(t *testing.T) {
	const each = 20
	opts := answering(func(_ context.Context, _ *headless.Editor, p *applyParams, next applyNext) (applyResult, error) {
		if strings.Contains(fmt.Sprintf("%+v", p.Edit), "b.txt") {
			return applyResult{FailureReason: "out of paper"}, nil
		}
		return next(p), nil
	})
	d := startLogged(t, map[string]string{"a.txt": strings.Repeat("one\n", each), "b.txt": "one\n"}, opts)
	d.open("a.txt")
	d.open("b.txt")
	good, bad := d.enter(), d.enter()
	for i := range each {
		good.send(`{"jsonrpc":"2.0","id":%d,"method":"workspace/executeCommand","params":{"command":"patchls.edit_lines","arguments":[{"path":"a.txt","edits":[{"from":%d,"to":%d,"content":"two"}]}]}}`, i, i+1, i+1)
		bad.send(`{"jsonrpc":"2.0","id":%d,"method":"workspace/executeCommand","params":{"command":"patchls.str_replace","arguments":[{"path":"b.txt","old_str":"one","new_str":"two"}]}}`, i)
	}
	for range each { // in whatever order they come
		if m := good.nextAnswer(); m.Error != nil {
			t.Error(m.Error.Message)
		}
		bad.wantKind(bad.nextAnswer(), "rejected_by_editor")
	}
	journeys := journeysOf(t, d.log.String())
	if len(journeys) != 2*each {
		t.Errorf("%d journeys", len(journeys))
	}
	ids := map[string]bool{}
	for call, records := range journeys {
		end := records[len(records)-1]
		path, kind := "a.txt", ""
		if end.Command == "patchls.str_replace" {
			path, kind = "b.txt", "rejected_by_editor"
		}
		if end.Msg != "answered" || end.Kind != kind || (end.Edit == "") != (kind != "") || ids[end.Edit] && end.Edit != "" {
			t.Errorf("%s ends with %+v", call, end)
		}
		ids[end.Edit] = true
		for _, r := range records {
			if r.Command != end.Command || r.Path != "" && r.Path != path {
				t.Errorf("%s is %s of %s, and there is %+v", call, end.Command, path, r)
			}
		}
		if said := words(records); said[0] != "arrived" || slices.Index(said, "answered") != len(said)-1 || !slices.Contains(said, "applyEdit") {
			t.Errorf("%s: %v", call, said)
		}
	}
}

// nextAnswer returns the answer that comes next, to whatever it is.
func (c *rawClient) nextAnswer() message {
	c.t.Helper()
	for m := range c.messages {
		if m.Method == "" {
			return m
		}
	}
	c.t.Fatal("the connection has ended")
	return message{}
}
