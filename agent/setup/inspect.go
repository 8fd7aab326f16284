package setup

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
)

// Status is what the configuration of an agent has of patchls.
type Status struct {
	Is      bool   // the agent has a configuration
	Program string // what is started for patchls, "" for nothing
	Path    string // where that program is
	Whole   bool   // all parts are there
}

// Inspect reads the configuration of the agent. The error says what cannot be read, or why Program cannot be started.
func (a Agent) Inspect() (Status, error) {
	home, _ := os.UserHomeDir() // without one, no file has a path
	f := Status{Whole: true}
	for _, file := range a.files {
		path, err := file.path()
		if err != nil {
			return f, err
		}
		c, err := read(path)
		if folder := filepath.Dir(path); err != nil || !c.Creates || folder != filepath.Clean(home) && isThere(folder) {
			f.Is = true
		}
		if err != nil {
			return f, err
		}
		f.Program = cmp.Or(formatOf(path).command(c.Before, file.parts), f.Program)
		r, notes, err := file.put(&c)
		if err != nil {
			return f, err
		}
		f.Whole = f.Whole && len(r.Parts)+len(notes) == 0
	}
	if f.Program == "" {
		return f, nil
	}
	var err error
	f.Path, err = exec.LookPath(f.Program)
	return f, err
}

// command returns the program that the text s starts for patchls, in the place of one of the parts.
func (f format) command(s string, parts []part) string {
	tree, err := f.decode(s)
	if err != nil {
		return ""
	}
	for _, p := range parts {
		if found, _ := lookUp(tree, append(p.keys(), "command")); len(found) > 0 && !p.inList() {
			if list, is := found[0].([]any); is && len(list) > 0 {
				found = list
			}
			if program, is := found[0].(string); is {
				return program
			}
		}
	}
	return ""
}
