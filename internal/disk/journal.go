package disk

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/patchls/patchls/internal/contention"
)

// A journal records what a save is about to do, line by line and always beforehand, so that
// the next process can undo a save whose process died: the user's files are either as they
// were or all saved. A journal is locked as long as its process lives.
type journal struct {
	d          Disk // of the files that are saved
	f          *handle
	wide       bool // the new files are made durable together, by the save
	incomplete bool // a step could not be undone, and is left to the next save

	// What its lines say together.
	temps []string   // files that were made next to others
	dirs  []string   // folders that were made
	steps []fileStep // the changes of the user's files, in order
	keep  []string   // the temps that must stay
	done  bool       // all changes stay; only the temps are removed
}

// kind is how a step changes a file.
type kind string

const (
	replaces kind = "replace" // Spare takes its name
	makes    kind = "make"    // the same, where no file exists
	fills    kind = "fill"    // its bytes are overwritten
	removes  kind = "remove"  // it is renamed to Spare
)

// fileStep is a change as a journal records it. How far the change came is seen on disk, so it
// is undone in the same way after an error and after a crash, and twice if need be.
type fileStep struct {
	Kind   kind   `json:"kind"`
	Path   string `json:"path"`
	Spare  string `json:"spare"`          // holds the new text until that is in place, then the old one
	Backup string `json:"kept,omitempty"` // holds the old text, where Spare does not
	New    Stamp  `json:"new,omitempty"`  // of the new text, "" if there is none

	filled   bool // Backup is complete
	reserved bool // an empty file was made at Path
	over     bool // it was taken back before, or is to stay
}

// note is one line of a journal.
type note struct {
	Temp string     `json:"temp,omitempty"` // a file of this save alone is about to be made
	Dir  string     `json:"dir,omitempty"`  // a folder is about to be made
	Put  []fileStep `json:"put,omitempty"`  // all is staged, and these steps begin
	Fill string     `json:"fill,omitempty"` // a file is about to be overwritten: Backup is complete
	Hold string     `json:"hold,omitempty"` // an empty file is about to be made, for the new text to come
	Undo bool       `json:"undo,omitempty"` // undoing begins, even after Done
	Over string     `json:"over,omitempty"` // a step was undone, or stays: it is not looked at again
	Keep []string   `json:"keep,omitempty"` // temporary files that stay
	Done bool       `json:"done,omitempty"` // all changes stay; only temporary files are removed
}

// add records one line.
func (j *journal) add(n note) {
	if n.Temp != "" {
		j.temps = append(j.temps, n.Temp)
	}
	if n.Dir != "" {
		j.dirs = append(j.dirs, n.Dir)
	}
	j.keep = append(j.keep, n.Keep...)
	j.steps = append(j.steps, n.Put...)
	for i := range j.steps {
		s := &j.steps[i]
		s.filled = s.filled || n.Fill != "" && n.Fill == s.Path
		s.reserved = s.reserved || n.Hold != "" && n.Hold == s.Path
		s.over = s.over || n.Over != "" && n.Over == s.Path
	}
	j.done = (j.done || n.Done) && !n.Undo
}

const journalExt = ".journal"

// journalFolders returns the folders for journals, the best one first. Only the user may write there, since recovery does
// what a journal says. Outside Windows the first one depends on HOME alone, which MCP clients pass to their servers even
// when they pass little else: so a process in a terminal can undo a save that such a server began.
func journalFolders() (list []string) {
	state := os.Getenv("LocalAppData")
	if runtime.GOOS != "windows" {
		home, _ := os.UserHomeDir() // without one, the path is not absolute
		state = filepath.Join(home, ".local", "state")
	}
	if filepath.IsAbs(state) {
		list = append(list, filepath.Join(state, "patchls", "saves"))
	}
	return append(list, filepath.Join(os.TempDir(), "patchls-saves-"+strconv.Itoa(os.Geteuid())))
}

// inJournalFolder calls open with the Disk of each folder for journals until one succeeds. It creates missing folders.
func (d Disk) inJournalFolder(open func(in Disk) (*handle, error)) (*handle, error) {
	var failed []error
	for _, dir := range journalFolders() {
		var in Disk
		err := d.do("mkdir", dir, func() error { return os.MkdirAll(dir, 0o700) })
		if err == nil {
			in, err = privateFolder(d, dir)
		}
		if err == nil {
			var f *handle
			if f, err = open(in); err == nil {
				return f, nil
			}
		}
		failed = append(failed, err)
	}
	return nil, errors.Join(failed...)
}

func createJournal(in Disk) (f *handle, err error) {
	for range 3 { // a recovering process may open the new journal before it is locked
		path := filepath.Join(in.Root, rand.Text()+journalExt)
		if f, err = in.open(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600); err == nil {
			if err = f.own(); err == nil {
				err = f.isInPlace()
			}
			if err == nil {
				return f, nil
			}
			_ = f.Close()
		}
		_ = in.remove(path)
	}
	return nil, err
}

// privateFolder returns the Disk for an existing folder that belongs to this user alone.
func privateFolder(d Disk, dir string) (Disk, error) {
	info, err := Disk{Call: d.Call}.Lstat(dir)
	if err == nil && (!info.IsDir() || !private(info)) {
		err = fmt.Errorf("%s is not a folder of this user's alone", dir)
	}
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir) // the home of a user may be behind links
	}
	return Disk{Call: d.Call, Root: dir}, err
}

// note adds a line. A line that cannot be written still counts in this process.
func (j *journal) note(n note) error {
	j.add(n)
	line, _ := json.Marshal(n)                                       // strings and bools always encode
	_, err := j.f.Write(append(append([]byte{'\n'}, line...), '\n')) // the line before may be cut off
	return err
}

