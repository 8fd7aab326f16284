package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

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
