package mcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp/schema"
)

// addedBy returns which client adds an argument of that name to the calls of any tool; "" if none does. Refused, the model
// would send the same again, since it has not sent it.
func addedBy(name string) string {
	if strings.HasPrefix(name, "_") {
		return "the client"
	}
	return map[string]string{
		"task_progress": "Cline",
		"toolCallId":    "n8n", "sessionId": "n8n", "chatInput": "n8n", "action": "n8n",
		"random_string": "the client", // several clients, to tools without arguments
	}[name]
}

// received returns the arguments of a call as the command takes them, and notes about those that the client has
// added. An argument that is unknown otherwise is refused here, since the error names the others, and a command may
// take more than the tool declares.
func (t tool) received(sent json.RawMessage) (given json.RawMessage, notes []string, err error) {
	if len(sent) == 0 {
		sent = json.RawMessage("{}")
	}
	members, err := schema.Object(sent)
	if err != nil {
		return nil, nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if t.takes.Properties[name] == nil && addedBy(name) == "" {
			return nil, nil, schema.Unknown("", name, t.takes.PropertyOrder)
		}
	}
	given = json.RawMessage(withoutAdded("", jsontext.Value(sent), t.takes, &notes))
	if t.arguments != nil {
		given, err = t.arguments(given)
	}
	return given, slices.Compact(slices.Sorted(slices.Values(notes))), err
}

// withoutAdded returns a value without the arguments that clients add to it, and to the objects in it, and adds notes about
// them. takes is the schema of the value, and name what it is called.
func withoutAdded(name string, value jsontext.Value, takes *jsonschema.Schema, notes *[]string) jsontext.Value {
	before, left := len(*notes), any(nil)
	switch takes.Type {
	case "array":
		items := schema.List(value)
		for i, item := range items {
			items[i] = withoutAdded(name+"[]", item, takes.Items, notes)
		}
		left = items
	case "object":
		members, _ := schema.Object(value) // an error is left to the command
		for member, inner := range members {
			full := strings.TrimPrefix(name+"."+member, ".")
			if declared := takes.Properties[member]; declared != nil {
				members[member] = withoutAdded(full, inner, declared, notes)
			} else if by := addedBy(member); by != "" {
				delete(members, member)
				*notes = append(*notes, edits.Fit(fmt.Sprintf("The argument %q, which %s adds, was left out.", full, by)))
			}
		}
		left = members
	}
	if len(*notes) > before {
		value, _ = json.Marshal(left) // valid JSON always encodes
	}
	return value
}
