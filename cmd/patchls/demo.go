package main

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"go.lsp.dev/jsonrpc2"

	"github.com/patchls/patchls/agent/words"
	"github.com/patchls/patchls/editors/headless"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp"
	"github.com/patchls/patchls/lsp/transaction"
)

// demoFiles are real files of this repository: the demo's workspace.
//
//go:embed serve.go streams.go
var demoFiles embed.FS

func demoCommand(std streams) *cobra.Command {
	var keep bool
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Show an agent editing beside unsaved text",
		Long: "Shows an agent that edits real files while a user types in them, in the embedded editor.\n" +
			"It checks what it prints, and fails if a promise is broken.",
		Example: `  patchls demo`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			root, err := os.MkdirTemp("", "patchls-demo-")
			if err != nil {
				return show(std, false, failed{err})
			}
			if keep {
				defer fmt.Fprintf(std.out, "\nThe files are kept in %s\n", root)
			} else {
				defer func() { _ = os.RemoveAll(root) }()
			}
			d := &demo{std: std, ctx: cmd.Context(), root: root}
			if err := d.run(); err != nil {
				return show(std, false, failed{errors.New(err.Error())}) // all of it, not the server's error alone
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&keep, "keep", false, "keep the files")
	return cmd
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
	// The user's text is typed and never saved: demoFirst above everything, and
	// then demoTyped at the end, key by key, while the agent works.
	demoFirst = "// half a thought, not saved\n"
	demoTyped = "// and the user types on and on, right through every edit of the agent, and loses no key"
)

// demoSteps are the agent's commands. Each applies to the text in the user's buffer, so line 1 is demoFirst.
var demoSteps = []struct {
	command string
	args    map[string]any
	want    string // must be in the buffer after the command
}{
	{"str_replace", map[string]any{
		"path": demoFile, "old_str": "Serve an editor on stdin and stdout", "new_str": "Serve one editor on stdin and stdout",
	}, "Serve one editor on stdin"},
	{"insert", map[string]any{
		"path": demoFile, "after_line": 2, "content": "// Inserted by the agent after line 2.",
	}, "package main\n// Inserted by the agent after line 2.\n"},
	{"edit_lines", map[string]any{
		"path": demoFile,
		"edits": []map[string]any{
			{"from": 1, "content": "// A line batch: one above the user's line,"},
			{"from": 3, "to": 3, "content": "// and this one in place of another.", "expect": "// Inserted by the agent after line 2."},
		},
	}, "package main\n// and this one in place of another.\n"},
	{"apply_patch", map[string]any{
		"patch": "*** Begin Patch\n*** Update File: " + demoFile + "\n@@\n \t\tArgs:  cobra.NoArgs, // none\n+\t\tAliases: []string{\"lsp\"},\n \t\tRunE: func(cmd *cobra.Command, _ []string) error {\n*** End Patch",
	}, "\t\tAliases: []string{\"lsp\"},\n"},
}

func (d *demo) run() error {
	onDisk, err := demoFiles.ReadFile(demoFile)
	if err == nil {
		err = os.CopyFS(d.root, demoFiles)
	}
	if err != nil {
		return err
	}
	if d.editor, err = embedded(d.ctx, d.root, nil, lsp.Options{Notify: notify}); err != nil {
		return err
	}
	defer func() { _ = d.editor.Close() }()
	if d.buffer, err = d.editor.Open(filepath.Join(d.root, demoFile)); err != nil {
		return err
	}
	d.say("The user opens %s and types, without saving:\n%s", demoFile, demoFirst)
	if err := d.buffer.Insert(0, demoFirst); err != nil {
		return err
	}
	if err := d.buffer.SetCursor(len(d.buffer.Text())); err != nil {
		return err
	}
	typed := make(chan error, 1)
	stop := make(chan struct{})
	go func() { typed <- d.typeOn(stop) }()
	err = d.refused()
	if err == nil {
		_, err = d.call("view", map[string]any{"path": demoFile, "end_line": 9}) // the numbers are those of what was shown
	}
	for _, step := range demoSteps {
		if err == nil {
			err = d.agent(step.command, step.args, step.want)
		}
	}
	close(stop)
	if err := errors.Join(err, <-typed); err != nil {
		return err
	}
	if err := d.check(string(onDisk)); err != nil {
		return err
	}
	before := d.buffer.Text() // of one more edit, which the user undoes
	if err := d.agent("delete_lines", map[string]any{"path": demoFile, "start_line": 1, "end_line": 1}, ""); err != nil {
		return err
	}
	if err := d.undo("just the agent's last edit is taken back", before); err != nil {
		return err
	}
	return d.merge()
}

// keyDelay is the time between two keys of the demo's user, who types faster than people do.
const keyDelay = 40 * time.Millisecond

