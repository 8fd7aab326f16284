package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/agent/hook"
)

func hookCommand(std streams) *cobra.Command {
	var names []string
	for _, a := range hook.Agents {
		names = append(names, a.Name)
	}
	either := strings.Join(names, " or ")
	return &cobra.Command{
		Use:   "hook AGENT",
		Short: "Answer an agent that asks before it uses its own tools",
		Long: "Answers the hooks of an agent, " + either + ". patchls setup writes them into its\n" +
			"configuration. The agent sends to stdin what it is about to do with a tool of its own.\n" +
			"If a live editor has that file open with unsaved text, the agent gets that text, and its\n" +
			"edit is made there as any agent's is. Otherwise, and where no editor runs, nothing is\n" +
			"printed, and the agent uses its tool.",
		Example:   `  patchls setup claude`,
		ValidArgs: names,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			i := slices.IndexFunc(hook.Agents, func(a hook.Agent) bool { return slices.Equal(args, []string{a.Name}) })
			if i < 0 { // exit code 2, that of a wrong command line, would make the agent not use its tool
				return show(std, false, failed{errors.New("name one agent: " + either)})
			}
			defer func() { // a panic would also exit with 2
				if p := recover(); p != nil {
					err = show(std, false, failed{fmt.Errorf("patchls hook: %v", p)})
				}
			}()
			question, err := readAll(cmd.Context(), std.in)
			if err != nil {
				return show(std, false, failed{err})
			}
			find := &agent.Finder{Client: agent.ClientInfo{Name: hook.Agents[i].Client}}
			defer find.Close()
			if answer := hook.Agents[i].Answer(cmd.Context(), question, find); answer != nil {
				fmt.Fprintf(std.out, "%s\n", answer)
			}
			return nil
		},
	}
}
