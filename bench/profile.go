package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime/pprof"
	"strings"
	"time"
)

// profiled is how long work is repeated under the profiler.
const profiled = 2 * time.Second

// explain adds a profile to a row that misses a goal.
func (r *row) explain(e *env) error {
	missed := false
	for _, g := range r.Goals {
		missed = missed || !g.met()
	}
	if !missed || r.work == nil || e.quick {
		return nil
	}
	name := filepath.Join(e.temp, "cpu.prof")
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return err
	}
	for began := time.Now(); err == nil && time.Since(began) < profiled; {
		err = r.work()
	}
	pprof.StopCPUProfile()
	if err := f.Close(); err != nil {
		return err
	}
	if err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	out, err := exec.Command("go", "tool", "pprof", "-top", "-nodecount=12", program, name).Output()
	if err != nil {
		return err
	}
	if _, rows, ok := strings.Cut(string(out), "      flat"); ok { // below the header, which names the machine's files
		r.Profile = strings.TrimRight("      flat"+rows, "\n")
	}
	return nil
}
