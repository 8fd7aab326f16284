package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const module = "github.com/patchls/patchls/"

// pkg is a package of the product, as the go command describes it.
type pkg struct {
	ImportPath, Dir                    string
	GoFiles, TestGoFiles, XTestGoFiles []string
	Deps, TestImports, XTestImports    []string
}

func (p *pkg) name() string { return strings.TrimPrefix(p.ImportPath, module) }

// files returns the files of the product's code, relative to the working directory.
func (p *pkg) files() (all []string) {
	for _, f := range p.GoFiles {
		all = append(all, filepath.Join(p.name(), f))
	}
	return all
}

func (p *pkg) hasTests() bool { return len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 }

// notProduct are the folders whose code is not run by users.
var notProduct = []string{"bench", "editors/e2e", "internal/testkit"}

// listed returns all packages of the module.
func listed(ctx context.Context) ([]*pkg, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-json=ImportPath,Dir,GoFiles,TestGoFiles,XTestGoFiles,Deps,TestImports,XTestImports", "./...")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	var all []*pkg
	for d := json.NewDecoder(out); ; {
		p := &pkg{}
		if err := d.Decode(p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		all = append(all, p)
	}
	return all, cmd.Wait()
}

// product returns the packages below the folders, or all of the product.
func product(all []*pkg, folders []string) []*pkg {
	return slices.DeleteFunc(slices.Clone(all), func(p *pkg) bool {
		return below(p.name(), notProduct) || len(folders) > 0 && !below(p.name(), folders)
	})
}

func below(name string, folders []string) bool {
	return slices.ContainsFunc(folders, func(f string) bool { return name == f || strings.HasPrefix(name, f+"/") })
}

// users returns the other packages whose tests run the code of p. Those that need the fewest packages come first: what
// they find, they find soon.
func users(all []*pkg, p *pkg) (them []*pkg) {
	byPath := map[string]*pkg{}
	for _, q := range all {
		byPath[q.ImportPath] = q
	}
	for _, q := range all {
		uses := slices.Contains(q.Deps, p.ImportPath)
		for _, i := range slices.Concat(q.TestImports, q.XTestImports) {
			uses = uses || i == p.ImportPath || byPath[i] != nil && slices.Contains(byPath[i].Deps, p.ImportPath)
		}
		if uses && q != p && q.hasTests() && !below(q.name(), []string{"bench", "editors/e2e"}) {
			them = append(them, q)
		}
	}
	slices.SortStableFunc(them, func(a, b *pkg) int { return len(a.Deps) - len(b.Deps) })
	return them
}
