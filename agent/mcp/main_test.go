package mcp_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/patchls/patchls/agent/mcp"
)

// The test binary is an MCP server on stdin and stdout where these are set: the
// folder that its editor has as workspace, and the dialect.
const (
	serveRoot    = "PATCHLS_TEST_MCP_ROOT"
	serveDialect = "PATCHLS_TEST_MCP_DIALECT"
)

func TestMain(m *testing.M) {
	if root := os.Getenv(serveRoot); root != "" {
		if err := serveStdio(root, os.Getenv(serveDialect)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

func serveStdio(root, dialect string) error {
	e, err := startEmbedded(context.Background(), root)
	if err != nil {
		return err
	}
	defer func() { _ = e.Close() }()
	s, err := mcp.New(mcp.Options{Version: "test", Dialect: dialect, Connect: connectTo(mcp.Session{Editor: e, Name: "headless"})})
	if err != nil {
		return err
	}
	return s.Serve(context.Background(), os.Stdin, os.Stdout)
}
