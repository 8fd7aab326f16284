package disk

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Recover takes back the saves that other processes began and did not live to end, and
// removes what they have left. Commit does so by itself.
func (d Disk) Recover() {
	for _, dir := range journalFolders() {
		if info, err := d.Lstat(dir); err != nil || !info.IsDir() || !private(info) {
			continue // nobody's word but the user's own
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, entry := range entries {
			if entry.Type().IsRegular() && strings.HasSuffix(entry.Name(), journalExt) {
				d.recoverFrom(filepath.Join(dir, entry.Name()))
			}
		}
	}
}

// recoverFrom does what the journal at path says if its process is dead.
func (d Disk) recoverFrom(path string) {
	f, err := d.open(path, os.O_RDWR|os.O_APPEND|openFlags, 0) // Windows locks what is open for reading
	if err != nil {
		return
	}
	if info, err := f.Stat(); err != nil || !private(info) || f.own() != nil || !f.isAt(path) {
		_ = f.Close()
		return // it is at work, or its end was near
	}
	j := &journal{d: d, f: f}
	content, err := d.readFile(path)
	if err != nil {
		_ = f.Close()
		return
	}
	l := j.read(content)
	if !l.done && !l.back {
		if why := d.notYet(f, l.steps); why != nil {
			d.say("a save that did not end is not taken back yet: %v", why)
			_ = f.Close()
			return
		}
		keep, whole := d.takeBack(j, l.steps)
		if !whole {
			_ = f.Close()
			return // the next one that comes by tries again
		}
		l.keep = append(l.keep, keep...)
		_ = j.takenBack(l.keep) // else what is half removed is looked at again
	}
	j.drop(!l.done, l.keep...)
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
