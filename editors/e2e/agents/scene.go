//go:build linux

package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/lsp/view"
)

// A scene is one agent program that works in a folder that a live editor has open, with unsaved text
// in a buffer.
type scene struct {
	folder string // of all that follows
	menu   string // the file that is edited
	bin    string // where patchls and the programs are
	logs   string // "" for none
	user   string // the home, if it is not one in the folder
	editor *headless.Editor
	buffer *headless.Buffer
	server *exec.Cmd
}

const (
	onDisk  = "soup\nbread\ntea\n"
	unsaved = "cake, not saved\n"
)

// script is what every program is led through. The second call, which is the first one, and the last are as clients and small
// models make them: with null, texts for numbers and lists, and an argument that the tool does not have.
var script = []step{
	{"view", map[string]any{"path": "menu.txt"}},
	{"view", map[string]any{"path": "menu.txt", "start_line": "1", "end_line": nil, "task_progress": "- [ ] Edit the menu"}},
	{"str_replace", map[string]any{"path": "menu.txt", "old_str": "bread", "new_str": "dark bread"}},
	{"str_replace", map[string]any{"path": "menu.txt", "old_str": "darkbread", "new_str": "rye"}},
	{"apply_patch", map[string]any{"patch": "*** Begin Patch\n*** Update File: menu.txt\n@@\n dark bread\n-tea\n+green tea\n cake, not saved\n*** End Patch\n"}},
	{"undo", map[string]any{"path": "menu.txt"}},
	{"save", map[string]any{"paths": `["drinks.txt"]`, "label": nil}},
}

// told is a part of the right answer to each call of the script, and whether the schema of the tool allows the call.
var told = []struct {
	part   string
	allows bool
}{
	{"cake, not saved", true},
	{"cake, not saved", false},
	{"Replaced", true},
	{"closest", true},
	{"Patched", true},
	{"Undid", true},
	{"Saved", false},
}

// written is what a program writes to disk with its own tools.
const written = "green soup\ndark bread\ntea\n"

// hooked is what a program makes of the text in the editor, which has an unsaved line, with its own tools.
const hooked = "green soup\nbread\ntea\ncake, still not saved\n"

// inPlace returns the writes for a program that sees unsaved text: they rename no file over the one that is edited.
func inPlace(writes []step) []step {
	return mapped(writes, func(text string) string {
		if script, is := strings.CutPrefix(text, "sed -i "); is {
			return "sed " + script + " > new && cat new > $FILE"
		}
		return text
	})
}

// makes returns steps with the names in them replaced, for a file whose text becomes another one by two lines.
func makes(steps []step, file, before, after string) ([]step, error) {
	names := []string{"$FILE", file, "$TEXT", after}
	now := strings.Split(after, "\n")
	for i, line := range strings.Split(before, "\n") {
		if i < len(now) && line != now[i] {
			n := strconv.Itoa(len(names) / 4)
			names = append(names, "$OLD"+n, line, "$NEW"+n, now[i])
		}
	}
	if len(names) != 12 {
		return nil, fmt.Errorf("%s: not two lines differ between %q and %q", file, before, after)
	}
	return mapped(steps, strings.NewReplacer(names...).Replace), nil
}

// mapped returns steps with other texts as their arguments.
func mapped(steps []step, to func(string) string) []step {
	steps = slices.Clone(steps)
	for i, st := range steps {
		steps[i].args = maps.Clone(st.args)
		for name, value := range st.args {
			if text, is := value.(string); is {
				steps[i].args[name] = to(text)
			}
		}
	}
	return steps
}

// after is the buffer when the script has ended: the patch is undone.
const after = "soup\ndark bread\ntea\n" + unsaved

func (s *scene) home() string    { return cmp.Or(s.user, filepath.Join(s.folder, "home")) }
func (s *scene) project() string { return filepath.Dir(s.menu) }
func (s *scene) run() string     { return filepath.Join(s.folder, "run") }

