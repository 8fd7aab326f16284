//go:build linux

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
)

type object = map[string]any

// prompt is a client of the Agent Client Protocol: it greets an agent, and has it answer one prompt in a folder. It
// permits what the agent asks for, and reports whether it has asked.
func prompt(in io.WriteCloser, out io.Reader, folder string) (asked bool, err error) {
	defer func() { _ = in.Close() }()
	asks := []struct {
		method string
		params func(sessionID string) object
	}{
		{"initialize", func(string) object {
			return object{"protocolVersion": 1, "clientCapabilities": object{"fs": object{"readTextFile": true, "writeTextFile": true}}}
		}},
		{"session/new", func(string) object { return object{"cwd": folder, "mcpServers": []any{}} }},
		{"session/prompt", func(id string) object {
			return object{"sessionId": id, "prompt": []object{{"type": "text", "text": "Edit menu.txt."}}}
		}},
	}
	send := func(message object) error {
		message["jsonrpc"] = "2.0"
		return json.NewEncoder(in).Encode(message)
	}
	lines, session := bufio.NewReader(out), ""
	for i, ask := range asks {
		if err := send(object{"id": i, "method": ask.method, "params": ask.params(session)}); err != nil {
			return asked, err
		}
		for answered := false; !answered; {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				return asked, fmt.Errorf("%s: %w", ask.method, err)
			}
			var m struct {
				ID     json.RawMessage
				Method string
				Error  json.RawMessage
				Params struct {
					Options []struct{ OptionID, Kind string }
				}
				Result struct{ SessionID string }
			}
			if err := json.Unmarshal(line, &m); err != nil {
				return asked, fmt.Errorf("%w: %s", err, line)
			}
			switch {
			case m.Method == "session/request_permission":
				asked = true
				chosen := object{"outcome": "cancelled"}
				for _, o := range m.Params.Options {
					if o.Kind == "allow_once" {
						chosen = object{"outcome": "selected", "optionId": o.OptionID}
					}
				}
				err = send(object{"id": m.ID, "result": object{"outcome": chosen}})
			case m.Method != "" && m.ID != nil:
				err = send(object{"id": m.ID, "error": object{"code": -32601, "message": "not found"}})
			case m.Method == "" && m.Error != nil:
				return asked, fmt.Errorf("%s: %s", ask.method, line)
			case m.Method == "":
				answered = true
				if m.Result.SessionID != "" {
					session = m.Result.SessionID
				}
			}
			if err != nil {
				return asked, err
			}
		}
	}
	return asked, nil
}
