package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/internal/lists"
	"github.com/patchls/patchls/lsp/view"
)

func editorsCommand(std streams) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "editors",
		Short: "List the live editors that can be reached",
		Long: "Lists your live editors that accept agents, the most recently active first: the pid of\n" +
			"the server, the editor's name and version, and its workspace folders. Other commands\n" +
			"take the pid as --editor.",
		Example: `  patchls editors --json`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			find := finder(std, "")
			defer find.Close()
			found := find.Editors(cmd.Context())
			if asJSON {
				return showJSON(std.out, append([]agent.Live{}, found...)) // none is [], not null
			}
			for _, e := range found {
				fmt.Fprintf(std.out, "%d\t%s\t%s\n", e.PID, editorName(e.Entry), printable(strings.Join(e.Roots, ", ")))
			}
			if len(found) == 0 {
				fmt.Fprintln(std.err, "No live editor can be reached. An editor appears here once it has started patchls serve, unless its setting agent_socket is false.")
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the list as JSON")
	return cmd
}

// editorName returns the name that an editor gives itself, with its version.
func editorName(e agent.Entry) string {
	if name := strings.TrimSpace(e.Name + " " + e.Version); name != "" {
		return printable(name)
	}
	return "(an editor without a name)"
}

// called returns the name and pid of an editor for use in a sentence.
func called(e agent.Entry) string { return fmt.Sprintf("%s (pid %d)", editorName(e), e.PID) }

// examined is a live editor that has answered.
type examined struct {
	agent.Live
	Documents int     `json:"documents"` // open
	Unsaved   int     `json:"unsaved"`   // of them
	RoundTrip float64 `json:"round_trip_ms"`

	list view.Listing
}

// examine asks all editors concurrently, and reports them in the order of their files.
func (d *diagnosis) examine(ctx context.Context, find *agent.Finder, folder agent.Folder) {
	entries := lists.FilterMap(folder.Files, func(f agent.DiscoveryFile) (agent.Entry, bool) { return f.Entry, f.Fault == nil })
	conns, errs := find.Connect(ctx, entries)
	seen := make([]examined, len(entries))
	var all sync.WaitGroup
	for i, conn := range conns {
		if errs[i] == nil {
			all.Go(func() { seen[i], errs[i] = askEditor(ctx, conn) })
		}
	}
	all.Wait()
	for i, e := range entries {
		if errs[i] != nil {
			d.say(statusFix, "editor", "restart that editor, or its language server; patchls serve --log-file F writes down why",
				"%s does not answer: %v", called(e), errs[i])
			continue
		}
		d.Editors = append(d.Editors, seen[i])
		d.report(seen[i])
	}
}

// askEditor measures the time of one command.
func askEditor(ctx context.Context, conn *agent.Conn) (examined, error) {
	ctx, cancel := context.WithTimeout(ctx, agent.LookTime)
	defer cancel()
	start := time.Now()
	l, err := agent.List(ctx, conn)
	x := examined{Live: conn.Live(), Documents: len(l.Documents), RoundTrip: millisecondsSince(start), list: l}
	x.Unsaved = lists.Count(l.Documents, func(doc view.DocumentInfo) bool { return doc.Unsaved })
	return x, err
}

func millisecondsSince(start time.Time) float64 {
	return float64(time.Since(start).Microseconds()) / 1000
}

// report adds findings about what a live editor can do and what is wrong with it.
func (d *diagnosis) report(x examined) {
	saves := "saves when an agent asks"
	if !x.Saves {
		saves = "cannot save for agents, which takes the plugin: save yourself"
	}
	roots := "no workspace folder: agents reach only what it has open"
	if len(x.Roots) > 0 {
		roots = strings.Join(x.Roots, ", ")
	}
	d.say(statusOK, "editor", "", "%s answers in %.1f ms; %s open, %d unsaved; %s; %s",
		called(x.Entry), x.RoundTrip, edits.Count(x.Documents, "document"), x.Unsaved, saves, roots)
	if !x.Edits {
		d.say(statusFix, "editor", "edit in another editor: docs/editors.md lists those that work", "%s cannot be edited by agents, since it lacks workspace/applyEdit; they can read what it has open", called(x.Entry))
	}
	if x.list.Refused != "" {
		d.say(statusFix, "editor", "let agents edit there, or edit in another editor: docs/editors.md lists those that work", "%s has refused all edits of agents so far: %s", called(x.Entry), x.list.Refused)
	}
	if x.Server != version() {
		d.say(statusNote, "versions", "after an upgrade, restart the editor", "%s runs patchls %s, and this is %s", called(x.Entry), x.Server, version())
	}
	for _, doc := range x.list.Documents {
		if doc.OutOfStep != "" {
			d.say(statusFix, "document", "close it in the editor and open it again", "%s cannot be edited in %s: %s", doc.Path, called(x.Entry), doc.OutOfStep)
		}
	}
}

