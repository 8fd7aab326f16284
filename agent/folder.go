package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// makePrivate makes the folder dir if it does not exist. If others can enter dir, that is an error.
func (sys *system) makePrivate(dir string) error {
	if err := mkdirPrivate(dir); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return sys.checkFolder(dir)
}

// checkFolder returns an error if dir is not a private folder of the user. As long as it is,
// no other user can change or see the files in dir, whatever their own modes are.
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

// ErrOtherUser says that a file or a folder is not trusted, since another user owns it.
var ErrOtherUser = errors.New("belongs to another user")

// checkPrivate returns an error if a file is a symbolic link, another user's, or open to others.
func (sys *system) checkPrivate(path string, info fs.FileInfo) error {
	if info.Mode()&fs.ModeSymlink != 0 {
		return fmt.Errorf("%s is a symbolic link", path)
	}
	if uid, ok := sys.owner(path, info); !ok || uid != sys.uid {
		return fmt.Errorf("%s %w", path, ErrOtherUser)
	}
	if how := openToOthers(path, info); how != "" {
		return fmt.Errorf("%s is open to others: %s", path, how)
	}
	return nil
}

// Folder is the folder where servers leave their discovery files, as an inspection finds it.
type Folder struct {
	Path    string
	Missing bool  // no fault: the first server makes it
	Fault   error // why the folder is not used, nil if it is used
	Files   []DiscoveryFile
}

// DiscoveryFile is a discovery file, as an inspection finds it.
type DiscoveryFile struct {
	Path  string
	Entry Entry // what it says; empty if it cannot be read or trusted
	Fault error // why the file is ignored, nil if it is not
}

// Inspect returns the files that [Finder.Editors] would look at, and how it would judge them. It changes nothing.
func (f *Finder) Inspect() Folder {
	dir, err := folder()
	in := Folder{Path: dir, Fault: err}
	if err != nil {
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

// inspect returns the discovery files in dir, as far as dir can be read.
func (sys *system) inspect(dir string) []DiscoveryFile {
	names, _ := os.ReadDir(dir)
	var files []DiscoveryFile
	for _, name := range names {
		if filepath.Ext(name.Name()) != ".json" {
			continue
		}
		file := DiscoveryFile{Path: filepath.Join(dir, name.Name())}
		var d *discovery
		if d, file.Fault = sys.read(file.Path); d != nil {
			file.Entry = d.Entry
		}
		files = append(files, file)
	}
	return files
}

// checkParent returns an error if no folder can be made in dir, which may not exist yet either.
func (sys *system) checkParent(dir string) error {
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) && dir != filepath.Dir(dir) {
		return sys.checkParent(filepath.Dir(dir))
	}
	if err != nil {
		return err
	}
	const othersWrite = 0o022
	if uid, ok := sys.owner(dir, info); ok && uid != sys.uid && sys.uid != 0 && info.Mode().Perm()&othersWrite == 0 {
		return fmt.Errorf("no folder can be made in %s, which %w", dir, ErrOtherUser)
	}
	return nil
}

// clean removes from dir what dead servers have left there.
func (sys *system) clean(dir string) {
	for _, file := range sys.inspect(dir) {
		if errors.Is(file.Fault, ErrStale) {
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
		// Its server died before it wrote the discovery file.
		if _, _, alive := sys.process(pid); !alive || pid == sys.pid {
			sys.remove(filepath.Join(dir, name.Name()))
		}
	}
}

// removeStale removes what is left of a server: its discovery file and its socket.
func (sys *system) removeStale(e Entry) {
	if sys.removeSocket(e) {
		_ = os.Remove(e.file) // the next cleanup tries again
	}
}

// remove removes path, a file of the user's in a private folder, unless it is a socket on which a process listens.
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
