package disk

import (
	"bufio"
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
			continue // whoever else may write there has no say
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
	j.takeBack(func(s fileStep, err error) {
		_, other := errors.AsType[*leftBehind](err)
		switch {
		case other:
			j.say("a save that did not end is taken back: %v", err)
		case err != nil:
			j.say("a save that did not end could not be taken back yet: %v", err)
		default:
			j.say("a save that did not end is taken back: %s", s.Path)
		}
	})
}

// isReached reports whether all that the journal is about is beneath the roots. What is not
// is left to who saves there: a journal alone must not lead out of them.
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