// chosen is the editor that a command would use.
type chosen struct {
	PID  int    `json:"pid"` // 0 for the embedded editor
	Name string `json:"name"`
	Why  string `json:"why"`
}

// choose reports which editor a command in the root uses if it names no open file.
func (d *diagnosis) choose(ctx context.Context, r *reach, folder agent.Folder) {
	live, _, err := r.live(ctx, agent.About{})
	switch {
	case err == nil:
		l := live.Live()
		d.Chosen = &chosen{l.PID, l.Name, d.why(l, r.pid)}
		message := called(l.Entry) + ": " + d.Chosen.Why
		if len(d.Editors) > 1 {
			message += ". Another one is taken for a file that only that one has open"
		}
		d.say(statusOK, "chosen", "", "%s", message)
	case r.pid != 0:
		d.say(statusFix, "chosen", "name one that patchls editors lists, or auto", "--editor %d: %v", r.pid, err)
	case !errors.Is(err, agent.ErrNoEditor):
		d.say(statusFix, "chosen", "start that editor again, or unset PATCHLS_SOCKET", "%v", err)
	case r.editor == headlessEditor:
		d.tryEmbedded(ctx, r, "--editor headless asks for it", "")
	default:
		why, fix := r.lacking(ctx, folder)
		if r.editor == liveEditor {
			d.say(statusFix, "chosen", fix, "%s", why)
			return
		}
		d.tryEmbedded(ctx, r, why, fix)
	}
}

// lacking returns why no live editor is used, and how to fix that.
func (r *reach) lacking(ctx context.Context, folder agent.Folder) (why, fix string) {
	live := r.find.Editors(ctx)
	holds := slices.IndexFunc(live, func(l agent.Live) bool { return l.RootOf(r.root) != "" }) // and lets no agent edit, else it would be used
	switch {
	case folder.Fault != nil:
		return "no live editor is found: " + folder.Fault.Error(), remedy(folder.Path, folder.Fault)
	case holds >= 0:
		return called(live[holds].Entry) + " cannot be edited by agents: it lacks workspace/applyEdit",
			"edit in another editor: docs/editors.md lists those that work"
	case slices.ContainsFunc(folder.Files, func(f agent.DiscoveryFile) bool { return f.Fault == nil }):
		return "no live editor has a workspace folder that holds " + r.root,
			"open the folder in the editor, or give --root; otherwise only files that an editor has open are edited there"
	}
	return "no live editor is found",
		"if an editor runs, have it start patchls, and see that its setting agent_socket is not false"
}

// why returns the rule by which an editor is chosen.
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

// tryEmbedded reports that the embedded editor is used, and whether it works.
func (d *diagnosis) tryEmbedded(ctx context.Context, r *reach, why, fix string) {
	e, _, err := r.connect(ctx, agent.About{})
	start := time.Now()
	if err == nil {
		_, err = agent.List(ctx, e)
	}
	if err != nil {
		d.say(statusFix, "chosen", "report it, with what patchls doctor --json prints", "the embedded editor does not work: %v", err)
		return
	}
	d.Chosen = &chosen{0, headlessEditor, why}
	d.say(statusNote, "chosen", fix,
		"the embedded editor, since %s. It edits files on disk, and saves with --save; mcp, which takes live editors alone, refuses. It answers in %.1f ms",
		why, millisecondsSince(start))
}
