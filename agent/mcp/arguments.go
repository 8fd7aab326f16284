package mcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

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
	for _, name := range slices.Sorted(maps.Keys(members)) {
		by := addedBy[name]
		switch {
		case slices.Contains(t.takes, name):
			continue
		case strings.HasPrefix(name, "_"):
			by = "the client"
		case by == "":
			return nil, nil, refusal(edits.InvalidParams, schema.Unknown("", name, t.takes).Error())
		}
		delete(members, name)
		notes = append(notes, fmt.Sprintf("The argument %q, which %s adds, was left out.", name, by))
	}
	if notes != nil {
		sent, _ = json.Marshal(members) // valid JSON always encodes
	}
	if t.arguments != nil {
		sent, err = t.arguments(sent)
	}
	return sent, notes, err
}
