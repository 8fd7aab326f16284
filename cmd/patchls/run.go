package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/agent/acp"
	"github.com/patchls/patchls/agent/shadow"
)

func runCommand(std streams) *cobra.Command {
	var keeper string
	cmd := agentCommand(std, &cobra.Command{
		Use:   "run -- AGENT [ARGUMENT ...]",
		Short: "Run an agent that reads unsaved text in place of the files (Linux)",
		Long: "Runs an agent, or any other program, without setting anything up in it. Where a live\n" +
			"editor has a file with unsaved text, the program and its children read that text in\n" +
			"place of the file. What they write there becomes an edit in the editor's buffer, which\n" +
			"you can review and undo. The file on disk stays as it is, and other programs see it.\n\n" +
			"This needs Linux, since it uses a mount namespace. If you have changed the same lines\n" +
			"meanwhile, your lines stay; a line on stderr then names a patch with the agent's\n" +
			"change. Renaming a file over one with unsaved text fails with EBUSY, so sed -i does.\n" +
			"The exit code is the program's, or 1 instead of 0 if a change of it was not made.",
		Example: `  patchls run -- claude
  patchls run -- sh -c 'grep -n price *.txt'`,
	}, "patchls run -- claude", func(ctx context.Context, args []string) (int, error) {
		if keeper == "" {
			return shadow.Start(ctx, args)
		}
		return shadow.Keep(ctx, keeper, args, &agent.Finder{
			Client: agent.ClientInfo{Name: filepath.Base(args[0]), Version: version(), Actor: rand.Text(), Unseen: true},
		})
	})
	cmd.Flags().StringVar(&keeper, shadow.KeeperFlag, "", "the folder of the keeper")
	_ = cmd.Flags().MarkHidden(shadow.KeeperFlag) // it cannot fail: the flag exists
	return cmd
}

// exitError is an error with the exit code of a program that was run.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("it ended with %d", int(e)) }

// agentCommand makes cmd a command that runs an agent, whose exit code becomes its own.
func agentCommand(std streams, cmd *cobra.Command, example string, runAgent func(ctx context.Context, args []string) (int, error)) *cobra.Command {
	cmd.DisableFlagsInUseLine = true
	cmd.Flags().SetInterspersed(false) // what follows the agent's name belongs to the agent
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return errors.New("name the agent to run, for example: " + example)
		}
		code, err := runAgent(cmd.Context(), args)
		switch {
		case err != nil:
			return show(std, false, failed{err})
		case code != exitDone:
			return exitError(code)
		}
		return nil
	}
	return cmd
}

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
