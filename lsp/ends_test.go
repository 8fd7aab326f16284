package lsp_test

import (
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/internal/testkit/hostile"
)

// TestPlanningEndsWithItsCommand: a patch that takes minutes to plan, and has them, is
// planned no more when it is cancelled, when its agent has gone and when the server ends.
func TestPlanningEndsWithItsCommand(t *testing.T) {
	_, arguments, err := hostile.Recipe("shared-anchors 50000")
	if err != nil {
		t.Fatal(err)
	}
	for name, end := range map[string]func(d *endpointWorld, c *rawClient){
		"cancelled": func(_ *endpointWorld, c *rawClient) {
			c.send(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}`)
			if m := c.answer("1"); m.Error == nil || m.Error.Code != -32800 {
				t.Errorf("answered %+v", m.Error)
			}
		},
		"gone": func(d *endpointWorld, c *rawClient) {
			_ = c.conn.Close()
			next := d.enter()
			next.send(`{"jsonrpc":"2.0","id":2,"method":"workspace/executeCommand","params":{"command":"patchls.insert","arguments":[{"path":"equal.txt","after_line":1,"content":"an agent's"}]}}`)
			if m := next.answer("2"); m.Error != nil { // of the same file, for which it waits
				t.Errorf("answered %+v", m.Error)
			}
		},
		"ended": func(d *endpointWorld, c *rawClient) {
			_ = d.Close()
			if m := c.answer("1"); m.Error == nil {
				t.Error("answered as if the server went on")
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := &session{t: t, root: t.TempDir(), done: make(chan error, 1)}
			ours, theirs := net.Pipe()
			d := startEndpointLogging(s, ours, theirs, map[string]string{"equal.txt": strings.Repeat("x\n", 60_000)},
				headless.Options{Settings: map[string]any{"apply_timeout_ms": 600_000}}, time.After, slog.LevelDebug)
			c := d.enter()
			c.send(`{"jsonrpc":"2.0","id":1,"method":"workspace/executeCommand","params":{"command":"patchls.apply_patch","arguments":[%s]}}`, asJSON(arguments))
			for late := time.Now().Add(hang); !strings.Contains(d.log.String(), "its turn"); time.Sleep(time.Millisecond) { //nolint:forbidigo // looked at again until it is planned
				if time.Now().After(late) {
					t.Fatal("it is not planned")
				}
			}
			began := time.Now()
			if end(d, c); time.Since(began) > hang {
				t.Errorf("it went on for %v", time.Since(began))
			}
		})
	}
}
