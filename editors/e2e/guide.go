//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A guide is a page whose commands are run unchanged, by a user who has nothing installed
// yet. After the language, each of its blocks says what to do with it:
//
//	sh e2e=NAME              it is run, in the folder and with the variables that the
//	                         block before has left
//	lua e2e=NAME file=PATH   it is that file
//	sh e2e=NAME editor       it is how the editor is started; the last word is the file,
//	                         in which the user then types
//	sh e2e=NAME agent        it is run beside the editor, and must change its text
//	sh e2e=NAME remove       it is run at the end, and leaves nothing of patchls
//
// NAME is that of a way to install patchls, or several with commas between.
type guide struct{ blocks []block }

// way is how a user gets patchls.
type way struct {
	name, editor string
	has          []string // programs in addition to those of every machine; nil: all of this machine
}

// guided are the ways that a page may be about whose user has a clone of the repository.
var guided = []way{{name: "neovim", editor: "neovim"}, {name: "vscode", editor: "vscode"}}

type block struct {
	names  []string
	word   string // editor, agent or remove
	file   string
	script string
}

var fence = regexp.MustCompile("(?ms)^ *```(\\w+) ([^\n]*\\be2e=[^\n]*)\n(.*?)^ *```$") //nolint:gocritic // with (?m) a ^ may stand in the middle

func readGuide(page string) (guide, error) {
	var g guide
	for _, m := range fence.FindAllStringSubmatch(page, -1) {
		b := block{script: m[3]}
		for word := range strings.FieldsSeq(m[2]) {
			name, value, _ := strings.Cut(word, "=")
			switch name {
			case "e2e":
				b.names = strings.Split(value, ",")
			case "file":
				b.file = value
			case "editor", "agent", "remove":
				b.word = name
			default:
				return g, fmt.Errorf("a block says %q, which is not known", word)
			}
		}
		g.blocks = append(g.blocks, b)
	}
	return g, nil
}

// of returns the blocks that are for an editor and have that word.
func (g guide) of(name, word string) []block {
	var found []block
	for _, b := range g.blocks {
		if slices.Contains(b.names, name) && b.word == word {
			found = append(found, b)
		}
	}
	return found
}

// follow runs the page's commands for each editor that it is about.
func (o *options) follow(ctx context.Context, k *kit, left map[string]string, out io.Writer) ([]string, error) {
	raw, err := os.ReadFile(o.guide)
	if err != nil {
		return nil, err
	}
	g, err := readGuide(string(raw))
	if err != nil {
		return nil, err
	}
	ways, s := guided, (*store)(nil)
	if o.packages != "" {
		folder, err := os.MkdirTemp("", "s")
		if err != nil {
			return nil, err
		}
		defer func() { _ = os.RemoveAll(folder) }()
		if s, err = openStore(ctx, k, o.packages, folder); err != nil {
			return nil, err
		}
		defer s.server.Close()
		ways = released
	}
	var news []string
	followed := 0
	for _, w := range ways {
		switch {
		case len(g.of(w.name, "")) == 0 || !strings.Contains(w.name, o.name) || o.only != "" && !strings.Contains(o.only, w.editor):
			continue
		case left[w.editor] != "":
			fmt.Fprintf(out, "%s: left out: %s\n", w.name, left[w.editor])
			continue
		}
		followed++
		text, err := k.follow(ctx, g, w, s)
		if why, is := isLeftOut(err); is {
			fmt.Fprintf(out, "%s: left out: %s\n", w.name, why)
			continue
		}
		if err != nil {
			news = append(news, fmt.Sprintf("%s: %v", w.name, err))
			continue
		}
		fmt.Fprintf(out, "%s: the commands of %s lead to an edit in the unsaved text:\n%s\n", w.name, filepath.Base(o.guide), text)
	}
	if followed == 0 {
		return nil, fmt.Errorf("%s has no block for an editor that is here", o.guide)
	}
	return news, nil
}

// newcomer is a user with an empty home folder.
type newcomer struct {
	*seat
	variables []string
	folder    string // where they are
}

