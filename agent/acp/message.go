package acp

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/patchls/patchls/internal/plainjson"
)

// message is the part of a JSON-RPC message that is used here.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
}

// server is an MCP server in the parameters of a session.
type server struct {
	Type    string              `json:"type,omitempty"` // from version 2 on
	Name    string              `json:"name"`
	Command string              `json:"command"`
	Args    []string            `json:"args"`
	Env     []map[string]string `json:"env"` // the name and the value of each variable
}

// addTo adds the server to the servers that a request names. A request stays as it is if it names a server of that name,
// or if it cannot be read.
func (s server) addTo(line []byte) []byte {
	var all, params map[string]json.RawMessage
	var servers []json.RawMessage
	read := func(member json.RawMessage, v any) bool { return member == nil || json.Unmarshal(member, v) == nil }
	if json.Unmarshal(line, &all) != nil || !read(all["params"], &params) || !read(params["mcpServers"], &servers) {
		return line
	}
	for _, other := range servers {
		var named struct{ Name string }
		if json.Unmarshal(other, &named) != nil || named.Name == s.Name {
			return line
		}
	}
	if params == nil {
		params = map[string]json.RawMessage{}
	}
	own, _ := plainjson.Marshal(s) // strings always encode, and so does what was JSON
	params["mcpServers"], _ = plainjson.Marshal(append(servers, own))
	all["params"], _ = plainjson.Marshal(params)
	line, _ = plainjson.Marshal(all)
	return append(line, '\n')
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
		env[v["name"]] = v["value"]
	}
	servers, _ := json.Marshal(map[string]any{"mcpServers": map[string]any{s.Name: map[string]any{ // strings always encode
		"type": "local", "command": s.Command, "args": s.Args, "env": env, "tools": []string{"*"},
	}}})
	return []string{"--additional-mcp-config=" + string(servers)}
}
