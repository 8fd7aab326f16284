package lsp_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/patchls/patchls/lsp"
)

// A value of agent_socket that cannot be read closes the agents' endpoint, and is logged.
func TestUnreadableAgentSocketClosesTheEndpoint(t *testing.T) {
	log, opened, closed := &lockedLog{}, make(chan bool, 1), make(chan bool, 1)
	c := startRaw(t, lsp.Options{Log: slog.New(slog.NewTextHandler(log, nil)), Agents: func(ctx context.Context, _ *lsp.Endpoint) {
		opened <- true
		<-ctx.Done()
		closed <- true
	}})
	wait := func(what string, came <-chan bool) {
		t.Helper()
		select {
		case <-came:
		case <-time.After(time.Minute):
			t.Fatalf("the endpoint is not %s", what)
		}
	}
	c.initialize(t.TempDir())
	wait("opened", opened)
	for _, value := range []string{`"no"`, `0`, `{"enabled":false}`, `[]`} {
		c.send(`{"jsonrpc":"2.0","method":"workspace/didChangeConfiguration","params":{"settings":{"patchls":{"agent_socket":%s}}}}`, value)
		wait("closed by "+value, closed)
		c.send(`{"jsonrpc":"2.0","method":"workspace/didChangeConfiguration","params":{"settings":{"patchls":{"agent_socket":null}}}}`)
		wait("opened by null", opened)
	}
	if n := strings.Count(log.String(), "no agents are let in"); n != 4 {
		t.Errorf("said %d times: %s", n, log.String())
	}
}

// Settings that come while an older answer of the editor is under way stay.
func TestSettingsThatComeLaterStay(t *testing.T) {
	bubble(t, func(t *testing.T) {
		isOpen := make(chan bool, 9)
		c := startRaw(t, lsp.Options{Agents: func(ctx context.Context, _ *lsp.Endpoint) {
			isOpen <- true
			<-ctx.Done()
		}})
		c.send(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"processId":null,"capabilities":{"workspace":{"applyEdit":true,"configuration":true}}}}`)
		c.answer(`"init"`)
		c.send(`{"jsonrpc":"2.0","method":"initialized","params":{}}`)
		asked := c.request("workspace/configuration")
		c.send(`{"jsonrpc":"2.0","method":"workspace/didChangeConfiguration","params":{"settings":{"patchls":{"agent_socket":false}}}}`)
		c.send(`{"jsonrpc":"2.0","id":%s,"result":[{"agent_socket":true}]}`, asked.ID)
		synctest.Wait()
		if len(isOpen) > 0 {
			t.Error("agents are let in, as an older answer has it")
		}
		c.send(`{"jsonrpc":"2.0","method":"workspace/didChangeConfiguration","params":{"settings":{"patchls":{"agent_socket":true}}}}`)
		if !<-isOpen {
			t.Error("agents are not let in")
		}
		_ = c.conn.Close()
	})
}