// setUp starts the editor, and types in it.
func (s *scene) setUp(ctx context.Context) error {
	for _, dir := range []string{s.home(), s.project(), s.run()} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	for name, text := range map[string]string{s.menu: onDisk, s.drinks(): ""} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			return err
		}
	}
	s.server = exec.CommandContext(ctx, filepath.Join(s.bin, "patchls"), "serve")
	s.server.Env, s.server.Dir = append(s.env(), "XDG_RUNTIME_DIR="+s.run()), s.project() // which no agent has
	in, err := s.server.StdinPipe()
	if err != nil {
		return err
	}
	out, err := s.server.StdoutPipe()
	if err != nil {
		return err
	}
	if err := s.server.Start(); err != nil {
		return err
	}
	pipe := struct {
		io.Reader
		io.WriteCloser
	}{out, in}
	listens := make(chan struct{})
	var once sync.Once
	opts := headless.Options{Roots: []string{s.project()}, Trace: func(_ string, message []byte) {
		if bytes.Contains(message, []byte(`"patchls/listening"`)) {
			once.Do(func() { close(listens) })
		}
	}}
	declare(&opts.Capabilities, `{"experimental":{"patchls":{"listening":true,"save":true}}}`)
	if s.editor, err = headless.Start(ctx, pipe, opts); err != nil {
		return err
	}
	select {
	case <-listens: // agents that start before find no editor
	case <-ctx.Done():
		return ctx.Err()
	}
	if s.buffer, err = s.editor.Open(s.menu); err != nil {
		return err
	}
	if err := s.buffer.Insert(len(onDisk), unsaved); err != nil {
		return err
	}
	drinks, err := s.editor.Open(s.drinks())
	if err != nil {
		return err
	}
	return drinks.Insert(0, unsaved)
}

// drinks is the file that the script has saved.
func (s *scene) drinks() string { return filepath.Join(s.project(), "drinks.txt") }

// made is the file that is in the editor and not on disk.
func (s *scene) made() string { return s.menu + ".new" }

// declare adds capabilities, in JSON, to those that an editor declares.
func declare[C any](capabilities *func(*C), more string) {
	*capabilities = func(c *C) {
		if err := json.Unmarshal([]byte(more), c); err != nil {
			panic(err)
		}
	}
}

// env is what the libraries of MCP clients hand on, and no more.
func (s *scene) env() []string {
	return []string{
		"HOME=" + s.home(), "PATH=" + s.bin + string(os.PathListSeparator) + os.Getenv("PATH"),
		"LOGNAME=ada", "USER=ada", "SHELL=/bin/sh", "TERM=dumb",
	}
}

// programTime is how long a program may take for all of the script.
const programTime = 5 * time.Minute

// perform has a program set up as its user does, and do the script.
func (s *scene) perform(ctx context.Context, p program, a act) (*model, error) {
	if a.own {
		var err error
		if a.script, err = makes(a.script, s.menu, a.before, a.after); err != nil {
			return nil, err
		}
	}
	m, err := startModel(ctx, a, s.logs)
	if err != nil {
		return nil, err
	}
	defer func() { _ = m.Close() }()
	ctx, cancel := context.WithTimeout(ctx, programTime)
	defer cancel()
	named := strings.NewReplacer("$MODEL", m.url, "$PROJECT", s.project())
	for _, files := range []map[string]string{p.files, a.files} {
		for name, text := range files {
			if err := s.write(name, named.Replace(text)); err != nil {
				return m, err
			}
		}
	}
	env := s.env()
	for _, e := range p.env {
		env = append(env, named.Replace(e))
	}
	isSet := a.hook || !a.own && !a.acp
	if isSet {
		if err := s.command(ctx, env, "setup", "patchls", "setup", cmp.Or(p.settings, p.name), "--yes"); err != nil {
			return m, err
		}
	}
	args := slices.Clone(p.args)
	if isSet {
		args = append(args, p.user...)
	}
	for i := range args {
		args[i] = named.Replace(args[i])
	}
	if a.acp {
		command := []string{p.name}
		if a.run {
			command = []string{"patchls", "run", "--", p.name}
		}
		if err := s.talk(ctx, env, command, !a.hook); err != nil || !isSet {
			return m, err
		}
		return m, s.undo(ctx, env, p)
	}
	if a.run {
		out, err := s.output(ctx, env, "output", "patchls", append([]string{"run", "--", p.name}, args...)...)
		if _, said, refused := strings.Cut(out, "patchls run: "); err == nil && refused {
			err = fmt.Errorf("patchls run said: %s", said)
		}
		return m, err
	}
	err = s.command(ctx, env, "output", p.name, args...)
	if err == nil && isSet {
		err = s.undo(ctx, env, p)
	}
	return m, err
}

