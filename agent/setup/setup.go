package setup

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/disk"
)

// A Plan is a set of changes to the files of an agent. Nothing is changed before [Plan.Make].
type Plan struct {
	Changes []Change
	Notes   []string // what stays as it is, and why
	record  Change
	folders []string // to be removed if they are empty
}

// A Change is a change of one file. Its texts lack the byte order mark, which the file keeps.
type Change struct {
	Path             string
	Before, After    string
	Creates, Deletes bool // the file does not exist before, or after
	bom              bool
	stamp            disk.Stamp
}

// A record is what was put into a file.
type record struct {
	Path    string `json:"path"`
	Created bool   `json:"made"` // the file did not exist
	// Folders are the folders that did not exist, the deepest first.
	Folders []string `json:"folders,omitempty"`
	Blank   *string  `json:"blank,omitempty"` // what the file had if it had no values
	Parts   []part   `json:"parts"`           // in the order in which they were put in
}

// Set plans to put in the parts that are missing.
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
		r, notes, err := f.put(&c)
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
		case r.Blank != nil: // nothing is left of what was put in before
			r.Folders = append(r.Folders, records[i].Folders...)
			records[i] = r
		default:
			records[i].Parts = append(records[i].Parts, r.Parts...)
		}
	}
	err = p.keep(records)
	return p, err
}

// put is [Change.put] for the parts of f, with notes about what turns them off as well.
func (f file) put(c *Change) (record, []string, error) {
	r, notes, err := c.put(f.parts)
	tree, _ := formatOf(c.Path).decode(c.After) // put has read it
	for _, p := range f.off {
		want, _ := decodeJSON(p.Text)
		found, _ := lookUp(tree, p.keys())
		if slices.ContainsFunc(found, func(v any) bool { return turnsOff(v, want) }) {
			notes = append(notes, fmt.Sprintf("%s turns patchls off, at least in part, by %s.", c.Path, p.name()))
		}
	}
	return r, notes, err
}

// turnsOff reports whether a value is one that turns something off: that value, the name of a part of it, such as
// server__tool, or a pattern for it.
func turnsOff(value, off any) bool {
	pattern, _ := value.(string)
	name, is := off.(string)
	matches, _ := filepath.Match(pattern, name)
	return reflect.DeepEqual(value, off) || is && (matches || strings.HasPrefix(pattern, name+"__"))
}

// put adds the missing parts to c.After, and returns a record of them. notes name the other values that stay.
func (c *Change) put(parts []part) (r record, notes []string, err error) {
	r = record{Path: c.Path, Created: c.Creates}
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

// check returns an error unless after has all that is in tree, and the part as well.
func (f format) check(tree any, after string, p part) error {
	now, err := f.decode(after)
	if err == nil && (!contains(now, tree) || f.state(now, p) != there) {
		err = fmt.Errorf("there is no sure place for %s", p.name())
	}
	return err
}

// Undo plans to remove what Set has put in.
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
		if c.Creates {
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
		if c.Deletes || c.After != c.Before {
			p.Changes = append(p.Changes, c)
		}
	}
	err = p.keep(left)
	return p, err
}

// take removes the parts of a record from c.After. Parts that stay remain in the record, with a note for each.
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
		c.After, c.Deletes = *r.Blank, r.Created
	}
	return notes, nil
}

// read reads a file for a change. A file that does not exist has no text.
func read(path string) (Change, error) {
	f, err := disk.Disk{}.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Change{Path: path, Creates: true}, nil
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
	if !p.record.Creates {
		err = json.Unmarshal([]byte(p.record.Before), &records)
	}
	if err != nil {
		err = fmt.Errorf("%s cannot be read: %w", p.record.Path, err)
	}
	return &p, records, err
}

// keep plans to write the records, or to remove their file if there are none.
func (p *Plan) keep(records []record) error {
	raw, err := json.MarshalIndent(records, "", "  ")
	p.record.After, p.record.Deletes = string(raw)+"\n", len(records) == 0
	return err
}

// Make makes all of the changes or none: none if a file has changed since the plan was made. It keeps modes and links.
// Then it removes those of the plan's folders that are empty.
func (p *Plan) Make() error {
	var all []*disk.Change
	for _, c := range append(p.Changes, p.record) {
		if c.Deletes && c.Creates {
			continue
		}
		content := c.After
		if c.bom {
			content = text.BOM + content
		}
		all = append(all, &disk.Change{Path: c.Path, Content: []byte(content), Remove: c.Deletes, Old: c.stamp, Like: private{}})
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

// missingFolders returns the folders above a file that do not exist, the deepest first.
func missingFolders(path string) []string {
	folder := filepath.Dir(path)
	if _, err := os.Lstat(folder); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return append([]string{folder}, missingFolders(folder)...)
}

// private gives new files a mode by which only their user can read them, since programs keep secrets in such files.
type private struct{ fs.FileInfo }

func (private) Mode() fs.FileMode { return 0o600 }
func (private) Sys() any          { return nil }

// ByHand returns the files as Set makes them if none exist: what the user may write by hand.
func (a Agent) ByHand() (files []Change, err error) {
	for _, f := range a.files {
		path, err := f.path()
		if err != nil {
			return nil, err
		}
		c := Change{Path: path, Creates: true}
		if _, _, err := c.put(f.parts); err != nil {
			return nil, err
		}
		files = append(files, c)
	}
	return files, nil
}
