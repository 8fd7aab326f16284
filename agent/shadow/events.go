//go:build linux

package shadow

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/patchls/patchls/workspace"
)

// events watches the files in a folder with inotify, and records their use in order: a file's access time cannot tell
// whether the file was read before it was written. It is safe for concurrent use.
type events struct {
	folder  string
	queue   *os.File
	fd      syscall.RawConn // of the queue
	written chan struct{}   // gets a value when a file was written

	mu    sync.Mutex
	uses  map[string]use  // by path
	fresh map[string]bool // the files written since the last call of writes
	lost  bool            // any file may be one of them
}

// use is how a file was used since its last reset. Only reads that came before the first write count.
type use struct {
	read  bool // by a process that opened the file read-only and has closed it
	some  bool // or by any process, such as one that then writes
	wrote bool
}

func newEvents(folder string) (*events, error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil, err
	}
	e := &events{folder: folder, queue: os.NewFile(uintptr(fd), "inotify"), written: make(chan struct{}, 1), uses: map[string]use{}, fresh: map[string]bool{}}
	// Access through a memory mapping causes no events: only the closing of the file does.
	if _, err = unix.InotifyAddWatch(fd, folder, unix.IN_ACCESS|unix.IN_CLOSE_NOWRITE|unix.IN_MODIFY); err == nil {
		e.fd, err = e.queue.SyscallConn()
	}
	if err != nil {
		e.close()
		return nil, err
	}
	go func() {
		_ = e.fd.Read(func(fd uintptr) bool { // ends when the queue is closed
			e.mu.Lock()
			defer e.mu.Unlock()
			e.record(fd)
			return false
		})
	}()
	return e, nil
}

// record records all events up to now. It needs the lock, so that no event that was read is still to be recorded.
func (e *events) record(fd uintptr) {
	buf := make([]byte, 4<<10)
	for {
		n, err := unix.Read(int(fd), buf)
		if err != nil { // there are no more
			return
		}
		for rest := buf[:n]; len(rest) >= unix.SizeofInotifyEvent; {
			mask, length := binary.NativeEndian.Uint32(rest[4:]), binary.NativeEndian.Uint32(rest[12:])
			name := rest[unix.SizeofInotifyEvent:][:length]
			rest = rest[unix.SizeofInotifyEvent+length:]
			e.recordOne(filepath.Join(e.folder, string(bytes.TrimRight(name, "\x00"))), mask)
		}
	}
}

func (e *events) recordOne(path string, mask uint32) {
	u := e.uses[path]
	switch {
	case mask&unix.IN_Q_OVERFLOW != 0:
		e.lost = true
		workspace.Wake(e.written)
		return
	case mask&unix.IN_MODIFY != 0:
		u.wrote, e.fresh[path] = true, true
		workspace.Wake(e.written)
	case !u.wrote:
		u.some, u.read = true, u.read || mask&unix.IN_CLOSE_NOWRITE != 0
	}
	e.uses[path] = u
}

// writes returns a function that reports whether a file may have been written since the last call of writes or its last reset.
func (e *events) writes() func(path string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	fresh, lost := e.fresh, e.lost
	e.fresh, e.lost = map[string]bool{}, false
	return func(path string) bool { return lost || fresh[path] }
}

// of returns how a file was used up to now.
func (e *events) of(path string) use {
	e.mu.Lock()
	defer e.mu.Unlock()
	_ = e.fd.Control(e.record) // it fails if the queue is closed
	return e.uses[path]
}

// reset drops what is known of the use of a file up to now.
func (e *events) reset(path string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	_ = e.fd.Control(e.record)
	delete(e.uses, path)
	delete(e.fresh, path)
}

func (e *events) close() { _ = e.queue.Close() }
