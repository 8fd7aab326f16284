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

// addedBy has the clients that add arguments of their own to the calls of any tool. Refused, the model would
// send the same again, since it has not sent them.
var addedBy = map[string]string{
	"task_progress": "Cline",
	"toolCallId":    "n8n", "sessionId": "n8n", "chatInput": "n8n", "action": "n8n",
	"random_string": "the client", // several clients, to tools without arguments
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
		return nil, nil, refusal(edits.InvalidParams, err.Error())
	}
	if notes = dropAdded("", members, t.takes); notes != nil {
		sent, _ = json.Marshal(members) // valid JSON always encodes
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if t.takes.Properties[name] == nil {
			return nil, nil, refusal(edits.InvalidParams, schema.Unknown("", name, t.takes.PropertyOrder).Error())
		}
	}
	if t.arguments != nil {
		sent, err = t.arguments(sent)
	}
	return sent, notes, err
}

// dropAdded removes from an object, and from the objects in it, the members that clients add, and returns notes about them.
// takes is the schema of the object, and prefix what comes before the names of its members.
func dropAdded(prefix string, members map[string]jsontext.Value, takes *jsonschema.Schema) (notes []string) {
	without := func(prefix string, value jsontext.Value, takes *jsonschema.Schema) jsontext.Value {
		o, _ := schema.Object(value) // an error is left to the command
		if more := dropAdded(prefix, o, takes); more != nil {
			notes = append(notes, more...)
			value, _ = json.Marshal(o)
		}
		return value
	}
	for name, value := range maps.Clone(members) {
		by, declared := addedBy[name], takes.Properties[name]
		if strings.HasPrefix(name, "_") {
			by = "the client"
		}
		switch {
		case declared == nil && by != "":
			delete(members, name)
			notes = append(notes, fmt.Sprintf("The argument %q, which %s adds, was left out.", prefix+name, by))
		case declared == nil:
		case declared.Type == "object":
			members[name] = without(prefix+name+".", value, declared)
		case declared.Items != nil && declared.Items.Type == "object":
			items := schema.List(value)
			for i, item := range items {
				items[i] = without(prefix+name+"[].", item, declared.Items)
			}
			if items != nil {
				members[name], _ = json.Marshal(items)
			}
		}
	}
	slices.Sort(notes)
	return slices.Compact(notes)
}
