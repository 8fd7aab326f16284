package agent_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/patchls/patchls/agent"
)

// TestFinderKeeps: a connection is made once, and anew when the editor was.
func TestFinderKeeps(t *testing.T) {
	dir := tree(t, "p/a.go", "q/b.go")
	w := newWorld(t)
	p := w.finder()
	if _, _, err := p.Find(w.context(), dir, agent.About{}); !errors.Is(err, agent.ErrNoEditor) {
		t.Errorf("got %v, want that there is none yet", err)
	}
	h := newHost("Neovim", dir)
	_, stop := w.open(h, 1)
	find := func(path, want string) *agent.Conn {
		t.Helper()
		c, _, err := p.Find(w.context(), dir+"/p", agent.About{Files: []string{path}})
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Live().Name; got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
		if _, err := c.Execute(w.context(), agent.Call{Command: "list"}); err != nil {
			t.Errorf("the connection is no good: %v", err)
		}
		return c
	}
	first := find("a.go", "Neovim")
	if again := find("../q/b.go", "Neovim"); again != first {
		t.Error("another connection was made")
	}
	other := newHost("Zed", dir+"/q")
	other.open = []string{fileURI(dir + "/q/b.go")}
	w.open(other, 2)
	find("../q/b.go", "Zed")
	if again := find("a.go", "Neovim"); again != first {
		t.Error("another connection was made")
	}
	stop()
	<-first.Changed() // is closed with the connection
	w.open(newHost("Neovim again", dir), 1)
	if c := find("a.go", "Neovim again"); c == first {
		t.Error("the connection is that to the editor which ended")
	}
	p.Close()
	if clients, bye := other.seen(); len(clients) != 1 || bye != 1 {
		t.Errorf("Zed saw %d connections and %d shutdowns, want one of each", len(clients), bye)
	}
}

// TestFinderRoots: Find uses the current workspace folders, not those of the time when it connected.
func TestFinderRoots(t *testing.T) {
	dir := tree(t, "p/a.go")
	w := newWorld(t)
	p := w.finder()
	w.open(newHost("Neovim", dir), 1)
	if _, _, err := p.Find(w.context(), dir, agent.About{}); err != nil {
		t.Fatal(err)
	}
	w.change(1, map[string]any{"roots": []string{"/elsewhere"}})
	if c, _, err := p.Find(w.context(), dir, agent.About{}); !errors.Is(err, agent.ErrNoEditor) {
		t.Errorf("got %v %v, want that it has the folder no more", c, err)
	}
}

// TestFinderNamed: the editor that the environment or a pid names is used, or it is an error.
func TestFinderNamed(t *testing.T) {
	w := newWorld(t)
	p := w.finder()
	w.open(newHost("Neovim", "/"), 1)
	_, stop := w.open(newHost("Zed"), 2)
	byPID, err := p.ByPID(w.context(), 2, "", agent.About{})
	if err != nil || byPID.Live().Name != "Zed" {
		t.Errorf("got %v %v", byPID, err)
	}
	if _, err := p.ByPID(w.context(), 3, "", agent.About{}); !errors.Is(err, agent.ErrNoEditor) {
		t.Errorf("got %v", err)
	}
	t.Setenv("PATCHLS_SOCKET", w.file("2.sock"))
	if c, _, err := p.Find(w.context(), "/", agent.About{}); err != nil || c != byPID {
		t.Errorf("got %v %v, want the connection of before", c, err)
	}
	stop()
	if _, _, err := p.Find(w.context(), "/", agent.About{}); err == nil || errors.Is(err, agent.ErrNoEditor) || !strings.Contains(err.Error(), "PATCHLS_SOCKET") {
		t.Errorf("got %v, want an error that names the variable", err)
	}
}
