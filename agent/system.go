package agent

import (
	"cmp"
	"io/fs"
	"net"
	"os"
	"syscall"
	"time"
)

// system is what sockets and connections need of the operating system, and how long they wait. Tests have their own.
type system struct {
	uid, pid int

	// owner returns the user id that a file belongs to.
	owner func(path string, info fs.FileInfo) (uid int, ok bool)
	// peer returns the user id at the other end of a connection. The error is
	// errors.ErrUnsupported if the system cannot tell.
	peer func(net.Conn) (uid int, err error)
	// process reports whether a process of this user runs under pid, since when, and what
	// distinguishes it from all others that ever run under pid, independent of the setting of
	// the clock. The time is zero and the birth "" if the system cannot tell.
	process func(pid int) (start time.Time, birth string, alive bool)

	longest   int           // bytes of a socket's path
	grace     time.Duration // for the answer to a command that was cancelled
	closeWait time.Duration // for a server to say goodbye
	check     time.Duration // for an answer, before a server is asked for a sign of life, and then for that sign
}

func newSystem() *system {
	return &system{
		uid: os.Geteuid(), pid: os.Getpid(), owner: ownerOf, peer: peerUID, process: processOf,
		longest: len(syscall.RawSockaddrUnix{}.Path) - 1, // less the NUL
		grace:   3 * time.Second, closeWait: time.Second, check: 10 * time.Second,
	}
}

// or returns sys, or the real system if sys is nil.
func (sys *system) or() *system { return cmp.Or(sys, newSystem()) }
