//go:build linux

package shadow

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/patchls/patchls/workspace"
)

// events watches the files in a folder with inotify, and records their use in order: a file's access time cannot tell
// whether the file was read before it was written. It is safe for concurrent use.
type events struct {
	folder  string
	queue   *os.File
	written chan struct{} // gets a value when a file was written

	mu     sync.Mutex
	uses   map[string]use // by path
	fresh  map[string]bool
	marks  map[string]chan struct{}
	serial int
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
	// Access through a memory mapping causes no events: only the closing of the file does.
	if _, err := unix.InotifyAddWatch(fd, folder, unix.IN_ACCESS|unix.IN_CLOSE_NOWRITE|unix.IN_MODIFY|unix.IN_CREATE); err != nil {
		_ = unix.Close(fd) // nothing was written
		return nil, err
	}
	e := &events{
		folder: folder, queue: os.NewFile(uintptr(fd), "inotify"), written: make(chan struct{}, 1),
		uses: map[string]use{}, fresh: map[string]bool{}, marks: map[string]chan struct{}{},
	}
	go e.take()
	return e, nil
}

// take reads and records events until the queue is closed.
func (e *events) take() {
	buf := make([]byte, 64<<10)
	for {
		n, err := e.queue.Read(buf)
		if err != nil {
			return
		}
		for rest := buf[:n]; len(rest) >= unix.SizeofInotifyEvent; {
			mask, length := binary.NativeEndian.Uint32(rest[4:]), binary.NativeEndian.Uint32(rest[12:])
			name := rest[unix.SizeofInotifyEvent:][:length]
			rest = rest[unix.SizeofInotifyEvent+length:]
			e.takeOne(filepath.Join(e.folder, string(bytes.TrimRight(name, "\x00"))), mask)
		}
	}
}

func (e *events) takeOne(path string, mask uint32) {
	e.mu.Lock()
	defer e.mu.Unlock()
	u := e.uses[path]
	switch {
	case mask&unix.IN_Q_OVERFLOW != 0: // anything may have been written
		for path := range e.uses {
			e.fresh[path] = true
		}
	case mask&unix.IN_CREATE != 0:
		if mark := e.marks[path]; mark != nil {
			close(mark)
			delete(e.marks, path)
		}
		return
	case mask&unix.IN_MODIFY != 0:
		u.wrote, e.fresh[path] = true, true
	case !u.wrote:
		u.some, u.read = true, u.read || mask&unix.IN_CLOSE_NOWRITE != 0
	}
	e.uses[path] = u
	if len(e.fresh) > 0 {
		workspace.Wake(e.written)
	}
}

// files returns the paths of the files written since its last call, without those that were reset since.
func (e *events) files() map[string]bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	fresh := e.fresh
	e.fresh = map[string]bool{}
	return fresh
}

// of returns how a file was used up to now.
func (e *events) of(path string) use {
	e.flush()
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.uses[path]
}

// reset clears the use of a file up to now.
func (e *events) reset(path string) {
	e.flush()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.uses[path] = use{}
	delete(e.fresh, path)
}

// forget drops the records of a file that is removed.
func (e *events) forget(path string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.uses, path)
	delete(e.fresh, path)
}

// flush waits until all earlier events are recorded: it creates a file, whose event comes after them.
func (e *events) flush() {
	e.mu.Lock()
	e.serial++
	path, mark := filepath.Join(e.folder, "mark"+strconv.Itoa(e.serial)), make(chan struct{})
	e.marks[path] = mark
	e.mu.Unlock()
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY|unix.O_NOFOLLOW, 0o600) // the agent can write in there
	if err != nil {                                                                       // no memory is left, or the folder was removed
		e.mu.Lock()
		defer e.mu.Unlock()
		delete(e.marks, path)
		return
	}
	_ = f.Close() // it is empty
	select {
	case <-mark:
	case <-time.After(time.Second): // the queue overflowed, and the event is lost
	}
	_ = os.Remove(path)
}

func (e *events) close() { _ = e.queue.Close() }
