//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/patchls/patchls/internal/testkit/metamodel"
)

// Agents find an editor by the environment, so the user and the agents of each editor run
// in a process of their own: this program, started again as a worker.

// order is what a worker is asked to do.
type order struct {
	Kit    kit
	Editor string
	Folder string
	Case   string // the cases with this in their names; "" for all
	Agents string // the agent programs that write files, with commas between; "" for the cases
	Out    string // where pictures go; "" for none
	Logs   string // where the logs of the wire go; "" for none
	Model  string // where the meta-model is
	Rounds int    // of the cases of other programs that write files
	Soak   soakWork
}

// outcome is what a worker answers.
type outcome struct {
	Editor  string
	Version string
	Left    string // why it was left out
	Failed  string // what kept it from running at all
	Runs    []caseRun
	Wire    wireReport
	Took    time.Duration
	Soak    soakReport
}

// caseRun is the outcome of one case.
type caseRun struct {
	Name    string
	Checks  []check
	Took    time.Duration
	Answers []time.Duration
	Reloads []time.Duration
	Rounds  int    // that went well, of a case that is done more than once
	Screen  string // of a case that failed
}

func (r caseRun) failed() bool {
	for _, c := range r.Checks {
		if c.Why != "" {
			return true
		}
	}
	return false
}

// work runs a worker: an order comes on in, an outcome goes to out.
func work(in io.Reader, out, log io.Writer) error {
	var o order
	if err := json.NewDecoder(in).Decode(&o); err != nil {
		return err
	}
	began := time.Now()
	result := outcome{Editor: o.Editor, Wire: newWireReport()}
	if err := o.run(&result, log); err != nil {
		result.Failed = err.Error()
	}
	result.Took = time.Since(began)
	return json.NewEncoder(out).Encode(result)
}

func (o *order) run(result *outcome, log io.Writer) error {
	k, err := kindNamed(o.Editor)
	if err != nil {
		return err
	}
	cases, err := allCases()
	if err != nil {
		return err
	}
	if cases = slices.Concat(k.own, cases); o.Agents != "" {
		cases = absorbAgents(o.Agents)
		if o.Editor == "neovim" {
			cases = append(cases, liveAgents(o.Agents)...)
		}
	}
	o.Kit.log = log
	s, err := newSeat(&o.Kit, o.Editor, o.Folder)
	if err != nil {
		return err
	}
	s.rounds = o.Rounds
	for name, value := range map[string]string{"HOME": s.home(), "XDG_RUNTIME_DIR": s.run(), "TMPDIR": s.run(), "PATCHLS_SOCKET": ""} {
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	if o.Soak.Time > 0 || o.Soak.Tries > 0 {
		return o.soak(k, s, result)
	}
	r := runner{kind: k, seat: s, log: log, out: o.Out}
	defer r.stop()
	for _, c := range cases {
		if !strings.Contains(c.name, o.Case) {
			continue
		}
		run, err := r.run(c)
		if err != nil {
			return err
		}
		result.Runs, result.Version = append(result.Runs, run), r.version
	}
	if o.Out != "" && k.plugin {
		if err := r.pictures(o.Case); err != nil {
			return fmt.Errorf("picture: %w", err)
		}
	}
	r.stop()
	return o.check(s, result)
}

// check holds the logs against the meta-model, and keeps them.
func (o *order) check(s *seat, result *outcome) error {
	model, err := metamodel.Load(o.Model)
	if err != nil && !errors.Is(err, metamodel.ErrAbsent) {
		return err
	}
	left := ""
	if err != nil {
		left = err.Error()
	}
	if result.Wire, err = checkWire(s.wire(), model); err != nil {
		return err
	}
	if result.Wire.Left = left; o.Logs == "" {
		return nil
	}
	keep := filepath.Join(o.Logs, o.Editor)
	if err := os.RemoveAll(keep); err != nil {
		return err
	}
	return os.CopyFS(keep, os.DirFS(s.wire()))
}

// runner runs cases in one editor. It starts the editor when it is needed, and anew after it was
// killed or did something wrong, so that one case does not spoil the next.
type runner struct {
	kind    kind
	seat    *seat
	log     io.Writer
	out     string
	editor  Editor
	version string
}

func (r *runner) run(c testCase) (caseRun, error) {
	if err := r.start(); err != nil {
		return caseRun{}, err
	}
	began := time.Now()
	t := perform(c, r.kind, r.seat, r.editor)
	run := caseRun{Name: c.name, Checks: t.checked, Answers: t.agent.took, Reloads: t.reloads, Rounds: t.rounds, Took: time.Since(began)}
	fmt.Fprintf(r.log, "%s %s: %.1f s\n", r.kind.name, c.name, run.Took.Seconds())
	if run.failed() {
		run.Screen = r.editor.Screen()
		for _, c := range run.Checks {
			if c.Why != "" {
				fmt.Fprintf(r.log, "%s %s: %s\n", r.kind.name, key(c.What), c.Why)
			}
		}
	}
	if run.failed() || c.name == "killed" {
		r.stop()
	}
	return run, nil
}

func (r *runner) start() (err error) {
	if r.editor != nil {
		return nil
	}
	r.seat.starts++
	if r.editor, err = r.kind.start(r.seat); err != nil {
		r.editor = nil
		return fmt.Errorf("start: %w", err)
	}
	r.version = r.editor.Version()
	return nil
}

func (r *runner) stop() {
	if r.editor != nil {
		if err := r.editor.Close(); err != nil {
			fmt.Fprintf(r.log, "%s: close: %v\n", r.kind.name, err)
		}
		r.editor = nil
	}
}
