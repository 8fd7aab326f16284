package main

import (
	"bytes"
	"context"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/internal/testkit/liveeditor"
)

// startEditor is the script command "editor FOLDER": until the script ends, an editor
// without a screen has the folder open and lets agents in, by the script's own
// HOME.
func startEditor(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: editor folder")
	}
	before := countFiles(ts)
	cmd := exec.Command("patchls", "serve") // which testscript.Main has put into this process's PATH as well
	for _, name := range []string{"PATH", "HOME", "LOCALAPPDATA", "XDG_RUNTIME_DIR", "TMPDIR"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	var logs bytes.Buffer
	cmd.Stderr = &logs
	in, err := cmd.StdinPipe()
	ts.Check(err)
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	e, err := headless.Start(context.Background(), process{out, in}, headless.Options{Roots: []string{ts.MkAbs(args[0])}})
	ts.Check(err)
	ts.Defer(func() {
		_ = e.Close() // the process says how it went
		if err := cmd.Wait(); err != nil {
			ts.Logf("the editor's server ended with %v: %s", err, logs.String())
		}
	})
	// It says hello once its socket listens.
	late := time.After(time.Minute)
	for {
		if countFiles(ts) > before {
			return
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-late:
			ts.Fatalf("the editor lets no agents in")
		}
	}
}

// countFiles returns how many discovery files there are.
func countFiles(ts *testscript.TestScript) int {
	found, _ := filepath.Glob(filepath.Join(liveeditor.DiscoveryIn(ts.Getenv("HOME")), "*.json")) // the pattern is right
	return len(found)
}
