package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

func main() {
	n := flag.Int("n", 20, "how many faults to try")
	seed := flag.Uint64("seed", uint64(time.Now().Unix()), "where the faults are drawn from")
	flag.Parse()
	if err := run(context.Background(), os.Stdout, *n, *seed, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

// run tries n faults in the packages below folders, and writes to out what came of each.
func run(ctx context.Context, out io.Writer, n int, seed uint64, folders []string) error {
	all, err := listed(ctx)
	if err != nil {
		return err
	}
	pkgs := product(all, folders)
	if len(pkgs) == 0 {
		return fmt.Errorf("no package of the product is in %q: name folders such as lsp/apply", folders)
	}
	drawn, err := draw(pkgs, rand.New(rand.NewPCG(seed, 0)))
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	fmt.Fprintf(out, "seed %d\n", seed)
	found := map[string]int{}
	for _, m := range drawn {
		overlay, err := m.overlay(dir)
		if err != nil {
			return err
		}
		if !builds(ctx, overlay, m.pkg) {
			continue // no fault that one can make
		}
		where, by := judged(ctx, all, m, overlay)
		found[where]++
		fmt.Fprintf(out, "%-8s %s  %s\n", where, m, by)
		if n--; n == 0 {
			break
		}
	}
	fmt.Fprintf(out, "%d found by the package's own tests, %d by others, %d not\n", found[near], found[far], found[nowhere])
	if found[nowhere] > 0 {
		return fmt.Errorf("no test finds %d faults", found[nowhere])
	}
	return nil
}

// Where a fault was found.
const (
	near    = "near"
	far     = "far"
	nowhere = "NOT"
)

// judged returns where a fault is found, and by which test.
func judged(ctx context.Context, all []*pkg, m mutant, overlay string) (where, by string) {
	if m.pkg.hasTests() {
		if by := fails(ctx, overlay, m.pkg, time.Minute); by != "" {
			return near, by
		}
	}
	for _, q := range users(all, m.pkg) {
		if by := fails(ctx, overlay, q, 10*time.Minute); by != "" {
			return far, q.name() + " " + by
		}
	}
	return nowhere, ""
}

// overlay writes the file with the fault, and what tells the go command to use it.
func (m mutant) overlay(dir string) (string, error) {
	src, err := m.source()
	if err != nil {
		return "", err
	}
	abs, err := filepath.Abs(m.file)
	if err != nil {
		return "", err
	}
	changed, overlay := filepath.Join(dir, "mutant.go"), filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(changed, src, 0o600); err != nil {
		return "", err
	}
	raw, err := json.Marshal(map[string]any{"Replace": map[string]string{abs: changed}})
	if err != nil {
		return "", err
	}
	return overlay, os.WriteFile(overlay, raw, 0o600)
}

func builds(ctx context.Context, overlay string, p *pkg) bool {
	return exec.CommandContext(ctx, "go", "build", "-overlay", overlay, "-o", os.DevNull, p.ImportPath).Run() == nil
}

var failed = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)

// fails runs the tests of a package. It returns the name of the last test that fails, which is the innermost one, or
// what happened otherwise; "" if all pass.
func fails(ctx context.Context, overlay string, p *pkg, most time.Duration) string {
	ctx, cancel := context.WithTimeout(ctx, most+time.Minute) // compiling takes time, too
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "test", "-overlay", overlay, "-vet=off", "-failfast", "-count=1", "-timeout", most.String(), p.ImportPath)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if cmd.Run() == nil {
		return ""
	}
	if all := failed.FindAllStringSubmatch(out.String(), -1); len(all) > 0 {
		return all[len(all)-1][1]
	}
	for _, what := range []string{"test timed out", "panic: ", "fatal error: "} {
		if i := strings.Index(out.String(), what); i >= 0 {
			line, _, _ := strings.Cut(out.String()[i:], "\n")
			return line
		}
	}
	return "ends with an error"
}
