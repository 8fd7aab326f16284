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

// Agents find an editor by the environment, so each editor has a process of its own for
// the user and the agents in front of it: this program, started anew as a worker.

// order is what a worker is asked to do.
type order struct {
	Kit    kit
	Editor string
	Folder string
	Case   string // the cases with this in their names; "" for all
	Out    string // where pictures go; "" for none
	Logs   string // where the logs of the wire go; "" for none
	Model  string // where the meta-model is
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

// caseRun is what became of one case.
type caseRun struct {
	Name    string
	Checks  []check
	Took    time.Duration
	Answers []time.Duration
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
	o.Kit.log = log
	s, err := newSeat(&o.Kit, o.Editor, o.Folder)
	if err != nil {
		return err
	}
	for name, value := range map[string]string{"HOME": s.home(), "XDG_RUNTIME_DIR": s.run(), "TMPDIR": s.run(), "PATCHLS_SOCKET": ""} {
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	if o.Soak.Time > 0 || o.Soak.Tries > 0 {
		return o.soak(k, s, result)
	}
	d := desk{kind: k, seat: s, log: log, out: o.Out}
	defer d.leave()
	for _, c := range slices.Concat(k.own, cases) {
		if !strings.Contains(c.name, o.Case) {
			continue
		}
		run, err := d.run(c)
		if err != nil {
			return err
		}
		result.Runs, result.Version = append(result.Runs, run), d.version
	}
	if o.Out != "" && k.plugin {
		if err := d.pictures(); err != nil {
			return fmt.Errorf("picture: %w", err)
		}
	}
	d.leave()
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

// desk is an editor that is started when it is needed, and anew after it was killed or
// did something wrong, so that one case does not spoil the next.
type desk struct {
	kind    kind
	seat    *seat
	log     io.Writer
	out     string
	editor  Editor
	version string
}

func (d *desk) run(c testCase) (caseRun, error) {
	if err := d.sit(); err != nil {
		return caseRun{}, err
	}
	began := time.Now()
	run := caseRun{Name: c.name}
	run.Checks, run.Answers = perform(c, d.kind, d.seat, d.editor)
	run.Took = time.Since(began)
	fmt.Fprintf(d.log, "%s %s: %.1f s\n", d.kind.name, c.name, run.Took.Seconds())
	if run.failed() {
		run.Screen = d.editor.Screen()
		for _, c := range run.Checks {
			if c.Why != "" {
				fmt.Fprintf(d.log, "%s %s: %s\n", d.kind.name, key(c.What), c.Why)
			}
		}
	}
	if run.failed() || c.name == "killed" {
		d.leave()
	}
	return run, nil
}

func (d *desk) sit() (err error) {
	if d.editor != nil {
		return nil
	}
	d.seat.starts++
	if d.editor, err = d.kind.start(d.seat); err != nil {
		d.editor = nil
		return fmt.Errorf("start: %w", err)
	}
	d.version = d.editor.Version()
	return nil
}

func (d *desk) leave() {
	if d.editor != nil {
		if err := d.editor.Close(); err != nil {
			fmt.Fprintf(d.log, "%s: close: %v\n", d.kind.name, err)
		}
		d.editor = nil
	}
}
