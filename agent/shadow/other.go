//go:build !linux

package shadow

import (
	"context"
	"errors"

	"github.com/patchls/patchls/agent"
)

// errLinux says what to use instead.
var errLinux = errors.New("patchls run is for Linux alone; elsewhere give the agent patchls mcp, or let it write the files: what it writes is merged into the editor's text (docs/agents.md)")

// Start says that there is no such thing here.
func Start(context.Context, []string) (int, error) { return 0, errLinux }

// Keep says that there is no such thing here.
func Keep(context.Context, string, []string, *agent.Finder) (int, error) { return 0, errLinux }
