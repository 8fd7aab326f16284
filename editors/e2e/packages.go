//go:build unix

package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// released are the ways for a user to get what make packages wrote, each on a machine that has
// only the programs in has.
var released = []way{
	{name: "neovim", editor: "neovim", has: []string{"curl", "git"}},
	{name: "vscode", editor: "vscode", has: []string{"curl", "node", "npm", "npx"}},
	{name: "npm", editor: "neovim", has: []string{"git", "node", "npm", "npx"}},
	{name: "deb", editor: "neovim", has: []string{"curl", "git", "dpkg", "sudo"}},
	{name: "go", editor: "neovim", has: []string{"git", "go"}},
	{name: "pack", editor: "neovim", has: []string{"curl", "git"}},
}

// example is the file that README.md has the newcomer make in the editor, and docs/install.md by a command.
const example = "~/menu/menu.txt"

// store stands for the places on the network from which users get packages.
type store struct {
	server  *httptest.Server
	version string
	dist    string
	repos   string // git repositories, and a module proxy
}

func openStore(ctx context.Context, k *kit, dist, folder string) (*store, error) {
	packs, err := filepath.Glob(filepath.Join(dist, "npm", "patchls-[0-9]*.tgz"))
	if err != nil || len(packs) != 1 {
		return nil, fmt.Errorf("%s has %d versions of patchls for npm, want one; make packages writes it", dist, len(packs))
	}
	version := strings.TrimPrefix(strings.TrimSuffix(filepath.Base(packs[0]), ".tgz"), "patchls-")
	s := &store{version: version, dist: dist, repos: folder}
	mux := http.NewServeMux()
	mux.Handle("/patchls/patchls/releases/latest/download/", http.StripPrefix("/patchls/patchls/releases/latest/download/", http.FileServer(http.Dir(dist))))
	mux.Handle("/-/", http.StripPrefix("/-/", http.FileServer(http.Dir(filepath.Join(dist, "npm")))))
	mux.HandleFunc("/", s.packument)
	if err := errors.Join(s.plugin(ctx), s.module(ctx, k.Repo)); err != nil {
		return nil, err
	}
	s.server = httptest.NewTLSServer(mux)
	return s, nil
}

// packument answers as the registry of npm does.
func (s *store) packument(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	file := strings.ReplaceAll(strings.TrimPrefix(name, "@"), "/", "-") + "-" + s.version + ".tgz"
	raw, err := os.ReadFile(filepath.Join(s.dist, "npm", filepath.Base(file)))
	if err != nil {
		http.NotFound(w, r)
		return
	}
	manifest, err := packed(raw)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	sum := sha512.Sum512(raw)
	manifest["dist"] = map[string]any{"tarball": s.server.URL + "/-/" + file, "integrity": "sha512-" + base64.StdEncoding.EncodeToString(sum[:])}
	_ = json.NewEncoder(w).Encode(map[string]any{
		"name": name, "dist-tags": map[string]string{"latest": s.version}, "versions": map[string]any{s.version: manifest},
	})
}

// packed returns the package.json of a package.
func packed(tgz []byte) (manifest map[string]any, err error) {
	unzipped, err := gzip.NewReader(bytes.NewReader(tgz))
	if err != nil {
		return nil, err
	}
	for files := tar.NewReader(unzipped); ; {
		h, err := files.Next()
		if err != nil {
			return nil, err
		}
		if h.Name == "package/package.json" {
			err := json.NewDecoder(files).Decode(&manifest)
			return manifest, err
		}
	}
}

// plugin makes the repository of the plugin for Neovim.
func (s *store) plugin(ctx context.Context) error {
	repo := filepath.Join(s.repos, "patchls", "patchls.nvim")
	if err := os.CopyFS(repo, os.DirFS(filepath.Join(s.dist, "patchls.nvim"))); err != nil {
		return err
	}
	return run1(ctx, repo, "git init -q -b main && git add -A && git -c user.name=patchls -c user.email= commit -q -m 'The plugin'")
}

// module makes a module proxy that has patchls.
func (s *store) module(ctx context.Context, repo string) error {
	const path = "github.com/patchls/patchls"
	folder, version := filepath.Join(s.repos, "proxy", path, "@v"), "v"+s.version
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	at := filepath.Join(folder, version)
	for name, text := range map[string]string{filepath.Join(folder, "list"): version + "\n", at + ".info": fmt.Sprintf("{%q: %q}", "Version", version)} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return run1(ctx, repo, fmt.Sprintf("cp go.mod '%[1]s.mod' && git archive --format=zip --prefix='%[2]s@%[3]s/' -o '%[1]s.zip' HEAD", at, path, version))
}

func run1(ctx context.Context, folder, script string) error {
	cmd := exec.CommandContext(ctx, "sh", "-c", script)
	cmd.Dir = folder
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w in %s\n%s", err, script, out)
	}
	return nil
}

