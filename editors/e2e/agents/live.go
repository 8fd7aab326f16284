//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// sceneOf returns a program by its name, and a scene in which it edits a file that exists already.
func sceneOf(cache, name, file string) (*scene, program, error) {
	all := append(slices.Clone(programs), adapter)
	i := slices.IndexFunc(all, func(p program) bool { return p.name == name })
	if i < 0 {
		return nil, program{}, fmt.Errorf("no program is called %q", name)
	}
	folder, err := os.MkdirTemp("", "agents-")
	if err != nil {
		return nil, program{}, err
	}
	file, err = filepath.Abs(file)
	return &scene{folder: folder, menu: file, bin: filepath.Join(cache, "bin")}, all[i], err
}

// write makes a program that does not know patchls write the text on stdin into a file.
func write(ctx context.Context, cache, name, file string) error {
	s, p, err := sceneOf(cache, name, file)
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(s.folder) }()
	before, err := os.ReadFile(s.menu)
	if err != nil {
		return err
	}
	after, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	m, err := s.perform(ctx, p, act{files: p.free, script: p.writes, before: string(before), after: string(after), own: true})
	if err != nil {
		return err
	}
	return errors.Join(append(m.unanswered(), s.holds(string(after)))...)
}

// editLive makes a program edit a file that a live editor has open. The program finds the editor by this process's HOME.
// lines are a line of the file, its new text, an unsaved line, and its new text. The program uses its own tools, or those
// of patchls if patchls setup turns its own off.
func editLive(ctx context.Context, cache, name, file, by string, lines []string) error {
	if len(lines) != 4 {
		return fmt.Errorf("two lines and what they become are needed: %q", lines)
	}
	s, p, err := sceneOf(cache, name, file)
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(s.folder) }()
	s.user = os.Getenv("HOME")
	a := act{
		files: p.free, script: p.edits, own: true, run: by != "setup", acp: p.name == adapter.name, hook: by == "setup",
		before: lines[0] + "\n" + lines[2], after: lines[1] + "\n" + lines[3],
	}
	if by == "setup" && !p.hooks {
		a = act{script: []step{
			{"view", map[string]any{"path": s.menu}},
			{"str_replace", map[string]any{"path": s.menu, "old_str": lines[0], "new_str": lines[1]}},
			{"str_replace", map[string]any{"path": s.menu, "old_str": lines[2], "new_str": lines[3]}},
		}}
	}
	m, err := s.perform(ctx, p, a)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	all := m.unanswered()
	for i, st := range m.script {
		shows := i == 0 && isReader(st.tool) || by != "setup" && st.isCat()
		if got := m.answers[i]; shows && !strings.Contains(got.Text, lines[2]) {
			all = append(all, fmt.Errorf("call %d, of %s, does not show %q: %q", i+1, st.tool, lines[2], got.Text))
		} else if by != "setup" && got.Failed {
			all = append(all, fmt.Errorf("call %d, of %s, failed: %q", i+1, st.tool, got.Text))
		}
	}
	if len(all) > 0 {
		all = append(all, fmt.Errorf("the program's tools answered %v", m.answers))
	}
	return errors.Join(all...)
}
