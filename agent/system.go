package agent

import (
	"io"
	"io/fs"
	"os"
	"runtime"
	"time"
)

// A transport is how agents and a server of one user and one machine meet: by a Unix socket, or on
// Windows by a named pipe. It is the functions listen and dial, and what they return.
type (
	// listener is the end of a server. Closing it ends Accept.
	listener interface {
		Accept() (stream, error)
		Close() error
	}
	// stream is a connection, at either end.
	stream interface {
		io.ReadWriteCloser
		SetReadDeadline(t time.Time) error
		SetWriteDeadline(t time.Time) error
	}
)

// system is what a socket asks of the operating system, and how long they wait.
// Tests have their own.
type system struct {
	uid, pid int

	// owner returns the user id that a file belongs to.
	owner func(path string, info fs.FileInfo) (uid int, ok bool)
	// peer returns the user id at the other end of a connection. The error is
	// errors.ErrUnsupported where the system does not tell.
	peer func(stream) (uid int, err error)
	// started reports whether a process of this user runs under pid, and since when;
	// the time is zero where the system does not tell.
	started func(pid int) (start time.Time, alive bool)
	// birth is what no other process has that ever runs under pid, and what stays the
	// same when the clock is set; "" where the system has no such thing.
	birth func(pid int) string

	longest   int           // bytes of a socket's path
	grace     time.Duration // for the answer to a command that was cancelled
	closeWait time.Duration // for a server to say goodbye
}

func newSystem() *system {
	sys := &system{
		uid: os.Geteuid(), pid: os.Getpid(), owner: ownerOf, peer: peerUID, started: startOf, birth: birthOf,
		longest: 103, // sun_path of the BSDs, less the NUL
		grace:   3 * time.Second, closeWait: time.Second,
	}
	if runtime.GOOS == "linux" {
		sys.longest = 107
	}
	return sys
}

// or returns sys, or the real system if sys is nil.
func (sys *system) or() *system {
	if sys == nil {
		return newSystem()
	}
	return sys
}
