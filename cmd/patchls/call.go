package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/internal/plainjson"
	"github.com/patchls/patchls/lsp"
	"github.com/patchls/patchls/lsp/schema"
	"github.com/patchls/patchls/lsp/transaction"
)

func callCommand(std streams) *cobra.Command {
	var to reach
	names := make([]string, len(lsp.Commands))
	var list strings.Builder
	var imitations []string
	for i, c := range lsp.Commands {
		names[i] = c.Name
		if c.Imitates() {
			imitations = append(imitations, c.Name)
			continue
		}
		fmt.Fprintf(&list, "  %-15s %s\n", c.Name, c.Title)
	}
	fmt.Fprintf(&list, "\nand tools that other programs define: %s", strings.Join(imitations, ", "))
	cmd := &cobra.Command{
		Use:   "call COMMAND [JSON, - or NAME=VALUE ...]",
		Short: "Run one command with its arguments",
		Long: "Runs one command of the server. Give its arguments as one JSON object, on the command\n" +
			"line, in a file (@FILE) or on stdin (-), or as one NAME=VALUE for each. A VALUE is\n" +
			"plain text where the argument is a string, and JSON otherwise; @FILE stands for the\n" +
			"text of a file. For a string that begins with @, use the JSON object.\n\n" +
			"patchls call COMMAND --help lists the arguments of a command. The commands:\n\n" + list.String(),
		Example: `  patchls call view path=a.txt start_line=3
  patchls call str_replace '{"path": "a.txt", "old_str": "one", "new_str": "two"}'
  patchls call write path=a.txt content=@new.txt`,
		Args:      cobra.MinimumNArgs(1),
		ValidArgs: names,
		RunE: func(cmd *cobra.Command, args []string) error {
			args[0] = strings.TrimPrefix(args[0], "patchls.")
			i := slices.Index(names, args[0])
			if i < 0 {
				return unknown("command", args[0], names)
			}
			arguments, err := callArguments(cmd.Context(), std.in, &lsp.Commands[i], args[1:])
			if err != nil {
				return show(std, to.json, err)
			}
			return to.run(cmd.Context(), std, agent.AboutOf(args[0], arguments), func(editor agent.Editor) error {
				if lsp.Commands[i].Edits() {
					result, err := to.execute(cmd.Context(), editor, args[0], arguments)
					return to.show(std, result, err)
				}
				raw, err := execute(cmd.Context(), editor, args[0], arguments)
				if err != nil {
					return show(std, to.json, err)
				}
				return showRead(std, to.json, raw)
			})
		},
	}
	to.addFlags(cmd)
	help := cmd.HelpFunc()
	cmd.SetHelpFunc(func(asked *cobra.Command, args []string) {
		if i := slices.Index(names, strings.TrimPrefix(cmd.Flags().Arg(0), "patchls.")); i >= 0 {
			showCommand(std.out, &lsp.Commands[i])
			return
		}
		help(asked, args)
	})
	return cmd
}

