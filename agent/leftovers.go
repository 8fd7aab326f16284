package agent

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// clean removes from dir what servers that died have left there.
func (sys *system) clean(dir string) {
	names, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, entry := range names {
		name := entry.Name()
		id, kind, _ := strings.Cut(name, ".")
		pid, err := strconv.Atoi(id)
		if err != nil {
			continue
		}
		path := filepath.Join(dir, name)
		switch kind {
		case "json":
			if d, err := sys.read(path); errors.Is(err, errStale) {
				sys.removeStale(d)
			}
		case "sock", "json.tmp": // of one that died before it wrote the file
			if _, alive := sys.started(pid); !alive || pid == sys.pid {
				sys.remove(path)
			}
		}
	}
}

// removeStale removes what is left of a server: its discovery file and its socket. It
// leaves both if somebody listens: a folder that containers share holds the files of
// processes whose ids mean others here.
func (sys *system) removeStale(d *discovery) {
	if filepath.Base(d.Socket) == strconv.Itoa(d.PID)+".sock" && sys.checkSocket(d.Socket) == nil && !sys.remove(d.Socket) {
		return
	}
	_ = os.Remove(d.file) // the next one that comes by tries again
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
