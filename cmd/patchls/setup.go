package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patchls/patchls/agent/setup"
	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/lists"
)

func setupCommand(std streams) *cobra.Command {
	var undo, dryRun, yes bool
	names := lists.Map(setup.Agents, func(a setup.Agent) string { return a.Name })
	cmd := &cobra.Command{
		Use:   "setup AGENT",
		Short: "Set up an agent, or undo that",
		Long: "Adds patchls to the configuration of an agent in your home folder. The agent's own file tools\n" +
			"ask patchls first, or are turned off, where the agent can do either. The agents are\n" +
			edits.Listed(names) + ".\n" +
			"It shows the changes first, and asks. Everything else in the files stays as it is,\n" +
			"including values that you have set yourself.\n\n" +
			"--undo removes what setup added, and keeps what you have changed since.",
		Example: `  patchls setup claude
  patchls setup claude --undo`,
		ValidArgs: names,
		RunE: func(cmd *cobra.Command, args []string) error {
			i := slices.IndexFunc(setup.Agents, func(a setup.Agent) bool { return slices.Equal(args, []string{a.Name}) })
			if i < 0 { // also if none is named, or two are
				return unknown("agent", strings.Join(args, " "), names)
			}
			a := setup.Agents[i]
			if !dryRun && !yes && !std.interactive {
				return errors.New("there is no terminal to ask on: give --yes, or --dry-run to see the changes")
			}
			plan, err := a.Set()
			if undo {
				plan, err = a.Undo()
			}
			if err != nil {
				failure := show(std, false, failed{err})
				files, _ := a.ByHand() // this fails only for the same reason
				for _, f := range files {
					fmt.Fprintf(std.err, "\nBy hand, %s takes:\n\n%s", f.Path, f.After)
				}
				return failure
			}
			showPlan(std, plan)
			if !undo && len(plan.Changes) > 0 {
				fmt.Fprintln(std.out, a.Note)
			}
			switch {
			case len(plan.Changes) == 0:
				fmt.Fprintln(std.out, "There is nothing to write.")
			case dryRun || !yes && !agrees(cmd.Context(), std):
				fmt.Fprintln(std.out, "Nothing was written.")
				return nil
			}
			if err := plan.Make(); err != nil {
				return show(std, false, failed{err})
			}
			state, err := a.Inspect()
			switch {
			case undo:
			case len(plan.Notes) > 0:
				return show(std, false, failed{fmt.Errorf(
					"%s is not set up as a whole: it lacks what the notes above name; change that by hand, or remove your values and run patchls setup %s again", a.Title, a.Name)})
			case err != nil:
				return show(std, false, failed{fmt.Errorf(
					"%s is to start %s, and cannot: %w; install patchls into a folder of PATH, or write in the files of %[1]s where it is", a.Title, state.Program, err)})
			case len(plan.Changes) > 0:
				fmt.Fprintf(std.out, "%s is set up.\n", a.Title)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&undo, "undo", false, "remove what setup added")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "show the changes, and write nothing")
	cmd.Flags().BoolVar(&yes, "yes", false, "write without asking")
	return cmd
}

// showPlan prints what would be written, and what stays as it is.
func showPlan(std streams, plan *setup.Plan) {
	for _, c := range plan.Changes {
		before, after := text.New(c.Before), text.New(c.After)
		old, now := c.Path, c.Path
		if c.Creates {
			old = "/dev/null"
		}
		if c.Deletes {
			now = "/dev/null"
		}
		showDiff(std, diff.Unified(old, now, before, after, diff.Rewrite(before, 0, before.Len(), c.After)))
	}
	for _, note := range plan.Notes {
		fmt.Fprintf(std.out, "note: %s\n", note)
	}
}

// agrees asks the user whether to write, and returns the answer; an interrupt is a no.
func agrees(ctx context.Context, std streams) bool {
	fmt.Fprint(std.out, "Write this? [y/N] ")
	answer, _ := until(ctx.Done(), nil, func() (string, error) { return bufio.NewReader(std.in).ReadString('\n') }) // the end of the input is a no
	return strings.HasPrefix(strings.ToLower(strings.TrimSpace(answer)), "y")
}
