package mcp

import (
	"maps"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/patchls/patchls/lsp"
)

// nativeTools are the commands that are patchls' own, by their names.
func nativeTools() ([]tool, error) {
	failed, err := jsonschema.For[errorContent](nil)
	if err != nil {
		return nil, err
	}
	failed.Description = "what went wrong, in place of all else"
	outputs := map[*jsonschema.Schema]*jsonschema.Schema{} // by the schema of the answer
	var tools []tool
	for i := range lsp.Commands {
		c := &lsp.Commands[i]
		if c.Imitates || c.ForEditors {
			continue
		}
		t, _, err := toolOf(c, c.Name, c.Title, c.Doc)
		if err != nil {
			return nil, err
		}
		answer, err := c.AnswerSchema()
		if err != nil {
			return nil, err
		}
		if outputs[answer] == nil {
			outputs[answer] = outputSchema(answer, failed)
		}
		t.OutputSchema = outputs[answer]
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
func outputSchema(answer, failed *jsonschema.Schema) *jsonschema.Schema {
	either := *answer
	either.Properties = maps.Clone(answer.Properties)
	either.Properties["error"] = failed
	either.AnyOf = []*jsonschema.Schema{{Required: answer.Required}, {Required: []string{"error"}}}
	either.Required = nil
	return &either
}
