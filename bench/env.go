package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// env is what the rows measure with.
type env struct {
	quick   bool
	patchls string // the program, built from this tree
	temp    string
	peers   peers
	source  corpus
	log     io.Writer
}

// rounds returns how often something is measured: full times, or quick times in a
// quick run.
func (e *env) rounds(full, quick int) int {
	if e.quick {
		return quick
	}
	return full
}

// sizes returns the sizes at which to measure: all, or in a quick run the first.
func (e *env) sizes(all ...int) []int {
	if e.quick {
		return all[:1]
	}
	return all
}

// write lays a file out for the peers and returns its name.
func (e *env) write(name, content string) (string, error) {
	name = filepath.Join(e.temp, name)
	return name, os.WriteFile(name, []byte(content), 0o600)
}

func (e *env) say(format string, args ...any) { fmt.Fprintf(e.log, format+"\n", args...) }
