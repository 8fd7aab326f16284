package metamodel

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// Checker follows one connection and reports what is wrong with the messages of the
// server. It reads messages of the client only to know what the server answers. It is not
// safe for concurrent use.
type Checker struct {
	model   *Model
	client  map[string]string // the client's requests without an answer: id -> method
	server  map[string]string // the same for the server's requests
	answers bool              // an answer that was not asked for is a fault
}

// NewChecker returns a checker for a connection, from its first message on.
func (m *Model) NewChecker() *Checker {
	return &Checker{model: m, client: map[string]string{}, server: map[string]string{}, answers: true}
}

// envelope is a message, in whatever direction.
type envelope struct {
	ID     json.RawMessage `json:"id"`
	Method *string         `json:"method"`
}

// Received records a message of the client, in the order in which the server reads.
func (c *Checker) Received(body []byte) {
	var e envelope
	if json.Unmarshal(body, &e) != nil || len(e.ID) == 0 {
		// A request that cannot be read may be answered too, so unexpected answers are no longer faults.
		if e.Method == nil {
			c.answers = false
		}
		return
	}
	if e.Method == nil {
		delete(c.server, string(e.ID))
		return
	}
	c.client[string(e.ID)] = *e.Method
}

// Sent returns what is wrong with a message of the server.
func (c *Checker) Sent(body []byte) []string {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		return []string{"no JSON: " + err.Error()}
	}
	all, ok := v.(map[string]any)
	if !ok {
		return ifNot(false, "the message", "an object", v)
	}
	found := ifNot(all["jsonrpc"] == "2.0", "jsonrpc", `"2.0"`, all["jsonrpc"])
	if _, has := all["method"]; has {
		return append(found, c.call(all)...)
	}
	return append(found, c.answer(all)...)
}

// call checks a request or a notification.
func (c *Checker) call(all map[string]any) []string {
	name, _ := all["method"].(string)
	found := only(all, name, "jsonrpc", "id", "method", "params")
	m := c.model.methods[name]
	if m == nil {
		return append(found, fmt.Sprintf("%s: there is no such method", name))
	}
	if m.Direction == "clientToServer" {
		found = append(found, name+": is for the client to send")
	}
	id, isRequest := all["id"]
	switch {
	case isRequest && !m.request:
		found = append(found, name+": is a notification, and has an id")
	case !isRequest && m.request:
		found = append(found, name+": is a request, and has no id")
	case isRequest:
		key := idKey(id)
		if before, open := c.server[key]; open {
			found = append(found, fmt.Sprintf("%s: its id %s is that of a %s without an answer", name, key, before))
		}
		c.server[key] = name
	}
	params, has := all["params"]
	switch {
	case m.Params == nil && has:
		found = append(found, name+": takes no params")
	case m.Params != nil && !has:
		found = append(found, name+": needs params")
	case has:
		found = append(found, c.model.faults(m.Params, params, name)...)
		found = append(found, c.inside(name, params)...)
	}
	return found
}

// inside checks values that the meta-model declares as LSPAny where another part of it is more specific.
func (c *Checker) inside(name string, params any) []string {
	all, ok := params.(map[string]any)
	if !ok {
		return nil
	}
	var found []string
	switch name {
	case "$/progress":
		value, _ := all["value"].(map[string]any)
		for k, typeName := range map[string]string{"begin": "WorkDoneProgressBegin", "report": "WorkDoneProgressReport", "end": "WorkDoneProgressEnd"} {
			if value["kind"] == k {
				found = c.model.faults(&kind{Kind: "reference", Name: typeName}, value, name+".value")
			}
		}
	case "client/registerCapability":
		registrations, _ := all["registrations"].([]any)
		for i, r := range registrations {
			r, _ := r.(map[string]any)
			wanted, _ := r["method"].(string)
			where := fmt.Sprintf("%s.registrations[%d]", name, i)
			m := c.model.methods[wanted]
			switch options, has := r["registerOptions"]; {
			case m == nil:
				found = append(found, fmt.Sprintf("%s: there is no method %q", where, wanted))
			case has && m.Registration != nil:
				found = append(found, c.model.faults(m.Registration, options, where+".registerOptions")...)
			}
		}
	}
	return found
}

// answer checks a response.
func (c *Checker) answer(all map[string]any) []string {
	found := only(all, "an answer", "jsonrpc", "id", "result", "error")
	id, hasID := all["id"]
	result, hasResult := all["result"]
	failure, hasError := all["error"]
	if !hasID || hasResult == hasError {
		return append(found, "an answer: needs an id, and either a result or an error")
	}
	key := idKey(id)
	name, asked := c.client[key]
	delete(c.client, key)
	if hasError {
		found = append(found, c.model.faults(responseError, failure, "the error of "+name)...)
	}
	switch m := c.model.methods[name]; {
	case id == nil && hasError: // the id of the request could not be read
	case !asked && c.answers:
		found = append(found, fmt.Sprintf("an answer: nothing was asked with the id %s", key))
	case !asked, m == nil, hasError:
	case m.Result == nil:
		found = append(found, name+": is a notification, and was answered")
	default:
		found = append(found, c.model.faults(m.Result, result, "the result of "+name)...)
	}
	return found
}

// responseError is JSON-RPC's, which the meta-model does not have.
var responseError = &kind{Kind: "literal", object: newObject([]member{
	{Name: "code", Type: &kind{Kind: "base", Name: "integer"}},
	{Name: "message", Type: &kind{Kind: "base", Name: "string"}},
	{Name: "data", Type: &kind{Kind: "reference", Name: "LSPAny"}, Optional: true},
})}

// only says which members a message has beside names.
func only(all map[string]any, who string, names ...string) []string {
	var found []string
	for member := range all {
		if !slices.Contains(names, member) {
			found = append(found, fmt.Sprintf("%s: a message has no %q", who, member))
		}
	}
	slices.Sort(found)
	return found
}

// idKey is an id as it stands in the message.
func idKey(id any) string {
	raw, err := json.Marshal(id)
	if err != nil {
		return fmt.Sprint(id)
	}
	return string(raw)
}
