package main

import (
	"context"
	_ "embed" // demoText
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/patchls/patchls/editors/headless"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp"
)

// demoText is the text of the demo's file, which is one of this repository.
//
//go:embed serve.go
var demoText string

func demoCommand(std streams) *cobra.Command {
	return &cobra.Command{
		Use:   "demo",
		Short: "Show an agent editing beside unsaved text",
		Long: "Shows an agent that edits a real file while a user types in it, in the embedded editor.\n" +
			"It checks what it prints, and fails if a promise is broken.",
		Example: `  patchls demo`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			root, err := os.MkdirTemp("", "patchls-demo-")
			if err != nil {
				return show(std, false, failed{err})
			}
			defer func() { _ = os.RemoveAll(root) }()
			d := &demo{std: std, ctx: cmd.Context(), root: root}
			if err := d.run(); err != nil {
				return show(std, false, failed{errors.New(err.Error())}) // all of it, not the server's error alone
			}
			return nil
		},
	}
}

// demo is one run of the demo. It checks what it prints, and returns an error if anything differs.
type demo struct {
	std    streams
	ctx    context.Context
	root   string
	editor *embeddedEditor
	buffer *headless.Buffer
}

const (
	demoFile = "serve.go"
	// The user's text is typed and never saved: demoFirst above everything, and then demoTyped at the end, key by key.
	demoFirst = "// half a thought, not saved\n"
	demoTyped = "// and the user types on and on, right through every edit of the agent, and loses no key"
	// keyDelay is the time between two keys of the user, who types faster than people do.
	keyDelay = 20 * time.Millisecond
)

func (d *demo) run() (err error) {
	file := filepath.Join(d.root, demoFile)
	if err := os.WriteFile(file, []byte(demoText), 0o600); err != nil {
		return err
	}
	if d.editor, err = embedded(d.ctx, d.root, nil, lsp.Options{Notify: notify}); err != nil {
		return err
	}
	defer func() { _ = d.editor.Close() }()
	if d.buffer, err = d.editor.Open(file); err != nil {
		return err
	}
	d.say("The user opens %s, types a line at its top, and goes on typing at its end. Nothing is saved.", demoFile)
	if err := errors.Join(d.buffer.Insert(0, demoFirst), d.buffer.SetCursor(len(demoFirst)+len(demoText))); err != nil {
		return err
	}
	half, typed := make(chan struct{}), make(chan error, 1)
	go func() { typed <- d.typeOn(half) }()
	select {
	case <-half:
	case err := <-typed:
		return err
	}
	err = d.agent("str_replace", map[string]any{"path": demoFile, "old_str": "Serve an editor on", "new_str": "Serve one editor on"})
	if err := errors.Join(err, <-typed); err != nil {
		return err
	}
	if err := d.check(); err != nil {
		return err
	}
	before := d.buffer.Text() // of one more edit, which the user undoes
	patch := "@@\n \t\tArgs:  cobra.NoArgs,\n+\t\tAliases: []string{\"lsp\"},\n"
	if err := d.agent("apply_patch", map[string]any{"path": demoFile, "patch": patch}); err != nil {
		return err
	}
	if err := d.undo("just the agent's last edit is undone", before); err != nil {
		return err
	}
	return d.merge(file)
}

// typeOn types demoTyped at the end of the buffer, key by key, and closes half when half of it is typed.
func (d *demo) typeOn(half chan<- struct{}) error {
	tick := time.NewTicker(keyDelay)
	defer tick.Stop()
	for i, key := range demoTyped {
		if i == len(demoTyped)/2 {
			close(half)
		}
		<-tick.C
		if err := d.buffer.Type(string(key)); err != nil {
			return err
		}
	}
	return nil
}

// agent runs one command, and prints it and its answer.
func (d *demo) agent(command string, args map[string]any) error {
	sent, _ := json.Marshal(args) // strings always encode
	d.say("The agent calls %s %s", command, sent)
	r, err := new(reach).execute(d.ctx, d.editor, command, args)
	if err != nil {
		return fmt.Errorf("%s: %w", command, err)
	}
	d.show(r.Diff)
	fmt.Fprintf(d.std.out, "applied: %v, verified: %v. %s\n", r.Applied, r.Verified, r.Message)
	if !r.Applied || !r.Verified {
		return fmt.Errorf("%s was not verified", command)
	}
	return nil
}

// show prints the lines that a diff removes and adds.
func (d *demo) show(unified string) {
	for line := range strings.Lines(unified) {
		if kind := line[:1]; strings.Trim(kind, "+-") == "" && !strings.HasPrefix(line, kind+kind+kind) {
			showDiff(d.std, line)
		}
	}
}

// check checks the demo's promises against the buffer and the disk.
func (d *demo) check() error {
	now := d.buffer.Text()
	raw, err := os.ReadFile(filepath.Join(d.root, demoFile))
	if err != nil {
		return err
	}
	return errors.Join(
		d.confirm("the agent's edit is in the editor's text", strings.Contains(now, "Serve one editor on")),
		d.confirm("the unsaved line is still there", strings.Contains(now, demoFirst)),
		d.confirm(fmt.Sprintf("all %d keys typed meanwhile are there: %q", len(demoTyped), demoTyped), strings.HasSuffix(now, demoTyped)),
		d.confirm("the file on disk is as it was", string(raw) == demoText),
	)
}

// undo has the user press undo once. The text of the buffer must be before afterwards.
func (d *demo) undo(what, before string) error {
	changed := d.buffer.Text() != before
	d.say("The user presses undo once.")
	d.buffer.Undo()
	return d.confirm(what, changed && d.buffer.Text() == before)
}

// merge lets a program that does not know patchls write the file while the buffer is unsaved. It renames
// a new file over it, as sed -i does, but runs no sed, because patchls starts no programs.
func (d *demo) merge(file string) error {
	const from, to = "agents cannot connect", "agents cannot be let in"
	before := d.buffer.Text()
	merged := strings.ReplaceAll(before, from, to)
	d.say("Another program writes the file, as sed -i 's/%s/%s/' %s does", from, to, demoFile)
	if err := os.WriteFile(file+".new", []byte(strings.ReplaceAll(demoText, from, to)), 0o600); err != nil {
		return err
	}
	if err := os.Rename(file+".new", file); err != nil {
		return err
	}
	const patience = 20 * time.Second // on a busy machine
	for deadline := time.Now().Add(patience); d.buffer.Text() == before && time.Now().Before(deadline); {
		time.Sleep(keyDelay)
	}
	was := text.New(before)
	es := diff.Rewrite(was, 0, was.Len(), d.buffer.Text())
	d.show(diff.Unified("a", "b", was, es.Apply(was), es))
	return errors.Join(
		d.confirm("what another program wrote is in the buffer, and so is all that is not saved", merged != before && d.buffer.Text() == merged),
		d.undo("just what the other program wrote is undone", before),
	)
}

func (d *demo) confirm(what string, holds bool) error {
	if !holds {
		return fmt.Errorf("it does not hold that %s", what)
	}
	fmt.Fprintf(d.std.out, "yes: %s\n", what)
	return nil
}

func (d *demo) say(format string, args ...any) {
	fmt.Fprintf(d.std.out, "\n%s\n", d.std.inColour("1", fmt.Sprintf(format, args...)))
}
