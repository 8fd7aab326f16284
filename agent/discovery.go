package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/patchls/patchls/internal/contention"
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
