package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/patchls/patchls/agent"
)

// Each of these is an attempt that must fail.

// TestServerRefusesFolder: no socket is opened in a folder that other users can enter.
func TestServerRefusesFolder(t *testing.T) {
	unixAlone(t)
	for _, tt := range []struct {
		name    string
		prepare func(t *testing.T, w *world)
		want    string
	}{
		{"others may enter", func(t *testing.T, w *world) { mkdir(t, w.dir, 0o755) }, "open to others"},
		{"the group may write", func(t *testing.T, w *world) { mkdir(t, w.dir, 0o720) }, "open to others"},
		{"another user's", func(t *testing.T, w *world) {
			mkdir(t, w.dir, 0o700)
			w.fake.Owner = ownedByOther("editors")
		}, "another user"},
		{"a link", func(t *testing.T, w *world) {
			mkdir(t, w.dir+".real", 0o700)
			symlink(t, w.dir+".real", w.dir)
		}, "symbolic link"},
		{"a file", func(t *testing.T, w *world) {
			if err := os.WriteFile(w.dir, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}, "not a folder"},
		{"of sockets", func(t *testing.T, w *world) { mkdir(t, filepath.Dir(w.file("1.sock")), 0o755) }, "open to others"},
		{"of sockets, for a long path", func(t *testing.T, w *world) {
			w.fake.Longest = len(filepath.Join(w.short(), "1.sock"))
			t.Setenv("XDG_RUNTIME_DIR", mkdir(t, filepath.Join(w.sub("run"), strings.Repeat("x", 80)), 0o700))
			mkdir(t, w.short(), 0o777)
		}, "open to others"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			tt.prepare(t, w)
			_, _, err := w.tryOpen(newHost("Neovim"), 1)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func mkdir(t *testing.T, dir string, mode fs.FileMode) string {
	t.Helper()
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		err = os.Chmod(dir, mode)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func symlink(t *testing.T, to, name string) {
	t.Helper()
	unixAlone(t)
	if err := os.Symlink(to, name); err != nil {
		t.Fatal(err)
	}
}

// ownedByOther makes files of that name appear as another user's, since tests may not be allowed
// to change the owner of files.
func ownedByOther(name string) func(string, fs.FileInfo) (int, bool) {
	return func(_ string, info fs.FileInfo) (int, bool) {
		if info.Name() == name {
			return os.Geteuid() + 1, true
		}
		return os.Geteuid(), true
	}
}

// TestReaderIgnores: an agent tells its edits to no socket that it cannot trust.
func TestReaderIgnores(t *testing.T) {
	for _, tt := range []struct {
		name    string
		prepare func(t *testing.T, w *world)
		want    string // in the log
	}{
		{"nothing", func(*testing.T, *world) {}, ""},
		{"a file that someone else owns", func(_ *testing.T, w *world) { w.fake.Owner = ownedByOther("1.json") }, "another user"},
		{"a socket that someone else owns", func(t *testing.T, w *world) { unixAlone(t); w.fake.Owner = ownedByOther("1.sock") }, "another user"},
		{"a folder that someone else owns", func(_ *testing.T, w *world) { w.fake.Owner = ownedByOther("editors") }, "another user"},
		{"a file that was given away", func(t *testing.T, w *world) {
			if os.Geteuid() != 0 {
				t.Skip("only root can give a file away")
			}
			if err := os.Chown(w.file("1.json"), 12345, -1); err != nil {
				t.Skipf("root cannot give files away here: %v", err)
			}
		}, "another user"},
		{"a link to a file", func(t *testing.T, w *world) {
			if err := os.Rename(w.file("1.json"), w.file("real")); err != nil {
				t.Fatal(err)
			}
			symlink(t, "real", w.file("1.json"))
		}, "symbolic link"},
		{"a link to a folder", func(t *testing.T, w *world) {
			if err := os.Rename(w.dir, w.dir+".real"); err != nil {
				t.Fatal(err)
			}
			symlink(t, w.dir+".real", w.dir)
			t.Cleanup(func() { _ = os.Remove(w.dir); _ = os.Rename(w.dir+".real", w.dir) })
		}, "symbolic link"},
		{"a folder that others may enter", func(t *testing.T, w *world) { unixAlone(t); mkdir(t, w.dir, 0o711) }, "open to others"},
		{"a folder that others may enter, with the socket elsewhere", func(t *testing.T, w *world) {
			unixAlone(t)
			path := filepath.Join(mkdir(t, w.short(), 0o700), "1.sock")
			deadSocket(t, path)
			w.change(1, map[string]any{"socket": path})
			mkdir(t, w.dir, 0o711)
		}, "open to others"},
		{"a file that others may read", func(t *testing.T, w *world) {
			unixAlone(t)
			if err := os.Chmod(w.file("1.json"), 0o644); err != nil {
				t.Fatal(err)
			}
		}, "open to others"},
		{"a file that is large", func(_ *testing.T, w *world) {
			w.change(1, map[string]any{"name": strings.Repeat("x", 64<<10)})
		}, "larger than 65536 bytes"},
		{"a file that says something else", func(t *testing.T, w *world) {
			if err := os.WriteFile(w.file("1.json"), []byte(`{"pid":1,"token":7e`+w.readFile(1)["token"].(string)), 0o600); err != nil {
				t.Fatal(err)
			}
		}, "does not hold"},
		{"a token that is a number", func(t *testing.T, w *world) {
			number := strings.Repeat("1234567890", 4) // JSON's errors quote it
			w.logs.secret(number)
			if err := os.WriteFile(w.file("1.json"), []byte(`{"pid":1,"token":`+number+`}`), 0o600); err != nil {
				t.Fatal(err)
			}
		}, "does not hold"},
		{"a guessed token", func(_ *testing.T, w *world) {
			w.change(1, map[string]any{"token": strings.Repeat("0123456789abcdef", 4)})
			w.logs.secret(strings.Repeat("0123456789abcdef", 4))
		}, "the token is wrong"},
		{"a file for another process", func(_ *testing.T, w *world) { w.change(1, map[string]any{"pid": 2}) }, "socket or token is not one"},
		{"a short token", func(_ *testing.T, w *world) { w.change(1, map[string]any{"token": "short"}) }, "socket or token is not one"},
		{"a socket in a folder of everyone's", func(t *testing.T, w *world) {
			unixAlone(t)
			w.change(1, map[string]any{"socket": filepath.Join(mkdir(t, w.sub("all"), 0o777), "1.sock")})
		}, "open to others"},
		{"a socket that is a file", func(t *testing.T, w *world) {
			w.change(1, map[string]any{"socket": w.file("1.json")})
		}, "not a socket"},
		{"no socket", func(t *testing.T, w *world) { unixAlone(t); w.change(1, map[string]any{"socket": w.file("none")}) }, "no such file"},
		{"a relative socket", func(_ *testing.T, w *world) { w.change(1, map[string]any{"socket": "1.sock"}) }, "socket or token is not one"},
		{"a server of another user", func(_ *testing.T, w *world) { w.fake.Peer = foreign }, "another user"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			h := newHost("Neovim", "/")
			s, _ := w.open(h, 1)
			tt.prepare(t, w)
			found := w.finder().Editors(w.context())
			_, dialed := agent.DialOn(w.context(), w.fake, s.Entry(), me)
			w.logs.add(dialed)
			t.Setenv("PATCHLS_SOCKET", s.Entry().Socket)
			_, _, named := w.finder().Find(w.context(), "/", agent.About{})
			w.logs.add(named)
			if tt.want == "" {
				if len(found) != 1 || dialed != nil || named != nil {
					t.Errorf("got %v, %v, %v: the test is blind", found, dialed, named)
				}
				return
			}
			if len(found) > 0 || dialed == nil || named == nil {
				t.Errorf("got %v, %v, %v, want nothing", found, dialed, named)
			}
			if !w.logs.contains(tt.want) || dialed != nil && !strings.Contains(dialed.Error(), tt.want) {
				t.Errorf("%q is not in %v or not in the log: %s", tt.want, dialed, w.logs.text.String())
			}
			if clients, _ := h.seen(); len(clients) > 0 {
				t.Errorf("the token was told")
			}
		})
	}
}

// foreign says that another user is at the other end.
func foreign(net.Conn) (int, error) { return os.Geteuid() + 1, nil }

// TestStale: the process that has the id in a discovery file did not write the file if it
// started at another time.
func TestStale(t *testing.T) {
	for _, tt := range []struct {
		name  string
		start time.Duration // after that in the file
		alive bool
		stale bool
	}{
		{"the same", 0, true, false},
		{"as exact as the system tells", 2 * time.Second, true, false},
		{"began later", 2*time.Second + 10*time.Millisecond, true, true},
		{"began earlier", -3 * time.Second, true, true},
		{"dead", 0, false, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			h := newHost("Neovim")
			s, _ := w.open(h, 1)
			w.fake.Started = func(int) (time.Time, bool) { return born.Add(tt.start), tt.alive }
			_, err := agent.DialOn(w.context(), w.fake, s.Entry(), me)
			if found := w.finder().Editors(w.context()); (len(found) == 0) != tt.stale || (err != nil) != tt.stale {
				t.Errorf("got %v, %v", found, err)
			}
		})
	}
	t.Run("removed", func(t *testing.T) {
		w := newWorld(t)
		_, stop := w.open(newHost("Neovim"), 1)
		content, err := os.ReadFile(w.file("1.json"))
		if err != nil {
			t.Fatal(err)
		}
		stop()
		if err := os.WriteFile(w.file("1.json"), content, 0o600); err != nil {
			t.Fatal(err)
		}
		deadSocket(t, w.file("1.sock"))
		w.fake.Started = func(int) (time.Time, bool) { return born.Add(time.Minute), true }
		w.finder().Editors(w.context())
		w.isEmpty()
	})
}

func TestForeignUserIsTurnedAway(t *testing.T) {
	for name, peer := range map[string]func(net.Conn) (int, error){
		"foreign": foreign,
		"unknown": func(net.Conn) (int, error) { return os.Geteuid(), errors.New("no telling") },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.fake.Peer = peer
			h := newHost("Neovim")
			h.serve = func(context.Context, io.ReadWriteCloser) error {
				t.Error("another user is served")
				return nil
			}
			s, _ := w.open(h, 1)
			isClosed(t, knock(t, s))
			w.logs.wait("was refused", 1)
		})
	}
	t.Run("the system cannot tell", func(t *testing.T) {
		w := newWorld(t)
		w.fake.Peer = func(net.Conn) (int, error) { return 0, errors.ErrUnsupported }
		s, _ := w.open(newHost("Neovim"), 1)
		w.dial(s)
	})
}

// knock connects and says nothing.
func knock(t *testing.T, s *agent.Socket) net.Conn {
	t.Helper()
	conn, err := agent.Reach(t.Context(), s.Entry().Socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// isClosed waits for the other end to close conn.
func isClosed(t *testing.T, conn net.Conn) {
	t.Helper()
	_ = conn.SetReadDeadline(time.Now().Add(patience))
	if _, err := io.Copy(io.Discard, conn); errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error("the connection stays open")
	}
}

// TestAgentThatNeverReads: its connection is closed, so that messages for it do not pile up.
func TestAgentThatNeverReads(t *testing.T) {
	w := newWorld(t)
	h, ended := newHost("Neovim"), make(chan error, 1)
	h.serve = func(_ context.Context, conn io.ReadWriteCloser) error {
		message := make([]byte, 64<<10)
		for {
			_, err := conn.Write(message)
			if err == nil {
				continue
			}
			ended <- err
			// The reading ends as well, which it would not by itself.
			_, err = conn.Read(message)
			ended <- err
			return err
		}
	}
	s, _ := w.open(h, 1, agent.Options{WriteTimeout: 20 * time.Millisecond})
	knock(t, s)
	for _, want := range []error{os.ErrDeadlineExceeded, net.ErrClosed} {
		select {
		case err := <-ended:
			if !errors.Is(err, want) && !(want == net.ErrClosed && errors.Is(err, os.ErrClosed)) { // of a pipe
				t.Errorf("got %v, want %v", err, want)
			}
		case <-time.After(patience):
			t.Fatal("the server waits for it")
		}
	}
}

// TestEverythingEnds with the server's context, agents that say nothing included.
func TestEverythingEnds(t *testing.T) {
	w := newWorld(t)
	h := newHost("Neovim")
	begun := make(chan struct{})
	h.commands["patchls.create"] = func(ctx context.Context, _ *peer, _ json.RawMessage) (any, error) {
		close(begun)
		<-ctx.Done()
		return nil, nil
	}
	s, stop := w.open(h, 1)
	silent := knock(t, s)
	c := w.dial(s)
	lost := make(chan error, 1)
	go func() {
		_, err := c.Execute(context.Background(), agent.Call{Command: "create"})
		lost <- err
	}()
	<-begun
	stop()
	isClosed(t, silent)
	if err := <-lost; err == nil {
		t.Error("the command has an answer")
	}
	w.isEmpty()
}
