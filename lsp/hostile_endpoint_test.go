package lsp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/internal/testkit/hostile"
	"github.com/patchls/patchls/lsp/transaction"
	"github.com/patchls/patchls/lsp/view"
)

// besides is an honest editor with an honest agent at its server's endpoint, to which hostile
// peers connect as well.
type besides struct {
	*endpointWorld
	honest *rawClient
	writes int
}

func startBesides(t *testing.T) *besides {
	t.Helper()
	never := func(d time.Duration) <-chan time.Time {
		if d == 5*time.Second {
			return nil // a hostile peer is let go when its case is over
		}
		return time.After(d)
	}
	// Not a watched pipe: what is wrong on the wire is judged by what the editor has asked
	// for, and here agents do.
	ours, theirs := net.Pipe()
	b := &besides{endpointWorld: startEndpointAt(t, ours, theirs, join(hostileTexts, map[string]string{"honest.txt": ""}), headless.Options{}, never)}
	for name := range hostileTexts {
		b.open(name)
	}
	b.open("honest.txt")
	b.honest = b.enter()
	return b
}

// play lets a hostile peer in, and has the honest agent edit meanwhile.
func (b *besides) play(steps []hostile.Step) error {
	ours, theirs := net.Pipe()
	served, played := make(chan error, 1), make(chan error, 1)
	go func() { served <- b.endpoint.Serve(context.Background(), ours, endpointToken) }()
	go func() { played <- newHostileAgent(theirs).play(steps) }()
	honest := b.write()
	err := errors.Join(<-played, ended(served), honest, b.write(), b.agree())
	return errors.Join(err, wellLogged(b.log))
}

// newHostileAgent is at the endpoint, whose server may refuse it.
func newHostileAgent(conn net.Conn) *hostilePeer {
	p := newHostilePeer(conn)
	p.refusable = true
	return p
}

// ask runs a command of the honest agent.
func (b *besides) ask(command string, arguments any) (message, error) {
	b.writes++
	id := fmt.Sprint(b.writes)
	b.honest.send(`{"jsonrpc":"2.0","id":%s,"method":"workspace/executeCommand","params":{"command":"patchls.%s","arguments":[%s]}}`, id, command, asJSON(arguments))
	late := time.After(hang)
	for {
		select {
		case m, ok := <-b.honest.messages:
			if !ok {
				return m, errors.New("the connection of an honest agent was closed")
			}
			if m.Method == "" && string(m.ID) == id {
				return m, nil
			}
		case <-late:
			return message{}, errors.New("an honest agent gets no answer")
		}
	}
}

// write has the honest agent write a text, and checks that a true answer comes.
func (b *besides) write() error {
	m, err := b.ask("write", args{"path": "honest.txt", "content": fmt.Sprintf("honest %d\n", b.writes)})
	for tries := 0; err == nil && m.Error != nil && strings.Contains(string(m.Error.Data), `"stale"`) && tries < 20; tries++ {
		if _, err = b.ask("view", args{"path": "honest.txt"}); err == nil { // a hostile one has taken its edit back
			m, err = b.ask("write", args{"path": "honest.txt", "content": fmt.Sprintf("honest %d\n", b.writes)})
		}
	}
	if err != nil {
		return err
	}
	var r transaction.Result
	_ = json.Unmarshal(m.Result, &r)
	if m.Error != nil || !r.Applied || !r.Verified {
		return fmt.Errorf("an honest agent is answered %+v %s", m.Error, m.Result)
	}
	return nil
}

// agree returns an error that names a document of which the honest agent is shown
// another text than the editor has.
func (b *besides) agree() error {
	for _, buffer := range b.Buffers() {
		was := buffer.Text()
		ctx, cancel := context.WithTimeout(context.Background(), hang)
		err := b.Call(ctx, "patchls/synced", nil, nil)
		cancel()
		if err != nil {
			return fmt.Errorf("the honest editor: %w", err)
		}
		m, err := b.ask("document", args{"uri": buffer.URI()})
		if err != nil {
			return err
		}
		var doc view.Document
		_ = json.Unmarshal(m.Result, &doc)
		if now := buffer.Text(); (m.Error != nil || doc.Text != was) && was == now && !buffer.Closed() {
			return fmt.Errorf("the editor has %.300q in %s, an honest agent is shown %.300q, error %+v", was, buffer.URI(), doc.Text, m.Error)
		}
	}
	return nil
}

// hostileAgents are agents that do anything, all at one server.
func hostileAgents(t *testing.T) hostile.Game {
	t.Helper()
	b := startBesides(t)
	var paths []string
	for name := range hostileTexts {
		paths = append(paths, name)
	}
	slices.Sort(paths)
	world := hostile.World{
		Root: b.root, URIs: []string{"file://" + b.path("a.txt"), "file://" + b.path("honest.txt"), "untitled:doc"}, Token: endpointToken,
		Call: hostileCalls(hostileWords(paths...)),
	}
	return hostile.Game{
		Kind: "agent", Corpus: hostileCorpus,
		Draw: func(d *hostile.Dice) []hostile.Step { return hostile.Agent(d, world) },
		Play: func(_ *testing.T, steps []hostile.Step) error {
			return b.play(steps)
		},
	}
}

// TestHostileAgent: whatever an agent does, the editor and another agent at the same
// server have true answers, and the editor's text is what all are shown.
func TestHostileAgent(t *testing.T) { hostileAgents(t).Hunt(t) }

func TestHostileAgentCorpus(t *testing.T) { hostileAgents(t).Replay(t) }
