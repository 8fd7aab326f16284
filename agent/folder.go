package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// folder is where servers leave their discovery files. It rests on HOME alone: that is the only variable
// of those that could say it which every MCP client hands on to the servers that it starts.
func folder() (string, error) {
	home, err := os.UserHomeDir()
	if err == nil && !filepath.IsAbs(home) {
		err = fmt.Errorf("the home folder %q is not an absolute path", home)
	}
	return filepath.Join(home, ".local", "state", "patchls", "editors"), err
}

// makeFolder makes the folder for the discovery file of a new server and returns it.
func (sys *system) makeFolder() (string, error) {
	dir, err := folder()
	if err == nil {
		err = os.MkdirAll(filepath.Dir(dir), 0o700)
	}
	if err == nil {
		err = sys.makePrivate(dir)
	}
	return dir, err
}

// socketPath is where the socket of a new server goes: into a private folder, which it makes, of
// the user's login, or else below the folder for temporary files. One that is not there, or
// whose path is too long for the system, is passed over; one that is not private is an error.
func (sys *system) socketPath() (string, error) {
	name, short := strconv.Itoa(sys.pid)+".sock", "patchls-"+strconv.Itoa(sys.uid)
	dirs := []string{filepath.Join(os.TempDir(), short), "/tmp/" + short}
	if run := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(run) {
		dirs = slices.Insert(dirs, 0, filepath.Join(run, "patchls"))
	}
	failed := fmt.Errorf("no folder has a path short enough for a socket, %d bytes with its name", sys.longest)
	for _, dir := range dirs {
		path := filepath.Join(dir, name)
		if len(path) > sys.longest {
			continue
		}
		if failed = sys.makePrivate(dir); !errors.Is(failed, fs.ErrNotExist) {
			return path, failed
		}
	}
	return "", failed
}

// makePrivate makes dir if it is not there. It is an error if others can enter it.
func (sys *system) makePrivate(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return sys.checkFolder(dir)
}

// checkFolder says why dir is no private folder of the user. As long as it is one,
// no other user can change or see what is in it, whatever that file's own mode.
func (sys *system) checkFolder(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if info.Mode()&fs.ModeSymlink == 0 && !info.IsDir() {
		return fmt.Errorf("%s is not a folder", dir)
	}
	return sys.checkPrivate(dir, info)
}

// ErrOtherUser says why a file or a folder is not trusted, where that is the reason.
var ErrOtherUser = errors.New("belongs to another user")

// checkPrivate says why others than the user have a say in a file.
func (sys *system) checkPrivate(path string, info fs.FileInfo) error {
	if info.Mode()&fs.ModeSymlink != 0 {
		return fmt.Errorf("%s is a symbolic link", path)
	}
	if uid, ok := sys.owner(info); !ok || uid != sys.uid {
		return fmt.Errorf("%s %w", path, ErrOtherUser)
	}
	if perm := info.Mode().Perm(); perm&0o077 != 0 {
		return fmt.Errorf("%s is open to others: its mode is %#o", path, perm)
	}
	return nil
}

// Folder is the folder where servers leave their discovery files, as an inspection
// finds it.
type Folder struct {
	Path    string
	Missing bool  // which is well: the first server makes it
	Fault   error // why it is not used, nil if it is
	Files   []DiscoveryFile
}

// DiscoveryFile is one that an inspection finds.
type DiscoveryFile struct {
	Path  string
	Entry Entry // what it says, if Fault is nil
	// Stale says that its process has ended. A Finder removes it.
	Stale bool
	Fault error // why it is ignored, nil if it is not
}

// Inspect returns what [Finder.Editors] would look at and what it would make of it, and
// changes nothing. On Windows there is nothing.
func (f *Finder) Inspect() Folder {
	dir, err := folder()
	in := Folder{Path: dir, Fault: err}
	if !supported || err != nil {
		return in
	}
	sys := f.sys.or()
	switch in.Fault = sys.checkFolder(dir); {
	case errors.Is(in.Fault, fs.ErrNotExist):
		in.Missing, in.Fault = true, sys.checkParent(filepath.Dir(dir))
	case in.Fault == nil:
		in.Files = sys.inspect(dir)
	}
	return in
}

// inspect returns the discovery files in dir, a private folder of the user's; what can be read
// of it counts.
func (sys *system) inspect(dir string) []DiscoveryFile {
	names, _ := os.ReadDir(dir)
	var files []DiscoveryFile
	for _, name := range names {
		if filepath.Ext(name.Name()) != ".json" {
			continue
		}
		file := DiscoveryFile{Path: filepath.Join(dir, name.Name())}
		d, err := sys.read(file.Path)
		if file.Stale = errors.Is(err, errStale); err == nil || file.Stale {
			file.Entry = d.Entry
		} else {
			file.Fault = err
		}
		files = append(files, file)
	}
	return files
}

// checkParent says why no folder can be made in dir, which may have to be made as well.
func (sys *system) checkParent(dir string) error {
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) && dir != filepath.Dir(dir) {
		return sys.checkParent(filepath.Dir(dir))
	}
	if err != nil {
		return err
	}
	const othersWrite = 0o022
	if uid, ok := sys.owner(info); ok && uid != sys.uid && sys.uid != 0 && info.Mode().Perm()&othersWrite == 0 {
		return fmt.Errorf("no folder can be made in %s, which %w", dir, ErrOtherUser)
	}
	return nil
}

// clean removes from dir what servers that died have left there.
func (sys *system) clean(dir string) {
	for _, file := range sys.inspect(dir) {
		if file.Stale {
			sys.removeStale(file.Entry)
		}
	}
	names, _ := os.ReadDir(dir)
	for _, name := range names {
		id, kind, _ := strings.Cut(name.Name(), ".")
		pid, err := strconv.Atoi(id)
		if err != nil || kind != "sock" && kind != "json.tmp" {
			continue
		}
		// It is of a server that died before it wrote the file.
		if _, alive := sys.started(pid); !alive || pid == sys.pid {
			sys.remove(filepath.Join(dir, name.Name()))
		}
	}
}

// removeStale removes what is left of a server: its discovery file and its socket. It leaves
// both where a process listens. A file whose socket is not here stays for a week: in a home that
// machines or containers share, it may be that of a server which runs on another of them.
func (sys *system) removeStale(e Entry) {
	const week = 7 * 24 * time.Hour
	_, err := os.Lstat(e.Socket)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if info, err := os.Lstat(e.file); err == nil && time.Since(info.ModTime()) < week {
			return
		}
	case filepath.Base(e.Socket) == strconv.Itoa(e.PID)+".sock" && sys.checkSocket(e.Socket) == nil && !sys.remove(e.Socket):
		return
	}
	_ = os.Remove(e.file) // the next one that comes by tries again
}

// remove removes path, a file of the user's in a private folder, if it is no socket
// that is listened on.
func (sys *system) remove(path string) (removed bool) {
	info, err := os.Lstat(path)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	if info.Mode().Type() == fs.ModeSocket {
		if conn, err := net.DialTimeout("unix", path, time.Second); err == nil { //nolint:noctx // a socket of this machine answers at once
			_ = conn.Close()
			return false
		}
	}
	return os.Remove(path) == nil
}
