package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// toolServer is an MCP server, as a process, or whatever is at the end of a client's pipes.
type toolServer struct{ *client }

// toolAnswer is the result of a tool.
type toolAnswer struct {
	IsError           bool
	Content           []struct{ Text string }
	StructuredContent struct {
		Applied, Verified bool
		Files             []struct{ Saved, Dirty bool }
		Notes             []string
	}
}

// text is what a model reads of it.
func (a toolAnswer) text() string {
	var all []string
	for _, c := range a.Content {
		all = append(all, c.Text)
	}
	return strings.Join(all, "\n")
}

// greet is the handshake of MCP.
func (s toolServer) greet() error {
	_, _, err := s.request("initialize", map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "bench", "version": "0"},
	})
	if err == nil {
		err = s.line(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
	}
	return err
}

// tool calls a tool and returns its answer, and the nanoseconds until all of that
// was read.
func (s toolServer) tool(name string, arguments map[string]any) (toolAnswer, float64, error) {
	var a toolAnswer
	raw, took, err := s.request("tools/call", map[string]any{"name": name, "arguments": arguments})
	if err == nil {
		err = json.Unmarshal(raw, &a)
	}
	if err == nil && a.IsError {
		err = fmt.Errorf("%s: %.300s", name, a.text())
	}
	return a, took, err
}

func (s toolServer) line(m map[string]any) error {
	_, err := s.in.Write(append(encoded(m), '\n'))
	return err
}

// request sends a request and reads up to its answer.
func (s toolServer) request(method string, params any) (json.RawMessage, float64, error) {
	s.last++
	f := append(encoded(map[string]any{"jsonrpc": "2.0", "id": s.last, "method": method, "params": params}), '\n')
	began := time.Now()
	if _, err := s.in.Write(f); err != nil {
		return nil, 0, err
	}
	for {
		l, err := s.lines.ReadBytes('\n')
		took := float64(time.Since(began).Nanoseconds())
		if err != nil {
			return nil, 0, fmt.Errorf("the server has ended: %w", err)
		}
		var m message
		if err := json.Unmarshal(l, &m); err != nil {
			return nil, 0, fmt.Errorf("%w: %.300s", err, l)
		}
		switch {
		case m.Method != "" || string(m.ID) != fmt.Sprint(s.last): // the server's own
		case m.Error != nil:
			return nil, 0, errors.New(m.Error.Message)
		default:
			return m.Result, took, nil
		}
	}
}
