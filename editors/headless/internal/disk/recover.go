package disk

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Recover takes back the saves that other processes began and did not live to end, and
// removes what they have left, as far as it is beneath the roots. Commit does so by itself.
func (d Disk) Recover() {
	for _, dir := range journalFolders() {
		for _, path := range d.journalsIn(dir) {
			d.recoverFrom(path)
		}
	}
}

// journalsIn returns the journals in a folder, none if that is not this user's alone.
func (d Disk) journalsIn(dir string) (paths []string) {
	in, err := d.privateFolder(dir)
	if err != nil {
		return nil
	}
	defer func() { _ = in.folder.Close() }()
	entries, _ := fs.ReadDir(in.folder.FS(), ".")
	for _, entry := range entries {
		if entry.Type().IsRegular() && strings.HasSuffix(entry.Name(), journalExt) {
			paths = append(paths, filepath.Join(dir, entry.Name()))
		}
	}
	return paths
}

// recoverFrom does what the journal at path says if its process is dead.
func (d Disk) recoverFrom(path string) {
	in, err := d.privateFolder(filepath.Dir(path))
	if err != nil {
		return
	}
	f, err := in.open(path, os.O_RDWR|os.O_APPEND|openFlags, 0) // Windows locks what is open for reading
	if err != nil {
		_ = in.folder.Close()
		return
	}
	j := &journal{d: d, f: f}
	if info, err := f.Stat(); err != nil || !private(info) || f.own() != nil || !f.isAt(path) {
		j.close()
		return // it is at work, or its end was near
	}
	content, err := in.readFile(path)
	if err != nil {
		j.close()
		return
	}
	l := j.read(content)
	if !d.reaches(j, l.steps) {
		j.close()
		return
	}
	if !l.done && !l.back {
		if why := d.notYet(f, l.steps); why != nil {
			d.say("a save that did not end is not taken back yet: %v", why)
			j.close()
			return
		}
		keep, whole := d.takeBack(j, l.steps)
		if !whole {
			j.close()
			return // the next one that comes by tries again
		}
		l.keep = append(l.keep, keep...)
		_ = j.takenBack(l.keep) // else what is half removed is looked at again
	}
	j.drop(!l.done, l.keep...)
}

// reaches reports whether all that a journal is about is beneath the roots. What is not is
// left to who saves there: a journal alone must not lead out of them.
func (d Disk) reaches(j *journal, steps []fileStep) bool {
	paths := slices.Concat(j.temps, j.dirs)
	for _, s := range steps {
		paths = append(paths, string(s.Path), string(s.Spare), cmp.Or(string(s.Kept), string(s.Path)))
	}
	for _, path := range paths {
		if _, err := d.Lstat(path); errors.Is(err, ErrOutside) {
			return false
		}
	}
	return true
}

// longGone is after how long a folder that cannot be seen is taken for one that is gone.
const longGone = 30 * 24 * time.Hour

// notYet is why the steps of the journal f must not be undone now: an editor has one of
// the files open, or its folder, which was there, is not, as before a disk is mounted.
func (d Disk) notYet(f *handle, steps []fileStep) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	for _, s := range steps {
		path := string(s.Path)
		if s.Kind != makes && !d.exists(filepath.Dir(path)) && time.Since(info.ModTime()) < longGone {
			return fmt.Errorf("%s: its folder is not there", path)
		}
		if d.AllowSave == nil {
			continue
		}
		if err := d.AllowSave(path); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

// takeBack undoes steps, all that it can. What is in keep must stay.
func (d Disk) takeBack(j *journal, steps []fileStep) (keep []string, whole bool) {
	whole = true
	for _, s := range slices.Backward(steps) {
		if s.over {
			continue
		}
		err := d.takeBackStep(j, s)
		var left *leftBehind
		switch {
		case errors.As(err, &left):
			keep = append(keep, left.old)
			d.say("a save that did not end is taken back: %v", err)
		case err != nil:
			d.say("a save that did not end could not be taken back yet: %s: %v", string(s.Path), err)
			whole = false
		default:
			d.say("a save that did not end is taken back: %s", string(s.Path))
		}
	}
	return keep, whole
}

func (d Disk) say(format string, args ...any) {
	if d.Recovered != nil {
		d.Recovered(fmt.Sprintf(format, args...))
	}
}

// last is how far a save came.
type last struct {
	steps []fileStep
	done  bool // it ended
	back  bool // it was taken back
	keep  []string
}

// read takes the notes of the processes that died. The last one of each may be cut off:
// what it was about was not begun.
func (j *journal) read(content []byte) (l last) {
	lines := bufio.NewScanner(bytes.NewReader(content))
	lines.Buffer(nil, len(content)+1)
	for lines.Scan() {
		var n note
		if json.Unmarshal(lines.Bytes(), &n) != nil {
			continue
		}
		if n.Temp != "" {
			j.temps = append(j.temps, string(n.Temp))
		}
		if n.Dir != "" {
			j.dirs = append(j.dirs, string(n.Dir))
		}
		for _, k := range n.Keep {
			l.keep = append(l.keep, string(k))
		}
		l.steps = append(l.steps, n.Put...)
		for i := range l.steps {
			s := &l.steps[i]
			s.filled = s.filled || n.Fill != "" && n.Fill == s.Path
			s.held = s.held || n.Hold != "" && n.Hold == s.Path
			s.over = s.over || n.Over != "" && n.Over == s.Path
		}
		l.done = (l.done || n.Done) && !n.Undo
		l.back = l.back || n.Back
	}
	return l
}

// takenBack notes that nothing is to be taken back any more.
func (j *journal) takenBack(keep []string) error {
	n := note{Back: true}
	for _, k := range keep {
		n.Keep = append(n.Keep, name(k))
	}
	return j.note(n)
}
