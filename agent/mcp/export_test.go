package mcp

import (
	"bufio"
	"io"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Lines returns a reader of lines of at most so many bytes.
func Lines(r io.Reader, most int) func() ([]byte, error) {
	in := bufio.NewReaderSize(r, 16)
	return func() ([]byte, error) { return readLine(in, most) }
}

// SDK is the server as the SDK has it, for other transports.
func (s *Server) SDK() *sdk.Server { return s.sdk }
