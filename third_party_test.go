package patchls_test

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

//go:generate go test . -run ThirdPartyIsUpToDate -update

var (
	update = flag.Bool("update", false, "rewrite THIRD_PARTY.md")
	// Other platforms link modules that a build on this one has not fetched.
	released = flag.Bool("released", false, "look at all platforms of a release, and not at this one alone")
)

// platforms are those of a release; .goreleaser.yaml and .ci/cross have the same.
var platforms = []string{
	"darwin/amd64", "darwin/arm64", "linux/amd64", "linux/arm64", "windows/amd64", "windows/arm64",
}

// linked is a module that is a part of the program.
type linked struct {
	path, version string
	ids           []string
	texts         []string // of its licence files and notices
}

// TestThirdPartyIsUpToDate: THIRD_PARTY.md, which a release carries, has every module
// that is linked, with its licence, and each of them is one that we may pass on.
func TestThirdPartyIsUpToDate(t *testing.T) {
	const name = "THIRD_PARTY.md"
	all := *released || *update
	on := platforms
	if !all {
		on = []string{runtime.GOOS + "/" + runtime.GOARCH}
	}
	modules := linkedModules(t, on)
	if len(modules) == 0 {
		t.Fatal("no module is linked: the test is blind")
	}
	want := thirdParty(modules)
	if *update {
		if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	page := string(raw)
	if all && page != want {
		t.Errorf("%s is stale; run: make generate", name)
	}
	for _, m := range modules {
		if row := m.row(); !strings.Contains(page, row) {
			t.Errorf("%s lacks %q; run: make generate", name, row)
		}
		for _, text := range m.texts {
			if !strings.Contains(page, text) {
				t.Errorf("%s has another licence text for %s; run: make generate", name, m.path)
			}
		}
	}
}

// linkedModules returns the modules of others in cmd/patchls, by path.
func linkedModules(t *testing.T, platforms []string) []*linked {
	t.Helper()
	found := map[string]*linked{}
	for _, platform := range platforms {
		goos, goarch, _ := strings.Cut(platform, "/")
		cmd := exec.CommandContext(t.Context(), "go", "list", "-deps",
			"-f", "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Version}}\t{{.Dir}}\t{{$.Dir}}{{end}}{{end}}", "./cmd/patchls")
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+goos, "GOARCH="+goarch)
		cmd.Stderr = t.Output()
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", platform, err)
		}
		for line := range strings.Lines(string(out)) {
			f := strings.Split(strings.TrimSpace(line), "\t")
			if len(f) != 4 {
				continue
			}
			m := found[f[0]]
			if m == nil {
				m = &linked{path: f[0], version: f[1]}
				found[m.path] = m
			}
			m.read(t, f[2], f[3])
		}
	}
	for _, m := range found {
		if len(m.ids) == 0 {
			t.Errorf("%s has no licence file", m.path)
		}
	}
	return slices.SortedFunc(maps.Values(found), func(a, b *linked) int { return strings.Compare(a.path, b.path) })
}

var (
	licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|unlicense)`)
	noticeFile  = regexp.MustCompile(`(?i)^notice`)
)

// read reads the licences of a package: those in its folder and in all above it, up
// to the module's.
func (m *linked) read(t *testing.T, top, dir string) {
	t.Helper()
	for {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			isLicence := licenceFile.MatchString(e.Name())
			if !e.IsDir() && (isLicence || noticeFile.MatchString(e.Name())) {
				m.add(t, filepath.Join(dir, e.Name()), isLicence)
			}
		}
		if dir == top || len(dir) <= len(top) {
			return
		}
		dir = filepath.Dir(dir)
	}
}

func (m *linked) add(t *testing.T, file string, isLicence bool) {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.TrimSpace(strings.ReplaceAll(string(raw), "\r\n", "\n"))
	if slices.Contains(m.texts, text) {
		return
	}
	m.texts = append(m.texts, text)
	if !isLicence {
		return
	}
	ids, err := recognise(text)
	if err != nil {
		t.Errorf("%s, %s: %v", m.path, filepath.Base(file), err)
	}
	m.ids = slices.Compact(slices.Sorted(slices.Values(append(m.ids, ids...))))
}

func (m *linked) row() string {
	return fmt.Sprintf("| `%s` | %s | %s |\n", m.path, m.version, strings.Join(m.ids, ", "))
}

// thirdParty returns THIRD_PARTY.md.
func thirdParty(modules []*linked) string {
	var b strings.Builder
	b.WriteString("# What is in the program\n\n" +
		"<!-- Made by `make generate`. Do not edit. -->\n\n" +
		"`patchls` is under the [Apache License 2.0](LICENSE). It is built with Go, whose licence is that of `golang.org/x/sys`\n" +
		"below, and has parts of these modules, on one platform or another:\n\n" +
		"| module | version | licence |\n|---|---|---|\n")
	by := map[string][]string{} // text → modules
	for _, m := range modules {
		b.WriteString(m.row())
		for _, text := range m.texts {
			by[text] = append(by[text], "`"+m.path+"`")
		}
	}
	for _, text := range slices.SortedFunc(maps.Keys(by), func(a, b string) int {
		return cmp.Or(slices.Compare(by[a], by[b]), strings.Compare(a, b))
	}) {
		fmt.Fprintf(&b, "\n## %s\n\n```text\n%s\n```\n", strings.Join(by[text], ", "), text)
	}
	return b.String()
}
