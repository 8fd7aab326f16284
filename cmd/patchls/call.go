package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp"
)

func callCommand(std streams) *cobra.Command {
	var to reach
	names := make([]string, len(lsp.Commands))
	var list strings.Builder
	for i, c := range lsp.Commands {
		names[i] = c.Name
		fmt.Fprintf(&list, "  %-13s %s\n", c.Name, c.Title)
	}
	cmd := &cobra.Command{
		Use:   "call COMMAND [JSON or -]",
		Short: "Run one command with its arguments as JSON",
		Long: "Runs one command of the server. Its arguments are one JSON object, given on the\n" +
			"command line or, for -, on stdin. The arguments of one are listed by\n" +
			"patchls call COMMAND --help. The commands:\n\n" + list.String(),
		Example:   `  patchls call str_replace '{"path": "a.txt", "old_str": "one", "new_str": "two"}'`,
		Args:      cobra.RangeArgs(1, 2),
		ValidArgs: names,
		RunE: func(cmd *cobra.Command, args []string) error {
			args[0] = strings.TrimPrefix(args[0], "patchls.")
			i := slices.Index(names, args[0])
			if i < 0 {
				return unknownCommand(args[0], names)
			}
			arguments, err := callArguments(cmd.Context(), std.in, args[1:])
			if err != nil {
				return show(std, to.json, err)
			}
			return to.run(cmd.Context(), std, agent.PathOf(arguments), func(editor agent.Editor) error {
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

// showCommand prints what a command is for and which arguments it takes.
func showCommand(out io.Writer, c *lsp.Command) {
	fmt.Fprintf(out, "%s\n\nUsage:\n  patchls call %s '{...}' [flags]\n", c.Doc, c.Name)
	arguments, err := c.Arguments()
	if err != nil {
		panic(err) // the commands are declared in the program, and a test makes all of their schemas
	}
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
	_ = table.Flush() // what cannot be written is seen by out
	fmt.Fprint(out, "\nFor the flags: patchls call --help\n")
}

func unknownCommand(name string, names []string) error {
	if near := edits.NearestName(name, names); near != "" {
		return fmt.Errorf("unknown command %q: did you mean %q?", name, near)
	}
	return fmt.Errorf("unknown command %q; the commands are %s", name, strings.Join(names, ", "))
}

// callArguments returns the JSON that was given, {} if none was.
func callArguments(ctx context.Context, in io.Reader, given []string) (json.RawMessage, error) {
	raw := []byte("{}")
	if len(given) == 1 {
		raw = []byte(given[0])
		if given[0] == "-" {
			var err error
			if raw, err = readAll(ctx, in); err != nil {
				return nil, err
			}
		}
	}
	var value json.RawMessage
	if err := json.Unmarshal(raw, &value); err != nil {
		return nil, fmt.Errorf("the arguments are not JSON (%w): %.80s", err, raw)
	}
	return raw, nil
}
