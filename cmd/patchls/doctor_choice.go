package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/patchls/patchls/agent"
)

// chosen is the editor that a command would take.
type chosen struct {
	PID  int    `json:"pid"` // 0 for the embedded one
	Name string `json:"name"`
	Why  string `json:"why"`
}

// choose says which editor a command in the root takes that names no open file.
func (d *diagnosis) choose(ctx context.Context, at *desk, folder agent.Folder) {
	live, err := at.live(ctx, "")
	switch {
	case err == nil:
		d.take(live.Live(), d.why(live.Live(), at.pid))
	case at.pid != 0:
		d.say(finding{Name: "chosen", Status: statusFix, Message: fmt.Sprintf("--editor %d: %v", at.pid, err), Fix: "name one that patchls editors lists, or auto"})
	case !errors.Is(err, agent.ErrNoEditor):
		d.say(finding{Name: "chosen", Status: statusFix, Message: err.Error(), Fix: "start that editor again, or unset PATCHLS_SOCKET"})
	case at.editor == headlessEditor:
		d.tryEmbedded(ctx, at, "--editor headless asks for it", "")
	default:
		why, fix := at.lacking(folder)
		if at.editor == liveEditor {
			d.say(finding{Name: "chosen", Status: statusFix, Message: why, Fix: fix})
			return
		}
		d.tryEmbedded(ctx, at, why, fix)
	}
}

// lacking says why no live editor is taken, and what helps.
func (d *desk) lacking(folder agent.Folder) (why, fix string) {
	switch {
	case folder.Fault != nil:
		return "no live editor is found: " + folder.Fault.Error(), remedy(folder.Path, folder.Fault)
	case slices.ContainsFunc(folder.Files, func(f agent.DiscoveryFile) bool { return !f.Stale && f.Fault == nil }):
		return "no live editor has a workspace folder that holds " + d.root,
			"open the folder in the editor, or give --root; otherwise only files that an editor has open are edited there"
	}
	return "no live editor is found",
		"if an editor runs, have it start patchls, and see that its setting agent_socket is not false"
}

// why says by which rule an editor is taken.
func (d *diagnosis) why(l agent.Live, pid int) string {
	switch {
	case pid != 0:
		return fmt.Sprintf("--editor %d asks for it", pid)
	case os.Getenv("PATCHLS_SOCKET") != "":
		return "PATCHLS_SOCKET names it"
	}
	root := l.RootOf(d.Root)
	why := "its folder " + root + " holds " + d.Root
	if slices.ContainsFunc(d.Editors, func(x examined) bool { return x.PID != l.PID && x.RootOf(d.Root) == root }) {
		why += ", and of those with that folder it had the last change"
	}
	return why
}

func (d *diagnosis) take(l agent.Live, why string) {
	d.Chosen = &chosen{l.PID, l.Name, why}
	message := called(l.Entry) + ": " + why
	if len(d.Editors) > 1 {
		message += ". Another one is taken for a file that only that one has open"
	}
	d.say(finding{Name: "chosen", Status: statusOK, Message: message})
}

// tryEmbedded reports that the embedded editor is taken, and whether it works.
func (d *diagnosis) tryEmbedded(ctx context.Context, at *desk, why, fix string) {
	e, err := at.connect(ctx, "")
	var took time.Duration
	if err == nil {
		_, took, err = timeList(ctx, e)
	}
	if err != nil {
		d.say(finding{Name: "chosen", Status: statusFix, Message: fmt.Sprintf("the embedded editor does not work: %v", err), Fix: "report it, with what patchls doctor --json prints"})
		return
	}
	d.Chosen = &chosen{0, headlessEditor, why}
	d.say(finding{Name: "chosen", Status: statusNote, Fix: fix, Message: fmt.Sprintf(
		"the embedded editor, since %s. It edits files on disk, and saves with --save; mcp, which takes live editors alone, refuses. It answers in %.1f ms",
		why, milliseconds(took))})
}
