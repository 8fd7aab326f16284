package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/internal/plainjson"
)

func applyCommand(std streams) *cobra.Command {
	var to reach
	var path string
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "apply [PATCH or -]",
		Short: "Apply a patch",
		Long: "Applies a patch, from a file or from stdin, to the texts in the editor. The patch may be\n" +
			patch.OneOf(func(d patch.Dialect) string { return d.Name }) + " with --path.\n" +
			"It patches all of the files or none, and prints the unified diff. In a live editor, the\n" +
			"files are patched in its buffers and not saved. Without one, they are saved.",
		Example: `  git diff | patchls apply -
  patchls apply fix.patch --no-save`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if to.save && (dryRun || to.noSave) {
				return errors.New("--dry-run and --no-save write nothing to disk, and --save does: give only one of them")
			}
			to.saveAlone, to.exact = !to.noSave, cmd.Flags().Changed("root")
			text, err := readPatch(cmd.Context(), std, args)
			if err != nil {
				return show(std, to.json, err)
			}
			given := map[string]any{"patch": text, "dry_run": dryRun}
			if path != "" {
				given["path"] = path
			}
			arguments, _ := plainjson.Marshal(given) // strings and a bool always have JSON
			return to.run(cmd.Context(), std, agent.AboutOf("apply_patch", arguments), func(editor agent.Editor) error {
				stop := progress(std, "Applying the patch")
				result, err := to.execute(cmd.Context(), editor, "apply_patch", json.RawMessage(arguments))
				stop()
				return to.show(std, result, err)
			})
		},
	}
	to.addFlags(cmd)
	cmd.Flags().StringVar(&path, "path", "", "file to patch, if the patch names none")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "show what would change, and change nothing")
	cmd.Flags().BoolVar(&to.noSave, "no-save", false, "write nothing to disk, also without a live editor")
	return cmd
}

// readPatch reads the patch from the file in args, or from stdin.
func readPatch(ctx context.Context, std streams, args []string) (string, error) {
	if len(args) == 1 && args[0] != "-" {
		raw, err := readNamed(ctx, args[0])
		return string(raw), err
	}
	if std.interactive && len(args) == 0 {
		return "", fmt.Errorf("name a patch file, or - for stdin")
	}
	raw, err := readAll(ctx, std.in)
	return string(raw), err
}
