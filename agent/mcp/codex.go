package mcp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchls/patchls/lsp"
	"github.com/patchls/patchls/lsp/schema"
	"github.com/patchls/patchls/lsp/transaction"
)

// codexTools are Codex's: one tool, one string.
func codexTools() ([]tool, error) {
	i := slices.IndexFunc(lsp.Commands, func(c lsp.Command) bool { return c.Name == "apply_patch" })
	c := &lsp.Commands[i]
	return []tool{{
		Tool: &sdk.Tool{
			Name: "apply_patch", Title: c.Title, Annotations: annotations(c),
			Description: "Edits files as they are in the user's editor, unsaved changes included. " +
				"The input is one patch: a line `*** Begin Patch`, then for each file `*** Add File: <path>` with lines that begin with +, " +
				"`*** Delete File: <path>`, or `*** Update File: <path>`, which may be followed by `*** Move to: <new path>`, with hunks; " +
				"then a line `*** End Patch`. A hunk begins with @@, which a line above the change may follow, such as that of its function; " +
				"its lines begin with a blank (context), - or +. Give three lines of context above and below each change. Paths are relative.",
			InputSchema: &jsonschema.Schema{
				Type:                 "object",
				Properties:           map[string]*jsonschema.Schema{"input": {Type: "string", Description: "The entire contents of the apply_patch command"}},
				Required:             []string{"input"},
				AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
			},
		},
		command: c, arguments: codexArguments, say: sayCodex,
	}}, nil
}

// codexArguments makes {"patch"} of {"input"}.
func codexArguments(given json.RawMessage) (json.RawMessage, error) {
	if err := schema.CheckText(given); err != nil { // which the command could not see any more
		return nil, refusal{"invalid_params", err.Error()}
	}
	var members map[string]json.RawMessage
	var input *string
	wrong := refusal{"invalid_params", `apply_patch takes one argument, "input": the whole patch, a string that begins with *** Begin Patch.`}
	if json.Unmarshal(given, &members) != nil || json.Unmarshal(members["input"], &input) != nil || input == nil {
		return nil, wrong
	}
	for name := range members {
		if name != "input" {
			return nil, refusal{wrong.kind, fmt.Sprintf("Unknown argument %q: %s", name, wrong.message)}
		}
	}
	return json.Marshal(map[string]string{"patch": *input})
}

// sayCodex words an answer as Codex does: what was added, then what was modified,
// then what was deleted.
func sayCodex(answer json.RawMessage) string {
	var r transaction.Result
	if json.Unmarshal(answer, &r) != nil {
		return string(answer)
	}
	if !r.Applied { // an editor that is only told what to do
		return joined(r.Message, noted(r.Notes))
	}
	lines := map[string]string{}
	for _, f := range r.Files {
		path, letter := f.Path, "M"
		switch f.Change {
		case "create":
			letter = "A"
		case "delete":
			letter = "D"
		case "rename":
			path = f.NewPath
		}
		lines[letter] += letter + " " + path + "\n"
	}
	said := "Success. Updated the following files:\n" + lines["A"] + lines["M"] + lines["D"]
	if len(r.Notes) > 0 {
		said += noted(r.Notes)
	}
	return strings.TrimSuffix(said, "\n") + "\n"
}
