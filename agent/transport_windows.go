package agent

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/windows"
)

// pipes is where named pipes are. A path that only begins like it, such as one of another machine, is none of ours.
const pipes = `\\.\pipe\`

// pipe is a named pipe that only this user can open, and only from this machine. One of its instances
// always waits for an agent, so that no other process can take the name.
type pipe struct {
	path string

	mu      sync.Mutex
	waiting windows.Handle // 0 when it is closed
	met     windows.Overlapped
}

// listen makes the pipe at path, which must not exist yet.
func listen(path string) (listener, error) {
	met, err := windows.CreateEvent(nil, 1, 0, nil)
	if err != nil {
		return nil, err
	}
	p := &pipe{path: path, met: windows.Overlapped{HEvent: met}}
	if p.waiting, err = p.instance(windows.FILE_FLAG_FIRST_PIPE_INSTANCE); err != nil {
		_ = windows.CloseHandle(met)
		return nil, err
	}
	return p, nil
}

func (p *pipe) instance(flags uint32) (windows.Handle, error) {
	name, err := windows.UTF16PtrFromString(p.path)
	if err != nil {
		return 0, err
	}
	mine, err := onlyMine()
	if err != nil {
		return 0, err
	}
	const buffer = 64 << 10
	h, err := windows.CreateNamedPipe(name, flags|windows.PIPE_ACCESS_DUPLEX|windows.FILE_FLAG_OVERLAPPED,
		windows.PIPE_REJECT_REMOTE_CLIENTS, windows.PIPE_UNLIMITED_INSTANCES, buffer, buffer, 0, mine)
	if err != nil {
		return 0, &os.PathError{Op: "listen", Path: p.path, Err: err}
	}
	return h, nil
}

// Accept implements listener. Only one goroutine may call it.
func (p *pipe) Accept() (stream, error) {
	err := p.wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waiting == 0 {
		return nil, net.ErrClosed
	}
	// If the client has left again, its stream is at its end.
	if err != nil && !errors.Is(err, windows.ERROR_PIPE_CONNECTED) && !errors.Is(err, windows.ERROR_NO_DATA) {
		return nil, err
	}
	next, err := p.instance(0)
	if err != nil {
		return nil, err
	}
	met := os.NewFile(uintptr(p.waiting), p.path)
	p.waiting = next
	return met, nil
}

// wait waits until a client connects to the waiting instance.
func (p *pipe) wait() error {
	p.mu.Lock()
	waiting := p.waiting
	err := net.ErrClosed
	if waiting != 0 {
		err = windows.ConnectNamedPipe(waiting, &p.met)
	}
	p.mu.Unlock()
	if errors.Is(err, windows.ERROR_IO_PENDING) {
		var none uint32
		err = windows.GetOverlappedResult(waiting, &p.met, &none, true)
	}
	return err
}

// Close implements listener. It ends an Accept.
func (p *pipe) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waiting == 0 {
		return net.ErrClosed
	}
	_ = windows.CancelIoEx(p.waiting, &p.met) // it fails if no Accept waits
	err := windows.CloseHandle(p.waiting)
	p.waiting = 0
	return err
}

// dial connects to a pipe. The server learns only that this process may connect.
func dial(ctx context.Context, path string) (stream, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	for {
		h, err := windows.CreateFile(name, windows.GENERIC_READ|windows.GENERIC_WRITE, 0, nil, windows.OPEN_EXISTING,
			windows.FILE_FLAG_OVERLAPPED|windows.SECURITY_SQOS_PRESENT|windows.SECURITY_ANONYMOUS, 0)
		if err == nil {
			return os.NewFile(uintptr(h), path), nil
		}
		if !errors.Is(err, windows.ERROR_PIPE_BUSY) {
			return nil, &os.PathError{Op: "dial", Path: path, Err: err}
		}
		select {
		case <-time.After(10 * time.Millisecond): // the next instance is made meanwhile
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// peerOf returns the owner of the pipe, as ownerOf does. For an agent that is the server's user. A
// client that could open the pipe belongs to the same user.
func peerOf(fd int) (uid int, err error) {
	access, err := windows.GetSecurityInfo(windows.Handle(fd), windows.SE_KERNEL_OBJECT, windows.OWNER_SECURITY_INFORMATION)
	if err != nil {
		return 0, err
	}
	return userOf(access)
}

// socketPath returns a pipe name for a new server, which another user cannot guess.
func (sys *system) socketPath() (string, error) {
	return pipes + "patchls-" + strconv.Itoa(sys.pid) + "-" + rand.Text(), nil
}

// checkSocket returns an error if no token should be sent to path. The owner of a pipe can be
// seen only once the pipe is open: checkPeer checks it.
func (sys *system) checkSocket(path string) error {
	if name, ok := strings.CutPrefix(path, pipes); !ok || strings.ContainsAny(name, `\/`) {
		return fmt.Errorf("%s is not a socket", path)
	}
	return nil
}

// removeSocket has nothing to remove: a pipe ends with its process.
func (sys *system) removeSocket(Entry) bool { return true }
