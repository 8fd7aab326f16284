package agent

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// Options configure a socket.
type Options struct {
	Log *slog.Logger // never gets the token
	// WriteTimeout is how long an agent may take to read one message before its connection is closed.
	WriteTimeout time.Duration
	// Window is the name of the editor's window, as in [Entry]; "" without a plugin.
	Window string

	sys *system
}

// Socket is the endpoint that a server has opened for agents of the same user. Its methods are safe for concurrent use.
type Socket struct {
	host   Host
	opts   Options
	listen net.Listener
	token  string

	mu   sync.Mutex
	file discovery // what the discovery file says

	running sync.WaitGroup
}

// Open listens for agents on a socket of this process, and writes the discovery file by
// which they find the socket. If another user can enter the folder of either, that is an
// error. Open lets in only processes of the same user; host serves their connections.
//
// When ctx is done, the file and the socket are removed and all connections end; [Socket.Wait] waits for that.
func Open(ctx context.Context, host Host, opts Options) (*Socket, error) {
	opts.sys = opts.sys.or()
	s := &Socket{host: host, opts: opts}
	if err := s.open(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	s.running.Go(func() {
		defer cancel() // agents should not find a socket without a listener
		s.accept(ctx)
	})
	s.running.Go(func() { s.publish(ctx) })
	return s, nil
}

// open cleans the folder of discovery files, listens, and then writes the discovery file.
func (s *Socket) open() error {
	sys := s.opts.sys
	dir, err := folder()
	if err == nil {
		err = sys.makeFolder(dir)
	}
	if err != nil {
		return err
	}
	sys.clean(dir)
	path, err := sys.socketPath()
	if err != nil {
		return err
	}
	if s.listen, err = listen(path); err != nil {
		return err
	}
	var key [32]byte
	_, _ = rand.Read(key[:]) // it never fails
	start, birth, _ := sys.process(sys.pid)
	if start.IsZero() {
		start = time.Now().UTC()
	}
	s.token = hex.EncodeToString(key[:])
	s.file = discovery{
		Entry: Entry{PID: sys.pid, Started: start, Socket: path, Window: s.opts.Window, file: filepath.Join(dir, strconv.Itoa(sys.pid)+".json")},
		Birth: birth, Token: s.token,
	}
	roots, _ := s.host.Roots()
	if err = s.say(roots, false); err != nil {
		_ = s.listen.Close()
	}
	return err
}

// makeFolder makes the folder of discovery files.
func (sys *system) makeFolder(dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return err
	}
	return sys.makePrivate(dir)
}

// Entry returns the entry that agents find.
func (s *Socket) Entry() Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.file.Entry
}

// Wait waits until all goroutines of the socket have ended, which is some time after the context of Open is done.
func (s *Socket) Wait() { s.running.Wait() }

// lookEvery is how often a socket looks for its discovery file, which another program may have removed. Without the file,
// agents would take the editor for closed.
const lookEvery = 2 * time.Second

// publish keeps the discovery file up to date until ctx is done, and then removes the file and the socket.
func (s *Socket) publish(ctx context.Context) {
	defer func() {
		if err := os.Remove(s.Entry().file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			s.opts.Log.Warn("the discovery file stays behind", "error", err)
		}
		_ = s.listen.Close() // removes the socket
	}()
	for gone := false; ; {
		roots, changed := s.host.Roots()
		if err := s.say(roots, gone); err != nil {
			s.opts.Log.Warn("the discovery file cannot be written", "error", err)
		}
		select {
		case <-changed:
		case <-time.After(lookEvery):
			_, err := os.Lstat(s.Entry().file)
			gone = err != nil
		case <-ctx.Done():
			return
		}
	}
}

// say writes the discovery file if its content would change, or if it was not written yet or is gone.
func (s *Socket) say(roots []string, gone bool) error {
	name, version := s.host.Client()
	s.mu.Lock()
	defer s.mu.Unlock()
	next := s.file
	if !gone && next.Roots != nil && slices.Equal(roots, next.Roots) && name == next.Name && version == next.Version {
		return nil
	}
	next.Name, next.Version, next.Roots = name, version, append([]string{}, roots...) // none is [], not null
	err := s.opts.sys.makeFolder(filepath.Dir(next.file))
	if err == nil {
		err = next.write()
	}
	if err == nil {
		s.file = next
	}
	return err
}

// accept lets agents in until ctx is done or the socket is broken.
func (s *Socket) accept(ctx context.Context) {
	for {
		conn, err := s.listen.Accept()
		switch {
		case err == nil:
			s.admit(ctx, conn)
		case ctx.Err() != nil:
			return
		case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE), errors.Is(err, syscall.ECONNABORTED):
			s.opts.Log.Warn("no agent can be let in for now", "error", err)
			select {
			case <-time.After(100 * time.Millisecond): // files are closed meanwhile
			case <-ctx.Done():
				return
			}
		default:
			s.opts.Log.Error("no agents are let in any more", "error", err)
			return
		}
	}
}

// admit serves conn, or closes it at once if it is another user's.
func (s *Socket) admit(ctx context.Context, conn net.Conn) {
	if err := s.opts.sys.checkPeer(conn); err != nil {
		s.opts.Log.Warn("a connection to the agents' socket was refused", "reason", err)
		_ = conn.Close() // there is no agent to hear of it
		return
	}
	s.running.Go(func() {
		err := s.host.Serve(ctx, &timedConn{Conn: conn, limit: s.opts.WriteTimeout}, s.token)
		if err != nil && ctx.Err() == nil {
			s.opts.Log.Info("the connection of an agent ended", "error", err)
		}
	})
}

// checkPeer returns an error if the other end of conn is not this user's. If the system
// cannot tell, the mode of the folder has kept others out.
func (sys *system) checkPeer(conn net.Conn) error {
	uid, err := sys.peer(conn)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return nil
	case err != nil:
		return err
	case uid != sys.uid:
		return errForeign
	}
	return nil
}

var errForeign = errors.New("the other end belongs to another user")

// timedConn is a connection whose other end has a limited time to read a message. If it
// does not read, the connection is closed: unread messages would fill the memory.
type timedConn struct {
	net.Conn
	limit time.Duration
}

func (c *timedConn) Write(b []byte) (int, error) {
	if err := c.SetWriteDeadline(time.Now().Add(c.limit)); err != nil {
		return 0, err
	}
	n, err := c.Conn.Write(b)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		_ = c.Close() // half a message was sent, so the connection is unusable
	}
	return n, err
}
