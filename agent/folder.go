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

// folders are where servers may have left their discovery files, the one for a new
// server first. The second is looked at even where there is the first: an agent may
// lack the variable that the editor had, or the other way round.
func (sys *system) folders() []string {
	short := filepath.Join(os.TempDir(), sys.shortName())
	if run := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(run) {
		return []string{filepath.Join(run, "patchls"), short}
	}
	if sys.runtime != "" {
		// Agents start what they use with few variables of their own, and an editor that
		// is not found is one under whose unsaved text a file is written.
		return []string{short, filepath.Join(sys.runtime, "patchls")}
	}
	return []string{short}
}

func (sys *system) shortName() string { return "patchls-" + strconv.Itoa(sys.uid) }

// home makes the folder for a new server and returns it.
func (sys *system) home() (string, error) {
	var failed error
	for _, dir := range sys.folders() {
		err := sys.makePrivate(dir)
		if err == nil {
			return dir, nil
		}
		failed = errors.Join(failed, err)
		if !errors.Is(err, fs.ErrNotExist) {
			break // a folder that is there and not safe is told, not walked around
		}
	}
	return "", failed
}

// socketPath is where the socket of the server whose discovery file is in dir goes:
// beside it, or where the system allows no path of that length, into a private
// folder with a shorter one, which it makes.
func (sys *system) socketPath(dir string) (string, error) {
	name := strconv.Itoa(sys.pid) + ".sock"
	if path := filepath.Join(dir, name); len(path) <= sys.longest {
		return path, nil
	}
	for _, tmp := range []string{os.TempDir(), "/tmp"} {
		short := filepath.Join(tmp, sys.shortName())
		if path := filepath.Join(short, name); len(path) <= sys.longest {
			return path, sys.makePrivate(short)
		}
	}
	return "", fmt.Errorf("no folder has a path short enough for a socket, %d bytes with its name", sys.longest)
}

// makePrivate makes dir if it is not there. It is an error if others can enter it.
func (sys *system) makePrivate(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return sys.checkFolder(dir)
}

// checkFolder says why dir is no private folder of the user. As long as it is one,
// nobody else can change or see what is in it, whatever that file's own mode.
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

// Folder is a folder where servers leave their discovery files, as an inspection
// finds it.
type Folder struct {
	Path    string
	Missing bool  // which is well: the first server makes it
	NoPlace bool  // it is missing and cannot be made, so that the next one is taken
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
// changes nothing. The folder that a new server would take comes first, and last the one
// of the socket that PATCHLS_SOCKET names, if it is another. On Windows there are none.
func (f *Finder) Inspect() []Folder {
	if !supported {
		return nil
	}
	sys := f.sys.or()
	var folders []Folder
	for _, dir := range sys.folders() {
		folder := Folder{Path: dir, Fault: sys.checkFolder(dir)}
		if errors.Is(folder.Fault, fs.ErrNotExist) {
			err := sys.checkParent(filepath.Dir(dir))
			folder.Missing, folder.NoPlace = true, errors.Is(err, fs.ErrNotExist)
			if folder.Fault = err; folder.NoPlace {
				folder.Fault = nil
			}
		}
		if folder.Fault == nil && !folder.Missing {
			folder.Files = sys.inspect(dir)
		}
		folders = append(folders, folder)
	}
	if name := os.Getenv(socketVariable); name != "" && !slices.ContainsFunc(folders, func(in Folder) bool { return in.names(name) }) {
		if e, err := f.beside(name); err == nil {
			folders = append(folders, Folder{Path: filepath.Dir(e.file), Files: []DiscoveryFile{{Path: e.file, Entry: e}}})
		}
	}
	return folders
}

// names reports whether a server in the folder has that socket.
func (in Folder) names(socket string) bool {
	return slices.ContainsFunc(in.Files, func(file DiscoveryFile) bool { return file.Entry.Socket == socket })
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

// checkParent says why no folder can be made in dir.
func (sys *system) checkParent(dir string) error {
	info, err := os.Stat(dir)
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

// removeStale removes what is left of a server: its discovery file and its socket. It
// leaves both if somebody listens: a folder that containers share holds the files of
// processes whose ids mean others here.
func (sys *system) removeStale(e Entry) {
	if filepath.Base(e.Socket) == strconv.Itoa(e.PID)+".sock" && sys.checkSocket(e.Socket) == nil && !sys.remove(e.Socket) {
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
