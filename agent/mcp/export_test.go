package mcp

import sdk "github.com/modelcontextprotocol/go-sdk/mcp"

// SDK is the server as the SDK has it, for other transports.
func (s *Server) SDK() *sdk.Server { return s.sdk }

// End ends what Serve would have ended.
func (s *Server) End() { s.end() }