// temp returns a name next to path for a file that is about to be made.
func (j *journal) temp(path string) (string, error) {
	dir, base := filepath.Split(path)
	base = strings.ToValidUTF8(base[:min(len(base), 64)], "") // a name has at most 255 bytes
	temp := filepath.Join(dir, "."+base+".patchls-"+rand.Text())
	return temp, j.note(note{Temp: temp})
}

// lasts reports whether the notes must be on disk before the changes are made, since there is more to take back than a name.
func (j *journal) lasts() bool {
	return len(j.steps) > 1 || j.steps[0].Kind == fills
}

// put notes that all is staged and the changes begin.
func (j *journal) put(steps []fileStep) error {
	if err := j.note(note{Put: steps}); err != nil || !j.lasts() {
		return err
	}
	if err := j.f.sync(); err != nil {
		return err
	}
	return j.f.d.syncDir(filepath.Dir(j.f.path), nil)
}

// drop removes the files that were made for the save, except those that must stay, and then the
// journal. If a file cannot be removed now, the journal stays, and the next save removes the file.
func (j *journal) drop() {
	whole := !j.incomplete
	for _, temp := range j.temps {
		if !slices.Contains(j.keep, temp) && j.d.remove(temp) != nil {
			whole = false
		}
	}
	if !j.done {
		for _, dir := range slices.Backward(j.dirs) {
			if info, err := j.d.Lstat(dir); err == nil && info.IsDir() { // and not what another program has put there
				_ = j.d.remove(dir) // where it is empty
			}
		}
	}
	// Windows removes no open file. Elsewhere no process should see a journal that is not locked.
	own, path := j.f.d, j.f.path
	gone := whole && own.remove(path) == nil
	_ = j.f.Close()
	if whole && !gone {
		_ = own.remove(path)
	}
}

// writeTemp writes content to a new file next to path and returns its name. The new file gets the mode and owner that like
// has; like may be nil. The journal removes the new file, even if writeTemp fails.
func (j *journal) writeTemp(path string, content []byte, like fs.FileInfo) (temp string, err error) {
	mode := fs.FileMode(0o666) // less what the umask takes away
	if like != nil {
		mode = 0o600 // no other user may look in until the mode is right
	}
	if temp, err = j.temp(path); err != nil {
		return "", err
	}
	f, err := j.d.open(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if errors.Is(err, fs.ErrPermission) { // the temporary name means nothing to the user
		err = &fs.PathError{Op: "write to the folder", Path: filepath.Dir(path), Err: fs.ErrPermission}
	}
	if err != nil {
		return "", err
	}
	f.late = j.wide
	return temp, f.become(content, like)
}

// place gives the file at temp the name path, which no file may have yet. Where a file can
// have only one name, an empty file takes the place first.
func (j *journal) place(temp, path string) error {
	err := j.d.link(temp, path)
	if err == nil {
		return nil
	}
	if !errors.Is(err, fs.ErrExist) && !errors.Is(err, fs.ErrNotExist) {
		if err := j.note(note{Hold: path}); err != nil {
			return err
		}
		var f *handle
		if f, err = j.d.open(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600); err == nil {
			_ = f.Close()
			if err = j.d.rename(temp, path); err != nil {
				_ = j.d.remove(path)
			}
			return err
		}
	}
	if errors.Is(err, fs.ErrExist) {
		return &ChangedError{path, "created"}
	}
	return err
}

// mkdirAll is like os.MkdirAll, but also makes the names of new folders durable. The journal
// records the folders that it makes.
func (j *journal) mkdirAll(dir string) error {
	info, err := j.d.stat(dir)
	if err == nil && !info.IsDir() {
		return &fs.PathError{Op: "mkdir", Path: dir, Err: syscall.ENOTDIR}
	}
	parent := filepath.Dir(dir)
	if err == nil || errors.Is(err, ErrOutside) || parent == dir {
		return err
	}
	if err := j.mkdirAll(parent); err != nil {
		return err
	}
	if err := j.note(note{Dir: dir}); err != nil {
		return err
	}
	err = j.d.at("mkdir", dir, false, func(from *os.Root, name string) error { return from.Mkdir(name, 0o777) })
	if errors.Is(err, fs.ErrExist) {
		j.dirs = j.dirs[:len(j.dirs)-1] // another program has made it
	} else if err != nil {
		return err
	}
	if j.wide {
		return nil
	}
	return j.d.syncDir(parent, nil)
}

// Turn waits until no other process of this user is in its turn. If two processes read a file, plan its change
// and save it, the second one then reads what the first one saved. The turn ends when done is called or the
// process ends. It is a courtesy: if nothing can be locked, and after [contention.Patience], the process goes on, and
// Commit still refuses to overwrite the other's text.
func (d Disk) Turn(ctx context.Context) (done func()) {
	f, _ := d.waitFor(ctx, "turn") // it is a courtesy
	if f == nil {
		return func() {}
	}
	return func() { _ = f.Close() }
}

// waitFor locks the file of that name next to the journals until f is closed. The file is never removed. After
// [contention.Patience] the error is [ErrLocked]. f is nil if the lock file cannot be opened.
func (d Disk) waitFor(ctx context.Context, name string) (f *handle, err error) {
	f, err = d.inJournalFolder(func(in Disk) (*handle, error) {
		path := filepath.Join(in.Root, name)
		lock, err := in.open(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			return in.open(path, os.O_RDWR|openFlags, 0)
		}
		return lock, err
	})
	if err != nil {
		return nil, err
	}
	return f, contention.Retry(func(err error) bool { return errors.Is(err, ErrLocked) && ctx.Err() == nil }, f.own)
}
