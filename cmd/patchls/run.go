package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/agent/shadow"
)

func runCommand(std streams) *cobra.Command {
	var keeper string
	cmd := &cobra.Command{
		Use:   "run -- AGENT [ARGUMENT ...]",
		Short: "Run an agent that sees unsaved text in place of the files (Linux)",
		Long: "Runs an agent, or any program, as it stands. It and all that it starts read unsaved text\n" +
			"in place of the files that a live editor has open, and what they write there becomes an\n" +
			"edit in the editor's buffer: verified, marked and undone as that of any agent. The files\n" +
			"on disk stay as they are, and programs outside of it see those.\n\n" +
			"It takes a mount namespace, and so Linux. A change that cannot be made, since the user has\n" +
			"changed those lines meanwhile, is said in a line on stderr, which names a patch with it.\n" +
			"To rename a file over one with unsaved text is an error in there (EBUSY), as for sed -i.",
		Example: `  patchls run -- claude
  patchls run -- sh -c 'grep -n price *.txt'`,
		DisableFlagsInUseLine: true,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("name the agent that is to run, as in: patchls run -- claude")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			var code int
			var err error
			if keeper != "" {
				code, err = shadow.Keep(cmd.Context(), keeper, args, &agent.Finder{
					Client: agent.ClientInfo{Name: filepath.Base(args[0]), Version: version()},
				})
			} else {
				code, err = shadow.Start(cmd.Context(), args)
			}
			return ranAs(std, code, err)
		},
	}
	cmd.Flags().SetInterspersed(false) // what comes behind the agent's name is the agent's
	cmd.Flags().StringVar(&keeper, shadow.KeeperFlag, "", "the folder of the keeper")
	_ = cmd.Flags().MarkHidden(shadow.KeeperFlag) // there is one
	return cmd
}

// ended is the exit code of a program that was run.
type ended int

func (e ended) Error() string { return fmt.Sprintf("it ended with %d", int(e)) }

// ranAs is the end of a command that has run a program, with its exit code.
func ranAs(std streams, code int, err error) error {
	switch {
	case err != nil:
		fmt.Fprintf(std.err, "Error: %v\n", err)
		return failed{err}
	case code != exitDone:
		return ended(code)
	}
	return nil
}