// typeOn types demoTyped at the end of the buffer, key by key. Once stop is closed it types the rest without a pause.
func (d *demo) typeOn(stop <-chan struct{}) error {
	tick := time.NewTicker(keyDelay)
	defer tick.Stop()
	for _, key := range demoTyped {
		select {
		case <-tick.C:
		case <-stop:
		}
		if err := d.buffer.Type(string(key)); err != nil {
			return err
		}
	}
	return nil
}

// refused runs a command whose place is not found, prints the error, and runs the command that the error suggests instead.
func (d *demo) refused() error {
	before := strings.Count(d.buffer.Text(), "\n")
	// The quote is that of a model that does not see tabs.
	_, err := d.call("str_replace", map[string]any{
		"path": demoFile, "old_str": "        Args:  cobra.NoArgs,\n", "new_str": "        Args:  cobra.NoArgs, // none\n",
	})
	if err == nil {
		return errors.New("str_replace of a text that is not there succeeded")
	}
	if _, answered := errors.AsType[*jsonrpc2.Error](err); !answered {
		return fmt.Errorf("str_replace of a text that is not there: %w", err)
	}
	fmt.Fprintln(d.std.out, words.ErrorText(err))
	_, data := words.ErrorData(err)
	if strings.Count(d.buffer.Text(), "\n") != before || data.Suggestion == nil {
		return errors.New("an error changed the buffer, or suggested nothing")
	}
	return d.agent(strings.TrimPrefix(data.Suggestion.Command, "patchls."), data.Suggestion.Arguments, "cobra.NoArgs, // none\n")
}

// agent runs one command, prints its answer, and checks it against the buffer.
func (d *demo) agent(command string, args map[string]any, want string) error {
	r, err := d.call(command, args)
	if err != nil {
		return fmt.Errorf("%s: %w", command, err)
	}
	fmt.Fprintf(d.std.out, "applied: %v, verified: %v. %s\n", r.Applied, r.Verified, r.Message)
	showDiff(d.std, r.Diff)
	if !r.Applied || !r.Verified {
		return fmt.Errorf("%s was not verified", command)
	}
	if !strings.Contains(d.buffer.Text(), want) {
		return fmt.Errorf("the buffer lacks what %s answered", command)
	}
	return nil
}

// call prints a command and runs it.
func (d *demo) call(command string, args map[string]any) (*transaction.Result, error) {
	sent, err := json.Marshal(args)
	if err != nil {
		return nil, err
	}
	d.say("The agent calls %s %s", command, sent)
	return new(reach).execute(d.ctx, d.editor, command, args)
}

// check checks the demo's promises against the buffer and the disk.
func (d *demo) check(onDisk string) error {
	now := d.buffer.Text()
	raw, err := os.ReadFile(filepath.Join(d.root, demoFile))
	if err != nil {
		return err
	}
	d.say("And the user's own text?")
	return errors.Join(
		d.confirm("the unsaved line is still there", strings.Contains(now, demoFirst)),
		d.confirm(fmt.Sprintf("all %d keys typed meanwhile are there: %q", len(demoTyped), demoTyped), strings.HasSuffix(now, demoTyped)),
		d.confirm("the file on disk is as it was", string(raw) == onDisk),
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
func (d *demo) merge() error {
	const from, to = "agents cannot connect", "agents cannot be let in"
	before, file := d.buffer.Text(), filepath.Join(d.root, demoFile)
	merged := strings.ReplaceAll(before, from, to)
	d.say("Another program writes the file, as sed -i 's/%s/%s/' %s does", from, to, demoFile)
	raw, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(file+".new", bytes.ReplaceAll(raw, []byte(from), []byte(to)), 0o600)
	}
	if err == nil {
		err = os.Rename(file+".new", file)
	}
	if err != nil {
		return err
	}
	const patience = 20 * time.Second // on a busy machine
	for deadline := time.Now().Add(patience); d.buffer.Text() == before && time.Now().Before(deadline); {
		time.Sleep(keyDelay)
	}
	was := text.New(before)
	es := diff.Rewrite(was, 0, was.Len(), d.buffer.Text())
	showDiff(d.std, diff.Unified("a/"+demoFile, "b/"+demoFile, was, es.Apply(was), es))
	return errors.Join(
		d.confirm("what another program wrote is in the buffer, and so is all that is not saved", merged != before && d.buffer.Text() == merged),
		d.undo("just what the other program wrote is taken back", before),
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
	heading := fmt.Sprintf(format, args...)
	if d.std.colour {
		heading = "\x1b[1m" + heading + "\x1b[0m"
	}
	fmt.Fprintf(d.std.out, "\n%s\n", strings.TrimSuffix(heading, "\n"))
}
