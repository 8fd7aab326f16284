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
func (d *diagnosis) choose(ctx context.Context, find *agent.Finder, editor string, pid int) {
	named := os.Getenv("PATCHLS_SOCKET")
	var live *agent.Conn
	var err error
	switch {
	case pid != 0:
		live, err = find.ByPID(ctx, pid)
	case editor == autoEditor:
		live, err = find.Find(ctx, d.Root, "")
	default:
		d.tryEmbedded(ctx, find, "--editor headless asks for it", "")
		return
	}
	switch {
	case err == nil:
		defer func() { _ = live.Close() }() // it never fails
		d.take(live.Live(), d.why(live.Live(), named, pid))
	case pid != 0:
		d.say(finding{Name: "chosen", Status: statusFix, Message: fmt.Sprintf("--editor %d: %v", pid, err), Fix: "name one that patchls editors lists, or auto"})
	case !errors.Is(err, agent.ErrNoEditor):
		d.say(finding{Name: "chosen", Status: statusFix, Message: err.Error(), Fix: "start that editor again, or unset PATCHLS_SOCKET"})
	case len(d.Editors) > 0:
		d.tryEmbedded(ctx, find, "no live editor has a workspace folder that holds "+d.Root,
			"open the folder in the editor, or give --root; only files that an editor has open are edited there else")
	default:
		d.tryEmbedded(ctx, find, "no live editor is found",
			"nothing if none runs; else have it start patchls, and its setting agent_socket must not be false")
	}
}

// why says by which rule an editor is taken.
func (d *diagnosis) why(l agent.Live, named string, pid int) string {
	switch {
	case pid != 0:
		return fmt.Sprintf("--editor %d asks for it", pid)
	case named != "":
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
func (d *diagnosis) tryEmbedded(ctx context.Context, find *agent.Finder, why, fix string) {
	e, err := embedded(ctx, d.Root, find)
	var took time.Duration
	if err == nil {
		_, took, err = timeList(ctx, e)
		_ = e.Close() // it has nothing to lose
	}
	if err != nil {
		d.say(finding{Name: "chosen", Status: statusFix, Message: fmt.Sprintf("the embedded editor does not work: %v", err), Fix: "report it, with what patchls doctor --json prints"})
		return
	}
	d.Chosen = &chosen{0, headlessEditor, why}
	d.say(finding{Name: "chosen", Status: statusNote, Fix: fix, Message: fmt.Sprintf(
		"the embedded editor, since %s. It edits files on disk: mcp saves each edit, call and apply only with --save; it answers in %.1f ms",
		why, milliseconds(took))})
}
