package lsp

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/patchls/patchls/workspace/paths"
)

// Schema returns the JSON schema of the command's arguments: an object, with
// the defaults filled in.
func (c *Command) Schema() (*jsonschema.Schema, error) {
	schema, err := jsonschema.ForType(c.arguments, &jsonschema.ForOptions{})
	if err != nil {
		return nil, fmt.Errorf("schema of %s: %w", c.Name, err)
	}
	schema.Title, schema.Description = c.Title, c.Doc
	defaults := reflect.ValueOf(c.defaults()).Elem()
	for _, m := range members(c.arguments) {
		p := schema.Properties[m.name]
		if len(p.Types) > 0 { // a pointer is for what may be absent, never for null
			p.Type, p.Types = schemaType(p), nil
		}
		for _, word := range m.enum {
			p.Enum = append(p.Enum, word)
		}
		value := defaults.FieldByIndex(m.index)
		if m.required || value.Kind() == reflect.Pointer || value.Kind() == reflect.Slice {
			continue
		}
		if p.Default, err = json.Marshal(value.Interface()); err != nil {
			return nil, fmt.Errorf("default of %s: %w", m.name, err)
		}
	}
	return schema, nil
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
		schema, err := Commands[i].Schema()
		if err != nil {
			return nil, err
		}
		all.Defs[prefix+Commands[i].Name] = schema
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

// boundsMarkdown has the settings that are bounds.
func boundsMarkdown(b *strings.Builder) {
	b.WriteString("\n## Bounds\n\n" +
		"Settings, in `initializationOptions` or in the section `patchls` of the configuration. What exceeds one is answered with an\n" +
		"error that names it and its value. A value below the least counts as that, 0 and less as the default; the log says so.\n" +
		"Those with a flag of `patchls serve` count before the editor has said its settings.\n\n" +
		"| setting | default | least | flag | |\n|---|---|---|---|---|\n")
	for i := range Bounds {
		flag := ""
		if Bounds[i].Flag {
			flag = "`--" + Bounds[i].FlagName() + "`"
		}
		fmt.Fprintf(b, "| `%s` | %d | %d | %s | %s |\n", Bounds[i].Name, Bounds[i].Default, Bounds[i].Least, flag, Bounds[i].Doc)
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
	fmt.Fprintf(b, "\n## %s%s\n\n%s\n\n| argument | type | default | |\n|---|---|---|---|\n", prefix, c.Name, c.Doc)
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

// Argument is an argument of a command, for whoever documents it.
type Argument struct {
	Name     string // "edits[].from" is a member of what the list edits has
	Type     string
	Required bool
	Default  string // as JSON; "" if it is required, or absent unless it is sent
	Doc      string
}

// Arguments returns the arguments of the command, in order.
func (c *Command) Arguments() ([]Argument, error) {
	schema, err := c.Schema()
	if err != nil {
		return nil, err
	}
	return describe(nil, schema, members(c.arguments), ""), nil
}

func describe(all []Argument, schema *jsonschema.Schema, ms []member, prefix string) []Argument {
	for _, m := range ms {
		p := schema.Properties[m.name]
		a := Argument{Name: prefix + m.name, Type: schemaType(p), Required: m.required, Doc: m.doc}
		if !m.required {
			a.Default = string(p.Default)
		}
		all = append(all, a)
		if p.Items != nil && m.items != nil {
			all = describe(all, p.Items, members(m.items), m.name+"[].")
		}
	}
	return all
}

// schemaType words the type of a property; null only means absent.
func schemaType(p *jsonschema.Schema) string {
	if p.Type != "" {
		return p.Type
	}
	for _, t := range p.Types {
		if t != "null" {
			return t
		}
	}
	return ""
}
