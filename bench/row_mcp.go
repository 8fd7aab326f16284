package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/patchls/patchls/editors/headless"
)

const (
	liveTool     = "patchls mcp, live editor"
	embeddedTool = "patchls mcp, no editor"
	fileTool     = "@modelcontextprotocol/server-filesystem"
)

// typedFirst is what the user has typed and not saved.
const typedFirst = "// half a thought, not saved\n"

// mcpRow measures an agent's edit as the agent sees it: from the call of a tool to
// its answer.
func mcpRow(e *env) (row, error) {
	rounds := e.rounds(300, 5)
	r := row{
		Title: "An agent's edit",
		About: fmt.Sprintf("From the call of a tool to its answer, over stdio, %d calls of each server, by turns, each for another unique line. "+
			"“Live editor” is the embedded editor with patchls serve, in which the document is open with unsaved text; the edit is made there and verified. "+
			"“No editor” is the one within patchls mcp, which saves the file. The other's tool is edit_file. "+
			"Each time the answer's text, the editor's and the file were compared with what they should be.", rounds),
		Notes: []string{
			"What the other does not do: it knows no editor, so all its edits went to disk below the unsaved text of the same live editor (whose server did not merge them: absorb was off). " +
				"It takes the first place that fits, where patchls refuses an old_str that is there more than once; it has no undo; " +
				"and it does not wait until the file is on disk.",
		},
	}
	sizes := e.sizes(10*kilobyte, megabyte)
	var all []map[string]series
	for _, size := range sizes {
		got, err := e.toolCalls(size, rounds)
		if err != nil {
			return r, fmt.Errorf("%s: %w", sizeName(size), err)
		}
		all = append(all, got)
		got[us] = got[liveTool]
		r.felt("an agent's edit in "+sizeName(size)+", from the call to the verified answer", got, fileTool)
	}
	r.Tables = []table{callTable(sizes, all)}
	return r, nil
}

// callTable shows the figures of each size, without the servers that are not here.
func callTable(sizes []int, of []map[string]series) table {
	t := table{Columns: []string{"server"}}
	for _, size := range sizes {
		t.Columns = append(t.Columns, sizeName(size)+", p50", sizeName(size)+", p99")
	}
	for _, name := range []string{liveTool, embeddedTool, fileTool} {
		cells := []string{name}
		for _, got := range of {
			if s := got[name]; len(s) > 0 {
				cells = append(cells, duration(s.median()), duration(s.quantile(.99)))
			}
		}
		if len(cells) == len(t.Columns) {
			t.add(cells...)
		}
	}
	return t
}

// toolCalls has all servers edit a text of that size.
func (e *env) toolCalls(size, rounds int) (got map[string]series, err error) {
	const places = 20
	s := e.source.first(size)
	live, err := startLive(e)
	if err != nil {
		return nil, err
	}
	defer live.close()
	root := live.root
	var all []*toolEdits
	defer func() {
		for _, a := range all {
			a.server.close()
		}
	}()
	add := func(name, file string, environment []string, program string, args ...string) (*toolEdits, error) {
		a := &toolEdits{name: name, file: filepath.Join(root, file), tool: strReplace}
		if a.doc, err = placesIn(s, places); err != nil {
			return nil, err
		}
		if err = os.WriteFile(a.file, []byte(s), 0o600); err != nil {
			return nil, err
		}
		c, err := serveWith(environment, program, args...)
		if err != nil {
			return nil, err
		}
		a.server = toolServer{c}
		all = append(all, a)
		return a, a.server.greet()
	}

	a, err := add(liveTool, "live.go", live.environment, e.patchls, "mcp", "--structured", "--root", root)
	if err != nil {
		return nil, err
	}
	if a.check, err = live.holdsEdits(a, s); err != nil {
		return nil, err
	}

	lonely, err := alone(e)
	if err != nil {
		return nil, err
	}
	if a, err = add(embeddedTool, "embedded.go", lonely, e.patchls, "mcp", "--structured", "--editor", "headless", "--root", root); err != nil {
		return nil, err
	}
	a.check = a.isSaved

	below := func() error { return nil }
	if e.peers.node != "" {
		script := filepath.Join(e.peers.folder, "..", "node_modules", "@modelcontextprotocol", "server-filesystem", "dist", "index.js")
		if a, err = add(fileTool, "disk.go", nil, e.peers.node, script, root); err != nil {
			return nil, err
		}
		a.tool, a.check = editFile, a.isOnDisk
		if below, err = live.doesNotSee(a, s); err != nil {
			return nil, err
		}
	}

	var who []contestant
	for _, a := range all {
		for range 5 { // until the connections are made, and node has compiled
			if _, err := a.edit(); err != nil {
				return nil, fmt.Errorf("%s: %w", a.name, err)
			}
		}
		who = append(who, contestant{name: a.name, run: a.edit})
	}
	if got, err = contest(rounds, who...); err != nil {
		return nil, err
	}
	return got, below()
}

// toolEdits are the edits of an agent in one document, by one server.
type toolEdits struct {
	name   string
	file   string
	doc    *places // what the document should be
	server toolServer
	tool   func(file, was, is string) (name string, arguments map[string]any)
	check  func(toolAnswer) error // after each edit
}

