package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/patchls/patchls/internal/contention"
	"github.com/patchls/patchls/internal/lists"
)

// Entry is what a server says of itself in its discovery file, without the token:
// [Finder.Connect] reads that again, so that no value which is printed or logged has it.
type Entry struct {
	PID     int       `json:"pid"`
	Started time.Time `json:"started"` // the process, to two seconds
	Name    string    `json:"name"`    // of the editor, as it calls itself; may be ""
	Version string    `json:"version"` // of the editor; may be ""
	Roots   []string  `json:"roots"`   // workspace folders, absolute paths
	Socket  string    `json:"socket"`  // absolute path, on Windows of a named pipe
	// Window is what the editor's plugin calls its process or window; it stays the same when the
	// server is restarted. It is "" without a plugin.
	Window string `json:"window,omitempty"`

	file string // the path of the discovery file
}

// discovery is the content of a discovery file.
type discovery struct {
	Entry
	Birth string `json:"birth,omitempty"` // see system; if there is none, Started decides
	Token string `json:"token"`
}

const (
	maxDiscoveryBytes = 64 << 10
	// minToken is the minimum length of a token.
	minToken = 32
	// startTolerance is by how much two readings of a process's start may differ.
	startTolerance = 2 * time.Second
)

// ErrStale says that the process which wrote a discovery file has ended. A Finder removes the file.
var ErrStale = errors.New("its process has ended")

// write replaces the discovery file. A reader sees the old one or the new one.
func (d *discovery) write() error {
	content, err := json.Marshal(d)
	if err != nil {
		return err
	}
	next := d.file + ".tmp"
	_ = os.Remove(next) // an earlier process of this id may have left it; if it stays, the next line fails
	f, err := createPrivate(next)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Close()); err == nil {
		err = contention.Retry(isHeld, func() error { return os.Rename(next, d.file) }) // while others read the file
	}
	if err != nil {
		_ = os.Remove(next)
	}
	return err
}

// read reads a discovery file. The error says why the file cannot be trusted or used. It is ErrStale if the process has
// ended, in whatever folder the file is.
func (sys *system) read(file string) (*discovery, error) {
	content, err := sys.readPrivate(file)
	if err != nil {
		return nil, err
	}
	d := &discovery{}
	if json.Unmarshal(content, d) != nil { // the decoder's error may quote the token
		return nil, errors.New("it does not hold what a discovery file does")
	}
	d.file = file
	if filepath.Base(file) != strconv.Itoa(d.PID)+".json" || len(d.Token) < minToken || !filepath.IsAbs(d.Socket) {
		return nil, errors.New("its process id, socket or token is not one")
	}
	if !sys.runs(d) {
		return d, ErrStale
	}
	if err := sys.checkFolder(filepath.Dir(file)); err != nil {
		return nil, err
	}
	return d, sys.checkSocket(d.Socket)
}

// readPrivate reads a small file of the user's.
func (sys *system) readPrivate(file string) ([]byte, error) {
	info, err := os.Lstat(file)
	if err != nil {
		return nil, err
	}
	if err := sys.checkPrivate(file, info); err != nil {
		return nil, err // for a link, opening would only say "too many levels"
	}
	var f *os.File
	err = contention.Retry(isHeld, func() (err error) { f, err = os.OpenFile(file, os.O_RDONLY|openFlags, 0); return err })
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	if info, err = f.Stat(); err != nil {
		return nil, err
	}
	if err := sys.checkPrivate(file, info); err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is not a file")
	}
	content, err := io.ReadAll(io.LimitReader(f, maxDiscoveryBytes+1))
	if err == nil && len(content) > maxDiscoveryBytes {
		err = fmt.Errorf("it is larger than %d bytes", maxDiscoveryBytes)
	}
	return content, err
}

// isHeld reports whether a call for a discovery file failed because another process has the file open to read or write it.
func isHeld(err error) bool { return contention.Sharing(err) || contention.Denied(err) }

// runs reports whether the process that wrote d still runs, and not another process with the same id. The clock may have
// been set since, so the time of the start decides only if there is no birth to compare.
func (sys *system) runs(d *discovery) bool {
	start, birth, alive := sys.process(d.PID)
	if birth != "" && d.Birth != "" {
		return alive && birth == d.Birth
	}
	return alive && (start.IsZero() || start.Sub(d.Started).Abs() <= startTolerance)
}

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
	names, _ := fs.Glob(os.DirFS(dir), "*.json")
	return lists.Map(names, func(name string) (file DiscoveryFile) {
		var d *discovery
		file.Path = filepath.Join(dir, name)
		if d, file.Fault = sys.read(file.Path); d != nil {
			file.Entry = d.Entry
		}
		return file
	})
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
