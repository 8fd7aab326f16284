package main

import (
	"fmt"
	"os"
	"path/filepath"
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

func (d *desk) picture() error {
	if err := d.sit(); err != nil {
		return err
	}
	var file string
	c := testCase{name: "picture", run: func(t *trial) {
		t.write(pictureFile, pictureText)
		t.open(pictureFile)
		t.types(pictureFile, 5, 1, pictureTyped)
		t.edit("str_replace", args{"path": t.path(pictureFile), "old_str": "- bread", "new_str": "- dark bread, by the agent"})
		t.edit("str_replace", args{"path": t.path(pictureFile), "old_str": "Open from noon. Bring cash.", "new_str": "Open from eleven. Cards are fine."})
		err := os.MkdirAll(d.out, 0o755)
		if err == nil {
			file, err = t.Picture(d.out)
		}
		t.must("picture", err)
	}}
	checks, _ := perform(c, d.kind, d.seat, d.editor)
	for _, c := range checks {
		if c.Why != "" {
			return fmt.Errorf("%s: %s", c.What, c.Why)
		}
	}
	fmt.Fprintf(d.log, "%s: %s\n", d.kind.name, filepath.Base(file))
	return nil
}