// undo undoes patchls setup, even if the program has rewritten its files since, and checks that no record of it is left.
func (s *scene) undo(ctx context.Context, env []string, p program) error {
	if err := s.command(ctx, env, "undo", "patchls", "setup", cmp.Or(p.settings, p.name), "--undo", "--yes"); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(s.home(), ".local", "state", "patchls", "setup", cmp.Or(p.settings, p.name)+".json")); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("patchls setup --undo has left something: %v", err) //nolint:errorlint // err may be nil
	}
	return nil
}

// write lays a file into the home or the project.
func (s *scene) write(name, text string) error {
	path := filepath.Join(s.project(), name)
	if rest, is := strings.CutPrefix(name, "~/"); is {
		path = filepath.Join(s.home(), rest)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o600)
}

// command runs a program in the project.
func (s *scene) command(ctx context.Context, env []string, log, name string, args ...string) error {
	_, err := s.output(ctx, env, log, name, args...)
	return err
}

// output runs a program in the project, and returns what it prints.
func (s *scene) output(ctx context.Context, env []string, log, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, filepath.Join(s.bin, name), args...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = s.project(), env, time.Second
	out, err := cmd.CombinedOutput()
	if s.logs != "" {
		_ = os.WriteFile(filepath.Join(s.logs, log+".txt"), out, 0o600) // a log that is missing fails nothing
	}
	if err != nil {
		err = fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out[max(0, len(out)-2000):])
	}
	return string(out), err
}

// talk makes an agent run the script for a client, with patchls acp between them. If mustAsk is set, the agent must
// ask for permission.
func (s *scene) talk(ctx context.Context, env, command []string, mustAsk bool) error {
	command[0] = filepath.Join(s.bin, command[0])
	cmd := exec.CommandContext(ctx, filepath.Join(s.bin, "patchls"), append([]string{"acp", "--"}, command...)...)
	var said strings.Builder
	cmd.Dir, cmd.Env, cmd.Stderr, cmd.WaitDelay = s.project(), env, &said, time.Second
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	asked, err := prompt(in, out, s.project())
	if err == nil && mustAsk && !asked {
		err = errors.New("the client is not asked for permission")
	}
	if err = errors.Join(err, cmd.Wait()); err != nil {
		err = fmt.Errorf("patchls acp -- %s: %w\n%s", strings.Join(command, " "), err, said.String())
	}
	return err
}

// judge checks what the model was offered, and the results of the script, against the promises.
func (s *scene) judge(m *model, p program) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []error
	wrong := func(format string, args ...any) { all = append(all, fmt.Errorf(format, args...)) }
	for _, name := range p.own {
		if slices.Contains(m.offered, name) {
			wrong("the model is offered the program's own %s, which the set-up turns off", name)
		}
	}
	all = append(all, m.unanswered()...)
	drinks := unsaved
	for i, t := range told {
		if p.refuses != "" && !t.allows {
			t.part, drinks = p.refuses, ""
		}
		if got := m.answers[i].Text; !strings.Contains(got, t.part) {
			wrong("call %d, of %s, does not say %q: %q", i+1, m.script[i].tool, t.part, got)
		}
	}
	if raw, err := os.ReadFile(s.drinks()); err != nil || string(raw) != drinks {
		wrong("%s has %q (%v), want %q", s.drinks(), raw, err, drinks)
	}
	if got := s.buffer.Text(); got != after {
		wrong("the buffer is %q, want %q", got, after)
	}
	return errors.Join(append(all, s.holds(onDisk))...)
}

