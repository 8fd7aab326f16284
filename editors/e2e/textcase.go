//go:build unix

package main

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

//go:embed testdata/cases/*.txtar
var textCases embed.FS

// textCase is a case that is data: texts, what a user types and an agent does, and the
// texts that are wanted then.
//
//	disk NAME              the text of a file
//	type NAME LINE:COLUMN  what the user types there; a file that has none is opened all
//	                       the same, unless the comment says "closed: NAME"
//	agent COMMAND          its arguments; a patch may stand in a section of its own
//	want NAME              the text that the file has once it is saved
//
// In texts ␠ is a blank, ␍ a carriage return, ␁ a byte order mark, and ␃ ends the text.
type textCase struct {
	disk, want []namedText
	typed      []typing
	command    string
	arguments  args
	closed     string
}

type namedText struct{ name, text string }

type typing struct {
	namedText
	line, column int
}

// readTextCases returns the cases of testdata/cases.
func readTextCases() ([]testCase, error) {
	names, err := fs.Glob(textCases, "testdata/cases/*.txtar")
	if err != nil {
		return nil, err
	}
	var cases []testCase
	for _, name := range names {
		raw, err := textCases.ReadFile(name)
		if err != nil {
			return nil, err
		}
		c, err := parseTextCase(txtar.Parse(raw))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		cases = append(cases, testCase{name: strings.TrimSuffix(path.Base(name), ".txtar"), run: c.run})
	}
	return cases, nil
}

func parseTextCase(archive *txtar.Archive) (*textCase, error) {
	c := &textCase{}
	for line := range strings.Lines(string(archive.Comment)) {
		if names, is := strings.CutPrefix(line, "closed: "); is {
			c.closed = names
		}
	}
	for _, f := range archive.Files {
		words, text := strings.Fields(f.Name), visible.Replace(string(f.Data))
		text, _, _ = strings.Cut(text, "␃")
		switch {
		case words[0] == "disk" && len(words) == 2:
			c.disk = append(c.disk, namedText{words[1], text})
		case words[0] == "want" && len(words) == 2:
			c.want = append(c.want, namedText{words[1], text})
		case words[0] == "type" && len(words) == 3:
			t := typing{namedText: namedText{words[1], strings.TrimSuffix(text, "\n")}}
			if _, err := fmt.Sscanf(words[2], "%d:%d", &t.line, &t.column); err != nil {
				return nil, fmt.Errorf("%s: %w", f.Name, err)
			}
			c.typed = append(c.typed, t)
		case words[0] == "agent" && len(words) == 2:
			c.command = words[1]
			if err := json.Unmarshal(f.Data, &c.arguments); err != nil {
				return nil, fmt.Errorf("%s: %w", f.Name, err)
			}
		case f.Name == "patch":
			c.arguments["patch"] = text
		default:
			return nil, fmt.Errorf("no section is called %q", f.Name)
		}
	}
	if c.command == "" || len(c.want) == 0 {
		return nil, fmt.Errorf("a case needs an agent's command and what is wanted")
	}
	return c, nil
}

var visible = strings.NewReplacer("␠", " ", "␍", "\r", "␁", "\ufeff")

func (c *textCase) run(t *trial) {
	for _, f := range c.disk {
		t.write(f.name, f.text)
	}
	for _, f := range c.disk {
		if !strings.Contains(c.closed, f.name) {
			t.open(f.name)
		}
	}
	for _, f := range c.typed {
		t.types(f.name, f.line, f.column, f.text)
	}
	t.must("rest", t.Rest())
	before := c.before(t)

	a := maps.Clone(c.arguments)
	if name, ok := a["path"].(string); ok {
		a["path"] = filepath.Join(t.folder, name)
	}
	t.edit(c.command, a)
	wanted := true
	for _, f := range c.want {
		wanted = t.check("text", t.same(f.name, f.text)) && wanted
	}
	t.check("disk unchanged", c.disks(t))
	if !wanted {
		return
	}
	c.undo(t, before)
	for _, f := range c.want {
		if t.check("saved", t.Save(t.path(f.name))) && t.check("disk has the text", t.disk(f.name, f.text)) {
			t.check("server after saving", t.told(f.name))
		}
	}
}

// before returns the texts that the agent finds.
func (c *textCase) before(t *trial) map[string]string {
	texts := map[string]string{}
	for _, f := range c.disk {
		b, err := t.Text(t.path(f.name))
		if err != nil || !b.Open {
			b.Text = strings.TrimPrefix(f.text, "\ufeff")
		}
		texts[f.name] = b.Text
	}
	return texts
}

func (c *textCase) disks(t *trial) error {
	for _, f := range c.disk {
		if err := t.disk(f.name, f.text); err != nil {
			return err
		}
	}
	for _, f := range c.want {
		if !c.onDisk(f.name) {
			if err := t.disk(f.name, absent); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *textCase) onDisk(name string) bool {
	for _, f := range c.disk {
		if f.name == name {
			return true
		}
	}
	return false
}

// undo makes the user undo the agent's edit and redo it. If one undo takes an edit of
// several files back in all of them, the other files need none.
func (c *textCase) undo(t *trial, before map[string]string) {
	ok := true
	for _, f := range c.want {
		if c.onDisk(f.name) && t.same(f.name, before[f.name]) != nil {
			err := t.Undo(t.path(f.name))
			if err == nil {
				err = t.same(f.name, before[f.name])
			}
			ok = t.check("one undo takes just the edit", err) && ok
		}
	}
	if ok {
		t.check("server after undo", t.toldAll(c.want))
	}
	for _, f := range c.want {
		if t.same(f.name, f.text) != nil {
			err := t.Redo(t.path(f.name))
			if err == nil {
				err = t.same(f.name, f.text)
			}
			t.must("redo", err)
		}
	}
	t.check("server after redo", t.toldAll(c.want))
}

func (t *trial) toldAll(files []namedText) error {
	for _, f := range files {
		if err := t.told(f.name); err != nil {
			return err
		}
	}
	return nil
}