// showCommand prints the description of a command and its arguments.
func showCommand(out io.Writer, c *lsp.Command) {
	fmt.Fprintf(out, "%s\n\nUsage:\n  patchls call %s '{...}' [flags]\n", c.Doc, c.Name)
	arguments := c.Arguments()
	if len(arguments) > 0 {
		fmt.Fprint(out, "\nArguments, as one JSON object:\n")
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, a := range arguments {
		value := ""
		switch {
		case a.Required:
			value = "required"
		case a.Default != "":
			value = "default " + a.Default
		}
		fmt.Fprintf(table, "  %s\t%s\t%s\t%s\n", a.Name, a.Type, value, a.Doc)
	}
	_ = table.Flush() // out remembers a failed write
	fmt.Fprint(out, "\nFor the flags: patchls call --help\n")
}

// unknown returns the error for a name that is none of the names of a kind.
func unknown(kind, name string, names []string) error {
	if near := edits.NearestName(name, names); near != "" {
		return fmt.Errorf("unknown %s %q: did you mean %q?", kind, name, near)
	}
	return fmt.Errorf("unknown %s %q; the %[1]ss are %[3]s", kind, name, strings.Join(names, ", "))
}

// callArguments returns the arguments of a command as JSON, {} if none were given.
func callArguments(ctx context.Context, in io.Reader, c *lsp.Command, given []string) (raw json.RawMessage, err error) {
	if len(given) == 0 {
		return json.RawMessage("{}"), nil
	}
	switch file, isFile := strings.CutPrefix(given[0], "@"); {
	case len(given) == 1 && (isFile || file == "-"):
		raw, err = readNamed(ctx, in, file)
	case len(given) == 1 && strings.HasPrefix(strings.TrimSpace(file), "{"):
		raw = json.RawMessage(file)
	default:
		return namedArguments(ctx, in, c, given)
	}
	if err != nil {
		return nil, err
	}
	var value json.RawMessage
	if err := json.Unmarshal(raw, &value); err != nil {
		return nil, fmt.Errorf("the arguments are not JSON (%w): %.80s", err, raw)
	}
	return raw, nil
}

// namedArguments returns arguments that were given as NAME=VALUE.
func namedArguments(ctx context.Context, in io.Reader, c *lsp.Command, given []string) (json.RawMessage, error) {
	known := c.Arguments()
	object := map[string]any{}
	for _, pair := range given {
		name, value, ok := strings.Cut(pair, "=")
		if !ok {
			return nil, fmt.Errorf("%q is not NAME=VALUE, nor one JSON object that stands alone", pair)
		}
		if object[name] != nil {
			return nil, fmt.Errorf("%s is given twice", name)
		}
		i := slices.IndexFunc(known, func(a schema.Member) bool { return a.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("%s has no argument %q: patchls call %[1]s --help lists them", c.Name, name)
		}
		if file, is := strings.CutPrefix(value, "@"); is {
			text, err := readNamed(ctx, in, file)
			if err != nil {
				return nil, err
			}
			value = string(text)
		}
		object[name] = value
		if known[i].Type != "string" {
			if !json.Valid([]byte(value)) {
				return nil, fmt.Errorf("%s must be of the type %s, as JSON: %q", name, known[i].Type, value)
			}
			object[name] = json.RawMessage(value)
		}
	}
	return plainjson.Marshal(object)
}

// readNamed reads a file that the command line names, or in for "-". If the file does not exist, the error is
// that of a command that does not find a file. A named pipe may have no writer, and then it takes until ctx is done.
func readNamed(ctx context.Context, in io.Reader, name string) ([]byte, error) {
	raw, err := readAll(ctx, func() ([]byte, error) {
		if name == "-" {
			return io.ReadAll(in)
		}
		return os.ReadFile(name)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, transaction.CommandError(&edits.Error{Kind: edits.FileNotFound, Path: name, Message: "File not found: " + edits.Printable(name) + "."}, nil)
	}
	return raw, err
}

func applyCommand(std streams) *cobra.Command {
	var to reach
	var path string
	var dryRun, check, reverse bool
	cmd := &cobra.Command{
		Use:   "apply [PATCH or - ...]",
		Short: "Apply a patch",
		Long: "Applies patches, from files or from stdin, to the texts in the editor. A patch may be\n" +
			patch.OneOf(func(d patch.Dialect) string { return d.Name }) + " with --path.\n" +
			"It patches all of the files or none, and prints the unified diff. In a live editor, the\n" +
			"files are patched in its buffers and not saved, but one that is deleted goes from disk, and\n" +
			"\"patchls call undo\" takes the patch back. Without one, they are saved.",
		Example: `  git diff | patchls apply -
  patchls apply fix.patch --no-save
  patchls apply -R fix.patch`,
		RunE: func(cmd *cobra.Command, args []string) error {
			dryRun, to.quiet = dryRun || check, to.quiet || check
			if to.save && (dryRun || to.noSave) {
				return errors.New("--dry-run, --check and --no-save write nothing to disk, and --save does: give only one of them")
			}
			to.saveAlone, to.exact = !to.noSave, cmd.Flags().Changed("root")
			text, err := readPatch(cmd.Context(), std, args)
			if err != nil {
				return show(std, to.json, err)
			}
			if reverse {
				var is bool
				if text, is = patch.Reverse(text); !is {
					return show(std, to.json, failed{errors.New("-R takes unified diffs that copy no file; to take back an agent's edit, run patchls call undo")})
				}
			}
			given := map[string]any{"patch": text, "dry_run": dryRun}
			if path != "" {
				given["path"] = path
			}
			arguments, _ := plainjson.Marshal(given) // strings and a bool always have JSON
			return to.run(cmd.Context(), std, agent.AboutOf("apply_patch", arguments), func(editor agent.Editor) error {
				if std.progress {
					fmt.Fprint(std.err, "Applying the patch ...")
				}
				result, err := to.execute(cmd.Context(), editor, "apply_patch", json.RawMessage(arguments))
				if std.progress {
					fmt.Fprint(std.err, "\r\x1b[K")
				}
				return to.show(std, result, err)
			})
		},
	}
	to.addFlags(cmd)
	cmd.Flags().StringVar(&path, "path", "", "file to patch, if the patch names none, or two that were compared")
	cmd.Flags().BoolVarP(&reverse, "reverse", "R", false, "take back what unified diffs make")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "show what would change, and change nothing")
	cmd.Flags().BoolVar(&check, "check", false, "like --dry-run, without the diff")
	cmd.Flags().BoolVarP(&to.quiet, "quiet", "q", false, "print no diff")
	cmd.Flags().BoolVar(&to.noSave, "no-save", false, "write nothing to disk, also without a live editor")
	cmd.SetFlagErrorFunc(foreignFlag)
	return cmd
}

// foreign says what stands in for the flags of git apply and GNU patch that apply does not have.
var foreign = map[string]string{
	"p strip":                 "names are found with and without their first folder",
	"d directory":             "--root names the folder that names start from",
	"r 3 f reject 3way force": "a patch is applied whole or not at all, and the error says what does not fit",
	"stat numstat summary":    "--dry-run shows what would change",
	"i input":                 "name the patch file without a flag",
	"index cached":            "use git apply for the index of git",
}

// foreignFlag returns err, with what to do instead if a flag is missing that people know from other programs.
func foreignFlag(_ *cobra.Command, err error) error {
	if missing, is := errors.AsType[*pflag.NotExistError](err); is {
		for names, instead := range foreign {
			if slices.Contains(strings.Fields(names), missing.GetSpecifiedName()) {
				return fmt.Errorf("%w: %s", err, instead)
			}
		}
	}
	return err
}

// readPatch reads the patches from the files in args, or from stdin.
func readPatch(ctx context.Context, std streams, args []string) (string, error) {
	if len(args) == 0 {
		if std.interactive {
			return "", fmt.Errorf("name a patch file, or - for stdin")
		}
		args = []string{"-"}
	}
	var all strings.Builder
	for _, name := range args {
		raw, err := readNamed(ctx, std.in, name)
		if err != nil {
			return "", err
		}
		if all.Len() > 0 && !strings.HasSuffix(all.String(), "\n") {
			all.WriteByte('\n')
		}
		all.Write(raw)
	}
	return all.String(), nil
}
