package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp/view"
)

// examined is a live editor that has answered.
type examined struct {
	agent.Live
	Documents int     `json:"documents"` // open
	Unsaved   int     `json:"unsaved"`   // of them
	RoundTrip float64 `json:"round_trip_ms"`
}

// answerTime is how long an editor may take, as for every command that looks for one.
const answerTime = 2 * time.Second

// examine asks all editors at once, and reports them in the order of their files.
func (d *diagnosis) examine(ctx context.Context, find *agent.Finder, folder agent.Folder) {
	var entries []agent.Entry
	for _, file := range folder.Files {
		if !file.Stale && file.Fault == nil {
			entries = append(entries, file.Entry)
		}
	}
	seen, listed, errs := make([]examined, len(entries)), make([]view.Listing, len(entries)), make([]error, len(entries))
	var all sync.WaitGroup
	for i, e := range entries {
		all.Go(func() { seen[i], listed[i], errs[i] = askEditor(ctx, find, e) })
	}
	all.Wait()
	for i, e := range entries {
		if errs[i] != nil {
			d.say(finding{
				Name: "editor", Status: statusFix,
				Message: fmt.Sprintf("%s does not answer: %v", called(e), errs[i]),
				Fix:     "restart that editor, or its language server; patchls serve --log-file F writes down why",
			})
			continue
		}
		d.Editors = append(d.Editors, seen[i])
		d.report(seen[i], listed[i])
	}
}

// askEditor connects, and takes the time of one command.
func askEditor(ctx context.Context, find *agent.Finder, e agent.Entry) (examined, view.Listing, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	conn, err := find.Dial(ctx, e)
	if err != nil {
		return examined{}, view.Listing{}, err
	}
	defer func() { _ = conn.Close() }() // it never fails
	l, took, err := timeList(ctx, conn)
	x := examined{Live: conn.Live(), Documents: len(l.Documents), RoundTrip: milliseconds(took)}
	for _, doc := range l.Documents {
		if doc.Dirty {
			x.Unsaved++
		}
	}
	return x, l, err
}

// timeList runs the command list, which reads alone.
func timeList(ctx context.Context, e agent.Editor) (l view.Listing, took time.Duration, err error) {
	start := time.Now()
	raw, err := e.Execute(ctx, agent.Call{Command: "list"})
	took = time.Since(start)
	if err == nil {
		err = json.Unmarshal(raw, &l)
	}
	return l, took, err
}

func milliseconds(took time.Duration) float64 { return float64(took.Microseconds()) / 1000 }

// report says what a live editor can do, and what is wrong with it.
func (d *diagnosis) report(x examined, l view.Listing) {
	saves := "saves when an agent asks"
	if !x.Saves {
		saves = "cannot save for agents, which takes the plugin: save yourself"
	}
	roots := "no workspace folder: agents reach only what it has open"
	if len(x.Roots) > 0 {
		roots = strings.Join(x.Roots, ", ")
	}
	d.say(finding{Name: "editor", Status: statusOK, Message: fmt.Sprintf("%s answers in %.1f ms; %s open, %d unsaved; %s; %s",
		called(x.Entry), x.RoundTrip, edits.Count(x.Documents, "document"), x.Unsaved, saves, roots)})
	if x.Server != version() {
		d.say(finding{
			Name: "versions", Status: statusNote,
			Message: fmt.Sprintf("%s runs patchls %s, and this is %s", called(x.Entry), x.Server, version()),
			Fix:     "after an upgrade, restart the editor",
		})
	}
	for _, doc := range l.Documents {
		if doc.OutOfStep != "" {
			d.say(finding{
				Name: "document", Status: statusFix,
				Message: fmt.Sprintf("%s cannot be edited in %s: %s", doc.Path, called(x.Entry), doc.OutOfStep),
				Fix:     "close it in the editor and open it again",
			})
		}
	}
}
