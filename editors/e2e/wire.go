//go:build unix

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/patchls/patchls/internal/testkit/metamodel"
)

// wireReport is what was found in the logs of a run.
type wireReport struct {
	Messages int            // of the server
	Methods  map[string]int // that it sent, and how often
	Faults   map[string]int // against the meta-model
	Left     string         // why nothing was checked; "" if it was
}

func newWireReport() wireReport {
	return wireReport{Methods: map[string]int{}, Faults: map[string]int{}}
}

// add records what another editor's server sent.
func (r *wireReport) add(other wireReport) {
	r.Messages += other.Messages
	for method, n := range other.Methods {
		r.Methods[method] += n
	}
	for fault, n := range other.Faults {
		r.Faults[fault] += n
	}
	r.Left = other.Left
}

func (r *wireReport) faults() []string { return slices.Sorted(maps.Keys(r.Faults)) }

// checkWire holds all that the servers sent against the meta-model; each log is a
// connection. A nil model counts alone.
func checkWire(folder string, model *metamodel.Model) (wireReport, error) {
	report := newWireReport()
	logs, err := filepath.Glob(filepath.Join(folder, "*.jsonl"))
	if err != nil {
		return report, err
	}
	for _, name := range logs {
		if err := report.read(name, model); err != nil {
			return report, fmt.Errorf("%s: %w", name, err)
		}
	}
	return report, nil
}

func (r *wireReport) read(name string, model *metamodel.Model) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	var checker *metamodel.Checker
	if model != nil {
		checker = model.NewChecker()
	}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 256<<20)
	for lines.Scan() {
		var e entry
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			continue // the last line of an editor that was killed
		}
		if e.From == fromServer {
			r.count(e.Body)
		}
		switch {
		case checker == nil:
		case e.From == fromClient:
			checker.Received([]byte(e.Body))
		default:
			for _, fault := range checker.Sent([]byte(e.Body)) {
				r.Faults[fault]++
			}
		}
	}
	return lines.Err()
}

func (r *wireReport) count(body string) {
	r.Messages++
	var m struct{ Method string }
	if json.Unmarshal([]byte(body), &m) == nil && m.Method != "" {
		r.Methods[m.Method]++
	}
}
