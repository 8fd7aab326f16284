package agent_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/internal/testkit/hostile"
)

const hostileCorpus = "../testdata/corpus"

// hostileGreeting is what an honest server answers to an agent's initialize.
const hostileGreeting = `{"serverInfo":{"name":"patchls","version":"1"},"capabilities":{"experimental":{"patchls":{"client":{"name":"Neovim","version":"1"},"active":"2026-03-01T12:00:00Z","saves":true}}}}`

// within returns the error of f, or another one if f does not come to an end.
func within(what string, f func() error) error {
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err
	case <-time.After(patience):
		return fmt.Errorf("%s does not come to an end", what)
	}
}

// hostileServers are what listens at a socket that an agent has found.
func hostileServers(t *testing.T) hostile.Game {
	t.Helper()
	dir := tree(t, "a.txt")
	w := newWorld(t)
	w.fake.Grace, w.fake.CloseWait = 5*time.Millisecond, 5*time.Millisecond
	h := newHost("Neovim", dir)
	s, _ := w.open(h, 1)
	world := hostile.World{Root: dir, URIs: []string{"file://" + dir + "/a.txt", "untitled:doc"}}
	return hostile.Game{
		Kind: "server", Corpus: hostileCorpus,
		Draw: func(d *hostile.Dice) []hostile.Step { return hostile.Server(d, world, hostileGreeting) },
		Play: func(_ *testing.T, steps []hostile.Step) error {
			over := make(chan struct{})
			defer close(over)
			h.serveWith(func(_ context.Context, conn io.ReadWriteCloser) error {
				hostile.Serve(conn, steps, over)
				return nil
			})
			finder := func() *agent.Finder { return (&agent.Finder{Client: me, Timeout: 50 * time.Millisecond}).On(w.fake) }
			return errors.Join(
				within("asking who has a file", func() error {
					f := finder()
					defer f.Close()
					_ = f.MayWrite(w.shortly(50*time.Millisecond), dir+"/a.txt")
					return nil
				}),
				within("an agent of its own", func() error { return w.suffer(s.Entry()) }),
				within("finding who has it", func() error {
					f := finder()
					defer f.Close()
					_, _, _ = f.Find(w.shortly(50*time.Millisecond), dir, agent.About{Files: []string{"a.txt"}}) // it may fail or not
					return nil
				}),
			)
		},
	}
}

// shortly ends after d.
func (w *world) shortly(d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	context.AfterFunc(ctx, cancel)
	return ctx
}

// suffer connects to a server and sends it commands. It returns an error if one of them
// gets neither an answer nor an error, or both.
func (w *world) suffer(e agent.Entry) error {
	c, err := agent.DialOn(w.shortly(50*time.Millisecond), w.fake, e, me)
	if err != nil {
		return nil
	}
	defer c.Close()
	for _, command := range []string{"list", "view", "write"} {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		answer, err := c.Execute(ctx, agent.Call{
			Command: command, Arguments: map[string]string{"path": "a.txt"},
		})
		cancel()
		if (answer == nil) == (err == nil) {
			return fmt.Errorf("%s gives neither an answer nor an error, or both: %s, %w", command, answer, err)
		}
	}
	return nil
}

// TestHostileServer: whatever listens there, an agent gets an answer or an error, in
// its time.
func TestHostileServer(t *testing.T) { hostileServers(t).Hunt(t) }

func TestHostileServerCorpus(t *testing.T) { hostileServers(t).Replay(t) }
