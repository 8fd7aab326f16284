package mcp

import (
	"context"
	"strings"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// names are the editors that calls have reached and that are not known to be gone.
type names struct {
	mu    sync.Mutex
	there map[string]bool
}

// reached tells the clients of an editor when it is reached first.
func (s *Server) reached(ctx context.Context, session Session) {
	s.names.mu.Lock()
	known := s.names.there[session.Name]
	if s.names.there == nil {
		s.names.there = map[string]bool{}
	}
	s.names.there[session.Name] = true
	s.names.mu.Unlock()
	if !known {
		s.log(ctx, "info", strings.Join(append([]string{"Connected to " + session.Name + "."}, session.Notes...), " "))
	}
}

// lost tells the clients that an editor is gone.
func (s *Server) lost(ctx context.Context, name string) {
	s.names.mu.Lock()
	known := s.names.there[name]
	delete(s.names.there, name)
	s.names.mu.Unlock()
	if known {
		s.log(ctx, "warning", name+" is gone.")
	}
}

// log tells the clients that want messages of that level.
func (s *Server) log(ctx context.Context, level sdk.LoggingLevel, message string) {
	for session := range s.sdk.Sessions() {
		if err := session.Log(ctx, &sdk.LoggingMessageParams{Level: level, Logger: "patchls", Data: message}); err != nil && s.opts.Log != nil {
			s.opts.Log.Debug("log message not sent", "error", err)
		}
	}
}
