// Command bench measures patchls against its peers, in turn and in one run, and
// writes docs/performance.md, and docs/performance/figures.md. It is what make bench runs.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

type namedRow struct {
	name    string
	measure func(*env) (row, error)
}

// rows are what is measured, in the order of the pages.
var rows = []namedRow{
	{"edit", mcpRow},
	{"socket", socketRow},
	{"run", runRow},
	{"typing", typingRow},
	{"find", findRow},
	{"editors", editorsRow},
	{"place", placeRow},
	{"patch", applyRow},
	{"wide", wideRow},
	{"disk", diskRow},
	{"start", startRow},
	{"memory", memoryRow},
	{"answers", answersRow},
}

func main() {
	if err := run(os.Args[1:], os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(args []string, log io.Writer) error {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	quick := flags.Bool("quick", false, "each row once or twice at its smallest size, to see that it runs: under 2 minutes")
	only := flags.String("only", "", "measure the rows whose names match this, and write nothing but -out")
	out := flags.String("out", "", "the folder of the pages, docs if all rows are measured in full")
	if err := flags.Parse(args); err != nil {
		return err
	}
	match, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(rows, func(r namedRow) bool { return match.MatchString(r.name) }) {
		return fmt.Errorf("no row matches %q; there are %s", *only, rowNames())
	}
	if *out == "" && *only == "" && !*quick {
		*out = "docs"
	}
	temp, err := os.MkdirTemp("", "patchls-bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(temp) }()
	e, err := prepare(temp, *quick, log)
	if err != nil {
		return err
	}
	p := page{Machine: machineNow(e), Missing: e.peers.missing}
	for _, r := range rows {
		if !match.MatchString(r.name) {
			continue
		}
		began := time.Now()
		e.say("%s ...", r.name)
		measured, err := r.measure(e)
		if err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
		e.say("%s: %.0f s", r.name, time.Since(began).Seconds())
		p.Rows = append(p.Rows, measured)
	}
	if p.Machine.Load != "" {
		p.Machine.Load += " when it began, " + loadAverage() + " when it ended"
	}
	if *out == "" {
		_, err := os.Stdout.WriteString(p.short() + p.figures())
		return err
	}
	return p.write(*out)
}

func rowNames() string {
	var names []string
	for _, r := range rows {
		names = append(names, r.name)
	}
	return strings.Join(names, ", ")
}

// prepare builds patchls, finds its peers, and reads the texts.
func prepare(temp string, quick bool, log io.Writer) (*env, error) {
	e := &env{quick: quick, temp: temp, patchls: filepath.Join(temp, "patchls"), log: log}
	e.say("go build ./cmd/patchls")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", e.patchls, "./cmd/patchls")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as a release is built
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	e.peers = findPeers("bench", temp, quick, log)
	for _, m := range e.peers.missing {
		e.say("%s", m)
	}
	var err error
	size := 101 * megabyte
	if quick {
		size = 2 * megabyte
	}
	e.source, err = goSource(size)
	return e, err
}