// furnish gives the newcomer a machine with an editor and the programs of the way. It can reach
// the store and nothing else.
func (n *newcomer) furnish(ctx context.Context, w way, s *store) error {
	tools, root := n.tools(), filepath.Join(n.seat.folder, "root")
	if err := n.link(tools, w.has); err != nil {
		return err
	}
	for _, dir := range []string{"usr/local/bin", "var/lib/dpkg/info", "var/lib/dpkg/updates", "var/lib/dpkg/triggers"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			return err
		}
	}
	address := strings.TrimPrefix(s.server.URL, "https://")
	for name, text := range map[string]string{
		filepath.Join(root, "var", "lib", "dpkg", "status"): "",
		filepath.Join(n.home(), ".curlrc"):                  fmt.Sprintf("insecure\nnoproxy = \"*\"\nconnect-to = \"github.com:443:%s\"\n", address),
		filepath.Join(n.home(), ".gitconfig"):               fmt.Sprintf("[url \"file://%s/\"]\n\tinsteadOf = https://github.com/\n", s.repos),
		n.path(example):                                     "soup\nbread\ntea\n",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			return err
		}
	}
	modules, err := exec.CommandContext(ctx, "go", "env", "GOMODCACHE").Output()
	if err != nil {
		return err
	}
	builds, err := exec.CommandContext(ctx, "go", "env", "GOCACHE").Output()
	if err != nil {
		return err
	}
	n.variables = append(n.variables,
		"PATH="+strings.Join([]string{tools, filepath.Join(n.home(), ".local", "bin"), filepath.Join(root, "usr", "local", "bin"), filepath.Join(root, "usr", "bin"), "/usr/sbin", "/sbin"}, ":"),
		"http_proxy=http://127.0.0.1:9", "https_proxy=http://127.0.0.1:9", "no_proxy=127.0.0.1,localhost", // no server there
		"DPKG_ROOT="+root,
		"npm_config_registry="+s.server.URL+"/", "npm_config_strict_ssl=false", "npm_config_prefix="+filepath.Join(root, "usr", "local"),
		"GOPROXY=file://"+filepath.Join(s.repos, "proxy")+",file://"+filepath.Join(strings.TrimSpace(string(modules)), "cache", "download"),
		"GOSUMDB=off", "GOFLAGS=-modcacherw", "GOCACHE="+strings.TrimSpace(string(builds)))
	n.folder = n.home()
	return nil
}

// link fills a folder with this machine's programs, without those that a machine may lack unless has
// names them.
func (n *newcomer) link(folder string, has []string) error {
	lacks := []string{"wget", "go", "gofmt", "patchls"}
	for _, w := range released {
		lacks = append(lacks, w.has...)
	}
	programs, err := filepath.Glob("/usr/bin/*")
	if err != nil {
		return err
	}
	for _, p := range programs {
		if err := os.Symlink(p, filepath.Join(folder, filepath.Base(p))); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	for _, name := range lacks {
		_ = os.Remove(filepath.Join(folder, name))
	}
	for _, name := range has {
		to := filepath.Join(folder, name)
		if name == "sudo" { // the newcomer is root in a root of their own
			if err := os.WriteFile(to, []byte("#!/bin/sh\nexec \"$@\"\n"), 0o755); err != nil {
				return err
			}
			continue
		}
		from, err := exec.LookPath(name)
		if err != nil {
			return leftOutError{err.Error()}
		}
		if err := os.Symlink(from, to); err != nil {
			return err
		}
	}
	return nil
}

// installed returns an error if the program that the page has installed is faulty.
func (n *newcomer) installed(s *store) error {
	out, err := n.output("patchls version")
	if want := "patchls v" + s.version + ","; err != nil || !strings.HasPrefix(out, want) {
		return fmt.Errorf("the program that was installed says %q (%w), want %q", out, err, want)
	}
	return nil
}

// removed returns an error if something of patchls is left after the page's commands have removed it.
// A server's own state, and caches of other programs, stay; the page says so.
func (n *newcomer) removed() error {
	if out, err := n.output("command -v patchls"); err == nil {
		return fmt.Errorf("it is still there: %s", out)
	}
	kept := []string{".cache", ".npm", "menu", "state"}
	return filepath.WalkDir(n.seat.folder, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (slices.Contains(kept, d.Name()) || path == n.run() || path == n.bin() || path == n.tools()):
			return fs.SkipDir
		case strings.HasPrefix(d.Name(), "patchls") && !strings.Contains(path, "/go/pkg/"):
			return fmt.Errorf("it has left %s", path)
		}
		return nil
	})
}

func (n *newcomer) output(script string) (string, error) {
	cmd := exec.Command("sh", "-c", script) //nolint:noctx // it ends at once
	cmd.Dir, cmd.Env, cmd.Stderr = n.folder, n.variables, io.Discard
	out, err := cmd.Output()
	return strings.TrimSpace(string(out)), err
}
