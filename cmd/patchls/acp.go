package main

import (
	"errors"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/agent/acp"
)

func acpCommand(std streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "acp -- AGENT [ARGUMENT ...]",
		Short: "Run an ACP agent that reads and writes unsaved text",
		Long: "Stands between a client of the Agent Client Protocol, such as Zed, JetBrains' or a plugin of\n" +
			"Neovim, and the agent that it starts. The agent gets patchls mcp among its MCP servers. What\n" +
			"it asks its client to read and write is answered here where a live editor has the file open:\n" +
			"it reads unsaved text, and what it writes becomes an edit in the editor's buffer, verified,\n" +
			"marked and undone as that of any agent. All else goes on as it comes.",
		Example:               `  patchls acp -- npx @agentclientprotocol/claude-agent-acp`,
		DisableFlagsInUseLine: true,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("name the agent that is to run, as in: patchls acp -- kimi acp")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			find := &agent.Finder{Client: agent.ClientInfo{Name: filepath.Base(args[0])}}
			code, err := acp.Run(args, std.in, std.out, find, ends()...)
			return ranAs(std, code, err)
		},
	}
	cmd.Flags().SetInterspersed(false) // what comes behind the agent's name is the agent's
	return cmd
}
