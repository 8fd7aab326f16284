package mcp

import (
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/patchls/patchls/lsp"
)

// nativeTools are the commands that are patchls' own, by their names.
func nativeTools() ([]tool, error) {
	var tools []tool
	for i := range lsp.Commands {
		c := &lsp.Commands[i]
		if c.Imitates {
			continue
		}
		t, _, err := toolOf(c, c.Name, c.Title, c.Doc)
		if err != nil {
			return nil, err
		}
		if t.OutputSchema, err = outputSchema(c); err != nil {
			return nil, err
		}
		switch c.Name {
		case "view":
			t.say = sayView
		case "list":
			t.say = sayList
		default:
			t.say = sayEdit
		}
		tools = append(tools, t)
	}
	return tools, nil
}

// outputSchema is the schema of a command's answer or of its error. Clients hold
// the content of a failed call to it as well, and some drop what does not fit: the
// error would never reach the model.
func outputSchema(c *lsp.Command) (*jsonschema.Schema, error) {
	schema, err := c.AnswerSchema()
	if err != nil {
		return nil, err
	}
	failed, err := jsonschema.For[errorContent](nil)
	if err != nil {
		return nil, err
	}
	failed.Description = "what went wrong, in place of all else"
	schema.Properties["error"] = failed
	schema.AnyOf = []*jsonschema.Schema{{Required: schema.Required}, {Required: []string{"error"}}}
	schema.Required = nil
	return schema, nil
}