// follow does what the page says for a way, with the packages of a store if packages is not nil.
func (k *kit) follow(ctx context.Context, g guide, w way, packages *store) (string, error) {
	var file string
	switch starts := g.of(w.name, "editor"); {
	case len(starts) == 1:
		words := strings.Fields(starts[0].script)
		file = words[len(words)-1]
	case packages != nil:
		file = example
	default:
		return "", fmt.Errorf("%d blocks start the editor, and not one", len(starts))
	}
	folder, err := os.MkdirTemp("", "p")
	if err != nil {
		return "", err
	}
	defer func() {
		stopTerminals(folder)
		_ = exec.CommandContext(context.WithoutCancel(ctx), "chmod", "-R", "u+w", folder).Run() // Go's modules are read-only
		_ = os.RemoveAll(folder)
	}()
	s, err := newSeat(k, w.editor, folder)
	if err != nil {
		return "", err
	}
	n := &newcomer{seat: s}
	if err := n.settle(w.editor); err != nil {
		return "", err
	}
	if packages != nil {
		err = n.furnish(ctx, w, packages)
	} else {
		err = n.clone(ctx)
	}
	if err == nil {
		err = n.doAll(ctx, g.of(w.name, ""))
	}
	if err == nil && packages != nil {
		err = n.installed(packages)
	}
	if err != nil {
		return "", err
	}
	text, err := n.edit(ctx, w.editor, n.path(file), g.of(w.name, "agent"))
	if remove := g.of(w.name, "remove"); err == nil && len(remove) > 0 {
		n.folder = n.home() // the agents' commands were in another terminal
		if err = n.doAll(ctx, remove); err == nil {
			err = n.removed()
		}
	}
	return text, err
}

func (n *newcomer) doAll(ctx context.Context, blocks []block) error {
	for _, b := range blocks {
		if err := n.do(ctx, b); err != nil {
			return err
		}
	}
	return nil
}

// path returns the path of a file that the newcomer names.
func (n *newcomer) path(name string) string {
	if rest, is := strings.CutPrefix(name, "~"); is {
		return n.home() + rest
	}
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(n.folder, name)
}

// do does what a block says.
func (n *newcomer) do(ctx context.Context, b block) error {
	if b.file != "" {
		path := n.path(b.file)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		return os.WriteFile(path, []byte(b.script), 0o644)
	}
	after := filepath.Join(n.seat.folder, "after")
	script := fmt.Sprintf("set -e\n%s\n{ pwd; env -0; } > '%s'\n", b.script, after)
	cmd := exec.CommandContext(ctx, "sh", "-c", script)
	cmd.Dir, cmd.Env = n.folder, n.variables
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w in\n%s%s", err, b.script, out)
	}
	raw, err := os.ReadFile(after)
	if err != nil {
		return err
	}
	where, variables, _ := strings.Cut(string(raw), "\n")
	n.folder, n.variables = where, strings.Split(strings.TrimSuffix(variables, "\x00"), "\x00")
	return nil
}

// edit starts the editor, types, runs the agents' commands, and checks the text.
func (n *newcomer) edit(ctx context.Context, name, file string, agents []block) (string, error) {
	before, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	e, err := n.start(name, filepath.Dir(file))
	if err != nil {
		return "", err
	}
	defer func() { _ = e.Close() }()
	const typed = "typed, and not saved\n"
	if err := errors.Join(e.Open(file), e.Goto(file, 1, 1), e.Type(typed), e.Rest()); err != nil {
		return "", err
	}
	seen := func() (string, error) {
		b, err := e.Text(file)
		return b.Text, err
	}
	mine := typed + string(before)
	if err := until(settleTime, func() error {
		text, err := seen()
		if err == nil && text != mine {
			err = fmt.Errorf("the editor has %q, want %q", text, mine)
		}
		return err
	}); err != nil {
		return "", err
	}
	// If the server is not ready yet, the agent works elsewhere; a newcomer then tries
	// again.
	if err := until(settleTime, func() error {
		if err := n.doAll(ctx, agents); err != nil {
			return err
		}
		text, err := seen()
		if err == nil && text == mine {
			err = fmt.Errorf("the agent's commands left no trace in the editor: %q", text)
		}
		return err
	}); err != nil {
		return "", fmt.Errorf("%w\n%s", err, e.Screen())
	}
	text, err := seen()
	now, failed := os.ReadFile(file)
	switch {
	case err != nil || failed != nil:
		return "", errors.Join(err, failed)
	case !bytes.Equal(now, before):
		return "", fmt.Errorf("disk was written: %q", now)
	case !strings.Contains(text, strings.TrimSuffix(typed, "\n")):
		return "", fmt.Errorf("what was typed is gone: %q", text)
	}
	return text, nil
}
