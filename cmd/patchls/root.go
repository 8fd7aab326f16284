package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

// The exit codes (contract 1).
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

// failed is an error of a command that was understood; it has been shown. Every
// other error is about how the command line was written.
type failed struct{ err error }

func (f failed) Error() string { return f.err.Error() }

// run runs one command line and returns its exit code.
func run(io streams, args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	out := &checked{Writer: io.out}
	io.out = out
	root := rootCommand(io)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	var done failed
	switch {
	case out.err != nil:
		fmt.Fprintf(io.err, "Error: the answer could not be written: %v\n", out.err)
		return exitFailed
	case err == nil, errors.Is(err, syscall.EPIPE):
		return exitDone
	case errors.As(err, &done):
		return exitFailed
	}
	fmt.Fprintf(io.err, "Error: %v\nRun 'patchls --help' for usage.\n", err)
	return exitUsage
}

func rootCommand(io streams) *cobra.Command {
	var stdio bool
	serve := serveCommand(io)
	root := &cobra.Command{
		Use:   "patchls",
		Short: "Edits the text that a person has on screen, for agents",
		Long: "patchls is a language server that lands agents' edits in the editor's own buffers,\n" +
			"unsaved text included, and answers only when the buffer is seen to hold them.\n\n" +
			"Without a command, and with something other than a terminal at its input, it serves.",
		Args:          cobra.NoArgs,
		Version:       versions(),
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if stdio || !io.interactive {
				return serve.RunE(cmd, args)
			}
			return cmd.Help()
		},
	}
	root.SetOut(io.out)
	root.SetErr(io.err)
	root.SetVersionTemplate("{{.Version}}\n")
	root.CompletionOptions.HiddenDefaultCmd = true
	root.Flags().BoolVar(&stdio, "stdio", false, "serve on stdin and stdout, as editors ask")
	root.Flags().AddFlagSet(serve.Flags()) // but for stdio, which is there already
	root.AddCommand(serve, mcpCommand(io), callCommand(io), applyCommand(io), editorsCommand(io), doctorCommand(io),
		demoCommand(io), versionCommand(io))
	return root
}
