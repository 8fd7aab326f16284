package setup_test

import (
	"bytes"
	"flag"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/patchls/patchls/agent/setup"
)

var update = flag.Bool("update", false, "rewrite what the cases come to")

// In a case ␍ is a carriage return, ⇥ a tab, ␠ a blank and ␃ the end of a text that has no final newline.
var (
	read  = strings.NewReplacer("␍", "\r", "⇥", "\t", "␠\n", " \n", "␃\n", "")
	write = strings.NewReplacer("\r", "␍", "\t", "⇥", " \n", "␠\n")
)

// TestCases sets an agent up in a home with the files "before", which must give the files "after", and undoes that. If the
// user writes files "since", the files "undone" must be left; otherwise those from before. A name that ends in / is an
// empty folder.
func TestCases(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			c, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			want := txtar.Format(follow(t, c))
			if *update {
				if err := os.WriteFile(name, want, 0o600); err != nil {
					t.Fatal(err)
				}
			} else if was := txtar.Format(c); !bytes.Equal(was, want) {
				t.Errorf("%s\nwant\n%s", want, was)
			}
		})
	}
}

// follow runs a case and returns its results as a case.
func follow(t *testing.T, c *txtar.Archive) *txtar.Archive {
	t.Helper()
	home := newHome(t)
	_, name, _ := strings.Cut(string(c.Comment), "agent: ")
	a := find(t, strings.TrimSpace(name))
	made := &txtar.Archive{Comment: c.Comment}
	show := func(kind string, files map[string]string) {
		for _, path := range slices.Sorted(maps.Keys(files)) {
			text := write.Replace(files[path])
			if text != "" && !strings.HasSuffix(text, "\n") {
				text += "␃\n"
			}
			made.Files = append(made.Files, txtar.File{Name: kind + " " + path, Data: []byte(text)})
		}
	}
	given := func(kind string) map[string]string {
		files := map[string]string{}
		for _, f := range c.Files {
			if path, is := strings.CutPrefix(f.Name, kind+" "); is {
				files[path] = read.Replace(string(f.Data))
			}
		}
		home.write(t, files)
		show(kind, files)
		return files
	}
	say := func(kind string, lines ...string) {
		if len(lines) > 0 {
			text := strings.ReplaceAll(strings.Join(lines, "\n")+"\n", string(home), "~")
			made.Files = append(made.Files, txtar.File{Name: kind, Data: []byte(filepath.ToSlash(text))})
		}
	}
	before := given("before")
	p, err := a.Set()
	if err != nil {
		say("refused", err.Error())
		return made
	}
	makeIt(t, p)
	show("after", home.differ(t, before))
	say("set says", p.Notes...)
	since := given("since")
	if p, err = a.Undo(); err != nil {
		say("undo refused", err.Error())
		return made
	}
	makeIt(t, p)
	undone := home.read(t)
	say("undo says", p.Notes...)
	switch {
	case len(since) > 0:
		show("undone", undone)
	case !maps.Equal(undone, before):
		t.Errorf("undone, the files are %q, want %q", undone, before)
	}
	return made
}

func find(t *testing.T, name string) setup.Agent {
	t.Helper()
	i := slices.IndexFunc(setup.Agents, func(a setup.Agent) bool { return a.Name == name })
	if i < 0 {
		t.Fatalf("there is no agent %q", name)
	}
	return setup.Agents[i]
}

func makeIt(t *testing.T, p *setup.Plan) {
	t.Helper()
	if err := p.Make(); err != nil {
		t.Fatal(err)
	}
}

// TestSetTwice: what is set up is not set up again.
func TestSetTwice(t *testing.T) {
	newHome(t)
	for _, a := range setup.Agents {
		for i, want := range []bool{true, false} {
			p, err := a.Set()
			if err != nil || len(p.Changes) > 0 != want || len(p.Notes) > 0 {
				t.Fatalf("%s, time %d: %d changes, %q, %v", a.Name, i+1, len(p.Changes), p.Notes, err)
			}
			makeIt(t, p)
		}
	}
}

