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
	if err := j.read(); err != nil || !j.isReached() {
		j.close()
		return
	}
	if j.done || j.back {
		j.drop()
		return
	}
	if why := j.notYet(); why != nil {
		d.say("a save that did not end is not taken back yet: %v", why)
		j.close()
		return
	}
	j.takeBack(func(s fileStep, err error) {
		_, other := errors.AsType[*leftBehind](err)
		switch {
		case other:
			d.say("a save that did not end is taken back: %v", err)
		case err != nil:
			d.say("a save that did not end could not be taken back yet: %s: %v", string(s.Path), err)
		default:
			d.say("a save that did not end is taken back: %s", string(s.Path))
		}
	})
}

// isReached reports whether all that the journal is about is beneath the roots. What is not
// is left to who saves there: a journal alone must not lead out of them.
func (j *journal) isReached() bool {
	paths := slices.Concat(j.temps, j.dirs)
	for _, s := range j.steps {
		paths = append(paths, string(s.Path), string(s.Spare), cmp.Or(string(s.Kept), string(s.Path)))
	}
	return !slices.ContainsFunc(paths, func(path string) bool {
		_, err := j.d.Lstat(path)
		return errors.Is(err, ErrOutside)
	})
}

// longGone is after how long a folder that cannot be seen is taken for one that is gone.
const longGone = 30 * 24 * time.Hour

// notYet is why the steps must not be undone now: an editor has one of the files open, or
// its folder, which was there, is not, as before a disk is mounted.
func (j *journal) notYet() error {
	info, err := j.f.Stat()
	if err != nil {
		return err
	}
	for _, s := range j.steps {
		path := string(s.Path)
		if s.Kind != makes && !j.d.exists(filepath.Dir(path)) && time.Since(info.ModTime()) < longGone {
			return fmt.Errorf("%s: its folder is not there", path)
		}
		if j.d.AllowSave == nil {
			continue
		}
		if err := j.d.AllowSave(path); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

func (d Disk) say(format string, args ...any) {
	if d.Recovered != nil {
		d.Recovered(fmt.Sprintf(format, args...))
	}
}

// read takes the notes of the processes that died. The last one of each may be cut off:
// what it was about was not begun.
func (j *journal) read() error {
	info, err := j.f.Stat()
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(j.f)
	lines.Buffer(nil, int(info.Size())+1)
	for lines.Scan() {
		var n note
		if json.Unmarshal(lines.Bytes(), &n) == nil {
			j.add(n)
		}
	}
	return lines.Err()
}
