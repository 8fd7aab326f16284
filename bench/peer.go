package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// peers are the programs of others that this machine has.
type peers struct {
	node    string // the program, "" where there is none
	folder  string // of the scripts that node runs
	gopls   string
	missing []string // what is left out, and why
}

// findPeers installs the peers from npm and Go's proxy. Peers that cannot be
// installed are left out and listed in missing.
func findPeers(folder, temp string, quick bool, log io.Writer) peers {
	p := peers{folder: filepath.Join(folder, "peers")}
	node, err := exec.LookPath("node")
	if err != nil {
		p.missing = append(p.missing, "node is not installed: all columns of npm's packages are left out")
	} else if err := installed(folder, log); err != nil {
		p.missing = append(p.missing, fmt.Sprintf("npm's packages could not be installed (%v): their columns are left out", err))
	} else {
		p.node = node
	}
	if quick {
		p.missing = append(p.missing, "quick mode: gopls is left out")
	} else if p.gopls, err = installGopls(temp, log); err != nil {
		p.missing = append(p.missing, fmt.Sprintf("gopls could not be installed (%v): its column is left out", err))
	}
	for _, name := range []string{"git", "patch"} {
		if _, err := exec.LookPath(name); err != nil {
			p.missing = append(p.missing, name+" is not installed: its columns are left out")
		}
	}
	return p
}

// installed has npm install exactly what the lock file says, unless it has.
func installed(folder string, log io.Writer) error {
	locked, err := os.Stat(filepath.Join(folder, "package-lock.json"))
	if err != nil {
		return err
	}
	done, err := os.Stat(filepath.Join(folder, "node_modules", ".package-lock.json"))
	if err == nil && done.ModTime().After(locked.ModTime()) {
		return nil
	}
	fmt.Fprintln(log, "npm ci: the peers of bench/package.json")
	cmd := exec.Command("npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts")
	cmd.Dir, cmd.Stderr = folder, log
	return cmd.Run()
}

const goplsModule = "golang.org/x/tools/gopls@v0.23.0"

func installGopls(temp string, log io.Writer) (string, error) {
	bin := filepath.Join(temp, "bin")
	fmt.Fprintln(log, "go install "+goplsModule)
	cmd := exec.Command("go", "install", goplsModule)
	cmd.Dir = temp // a folder outside of any module
	cmd.Env = append(os.Environ(), "GOBIN="+bin, "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %.200s", err, out)
	}
	return filepath.Join(bin, "gopls"), nil
}
