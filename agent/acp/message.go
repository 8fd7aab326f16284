package acp

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
)

// message is the part of a JSON-RPC message that is used here.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
}

// greeting is the result of initialize, in both versions of the protocol.
type greeting struct {
	ProtocolVersion int32 `json:"protocolVersion"`
	AgentInfo, Info struct{ Name, Version string }
}

// server is an MCP server in the parameters of a session.
type server struct {
	Type    string     `json:"type,omitempty"` // from version 2 on
	Name    string     `json:"name"`
	Command string     `json:"command"`
	Args    []string   `json:"args"`
	Env     []variable `json:"env"`
}

type variable struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// takesServers are the requests by which a client names MCP servers.
var takesServers = []string{"session/new", "session/load", "session/resume", "session/fork"}

// addTo adds the server to a JSON list of servers, which may be nil. A list that has a server of that name stays as it
// is, and so does a value that is not a list.
func (s server) addTo(list []byte) []byte {
	own, _ := json.Marshal(s) // strings always encode
	var there []struct{ Name string }
	switch {
	case list != nil && json.Unmarshal(list, &there) != nil:
		return list
	case len(there) == 0:
		return slices.Concat([]byte("["), own, []byte("]"))
	case slices.ContainsFunc(there, func(t struct{ Name string }) bool { return t.Name == s.Name }):
		return list
	}
	end := bytes.LastIndexByte(list, ']')
	return slices.Concat(list[:end], []byte(","), own, list[end:])
}

// flags returns what is added to the command of Copilot CLI, which ignores the servers of session/new without an error, and
// takes them from its command line.
func (s server) flags(program []string) []string {
	name, _, _ := strings.Cut(filepath.Base(program[0]), ".")
	byNPM := func(arg string) bool { return strings.HasPrefix(arg, "@github/copilot") }
	if !slices.Contains(program, "--acp") || name != "copilot" && !slices.ContainsFunc(program, byNPM) {
		return nil
	}
	env := map[string]string{}
	for _, v := range s.Env {
		env[v.Name] = v.Value
	}
	servers, _ := json.Marshal(map[string]any{"mcpServers": map[string]any{s.Name: map[string]any{ // strings always encode
		"type": "local", "command": s.Command, "args": s.Args, "env": env, "tools": []string{"*"},
	}}})
	return []string{"--additional-mcp-config=" + string(servers)}
}

// with returns a JSON object in which change has replaced the value at path; change gets nil if there is no value. All
// else stays byte for byte. A value that is not an object stays as it is.
func with(object []byte, change func(old []byte) []byte, path ...string) []byte {
	if len(path) == 0 {
		return change(object)
	}
	if object == nil {
		object = []byte("{}")
	}
	from, to := member(object, path[0])
	switch {
	case to == 0:
		return object
	case from > 0:
		return slices.Concat(object[:from], with(object[from:to], change, path[1:]...), object[to:])
	}
	name, _ := json.Marshal(path[0]) // a string always encodes
	comma := []byte(",")
	if bytes.HasPrefix(bytes.TrimSpace(object[to:]), []byte("}")) {
		comma = nil
	}
	return slices.Concat(object[:to], name, []byte(":"), with(nil, change, path[1:]...), comma, object[to:])
}

// member returns the range of a member's value. Of several members of that name it takes the last, as most readers do.
// If there is none, from is 0, and to is where a member can be inserted, or 0 if object is not an object.
func member(object []byte, name string) (from, to int) {
	d := json.NewDecoder(bytes.NewReader(object))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return 0, 0
	}
	to = int(d.InputOffset())
	for d.More() {
		key, err := d.Token()
		var value json.RawMessage
		if err != nil || d.Decode(&value) != nil {
			return 0, 0
		}
		if key == name {
			to = int(d.InputOffset())
			from = to - len(value)
		}
	}
	return from, to
}
