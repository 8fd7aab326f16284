//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// The picture shows what patchls is for: text that is not saved, and an agent's edit in
// the same buffer, with its marks.
const (
	pictureText = `# Menu

- soup
- bread
- tea

Open from noon. Bring cash.
`
	pictureTyped = "- a cake that is typed, not saved\n"
	pictureFile  = "menu.md"
)

// picture is a picture of an editor for the documentation.
type picture struct {
	name string
	// show brings it on the screen, and draw writes it to a file in the folder.
	show func(*trial)
	draw func(t *trial, folder string) (file string, err error)
}

// pictures makes those of this editor that have name in picture/NAME, each in a new one.
func (r *runner) pictures(name string) error {
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	edits := picture{name: "picture", show: pictureOfEdits, draw: func(t *trial, folder string) (string, error) { return t.Picture(folder) }}
	for _, p := range append([]picture{edits}, r.kind.pictures...) {
		if !strings.Contains("picture/"+p.name, name) {
			continue
		}
		if err := r.picture(p); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

func (r *runner) picture(p picture) error {
	r.stop()
	if err := r.start(); err != nil {
		return err
	}
	var file string
	c := testCase{name: p.name, run: func(t *trial) {
		t.agent.finder.Client.Name = "claude" // which a reader knows
		p.show(t)
		var err error
		file, err = p.draw(t, r.out)
		t.must("picture", err)
	}}
	for _, c := range perform(c, r.kind, r.seat, r.editor).checked {
		if c.Why != "" {
			return fmt.Errorf("%s: %s", c.What, c.Why)
		}
	}
	fmt.Fprintf(r.log, "%s: %s\n", r.kind.name, filepath.Base(file))
	return nil
}

func pictureOfEdits(t *trial) {
	t.write(pictureFile, pictureText)
	t.open(pictureFile)
	t.types(pictureFile, 5, 1, pictureTyped)
	t.edit("str_replace", args{"path": t.path(pictureFile), "old_str": "- bread", "new_str": "- dark bread, by the agent"})
	t.edit("str_replace", args{"path": t.path(pictureFile), "old_str": "Open from noon. Bring cash.", "new_str": "Open from eleven. Cards are fine."})
}
