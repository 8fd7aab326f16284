package lsp_test

import (
	"testing"
	"time"

	"github.com/patchls/patchls/lsp"
)

func TestRequestsBeforeInitialize(t *testing.T) {
	c := startRaw(t, lsp.Options{})
	c.send(`{"jsonrpc":"2.0","id":1,"method":"workspace/executeCommand","params":{"command":"patchls.view","arguments":[]}}`)
	c.wantError(c.answer("1"), -32002)
	c.send(`{"jsonrpc":"2.0","id":2,"method":"shutdown"}`)
	c.wantError(c.answer("2"), -32002)
}

func TestNotificationsBeforeInitializeAreDropped(t *testing.T) {
	root := t.TempDir()
	c := startRaw(t, lsp.Options{})
	c.open(doc, "too early\n")
	c.initialize(root)
	c.wantError(c.view(doc), -32803)
}

func TestSecondInitialize(t *testing.T) {
	c := startInitialized(t, t.TempDir())
	c.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}`)
	c.wantError(c.answer("1"), -32600)
	c.wantAlive()
}

func TestOrderlyEnd(t *testing.T) {
	c := startInitialized(t, t.TempDir())
	c.send(`{"jsonrpc":"2.0","id":1,"method":"shutdown"}`)
	if m := c.answer("1"); m.Error != nil || string(m.Result) != "null" {
		t.Errorf("shutdown gave %+v", m)
	}
	c.send(`{"jsonrpc":"2.0","id":2,"method":"patchls/synced"}`)
	c.wantError(c.answer("2"), -32600)
	c.send(`{"jsonrpc":"2.0","method":"exit"}`)
	if err := <-c.done; err != nil {
		t.Errorf("Serve gave %v", err)
	}
}

func TestExitWithoutShutdown(t *testing.T) {
	c := startInitialized(t, t.TempDir())
	c.send(`{"jsonrpc":"2.0","method":"exit"}`)
	if err := <-c.done; err != lsp.ErrNoShutdown {
		t.Errorf("Serve gave %v", err)
	}
}

func TestExitBeforeInitialize(t *testing.T) {
	c := startRaw(t, lsp.Options{})
	c.send(`{"jsonrpc":"2.0","method":"exit"}`)
	if err := <-c.done; err != lsp.ErrNoShutdown {
		t.Errorf("Serve gave %v", err)
	}
}

func TestConnectionThatJustEnds(t *testing.T) {
	c := startInitialized(t, t.TempDir())
	_ = c.conn.Close()
	if err := <-c.done; err != lsp.ErrNoShutdown {
		t.Errorf("Serve gave %v", err)
	}
}

func TestServerEndsWithItsParent(t *testing.T) {
	ticks := make(chan time.Time)
	asked := make(chan int)
	alive := make(chan bool)
	c := startRaw(t, lsp.Options{
		ParentAlive: func(pid int) bool { asked <- pid; return <-alive },
		After:       func(time.Duration) <-chan time.Time { return ticks },
	})
	c.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":4711,"capabilities":{}}}`)
	c.answer("1")
	for _, is := range []bool{true, true, false} {
		ticks <- time.Time{}
		if pid := <-asked; pid != 4711 {
			t.Errorf("asked for process %d", pid)
		}
		alive <- is
	}
	if err := <-c.done; err != lsp.ErrNoShutdown {
		t.Errorf("Serve gave %v", err)
	}
}

// Capabilities that are odd must not keep a client out, and only an encoding
// that the client listed is named to it: VS Code fails on any other.
func TestInitializeAnswersWhatTheClientCan(t *testing.T) {
	for name, test := range map[string]struct{ capabilities, want string }{
		"none listed":       {`{}`, ``},
		"first one counts":  {`{"general":{"positionEncodings":["utf-32","utf-8","utf-16"]}}`, `"positionEncoding":"utf-32"`},
		"unknown ones":      {`{"general":{"positionEncodings":["utf-7","utf-16"]}}`, `"positionEncoding":"utf-16"`},
		"odd capabilities":  {`{"textDocument":7,"window":[],"general":{"positionEncodings":["utf-8"]}}`, `"positionEncoding":"utf-8"`},
		"only unknown ones": {`{"general":{"positionEncodings":["utf-7"]}}`, ``},
	} {
		t.Run(name, func(t *testing.T) {
			c := startRaw(t, lsp.Options{})
			c.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null,"rootUri":null,"capabilities":%s}}`, test.capabilities)
			m := c.answer("1")
			if m.Error != nil {
				t.Fatal(m.Error.Message)
			}
			got := encodingOf(t, m.Result)
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestCommandsAreNotAdvertisedToAClientThatSaysSo(t *testing.T) {
	c := startRaw(t, lsp.Options{})
	c.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{},"initializationOptions":{"advertise_commands":false,"advertise_comands":true}}}`)
	m := c.answer("1")
	if got := commandsOf(t, m.Result); len(got) > 0 {
		t.Errorf("advertised %v", got)
	}
	c.send(`{"jsonrpc":"2.0","id":2,"method":"patchls/execute","params":{"command":"patchls.view","arguments":[{"path":""}]}}`)
	c.wantError(c.answer("2"), -32602) // taken all the same
}
