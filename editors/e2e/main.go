//go:build unix

// Command e2e is the proof in real editors: it installs them, makes a user type and
// agents edit in them, and checks the results against the promises. make e2e runs
// it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

func main() {
	if filepath.Base(os.Args[0]) == "patchls" {
		os.Exit(tee(os.Args[1:]))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		os.Exit(1)
	}
}

// options are what the flags say.
type options struct {
	only, name, agents, out, logs string
	guide, packages               string
	plugins, verbose              bool

	soak  time.Duration
	tries int
	seed  uint64

	rounds int
}

// isSoak reports whether users work at random, instead of the cases.
func (o *options) isSoak() bool { return o.soak > 0 || o.tries > 0 }

func run(ctx context.Context, arguments []string, out, log io.Writer) error {
	var o options
	flags := flag.NewFlagSet("e2e", flag.ContinueOnError)
	flags.StringVar(&o.only, "only", "", "run these editors alone, with commas between: "+kindNames())
	flags.StringVar(&o.name, "case", "", "run the cases alone that have this in their names")
	flags.StringVar(&o.agents, "agents", "", "have these agent programs write files instead, with commas between: those that make agents has installed")
	flags.StringVar(&o.out, "out", "", "have pictures made, in this folder: those with -case in picture/NAME")
	flags.StringVar(&o.logs, "logs", "", "keep what editors and servers said to each other, in this folder")
	flags.StringVar(&o.guide, "guide", "", "run the commands of this page in a clean home instead")
	flags.StringVar(&o.packages, "packages", "", "with -guide, have them install what is in this folder, for each way of the page or that of -case")
	flags.BoolVar(&o.plugins, "plugins", false, "run the plugins' own tests in their editors instead")
	flags.DurationVar(&o.soak, "soak", 0, "have a user and agents work at random for so long instead, in "+strings.Join(soaked, ", "))
	flags.IntVar(&o.tries, "tries", 0, "try each scenario of a user's act and an agent's edit so many times, and no cases")
	flags.Uint64Var(&o.seed, "seed", rand.Uint64(), "what the random choices of -soak and -tries begin with") //nolint:gosec // it is printed, and no secret
	flags.IntVar(&o.rounds, "rounds", 2, "do the cases of other programs that write files, and edit-or-reload, so many times")
	flags.BoolVar(&o.verbose, "v", false, "say what is done")
	worker := flags.Bool("worker", false, "be one editor's part of a run, which is told on stdin")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	if *worker {
		return work(os.Stdin, out, log)
	}
	for _, folder := range []*string{&o.out, &o.logs, &o.packages} {
		if *folder != "" {
			var err error
			if *folder, err = filepath.Abs(*folder); err != nil {
				return err
			}
		}
	}
	if !o.verbose {
		log = io.Discard
	}
	return o.prove(ctx, out, log)
}

// prove runs all editors that were asked for and prints the table.
func (o *options) prove(ctx context.Context, out, log io.Writer) error {
	began := time.Now()
	phase := func(name string) {
		fmt.Fprintf(out, "%-8s %4.0f s\n", name, time.Since(began).Seconds())
		began = time.Now()
	}
	wanted, err := o.kinds()
	if err != nil {
		return err
	}
	faults, err := readFaults(faultLines)
	if err != nil {
		return err
	}
	k, err := findKit(ctx, log)
	if err != nil {
		return err
	}
	if err := k.build(ctx, o.agents != ""); err != nil {
		return err
	}
	phase("build")
	if o.agents != "" {
		if o.agents = k.installed(o.agents, out); o.agents == "" {
			return nil
		}
	}
	if o.plugins {
		return k.testPlugins(ctx, out)
	}
	if err := k.need(ctx, []string{"tmux"}, []string{"tmux"}); err != nil {
		return err
	}
	left := map[string]string{}
	for _, w := range wanted {
		err := w.install(ctx, k)
		if why, is := isLeftOut(err); is {
			left[w.name] = why
		} else if err != nil {
			return fmt.Errorf("install %s: %w", w.name, err)
		}
	}
	phase("install")
	var news []string
	if o.guide != "" {
		news, err = o.follow(ctx, k, left, out)
	} else {
		outcomes := o.workers(ctx, k, wanted, left, log)
		phase("run")
		if o.isSoak() {
			news = printSoak(out, outcomes, o.seed)
		} else {
			news = printTable(out, outcomes, faults)
			if o.out == "" && !slices.ContainsFunc(outcomes, func(o outcome) bool { return len(o.Runs) > 0 || o.Left != "" || o.Failed != "" }) {
				err = fmt.Errorf("no case has %q in its name", o.name)
			}
		}
		o.screens(out, outcomes)
	}
	if err == nil && len(news) > 0 {
		err = fmt.Errorf("%d new:\n%s", len(news), strings.Join(news, "\n"))
	}
	return err
}

// kinds are the editors that were asked for.
func (o *options) kinds() ([]kind, error) {
	only := o.only
	switch {
	case only == "" && o.guide != "":
		only = "neovim,vscode"
	case only == "" && o.isSoak():
		only = strings.Join(soaked, ",")
	case only == "" && o.agents != "":
		only = "neovim,vscode"
	case only == "":
		return kinds, nil
	}
	var wanted []kind
	for name := range strings.SplitSeq(only, ",") {
		k, err := kindNamed(name)
		if err != nil {
			return nil, err
		}
		wanted = append(wanted, k)
	}
	return wanted, nil
}

// screens prints what was on the screen when a case failed.
func (o *options) screens(out io.Writer, outcomes []outcome) {
	if !o.verbose {
		return
	}
	for _, e := range outcomes {
		for _, r := range e.Runs {
			if r.Screen != "" {
				fmt.Fprintf(out, "\n--- %s, after %s\n%s\n", e.Editor, r.Name, r.Screen)
			}
		}
	}
}
