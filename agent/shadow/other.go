//go:build !linux

package shadow

import (
	"context"
	"errors"

	"github.com/patchls/patchls/agent"
)

// errLinux says what to use on other systems.
var errLinux = errors.New("patchls run is for Linux alone; elsewhere give the agent patchls mcp, or let it write the files: what it writes is merged into the editor's text (docs/agents.md)")

// Start returns an error, since shadows need Linux.
func Start(context.Context, []string) (int, error) { return 0, errLinux }

// Keep returns an error, since shadows need Linux.
func Keep(context.Context, string, []string, *agent.Finder) (int, error) { return 0, errLinux }
