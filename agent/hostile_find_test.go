//go:build unix

package agent_test

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/internal/testkit/hostile"
)

// lair is a folder of discovery files in which a hostile peer leaves one beside that of an
// honest server.
type lair struct {
	*world
	honest agent.Entry
	trap   *net.UnixListener // no agent may connect to it
	caught chan struct{}
}

func newLair(t *testing.T) *lair {
	t.Helper()
	l := &lair{world: newWorld(t), caught: make(chan struct{}, 100)}
	s, _ := l.open(newHost("Honest", "/honest"), 9)
	l.honest = s.Entry()
	open := filepath.Join(filepath.Dir(l.short()), "open")
	mkdir(t, open, 0o755) // anybody may have put something there
	var err error
	if l.trap, err = net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(open, "1.sock"), Net: "unix"}); err != nil {
		t.Fatal(err)
	}
	over := make(chan struct{})
	go func() {
		defer close(over)
		for {
			conn, err := l.trap.Accept()
			if err != nil {
				return
			}
			l.caught <- struct{}{}
			conn.Close()
		}
	}()
	t.Cleanup(func() { l.trap.Close(); <-over })
	return l
}

// play makes agents look for editors among the files that the steps leave.
func (l *lair) play(steps []hostile.Step) error {
	path := l.file("1.json")
	defer os.RemoveAll(path)
	defer os.RemoveAll(l.file("1.sock"))
	for _, s := range steps {
		if err := l.leave(path, s); err != nil {
			return err
		}
	}
	f := (&agent.Finder{Client: me, Timeout: patience}).On(l.fake)
	defer f.Close()
	was := l.names()
	if err := within("looking", func() error { f.Inspect(); return nil }); err != nil {
		return err
	}
	if now := l.names(); !slices.Equal(was, now) {
		return fmt.Errorf("an inspection has made %q of %q", now, was)
	}
	var found []agent.Live
	err := within("finding", func() error { found = f.Editors(l.shortly(patience)); return nil })
	if !slices.ContainsFunc(found, func(e agent.Live) bool { return e.PID == 9 && e.Name == "Honest" }) {
		err = errors.Join(err, fmt.Errorf("the honest editor is not found, only %+v", found))
	}
	for _, e := range found {
		if e.Socket != l.honest.Socket {
			err = errors.Join(err, fmt.Errorf("an editor is found where none is: %+v", e))
		}
	}
	select {
	case <-l.caught:
		return errors.Join(err, errors.New("somebody came into the trap"))
	default:
		return err
	}
}

func (l *lair) names() []string {
	entries, err := os.ReadDir(l.dir)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name()+" "+e.Type().String())
	}
	if err != nil {
		names = append(names, err.Error())
	}
	return names
}

// leave does one step at path.
func (l *lair) leave(path string, s hostile.Step) error {
	switch s.Verb {
	case hostile.File:
		return os.WriteFile(path, []byte(s.Text()), 0o600)
	case hostile.Mode:
		mode, err := strconv.ParseUint(s.Body, 8, 32)
		if err != nil {
			return err
		}
		info, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode()&os.ModeSymlink != 0 {
			return nil // there is nothing that has a mode
		}
		return os.Chmod(path, os.FileMode(mode))
	}
	if s.Body == "huge" {
		return os.Truncate(path, 1<<33)
	}
	if s.Body == "link" {
		if err := os.Rename(path, path+".real"); err != nil {
			return err
		}
		l.t.Cleanup(func() { os.Remove(path + ".real") })
		return os.Symlink("1.json.real", path)
	}
	if err := os.Remove(path); err != nil {
		return err
	}
	switch s.Body {
	case "fifo":
		return syscall.Mkfifo(path, 0o600)
	case "folder":
		return os.Mkdir(path, 0o700)
	case "dangling-link":
		return os.Symlink("/nowhere", path)
	case "socket":
		return syscall.Mknod(path, syscall.S_IFSOCK|0o600, 0)
	}
	return nil
}

// hostileDiscovery are discovery files that a hostile peer has left.
func hostileDiscovery(t *testing.T) hostile.Game {
	t.Helper()
	l := newLair(t)
	symlink(t, l.trap.Addr().String(), l.file("link.sock"))
	sockets := []string{l.trap.Addr().String(), l.file("link.sock"), l.honest.Socket, "/dev/null", l.file("9.json"), l.dir, "1.sock", "@patchls", "", "/" + string(make([]byte, 5))}
	return hostile.Game{
		Kind: "discovery", Corpus: hostileCorpus,
		Draw: func(d *hostile.Dice) []hostile.Step {
			return hostile.DiscoveryFile(d, 1, born.Format(time.RFC3339Nano), "0123456789abcdef0123456789abcdef", sockets)
		},
		Play: func(_ *testing.T, steps []hostile.Step) error { return l.play(steps) },
	}
}

// TestHostileDiscovery: whatever files the folder has, an honest editor is found, no agent
// hangs, and none connects where another user may listen.
func TestHostileDiscovery(t *testing.T) { hostileDiscovery(t).Hunt(t) }

func TestHostileDiscoveryCorpus(t *testing.T) { hostileDiscovery(t).Replay(t) }