// TestFileIsGone: a folder that was made goes, also if the user has removed the file in it.
func TestFileIsGone(t *testing.T) {
	for _, again := range []bool{false, true} {
		home, a := newHome(t), find(t, "opencode")
		plans := []func() (*setup.Plan, error){a.Set, a.Undo}
		if again {
			plans = []func() (*setup.Plan, error){a.Set, a.Set, a.Undo}
		}
		for i, plan := range plans {
			if i == 1 {
				if err := os.Remove(filepath.Join(string(home), ".config", "opencode", "opencode.json")); err != nil {
					t.Fatal(err)
				}
			}
			p, err := plan()
			if err != nil {
				t.Fatal(err)
			}
			makeIt(t, p)
		}
		if got := home.read(t); len(got) > 0 {
			t.Errorf("set up again: %v; left are %q", again, got)
		}
	}
}

// TestFileChangesMeanwhile: nothing is written if a file changes while the user is asked.
func TestFileChangesMeanwhile(t *testing.T) {
	home := newHome(t)
	home.write(t, map[string]string{".claude/settings.json": "{}\n"})
	a := find(t, "claude")
	p, err := a.Set()
	if err != nil {
		t.Fatal(err)
	}
	now := map[string]string{".claude/settings.json": "{\"model\": \"opus\"}\n"}
	home.write(t, now)
	if err := p.Make(); err == nil || !strings.Contains(err.Error(), "changed by another program") {
		t.Errorf("got %v", err)
	}
	if got := home.read(t); !maps.Equal(got, now) {
		t.Errorf("the files are %q", got)
	}
}

// TestVariables: an environment variable names the place of the configuration.
func TestVariables(t *testing.T) {
	for name, want := range map[string]struct{ variable, file string }{
		"claude":   {"CLAUDE_CONFIG_DIR", ".claude.json settings.json"},
		"codex":    {"CODEX_HOME", "config.toml hooks.json"},
		"gemini":   {"GEMINI_CLI_HOME", ".gemini/policies/patchls.toml .gemini/settings.json"},
		"opencode": {"XDG_CONFIG_HOME", "opencode/opencode.json"},
		"copilot":  {"COPILOT_HOME", "mcp-config.json"},
	} {
		newHome(t)
		there := newFolder(t)
		t.Setenv(want.variable, string(there))
		a := find(t, name)
		p, err := a.Set()
		if err != nil {
			t.Fatal(err)
		}
		makeIt(t, p)
		if got := strings.Join(slices.Sorted(maps.Keys(there.read(t))), " "); got != want.file {
			t.Errorf("%s has %q, want %q", want.variable, got, want.file)
		}
	}
}

// folder is the path of one.
type folder string

func newHome(t *testing.T) folder {
	t.Helper()
	home := newFolder(t)
	for _, name := range []string{"CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "XDG_CONFIG_HOME", "COPILOT_HOME"} {
		t.Setenv(name, "")
	}
	for _, name := range []string{"HOME", "USERPROFILE", "LocalAppData"} {
		t.Setenv(name, string(home))
	}
	return home
}

func newFolder(t *testing.T) folder {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return folder(dir)
}

func (f folder) write(t *testing.T, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(string(f), filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "/") {
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// read returns the files and the empty folders, but for those of patchls.
func (f folder) read(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := fs.WalkDir(os.DirFS(string(f)), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "patchls":
			return fs.SkipDir
		case d.IsDir():
			entries, err := os.ReadDir(filepath.Join(string(f), name))
			if len(entries) == 0 && name != "." {
				files[name+"/"] = ""
			}
			return err
		}
		raw, err := os.ReadFile(filepath.Join(string(f), name))
		files[name] = string(raw)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// differ returns the files that are not as they were.
func (f folder) differ(t *testing.T, was map[string]string) map[string]string {
	t.Helper()
	files := f.read(t)
	maps.DeleteFunc(files, func(name, text string) bool { before, is := was[name]; return is && text == before })
	return files
}
