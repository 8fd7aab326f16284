package main

import (
	"context"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/agent/acp"
)

func acpCommand(std streams) *cobra.Command {
	return agentCommand(std, &cobra.Command{
		Use:   "acp -- AGENT [ARGUMENT ...]",
		Short: "Run an ACP agent that reads and writes unsaved text",
		Long: "Runs between a client of the Agent Client Protocol (ACP), such as Zed, a JetBrains IDE or\n" +
			"a Neovim plugin, and the agent that the client starts. It adds patchls mcp to the\n" +
			"agent's MCP servers. If the agent asks its client to read or write a file that a live\n" +
			"editor has open, patchls answers: the agent reads the unsaved text, and what it writes\n" +
			"becomes an edit in the editor's buffer, which you can review and undo. Everything else\n" +
			"passes through unchanged. The exit code is the agent's.",
		Example: `  patchls acp -- npx @agentclientprotocol/claude-agent-acp`,
	}, "patchls acp -- kimi acp", func(_ context.Context, args []string) (int, error) {
		find := &agent.Finder{Client: agent.ClientInfo{Name: filepath.Base(args[0])}}
		return acp.Run(args, std.in, std.out, find, ends()...)
	})
}
