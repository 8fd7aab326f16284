package lsp

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/patchls/patchls/lsp/bounds"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/schema"
	"github.com/patchls/patchls/workspace/paths"
)

// Schema returns the JSON schema of the command's arguments: an object, with
// the defaults filled in.
func (c *Command) Schema() (*jsonschema.Schema, error) {
	of, err := schema.Of(reflect.ValueOf(c.defaults()).Elem())
	if err != nil {
		return nil, fmt.Errorf("schema of %s: %w", c.Name, err)
	}
	of.Title, of.Description = c.Title, c.Doc
	return of, nil
}

// AnswerSchema returns the JSON schema of what the command answers: an object. It
// is nil for a reference tool, whose answers are not of one kind. Commands that
// answer alike share it, so it must not be changed.
func (c *Command) AnswerSchema() (*jsonschema.Schema, error) {
	if c.answer == nil {
		return nil, nil
	}
	of, err := schema.OfAnswer(c.answer)
	if err != nil {
		return nil, fmt.Errorf("schema of the answer of %s: %w", c.Name, err)
	}
	return of, nil
}

// Arguments returns the arguments of the command, in order.
func (c *Command) Arguments() ([]schema.Argument, error) {
	of, err := c.Schema()
	if err != nil {
		return nil, err
	}
	return schema.Describe(c.arguments, of), nil
}

// ReferenceSchema returns docs/commands.schema.json: the arguments of each
// command as a definition that is called by the command's LSP name.
func ReferenceSchema() ([]byte, error) {
	all := &jsonschema.Schema{
		Schema:      "https://json-schema.org/draft/2020-12/schema",
		Title:       "patchls commands",
		Description: "The one object in the arguments of workspace/executeCommand, for each command.",
		Defs:        map[string]*jsonschema.Schema{},
	}
	for i := range Commands {
		of, err := Commands[i].Schema()
		if err != nil {
			return nil, err
		}
		all.Defs[commands.Prefix+Commands[i].Name] = of
	}
	raw, err := json.MarshalIndent(all, "", "  ")
	return append(raw, '\n'), err
}

// ReferenceMarkdown returns docs/commands.md.
func ReferenceMarkdown() (string, error) {
	var b strings.Builder
	b.WriteString("# Commands\n\n" +
		"<!-- Made by `make generate` from lsp/commands.go. Do not edit. -->\n\n" +
		"Sent as `workspace/executeCommand` with one object in `arguments`. Lines are counted from 1.\n")
	for i := range Commands {
		if err := Commands[i].markdown(&b); err != nil {
			return "", err
		}
	}
	boundsMarkdown(&b)
	guardedMarkdown(&b)
	return b.String(), nil
}

// boundsMarkdown has the bounds: those that are settings, and then the others.
func boundsMarkdown(b *strings.Builder) {
	b.WriteString("\n## Bounds\n\n" +
		"What exceeds one of these is answered with an error that names it and its value.\n\n" +
		"Settings, in `initializationOptions` or in the section `patchls` of the configuration. A value below the least counts as\n" +
		"that, 0 and less as the default; the log says so. `max_message_bytes` counts before the editor has said its settings, so\n" +
		"`patchls serve` has a flag for it, `--max-message-bytes`.\n\n" +
		"| setting | default | least | |\n|---|---|---|---|\n")
	for i := range bounds.All {
		if bd := &bounds.All[i]; bd.Setting {
			fmt.Fprintf(b, "| `%s` | %d | %d | %s |\n", bd.Name, bd.Default, bd.Least, bd.Doc)
		}
	}
	b.WriteString("\nThe others cannot be set:\n\n| bound | value | |\n|---|---|---|\n")
	for i := range bounds.All {
		if bd := &bounds.All[i]; !bd.Setting {
			fmt.Fprintf(b, "| `%s` | %d | %s |\n", bd.Name, bd.Default, bd.Doc)
		}
	}
}

// guardedMarkdown has the files of which an edit takes the user's agreement.
func guardedMarkdown(b *strings.Builder) {
	b.WriteString("\n## Protected files\n\n" +
		"An editor or a tool starts programs by these files, or takes from them what agents may do, with no build, test or terminal\n" +
		"between. Commands may read them; an edit of one is made only if the user agrees, as with `confirm`. Where the editor cannot\n" +
		"ask, it is refused as `protected`. `*` stands for any characters of a name, and a folder for all that is in it. Where the\n" +
		"workspace folder itself lies in such a folder, that does not count.\n\n" +
		"| file | why |\n|---|---|\n")
	for _, g := range paths.GuardedFiles {
		fmt.Fprintf(b, "| `%s` | %s |\n", g.Name, g.Why)
	}
}

func (c *Command) markdown(b *strings.Builder) error {
	arguments, err := c.Arguments()
	if err != nil {
		return err
	}
	fmt.Fprintf(b, "\n## %s%s\n\n%s\n\n| argument | type | default | |\n|---|---|---|---|\n", commands.Prefix, c.Name, c.Doc)
	for _, a := range arguments {
		value := a.Default
		switch {
		case a.Required:
			value = "required"
		case value == "":
			value = "absent"
		default:
			value = "`" + value + "`"
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", a.Name, a.Type, value, a.Doc)
	}
	return nil
}
