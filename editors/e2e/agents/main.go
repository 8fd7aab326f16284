//go:build linux

// Command agents has real agent programs from npm edit in a live editor with unsaved text, each with a stand-in for
// its model, and checks what the model is offered and told, the buffer and the disk against the
// promises of patchls. make agents runs it. It can reach no network but the loopback.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "agents:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	only := flag.String("only", "", "run these programs alone, with commas between")
	logs := flag.String("logs", "", "keep what programs ask their models, in this folder")
	file := flag.String("file", "", "have a program that is installed make of this file the text on stdin, with its own tools, and do nothing else")
	by := flag.String("by", "", "with -file, have the program edit beside an editor that has the file open, by patchls run, acp or setup: of the lines that follow as arguments it replaces the first by the second and the third, which is not saved, by the fourth")
	alone := flag.Bool("alone", false, "the network is the loopback already")
	flag.Parse()
	cache, err := cacheFolder()
	if err != nil {
		return err
	}
	if *alone {
		if err := raiseLoopback(); err != nil {
			return err
		}
		switch {
		case *by != "":
			return editLive(ctx, cache, *only, *file, *by, flag.Args())
		case *file != "":
			return write(ctx, cache, *only, *file)
		}
		return perform(ctx, cache, *only, *logs)
	}
	if *file == "" {
		if err := install(ctx, cache); err != nil {
			return err
		}
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, self, append([]string{"-alone"}, os.Args[1:]...)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET}
	return cmd.Run()
}

// cacheFolder is where the programs are, beside the editors of editors/e2e.
func cacheFolder() (string, error) {
	cache := os.Getenv("PATCHLS_E2E_CACHE")
	if cache == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", err
		}
		cache = filepath.Join(user, "patchls-e2e")
	}
	return filepath.Join(cache, "agents"), nil
}

// install builds patchls and installs the programs, all into cache/bin. A program that npm cannot
// install is left out, and the reason is printed.
func install(ctx context.Context, cache string) error {
	bin := filepath.Join(cache, "bin")
	if err := os.MkdirAll(bin, 0o700); err != nil {
		return err
	}
	build := exec.CommandContext(ctx, "go", "build", "-o", filepath.Join(bin, "patchls"), "./cmd/patchls")
	build.Env, build.Stderr = append(os.Environ(), "CGO_ENABLED=0"), os.Stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("go build: %w", err)
	}
	for _, p := range append(slices.Clone(programs), adapter) {
		folder := filepath.Join(cache, p.name+"-"+p.version)
		program := filepath.Join(folder, "node_modules", ".bin", p.name)
		if _, err := os.Stat(filepath.Join(folder, "done")); err != nil {
			npm := exec.CommandContext(ctx, ".ci/npm", "install", "--prefix", folder, "--no-audit", "--no-fund", p.pkg+"@"+p.version)
			out, err := npm.CombinedOutput()
			if err != nil {
				fmt.Fprintf(os.Stdout, "%-10s %-10s left out: npm install %s: %v\n%s", p.name, p.version, p.pkg, err, out)
				continue
			}
			if err := os.WriteFile(filepath.Join(folder, "done"), nil, 0o600); err != nil {
				return err
			}
		}
		link := filepath.Join(bin, p.name)
		_ = os.Remove(link)
		if err := os.Symlink(program, link); err != nil {
			return err
		}
	}
	return nil
}

// perform runs the programs, one after the other, and prints a row for each.
func perform(ctx context.Context, cache, only, logs string) error {
	var failed []error
	for _, p := range append(slices.Clone(programs), adapter) {
		_, err := os.Stat(filepath.Join(cache, "bin", p.name))
		if err != nil || only != "" && !slices.Contains(strings.Split(only, ","), p.name) {
			continue
		}
		began := time.Now()
		acts := []act{
			{script: script},
			{files: p.free, script: p.writes, before: onDisk, after: written, own: true},
			{files: p.free, script: inPlace(p.writes), before: onDisk + unsaved, after: written + unsaved, own: true, run: true},
		}
		if p.name == adapter.name {
			acts = []act{{script: script, acp: true}, {script: inPlace(p.writes), before: onDisk + unsaved, after: written + unsaved, own: true, run: true, acp: true}}
		}
		if p.hooks {
			acts = append(acts, act{script: slices.Concat(p.edits, p.made, p.whole), before: onDisk + unsaved, after: hooked, own: true, hook: true, acp: p.name == adapter.name})
		}
		err = nil
		for _, a := range acts {
			err = errors.Join(err, one(ctx, p, a, cache, logs))
		}
		said := "ok"
		if err != nil {
			said = "FAILED"
			failed = append(failed, fmt.Errorf("%s: %w", p.name, err))
		}
		fmt.Fprintf(os.Stdout, "%-10s %-10s %4.0f s  %s\n", p.name, p.version, time.Since(began).Seconds(), said)
	}
	return errors.Join(failed...)
}

func one(ctx context.Context, p program, a act, cache, logs string) error {
	folder, err := os.MkdirTemp("", "agents-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	s := &scene{folder: folder, menu: filepath.Join(folder, "menu", "menu.txt"), bin: filepath.Join(cache, "bin")}
	if logs != "" {
		s.logs = filepath.Join(logs, p.name)
		switch {
		case a.run:
			s.logs += "-run"
		case a.hook:
			s.logs += "-hook"
		case a.own:
			s.logs += "-own"
		}
		if err := os.MkdirAll(s.logs, 0o700); err != nil {
			return err
		}
	}
	if err := s.setUp(ctx); err != nil {
		return err
	}
	defer s.close()
	if a.hook {
		if _, err := s.editor.Execute(ctx, "patchls.create", map[string]any{"path": s.made(), "content": "soup\n"}); err != nil {
			return err
		}
	}
	m, err := s.perform(ctx, p, a)
	if err != nil {
		return err
	}
	switch {
	case a.run:
		return s.judgeRun(m, written+unsaved)
	case a.hook:
		return s.judgeHook(m, len(p.whole))
	case a.own:
		return s.judgeOwn(m)
	}
	return s.judge(m, p)
}
