package agent

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"runtime"
	"time"
)

// system is what a socket asks of the operating system, and how long they wait.
// Tests have their own.
type system struct {
	uid, pid int

	// owner returns the user id that a file belongs to.
	owner func(fs.FileInfo) (uid int, ok bool)
	// peer returns the user id at the other end of a connection. The error is
	// errors.ErrUnsupported where the system does not tell.
	peer func(*net.UnixConn) (uid int, err error)
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

// peerUID returns the user id at the other end of conn.
func peerUID(conn *net.UnixConn) (uid int, err error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0, err
	}
	var failed error
	err = raw.Control(func(fd uintptr) { uid, failed = peerOf(int(fd)) })
	return uid, errors.Join(err, failed)
}
