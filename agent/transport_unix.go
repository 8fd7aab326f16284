//go:build unix

package agent

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"
)

// listen listens on a socket at path that only this user can open. Closing the listener removes the socket.
func listen(path string) (net.Listener, error) {
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		_ = l.Close()
		return nil, err
	}
	return l, nil
}

func dial(ctx context.Context, path string) (net.Conn, error) {
	return (&net.Dialer{}).DialContext(ctx, "unix", path)
}

// peerUID returns the user id at the other end of conn.
func peerUID(conn net.Conn) (uid int, err error) {
	open, ok := conn.(syscall.Conn)
	if !ok {
		return 0, errors.ErrUnsupported
	}
	raw, err := open.SyscallConn()
	if err != nil {
		return 0, err
	}
	var failed error
	err = raw.Control(func(fd uintptr) { uid, failed = peerOf(int(fd)) })
	return uid, errors.Join(err, failed)
}

// socketPath returns the path for the socket of a new server. It makes and cleans a private folder in the
// folder of the user's login, or else in one for temporary files. It skips a folder that does not exist, or
// whose path is too long for the system. If the folder is not private, that is an error.
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
		failed = sys.makePrivate(dir)
		if failed == nil {
			sys.clean(dir)
			return path, nil
		}
		if !errors.Is(failed, fs.ErrNotExist) {
			break
		}
	}
	return "", failed
}

// checkSocket returns an error if no token should be sent to path.
func (sys *system) checkSocket(path string) error {
	if err := sys.checkFolder(filepath.Dir(path)); err != nil {
		return err
	}
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if info.Mode().Type() != fs.ModeSocket {
		return fmt.Errorf("%s is not a socket", path)
	}
	// Its mode does not matter: the folder is private, and for a moment after it was
	// made the socket has the mode of the umask.
	if uid, ok := sys.owner(path, info); !ok || uid != sys.uid {
		return fmt.Errorf("%s %w", path, ErrOtherUser)
	}
	return nil
}

// removeSocket removes the socket of a server that has ended, and reports whether the discovery file may be
// removed as well. Both stay if a process listens on the socket. A discovery file without a socket stays for
// a week: if machines or containers share the home, its server may run on another of them.
func (sys *system) removeSocket(e Entry) bool {
	const week = 7 * 24 * time.Hour
	if _, err := os.Lstat(e.Socket); errors.Is(err, fs.ErrNotExist) {
		info, err := os.Lstat(e.file)
		return err != nil || time.Since(info.ModTime()) >= week
	}
	return filepath.Base(e.Socket) != strconv.Itoa(e.PID)+".sock" || sys.checkSocket(e.Socket) != nil || sys.remove(e.Socket)
}
