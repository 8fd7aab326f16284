package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
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
