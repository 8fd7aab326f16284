package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/internal/testkit/hostile"
	"github.com/patchls/patchls/lsp"
)

// besieged is a server with its socket, an honest agent in it, and hostile peers before it.
type besieged struct {
	*world
	socket *agent.Socket
	honest *agent.Conn

	mu   sync.Mutex
	late []chan time.Time // the timers of the handshakes
}

// after is the server's time.After. The test decides when the time of a handshake is up.
func (b *besieged) after(d time.Duration) <-chan time.Time {
	if d != 5*time.Second {
		return time.After(d)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	end := make(chan time.Time, 1)
	b.late = append(b.late, end)
	return end
}

// endHandshakes lets the time run out for all peers that have not sent the token.
func (b *besieged) endHandshakes() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, end := range b.late {
		end <- time.Time{}
	}
	b.late = nil
}

func besiege(t *testing.T) *besieged {
	t.Helper()
	b := &besieged{world: newWorld(t)}
	ours, theirs := net.Pipe()
	opened, done := make(chan *agent.Socket, 1), make(chan error, 1)
	fake := b.fake
	fake.PID = 1
	go func() {
		done <- lsp.Serve(context.Background(), ours, lsp.Options{After: b.after, Agents: func(ctx context.Context, endpoint *lsp.Endpoint) {
			s, err := agent.Open(ctx, endpoint, limits.On(fake))
			if err != nil {
				t.Error(err)
			}
			opened <- s
			if s != nil {
				s.Wait()
			}
		}})
	}()
	go func() { _, _ = io.Copy(io.Discard, theirs) }() // an editor that reads everything and says nothing
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null,"rootUri":null,"capabilities":{}}}`,
		`{"jsonrpc":"2.0","method":"initialized","params":{}}`,
		`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"untitled:doc","languageId":"x","version":1,"text":"honest\n"}}}`,
	} {
		fmt.Fprintf(theirs, "Content-Length: %d\r\n\r\n%s", len(body), body)
	}
	t.Cleanup(func() { theirs.Close(); <-done })
	if b.socket = <-opened; b.socket == nil {
		t.FailNow()
	}
	b.honest = b.dial(b.socket)
	for end := time.Now().Add(patience); b.asks(b.honest) != nil; {
		if time.Now().After(end) {
			t.Fatal("the document that the editor has opened is not there")
		}
	}
	return b
}

// play connects strangers to the socket, and then checks that honest agents are served.
func (b *besieged) play(steps []hostile.Step) error {
	var conns []net.Conn
	defer func() {
		for _, conn := range conns {
			conn.Close()
		}
	}()
	for _, s := range steps {
		if s.Verb == hostile.Connect {
			for range max(1, s.Times) {
				conn, err := agent.Reach(context.Background(), b.socket.Entry().Socket)
				if err != nil {
					return fmt.Errorf("the socket is not listened on: %w", err)
				}
				conns = append(conns, conn)
			}
			continue
		}
		if len(conns) > 0 { // a case that is being shrunk may lack it
			knockWith(conns[len(conns)-1], s)
		}
	}
	if err := b.asks(b.honest); err != nil {
		return err
	}
	for _, conn := range conns {
		if err := b.isTurnedAway(conn); err != nil {
			return err
		}
	}
	return b.another()
}

// knockWith does one step; the other end may have closed conn.
func knockWith(conn net.Conn, s hostile.Step) {
	_ = conn.SetWriteDeadline(time.Now().Add(20 * time.Millisecond)) // the server need not read it
	text := s.Text()
	switch s.Verb {
	case hostile.Send:
		text = fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(text), text)
	case hostile.Close:
		conn.Close()
		return
	}
	_, _ = io.WriteString(conn, text)
}

// isTurnedAway waits for the server to close the connection of a stranger, whose time is
// up.
func (b *besieged) isTurnedAway(conn net.Conn) error {
	for end := time.Now().Add(patience); time.Now().Before(end); {
		b.endHandshakes() // also of one that was accepted only now
		_ = conn.SetReadDeadline(time.Now().Add(5 * time.Millisecond))
		said, err := io.ReadAll(conn)
		if strings.Contains(string(said), `"capabilities"`) {
			return fmt.Errorf("a stranger was let in: %s", said)
		}
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			return nil
		}
	}
	return errors.New("a stranger's connection stays open")
}

// asks has an agent ask for the document that the editor has.
func (b *besieged) asks(c *agent.Conn) error {
	answer, err := c.Execute(b.shortly(patience), agent.Call{Command: "view", Arguments: map[string]string{"path": "untitled:doc"}})
	if err != nil {
		return fmt.Errorf("an honest agent: %w", err)
	}
	var view struct{ Text string }
	if err := json.Unmarshal(answer, &view); err != nil || view.Text != "     1\thonest" {
		return fmt.Errorf("an honest agent is shown %q", view.Text)
	}
	return nil
}

// another has one more honest agent come, as soon as a seat is free.
func (b *besieged) another() error {
	var err error
	for end := time.Now().Add(patience); time.Now().Before(end); {
		var c *agent.Conn
		if c, err = agent.DialOn(b.shortly(patience), b.fake, b.socket.Entry(), me); err == nil {
			err := b.asks(c)
			return errors.Join(err, c.Close())
		}
	}
	return fmt.Errorf("no honest agent comes in any more: %w", err)
}

// hostileKnocks are strangers at the socket of an honest server.
func hostileKnocks(t *testing.T) hostile.Game {
	t.Helper()
	b := besiege(t)
	return hostile.Game{
		Kind: "socket", Corpus: hostileCorpus, Draw: hostile.Knocks,
		Play: func(_ *testing.T, steps []hostile.Step) error { return b.play(steps) },
	}
}

// TestHostileSocket: a client that does not say the token is turned away in time, and agents
// that do are served all the while.
func TestHostileSocket(t *testing.T) { hostileKnocks(t).Hunt(t) }

func TestHostileSocketCorpus(t *testing.T) { hostileKnocks(t).Replay(t) }
