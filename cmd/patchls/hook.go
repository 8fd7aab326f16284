package main

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/agent/hook"
	"github.com/patchls/patchls/edits"
)

func hookCommand(std streams) *cobra.Command {
	var names []string
	for _, a := range hook.Agents {
		names = append(names, a.Name)
	}
	return &cobra.Command{
		Use:   "hook AGENT",
		Short: "Answer an agent that asks before it uses its own tools",
		Long: "Answers the hooks of an agent, " + edits.Listed(names) + ". patchls setup writes them into its\n" +
			"configuration. The agent sends to stdin what it is about to do with a tool of its own.\n" +
			"If a live editor has that file open with unsaved text, the agent gets that text, and its\n" +
			"edit is made there as any agent's is. Otherwise, and where no editor runs, nothing is\n" +
			"printed, and the agent uses its tool.",
		Example:   `  patchls setup claude`,
		ValidArgs: names,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || !slices.Contains(names, args[0]) {
				return failed{errors.New("name one agent of " + edits.Listed(names))} // a usage's exit code, 2, would hold an agent's tool back
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			defer func() { // with Go's own exit code, 2, an agent's tool is held back
				if p := recover(); p != nil {
					err = failed{fmt.Errorf("%v", p)}
				}
			}()
			a := hook.Agents[slices.Index(names, args[0])]
			question, err := io.ReadAll(std.in)
			if err != nil {
				return failed{err}
			}
			find := &agent.Finder{Client: agent.ClientInfo{Name: a.Client}}
			defer find.Close()
			if answer := a.Answer(cmd.Context(), question, find); answer != nil {
				fmt.Fprintf(std.out, "%s\n", answer)
			}
			return nil
		},
	}
}
