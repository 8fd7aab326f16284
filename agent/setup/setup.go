package setup

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/disk"
)

// A Plan is what is to be done to the files of an agent. Nothing is before [Plan.Make].
type Plan struct {
	Changes []Change
	Notes   []string // what stays as it is, and why
	record  Change
	folders []string // those that go if they are empty, the deepest first
}

// A Change is of one file. Its texts are without the byte order mark, which stays.
type Change struct {
	Path          string
	Before, After string
	New, Gone     bool // the file is not there before, or after
	bom           bool
	stamp         disk.Stamp
}

// A record is what was put into a file.
type record struct {
	Path string `json:"path"`
	Made bool   `json:"made"` // there was no file
	// The folders that were not there, the deepest first.
	Folders []string `json:"folders,omitempty"`
	Blank   *string  `json:"blank,omitempty"` // what the file had if it had no values
	Parts   []part   `json:"parts"`           // the one that was put in first comes first
}

// Set plans to put in what is not there yet.
func (a Agent) Set() (*Plan, error) {
	p, records, err := a.start()
	if err != nil {
		return nil, err
	}
	for _, f := range a.files {
		path, err := f.path()
		if err != nil {
			return nil, err
		}
		c, err := read(path)
		if err != nil {
			return nil, err
		}
		r, notes, err := c.put(f.parts)
		if err != nil {
			return nil, fmt.Errorf("%s is left as it is: %w", path, err)
		}
		p.Notes = append(p.Notes, notes...)
		if len(r.Parts) == 0 {
			continue
		}
		p.Changes = append(p.Changes, c)
		r.Folders = missingFolders(path)
		i := slices.IndexFunc(records, func(r record) bool { return r.Path == path })
		switch {
		case i < 0:
			records = append(records, r)
		case r.Blank != nil: // of what was put in before nothing is left
			r.Folders = append(r.Folders, records[i].Folders...)
			records[i] = r
		default:
			records[i].Parts = append(records[i].Parts, r.Parts...)
		}
	}
	err = p.keep(records)
	return p, err
}

// put puts those of the parts in that are not there, and says which.
func (c *Change) put(parts []part) (r record, notes []string, err error) {
	r = record{Path: c.Path, Made: c.New}
	f := formatOf(c.Path)
	if strings.Trim(c.Before, blanks) == "" {
		r.Blank = &c.Before
		c.After += f.empty
	}
	for _, p := range parts {
		tree, err := f.decode(c.After)
		if err != nil {
			return r, nil, err
		}
		switch f.state(tree, p) {
		case other:
			if note := fmt.Sprintf("%s has another value for %s, which stays.", c.Path, p.name()); !slices.Contains(notes, note) {
				notes = append(notes, note)
			}
		case missing:
			after, err := f.add(c.After, &p)
			if err == nil {
				err = f.check(tree, after, p)
			}
			if err != nil {
				return r, nil, err
			}
			c.After = after
			r.Parts = append(r.Parts, p)
		}
	}
	return r, notes, nil
}

// check is an error if a text does not mean what it meant and the part as well.
func (f format) check(tree any, after string, p part) error {
	now, err := f.decode(after)
	if err == nil && (!contains(now, tree) || f.state(now, p) != there) {
		err = fmt.Errorf("there is no sure place for %s", p.name())
	}
	return err
}

// Undo plans to take out what Set has put in.
func (a Agent) Undo() (*Plan, error) {
	p, records, err := a.start()
	if err != nil {
		return nil, err
	}
	if len(records) == 0 {
		p.Notes = append(p.Notes, fmt.Sprintf("There is nothing that patchls setup %s has written.", a.Name))
	}
	var left []record
	for _, r := range records {
		c, err := read(r.Path)
		if err != nil {
			return nil, err
		}
		if c.New {
			p.folders = append(p.folders, r.Folders...)
			continue
		}
		notes, err := c.take(&r)
		if err != nil {
			return nil, fmt.Errorf("%s is left as it is: %w", r.Path, err)
		}
		p.Notes = append(p.Notes, notes...)
		if len(r.Parts) > 0 {
			left = append(left, r)
		} else {
			p.folders = append(p.folders, r.Folders...)
		}
		if c.Gone || c.After != c.Before {
			p.Changes = append(p.Changes, c)
		}
	}
	err = p.keep(left)
	return p, err
}

