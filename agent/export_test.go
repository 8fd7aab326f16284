package agent

import (
	"context"
	"io/fs"
	"net"
	"time"
)

// Reach is the dialing end of the transport.
var Reach = dial

// Fake replaces parts of the system in a test; a field that is zero leaves the real one.
type Fake struct {
	UID, PID  int
	Owner     func(path string, info fs.FileInfo) (uid int, ok bool)
	Peer      func(net.Conn) (uid int, err error)
	Started   func(pid int) (start time.Time, alive bool)
	Birth     func(pid int) string // nil: the system has no births
	Longest   int
	Grace     time.Duration
	CloseWait time.Duration
	Check     time.Duration
}

func (f Fake) system() *system {
	sys := newSystem()
	if f.UID != 0 {
		sys.uid = f.UID
	}
	if f.PID != 0 {
		sys.pid = f.PID
	}
	if f.Owner != nil {
		sys.owner = f.Owner
	}
	if f.Peer != nil {
		sys.peer = f.Peer
	}
	sys.process = func(pid int) (start time.Time, birth string, alive bool) {
		start, _, alive = processOf(pid)
		if f.Started != nil {
			start, alive = f.Started(pid)
		}
		if f.Birth != nil {
			birth = f.Birth(pid)
		}
		return start, birth, alive
	}
	if f.Longest != 0 {
		sys.longest = f.Longest
	}
	if f.Grace != 0 {
		sys.grace = f.Grace
	}
	if f.CloseWait != 0 {
		sys.closeWait = f.CloseWait
	}
	if f.Check != 0 {
		sys.check = f.Check
	}
	return sys
}

// On returns o for the system of f.
func (o Options) On(f Fake) Options { o.sys = f.system(); return o }

// On makes f look at the system of fake.
func (f *Finder) On(fake Fake) *Finder { f.sys = fake.system(); return f }

// DialOn makes a new connection to an editor on the system of f.
func DialOn(ctx context.Context, f Fake, e Entry, info ClientInfo) (*Conn, error) {
	return (&Finder{Client: info, Timeout: time.Minute}).On(f).dial(ctx, e)
}

// StartOf is when a process started, as discovery files say it.
func StartOf(pid int) (start time.Time, alive bool) {
	start, _, alive = processOf(pid)
	return start, alive
}