func strReplace(file, was, is string) (string, map[string]any) {
	return "str_replace", map[string]any{"path": file, "old_str": was, "new_str": is}
}

func editFile(file, was, is string) (string, map[string]any) {
	return "edit_file", map[string]any{"path": file, "edits": []any{map[string]any{"oldText": was, "newText": is}}}
}

// edit makes the next edit and returns the nanoseconds until it was answered.
func (t *toolEdits) edit() (float64, error) {
	was, is := t.doc.step()
	name, arguments := t.tool(t.file, was, is)
	answer, took, err := t.server.tool(name, arguments)
	switch {
	case err != nil:
		return 0, err
	case !strings.Contains(answer.text(), is):
		return 0, fmt.Errorf("the answer does not show the line %q: %.300s", is, answer.text())
	}
	return took, t.check(answer)
}

// verified checks that the server saw the edit made.
func (a toolAnswer) verified() error {
	if r := a.StructuredContent; !r.Applied || !r.Verified || len(r.Files) != 1 {
		return fmt.Errorf("not verified: %+v", a)
	}
	return nil
}

func (t *toolEdits) isSaved(a toolAnswer) error {
	if err := a.verified(); err != nil {
		return err
	}
	if !a.StructuredContent.Files[0].Saved {
		return fmt.Errorf("not saved: %+v", a)
	}
	return t.isOnDisk(a)
}

func (t *toolEdits) isOnDisk(toolAnswer) error { return fileIs(t.file, t.doc.text()) }

func fileIs(name, want string) error {
	got, err := os.ReadFile(name)
	if err == nil && string(got) != want {
		err = fmt.Errorf("%s is another text than it should be", filepath.Base(name))
	}
	return err
}

// alone is an environment in which no live editor is found.
func alone(e *env) ([]string, error) {
	dir, err := os.MkdirTemp(e.temp, "run")
	return []string{"HOME=" + dir, "XDG_RUNTIME_DIR=" + dir, "TMPDIR=" + dir, "PATCHLS_SOCKET="}, err
}

// liveEditor is a user's editor: the headless one, with patchls serve.
type liveEditor struct {
	*headless.Editor
	root        string   // its folder
	environment []string // in which it is found
	cmd         *exec.Cmd
}

// unmerged are the habits of an editor that does not merge what others write. With "merge", what the other tool writes would
// come into the buffer as soon as no call has written for a while.
type unmerged struct{ headless.Habits }

func (h unmerged) Answer(ctx context.Context, r *headless.Request) (result any, handled bool, err error) {
	if r.Method == "workspace/configuration" {
		return []map[string]string{{"absorb": "off"}}, true, nil
	}
	return h.Habits.Answer(ctx, r)
}

// startLive starts the editor in a folder of its own, and returns when agents find it.
func startLive(e *env) (*liveEditor, error) {
	root, err := os.MkdirTemp(e.temp, "live")
	if err != nil {
		return nil, err
	}
	environment, err := alone(e)
	if err != nil {
		return nil, err
	}
	cmd, ends, err := spawn(environment, e.patchls, "serve", "--log-file", filepath.Join(e.temp, "log"))
	if err != nil {
		return nil, err
	}
	l := &liveEditor{root: root, environment: environment, cmd: cmd}
	opts := headless.Options{Roots: []string{root}, Habits: func(_ *headless.Editor, own headless.Habits) headless.Habits { return unmerged{own} }}
	if l.Editor, err = headless.Start(context.Background(), ends, opts); err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		return nil, err
	}
	for range 500 {
		out := exec.Command(e.patchls, "editors")
		out.Env = append(os.Environ(), environment...)
		found, err := out.Output()
		if err == nil && strings.HasPrefix(string(found), strconv.Itoa(cmd.Process.Pid)+"\t") {
			return l, nil
		}
		time.Sleep(10 * time.Millisecond) // polls: no event reports a new discovery file
	}
	l.close()
	return nil, errors.New("the live editor is not found")
}

func (l *liveEditor) close() {
	_ = l.Close()
	_ = l.cmd.Wait() // it ends with its editor; how does not matter
}

// typeIn opens a file and types at its top, without saving.
func (l *liveEditor) typeIn(file string) (*headless.Buffer, error) {
	b, err := l.Open(file)
	if err == nil {
		err = b.Insert(0, typedFirst)
	}
	return b, err
}

// holdsEdits makes a user type in the document, and returns a function that checks
// that the edits are made in that text and not on disk.
func (l *liveEditor) holdsEdits(t *toolEdits, onDisk string) (func(toolAnswer) error, error) {
	b, err := l.typeIn(t.file)
	return func(a toolAnswer) error {
		if err := a.verified(); err != nil {
			return err
		}
		if b.Text() != typedFirst+t.doc.text() || !b.Dirty() {
			return errors.New("the editor has another text than it should have")
		}
		return fileIs(t.file, onDisk)
	}, err
}

// doesNotSee makes a user type in the document, and returns a function that checks
// that the edits were made on disk and not in that text.
func (l *liveEditor) doesNotSee(t *toolEdits, first string) (func() error, error) {
	b, err := l.typeIn(t.file)
	return func() error {
		if b.Text() != typedFirst+first || !b.Dirty() {
			return fmt.Errorf("%s was edited in the editor", t.name)
		}
		return fileIs(t.file, t.doc.text())
	}, err
}