// take takes out the parts of a record, but for those that it leaves there.
func (c *Change) take(r *record) (notes []string, err error) {
	f := formatOf(c.Path)
	var left []part
	for _, p := range slices.Backward(r.Parts) {
		tree, err := f.decode(c.After)
		if err != nil {
			return nil, err
		}
		after := c.After
		switch f.state(tree, p) {
		case missing:
			continue
		case there:
			after, err = f.cut(c.After, p)
		case other:
			err = errors.New("it was changed since")
		}
		var now any
		if err == nil {
			now, err = f.decode(after)
		}
		if err == nil && !contains(tree, now) {
			err = errors.New("without it, other values would change")
		}
		if err != nil {
			notes = append(notes, fmt.Sprintf("%s keeps %s: %v.", c.Path, p.name(), err))
			left = slices.Insert(left, 0, p)
			continue
		}
		c.After = after
	}
	if r.Parts = left; r.Blank != nil && strings.Join(strings.Fields(c.After), "") == strings.Join(strings.Fields(f.empty), "") {
		c.After, c.Gone = *r.Blank, r.Made
	}
	return notes, nil
}

// read reads a file that is to be changed. One that is not there has no text.
func read(path string) (Change, error) {
	f, err := disk.Disk{}.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Change{Path: path, New: true}, nil
	}
	return Change{Path: path, Before: f.Text, After: f.Text, bom: f.BOM, stamp: f.Stamp}, err
}

// start reads the record of the agent.
func (a Agent) start() (*Plan, []record, error) {
	home, err := absolute(os.UserHomeDir())
	if err != nil {
		return nil, nil, err
	}
	var p Plan
	if p.record, err = read(filepath.Join(home, ".local", "state", "patchls", "setup", a.Name+".json")); err != nil {
		return nil, nil, err
	}
	var records []record
	if !p.record.New {
		err = json.Unmarshal([]byte(p.record.Before), &records)
	}
	if err != nil {
		err = fmt.Errorf("%s cannot be read: %w", p.record.Path, err)
	}
	return &p, records, err
}

// keep has the plan leave a record.
func (p *Plan) keep(records []record) error {
	raw, err := json.MarshalIndent(records, "", "  ")
	p.record.After, p.record.Gone = string(raw)+"\n", len(records) == 0
	return err
}

// Make makes the changes, all or none of them: also none if a file is not any more what it was. It keeps modes and links.
// Of the folders that were made for the files it removes those that are empty.
func (p *Plan) Make() error {
	var all []*disk.Change
	for _, c := range append(p.Changes, p.record) {
		if c.Gone && c.New {
			continue
		}
		content := c.After
		if c.bom {
			content = text.BOM + content
		}
		all = append(all, &disk.Change{Path: c.Path, Content: []byte(content), Remove: c.Gone, Old: c.stamp, Like: private{}})
	}
	if _, err := (disk.Disk{}).Commit(all...); err != nil {
		return err
	}
	slices.SortFunc(p.folders, func(a, b string) int { return len(b) - len(a) })
	for _, folder := range p.folders {
		if is, err := os.Lstat(folder); err == nil && is.IsDir() {
			_ = os.Remove(folder) // it stays if it has files
		}
	}
	return nil
}

// missingFolders are the folders above a file that are not there, the deepest first.
func missingFolders(path string) []string {
	folder := filepath.Dir(path)
	if _, err := os.Lstat(folder); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return append([]string{folder}, missingFolders(folder)...)
}

// private is a file that only its user can read, as programs keep their secrets in such ones.
type private struct{ fs.FileInfo }

func (private) Mode() fs.FileMode { return 0o600 }
func (private) Sys() any          { return nil }

// ByHand are the files as Set makes them where there are none: what the user may write by hand.
func (a Agent) ByHand() (files []Change, err error) {
	for _, f := range a.files {
		path, err := f.path()
		if err != nil {
			return nil, err
		}
		c := Change{Path: path, New: true}
		if _, _, err := c.put(f.parts); err != nil {
			return nil, err
		}
		files = append(files, c)
	}
	return files, nil
}
