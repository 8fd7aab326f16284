package disk

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/patchls/patchls/internal/lists"
)

// Recover undoes the saves of processes that died, and removes the files that they left, if
// all files of a save are beneath the root. Commit calls Recover itself.
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

// recover finishes or undoes the journal's save if its process is dead, and closes the journal.
func (j *journal) recover() {
	var info fs.FileInfo
	err := j.f.own()
	if err == nil { // otherwise its process is still at work
		info, err = j.f.Stat()
	}
	if err != nil || !private(info) || j.f.isInPlace() != nil || j.read() != nil || !j.isReached() {
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
	paths := lists.FilterMap(j.steps, func(s fileStep) (string, bool) { return s.Path, !s.over })
	left := j.takeBack()
	for _, err := range left {
		j.say("a save that did not end is not taken back whole: %v", err)
	}
	if len(left) == 0 && len(paths) > 0 {
		j.say("a save that did not end is taken back: %s", strings.Join(paths, ", "))
	}
}

// isReached reports whether all files of the journal are beneath the root. A journal with other files
// is left to a process that may save there: a journal alone must not lead out of the root.
func (j *journal) isReached() bool {
	paths := slices.Concat(j.temps, j.dirs)
	for _, s := range j.steps {
		paths = append(paths, s.Path, s.Spare, cmp.Or(s.Backup, s.Path))
	}
	return !slices.ContainsFunc(paths, func(path string) bool {
		_, err := j.d.Lstat(path)
		return errors.Is(err, ErrOutside)
	})
}

// longGone is how long after the last note a missing folder is taken for deleted.
const longGone = 30 * 24 * time.Hour

// notYet returns why the steps must not be undone now: an editor has one of the files open, or a folder that existed is
// missing, as before a disk is mounted. noted is the time of the last note.
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

// read reads the notes of the processes that died. The last note of each process may be cut off:
// the action that it announces was not begun.
func (j *journal) read() error {
	notes, err := io.ReadAll(j.f)
	for line := range bytes.Lines(notes) {
		var n note
		if json.Unmarshal(line, &n) == nil {
			j.add(n)
		}
	}
	return err
}

// leftBehind says that another program has changed a file, so that the file stays as it is, and where its old text is.
type leftBehind struct{ path, old string } //nolint:errname // it says what is left, beside what was done

func (e *leftBehind) Error() string {
	return fmt.Sprintf("%s was changed by another program and stays; what it had before is in %s", e.path, e.old)
}

// leftError says where the files are of a step that could not be undone because of err.
func (s fileStep) leftError(err error) error {
	in := s.Spare
	switch {
	case s.Kind == makes:
		return fmt.Errorf("%s was made and could not be removed (%w)", s.Path, err)
	case s.Kind == fills:
		in = s.Backup
	case s.Backup != "":
		in += " or " + s.Backup
	}
	return fmt.Errorf("%s could not be put back (%w); what it had is in %s", s.Path, err, in)
}

// takeBack undoes the steps, the last one first, and returns an error for each file that stays. It
// notes which steps are over, so that a later save of their files is not undone too. Then it removes
// the journal, unless a step is left to the next save.
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
			j.incomplete = true
			j.keep = append(j.keep, s.Spare, s.Backup)
			stays = append(stays, s.leftError(err))
			continue
		}
		_ = j.note(n) // if this fails, the step is looked at again
	}
	j.drop()
	return stays
}

// undo undoes a step as far as it was made, which it sees from where the texts are. It does not
// touch what another program has written since: the error is a *leftBehind then.
func (j *journal) undo(s fileStep) error {
	if s.Kind == fills {
		return j.undoFill(s)
	}
	d := j.d
	path, spare, kept := s.Path, s.Spare, s.Backup
	now, err := d.lookAt(path)
	if err != nil {
		return err
	}
	was, err := d.lookAt(spare)
	if err != nil {
		return err
	}
	hollow := s.reserved && now == StampOf(nil) // the new text is still in spare
	if s.Kind == makes {
		if hollow && was == s.New || s.reserved && was == "" && now == s.New || d.same(path, spare) {
			return d.remove(path) // otherwise the file is another program's, even if its text is the same
		}
		return nil
	}
	old := spare
	switch {
	case was == s.New:
		return nil // nothing was moved
	case was == "" && (kept == "" || !d.exists(kept)):
		return nil // the old file was put back already
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
	path, kept := s.Path, s.Backup
	var next []byte
	old, _, err := d.readRegular(kept)
	if err == nil {
		next, _, err = d.readRegular(s.Spare)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the old text was put back already, and the copies may be about to be removed
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

// mixed reports whether now may result from an unfinished write of one text over the other.
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
