package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"

	"github.com/spf13/cobra"
)

func doctorCommand(std streams) *cobra.Command {
	var to reach
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check whether agents and editors find each other, and say what to fix",
		Long: "Looks at the environment, at the folders by which editors are found and at every live\n" +
			"editor, says which one a command in --root would take and why, and what to fix.\n" +
			"That no editor runs is nothing to fix. It changes nothing but what every command does:\n" +
			"what editors that have ended left behind is removed.\n\n" +
			"The exit code is 0 if all is well, and 1 if something must be fixed.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			at, err := to.open(cmd.Context(), std)
			if err != nil {
				return err
			}
			defer at.close()
			d := diagnose(cmd.Context(), at)
			if cmd.Context().Err() != nil {
				return show(std, to.json, failed{errInterrupted})
			}
			if to.json {
				err = showJSON(std.out, d)
			} else {
				d.show(std)
			}
			if err == nil && !d.OK {
				err = failed{errToFix}
			}
			return err
		},
	}
	to.addEditorFlags(cmd, autoEditor)
	cmd.Flags().BoolVar(&to.json, "json", false, "print what was found as JSON")
	return cmd
}

// errToFix is the exit code of a doctor who has said what to fix.
var errToFix = errors.New("something must be fixed")

// diagnose looks at all there is, for commands at a desk.
func diagnose(ctx context.Context, at *desk) *diagnosis {
	d := &diagnosis{Root: at.root, Findings: []finding{}, Editors: []examined{}}
	find := at.find
	find.Log = slog.New(slog.DiscardHandler) // what it would log is said here, with what to do
	d.say(finding{
		Name: "version", Status: statusOK,
		Message: fmt.Sprintf("%s (%s/%s)", versions(), runtime.GOOS, runtime.GOARCH),
	})
	folder := find.Inspect()
	d.checkFolder(folder)
	d.examine(ctx, find, folder)
	d.choose(ctx, at, folder)
	return d
}