// judgeRun checks the results of a program's own tools against the promises of patchls run and patchls hook.
func (s *scene) judgeRun(m *model, want string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := append(m.unanswered(), s.holds(onDisk))
	shown := strings.TrimSpace(unsaved)
	if isReader(m.script[0].tool) && !strings.Contains(m.answers[0].Text, shown) {
		all = append(all, fmt.Errorf("what reads the file does not show %q: %q", shown, m.answers[0].Text))
	}
	if got := s.buffer.Text(); got != want {
		all = append(all, fmt.Errorf("the buffer is %q, want %q; the program's tools answered %v", got, want, m.answers))
	}
	return errors.Join(all...)
}

// judgeHook is judgeRun for patchls hook. The last calls write the whole text; each is made once, and said to be made. All
// edits are of the turn that the program's prompt has begun.
func (s *scene) judgeHook(m *model, whole int) error {
	all := []error{s.judgeRun(m, hooked)}
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := len(m.script) - whole; i < len(m.script); i++ {
		if said := m.answers[i].Text; !strings.Contains(said, "This is no error: the edit is made") {
			all = append(all, fmt.Errorf("a whole text is answered with %q", said))
		}
	}
	if b, open := s.editor.Buffer(s.made()); !open || b.Text() != "green soup\n" {
		all = append(all, fmt.Errorf("the file that is not on disk has %q; the program's tools answered %v", b.Text(), m.answers))
	}
	if _, err := os.Stat(s.made()); err == nil {
		all = append(all, fmt.Errorf("%s is on disk", s.made()))
	}
	var list view.Listing
	raw, err := s.editor.Execute(context.Background(), "patchls.list", struct{}{})
	if err == nil {
		err = json.Unmarshal(raw, &list)
	}
	for _, e := range list.Edits {
		if isAgents := e.Command != "create"; isAgents && (e.Prompt == "" || e.Turn != list.Edits[0].Turn) {
			err = cmp.Or(err, fmt.Errorf("the edits are of no prompt, or of several: %+v", list.Edits))
		}
	}
	all = append(all, err)
	return errors.Join(all...)
}

// isReader reports whether a tool shows a file.
func isReader(tool string) bool { return strings.EqualFold(tool, "read") || tool == "view" }

// isCat reports whether a step shows a file by a shell.
func (st step) isCat() bool {
	return slices.ContainsFunc(slices.Collect(maps.Values(st.args)), func(v any) bool { return strings.HasPrefix(fmt.Sprint(v), "cat ") })
}

// judgeOwn checks the results of a program's own tools against the promises.
func (s *scene) judgeOwn(m *model) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := append(m.unanswered(), s.holds(written))
	for i, a := range m.answers {
		if strings.Contains(a.Text, strings.TrimSpace(unsaved)) {
			all = append(all, fmt.Errorf("call %d shows what is not on disk: %q", i+1, a.Text))
		}
	}
	for deadline := time.Now().Add(mergeTime); s.buffer.Text() != written+unsaved; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			all = append(all, fmt.Errorf("the buffer is %q, want %q; the program's tools answered %v", s.buffer.Text(), written+unsaved, m.answers))
			break
		}
	}
	return errors.Join(all...)
}

// mergeTime is more than it takes until what a program has written is in the buffer.
const mergeTime = 10 * time.Second

// holds says how the disk differs from what it should have.
func (s *scene) holds(want string) error {
	raw, err := os.ReadFile(s.menu)
	if err != nil || string(raw) != want {
		return fmt.Errorf("the disk has %q (%v), want %q", raw, err, want) //nolint:errorlint // err may be nil
	}
	return nil
}

func (s *scene) close() {
	if s.editor != nil {
		_ = s.editor.Close()
		_ = s.server.Wait()
	}
}
