package lsp_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
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
