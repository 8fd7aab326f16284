package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patchls/patchls/agent"
)

func editorsCommand(std streams) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "editors",
		Short: "List the live editors that can be reached",
		Long: "Lists your live editors that accept agents, the most recently active first: the pid of\n" +
			"the server, the editor's name and version, and its workspace folders. Other commands\n" +
			"take the pid as --editor.",
		Example: `  patchls editors --json`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			find := finder(std, "")
			defer find.Close()
			found := find.Editors(cmd.Context())
			if asJSON {
				return showJSON(std.out, append([]agent.Live{}, found...)) // none is [], not null
			}
			for _, e := range found {
				fmt.Fprintf(std.out, "%d\t%s\t%s\n", e.PID, editorName(e.Entry), printable(strings.Join(e.Roots, ", ")))
			}
			if len(found) == 0 {
				fmt.Fprintln(std.err, "No live editor can be reached. An editor appears here once it has started patchls serve, unless its setting agent_socket is false.")
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the list as JSON")
	return cmd
}

// editorName returns the name that an editor gives itself, with its version.
func editorName(e agent.Entry) string {
	if name := strings.TrimSpace(e.Name + " " + e.Version); name != "" {
		return printable(name)
	}
	return "(an editor without a name)"
}

// called returns the name and pid of an editor for use in a sentence.
func called(e agent.Entry) string { return fmt.Sprintf("%s (pid %d)", editorName(e), e.PID) }
