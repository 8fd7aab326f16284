// Command patchls is the language server and its command line.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/internal/lists"
	"github.com/patchls/patchls/lsp/transaction"
)

func main() {
	signal.Ignore(syscall.SIGPIPE) // a reader that exits early must not keep the demo from cleaning up
	os.Exit(run(standardStreams(), os.Args[1:]))
}

// The exit codes.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

// failed is the error of a command whose command line was right, and has been
// shown. Every other error is about the command line.
type failed struct{ err error }

func (f failed) Error() string { return f.err.Error() }

// run runs one command line and returns its exit code.
func run(std streams, args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), ends()...)
	defer stop()
	out := &checked{Writer: std.out}
	std.out = out
	root := rootCommand(std)
	root.SetArgs(args)
	ran, err := root.ExecuteContextC(ctx)
	var done failed
	switch {
	case out.err != nil:
		fmt.Fprintf(std.err, "Error: the answer could not be written: %v\n", out.err)
		return exitFailed
	case err == nil, errors.Is(err, syscall.EPIPE):
		return exitDone
	case errors.As(err, &done):
		return exitFailed
	}
	if code, is := errors.AsType[exitError](err); is {
		return int(code)
	}
	if wantsJSON(args) {
		wire := transaction.CommandError(&edits.Error{Kind: edits.InvalidParams, Message: err.Error()}, nil)
		_ = showError(out, wire) // out remembers a failed write
		return exitUsage
	}
	fmt.Fprintf(std.err, "Error: %v\nRun '%s --help' for usage.\n", printable(err.Error()), ran.CommandPath())
	return exitUsage
}

// ends returns the signals that end a command cleanly: what lets agents in is removed first.
func ends() []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // nohup ignores it
		all = append(all, syscall.SIGHUP)
	}
	return all
}

// wantsJSON reports whether a command line asks for JSON. It is used for a wrong command line,
// whose flags could not be parsed.
func wantsJSON(args []string) bool {
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end]
	}
	return slices.Contains(args, "--json") || slices.Contains(args, "--json=true")
}

func rootCommand(std streams) *cobra.Command {
	var stdio, asksVersion bool
	serve, versions := serveCommand(std), versionCommand(std)
	root := &cobra.Command{
		Use:   "patchls",
		Short: "Edit the text that the user has on screen, for agents",
		Long: "patchls lets coding agents edit the text in your open editor, unsaved changes\n" +
			"included, and reports an edit as verified only when the editor's own text has it.\n\n" +
			"Editors start it without a command: it then runs serve.",
		Example:       "  patchls setup claude\n  git diff | patchls apply -",
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case asksVersion:
				return versions.RunE(cmd, args)
			case stdio || !std.interactive:
				return serve.RunE(cmd, args)
			}
			return cmd.Help()
		},
	}
	known := func() []string {
		return lists.FilterMap(root.Commands(), func(c *cobra.Command) (string, bool) { return c.Name(), !c.Hidden })
	}
	root.Args = func(_ *cobra.Command, args []string) error {
		if len(args) > 0 {
			return unknown("command", args[0], known())
		}
		return nil
	}
	root.SetHelpCommand(&cobra.Command{
		Use: "help [command]", Short: "Help about a command",
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, _, err := root.Find(args)
			if err != nil || cmd == root && len(args) > 0 {
				return unknown("command", args[0], known())
			}
			return cmd.Help()
		},
	})
	root.SetOut(std.out)
	root.SetErr(std.err)
	root.CompletionOptions.HiddenDefaultCmd = true
	root.Flags().BoolVar(&stdio, "stdio", false, "use stdin and stdout, the only transport")
	// Cobra's own flag uses a template, which makes the linker keep all methods of all types: 2.5 MB.
	root.Flags().BoolVarP(&asksVersion, "version", "v", false, "version for patchls")
	root.Flags().AddFlagSet(serve.Flags()) // except stdio, which exists already
	root.AddCommand(serve, versions)
	group := func(title string, commands ...*cobra.Command) {
		root.AddGroup(&cobra.Group{ID: title, Title: title})
		for _, c := range commands {
			c.GroupID = title
		}
		root.AddCommand(commands...)
	}
	group("To begin:", demoCommand(std), setupCommand(std), doctorCommand(std), editorsCommand(std))
	group("To edit from a shell:", applyCommand(std), callCommand(std))
	group("To connect an agent in another way than setup does:", mcpCommand(std), hookCommand(std), acpCommand(std), runCommand(std))
	return root
}

// release is set by the linker: -X main.release=v1.2.3.
var release string

// version returns the release, or else the version in Go's build information.
func version() string {
	if release != "" {
		return release
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// versions returns what the command version and the flag --version print.
func versions() string {
	return fmt.Sprintf("patchls %s, %s, LSP 3.18", version(), runtime.Version())
}

func versionCommand(io streams) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the versions of patchls, Go and LSP",
		Example: `  patchls version`,
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(io.out, versions())
			return err
		},
	}
}
