package lsp

import (
	"context"
	"encoding/json"
	"fmt"

	"go.lsp.dev/protocol"
)

// setTrace is $/setTrace; an unknown value turns tracing off.
func (s *server) setTrace(params []byte) error {
	var p struct {
		Value string `json:"value"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return err
	}
	s.tracing.Store(p.Value == "messages" || p.Value == "verbose")
	return nil
}

// logTrace tells the client what a command did, if it asked for that. It may
// wait for the client, so it is never called on the reading goroutine.
func (s *server) logTrace(ctx context.Context, format string, args ...any) {
	if !s.tracing.Load() {
		return
	}
	err := s.conn.Notify(ctx, protocol.MethodLogTrace, &protocol.LogTraceParams{Message: fmt.Sprintf(format, args...)})
	if err != nil {
		s.log.Debug("no trace sent", "error", err)
	}
}
