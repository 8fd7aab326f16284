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
		in, err := privateFolder(d, dir)
		if err != nil {
			continue // another user may write there
		}
		entries, _ := os.ReadDir(dir)
		for _, entry := range entries {
			if !entry.Type().IsRegular() || !strings.HasSuffix(entry.Name(), journalExt) {
				continue
			}
			f, err := in.open(filepath.Join(dir, entry.Name()), os.O_RDWR|os.O_APPEND|openFlags, 0) // Windows locks what is open for reading
			if err == nil {
				(&journal{d: d, f: f}).recover()
			}
		}
	}
}

// recover does what the journal says if its process is dead, and closes it.
func (j *journal) recover() {
	var info fs.FileInfo
	err := j.f.own()
	if err == nil { // else it is at work
		info, err = j.f.Stat()
	}
	if err != nil || !private(info) || j.f.isInPlace() != nil || j.read(info.Size()) != nil || !j.isReached() {
		_ = j.f.Close()
		return
	}
	if j.done {
		j.drop()
		return
	}
	if why := j.notYet(info.ModTime()); why != nil {
		j.say("a save that did not end is not taken back yet: %v", why)
		_ = j.f.Close()
		return
	}
	var paths []string
	for _, s := range j.steps {
		if !s.over {
			paths = append(paths, s.Path)
		}
	}
	left := j.takeBack()
	for _, err := range left {
		j.say("a save that did not end is not taken back whole: %v", err)
	}
	if len(left) == 0 && len(paths) > 0 {
		j.say("a save that did not end is taken back: %s", strings.Join(paths, ", "))
	}
}

// isReached reports whether all files of the journal are beneath the roots. A journal with others
// is left to a process that may save there: a journal alone must not lead out of the roots.
func (j *journal) isReached() bool {
	paths := slices.Concat(j.temps, j.dirs)
	for _, s := range j.steps {
		paths = append(paths, s.Path, s.Spare, cmp.Or(s.Kept, s.Path))
	}
	return !slices.ContainsFunc(paths, func(path string) bool {
		_, err := j.d.Lstat(path)
		return errors.Is(err, ErrOutside)
	})
}

// longGone is after how long a folder that cannot be seen is taken for one that is gone.
const longGone = 30 * 24 * time.Hour

// notYet is why the steps must not be undone now: an editor has one of the files open, or
// its folder, which was there, is not, as before a disk is mounted. noted is the time of the
// last note.
func (j *journal) notYet(noted time.Time) error {
	for _, s := range j.steps {
		if s.over {
			continue
		}
		path := s.Path
		if s.Kind != makes && !j.d.exists(filepath.Dir(path)) && time.Since(noted) < longGone {
			return fmt.Errorf("%s: its folder is not there", path)
		}
		if allow := j.d.AllowSave; allow != nil {
			if err := allow(path); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
		}
	}
	return nil
}

func (j *journal) say(format string, args ...any) {
	if j.d.Recovered != nil {
		j.d.Recovered(fmt.Sprintf(format, args...))
	}
}

// read takes the notes of the processes that died, of so many bytes. The last one of each may
// be cut off: what it was about was not begun.
func (j *journal) read(size int64) error {
	lines := bufio.NewScanner(j.f)
	lines.Buffer(nil, int(size)+1)
	for lines.Scan() {
		var n note
		if json.Unmarshal(lines.Bytes(), &n) == nil {
			j.add(n)
		}
	}
	return lines.Err()
}

// leftBehind says that a file has got another text since, so that it stays, and where the
// one is that it had before.
type leftBehind struct{ path, old string } //nolint:errname // it says what is left, beside what was done

func (e *leftBehind) Error() string {
	return fmt.Sprintf("%s was changed by another program and stays; what it had before is in %s", e.path, e.old)
}

// leftError says what a step has left that could not be undone because of err.
func (s fileStep) leftError(err error) error {
	in := s.Spare
	switch {
	case s.Kind == makes:
		return fmt.Errorf("%s was made and could not be removed (%w)", s.Path, err)
	case s.Kind == fills:
		in = s.Kept
	case s.Kept != "":
		in += " or " + s.Kept
	}
	return fmt.Errorf("%s could not be put back (%w); what it had is in %s", s.Path, err, in)
}

// takeBack undoes the steps, the last one first, and returns what stays. It notes which steps are
// over: a file that is saved afterwards must not be taken back as well. Then the journal goes,
// unless a step is left to the next save.
func (j *journal) takeBack() (stays []error) {
	for _, s := range slices.Backward(j.steps) {
		if s.over {
			continue
		}
		n := note{Over: s.Path}
		err := j.undo(s)
		other, changed := errors.AsType[*leftBehind](err)
		switch {
		case changed:
			n.Keep = []string{other.old}
			stays = append(stays, err)
		case err != nil:
			j.left = true
			j.keep = append(j.keep, s.Spare, s.Kept)
			stays = append(stays, s.leftError(err))
			continue
		}
		_ = j.note(n) // else it is looked at again
	}
	j.drop()
	return stays
}

// undo takes a step back, as far as it was made, which is seen by where the texts are. What
// another program has written since is not touched: the error is a *leftBehind then.
func (j *journal) undo(s fileStep) error {
	if s.Kind == fills {
		return j.undoFill(s)
	}
	d := j.d
	path, spare, kept := s.Path, s.Spare, s.Kept
	now, err := d.lookAt(path)
	if err != nil {
		return err
	}
	was, err := d.lookAt(spare)
	if err != nil {
		return err
	}
	hollow := s.held && now == StampOf(nil) // the text that is to come is in spare still
	if s.Kind == makes {
		if hollow && was == s.New || s.held && was == "" && now == s.New || d.same(path, spare) {
			return d.remove(path) // else it is another program's, be it the same
		}
		return nil
	}
	old := spare
	switch {
	case was == s.New:
		return nil // nothing was moved
	case was == "" && (kept == "" || !d.exists(kept)):
		return nil // it was put back
	case was == "":
		old = kept
	}
	switch {
	case now != s.New && !hollow:
		if d.same(path, old) {
			return nil
		}
		return &leftBehind{path, old}
	case s.Kind == removes && !hollow:
		return j.place(old, path)
	}
	if err := d.exchange(old, path); !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return d.rename(old, path)
}

func (j *journal) undoFill(s fileStep) error {
	d := j.d
	if !s.filled {
		return nil
	}
	path, kept := s.Path, s.Kept
	var next []byte
	old, _, err := d.readRegular(kept)
	if err == nil {
		next, _, err = d.readRegular(s.Spare)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it was put back, and the copies may be on their way out
	}
	if err != nil {
		return err
	}
	now, _, err := d.readRegular(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &leftBehind{path, kept}
	case err != nil:
		return err
	case bytes.Equal(now, old):
		return nil
	case !mixed(now, old, next):
		return &leftBehind{path, kept}
	}
	f, err := d.open(path, os.O_WRONLY|openFlags, 0)
	if err != nil {
		return err
	}
	return f.fill(old)
}

// mixed reports whether now is what writing one of the texts over the other leaves, as
// far as it came.
func mixed(now, a, b []byte) bool {
	if len(now) < min(len(a), len(b)) || len(now) > max(len(a), len(b)) {
		return false
	}
	for i, c := range now {
		if (i >= len(a) || c != a[i]) && (i >= len(b) || c != b[i]) {
			return false
		}
	}
	return true
}
