package modelapi

import (
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
)

// Anthropic's Messages.

func readMessages(body []byte) (Ask, error) {
	var in struct {
		Tools []struct {
			Name   string
			Schema Schema `json:"input_schema"`
		}
		Messages []struct{ Content json.RawMessage }
	}
	err := json.Unmarshal(body, &in)
	a := Ask{Answers: map[string]Answer{}}
	for i, t := range in.Tools {
		a.Tools = append(a.Tools, Tool{Name: t.Name, Schema: t.Schema, at: fmt.Sprintf("tools.%d.custom", i)})
	}
	for _, m := range in.Messages {
		var parts []struct {
			ToolUseID string `json:"tool_use_id"`
			Content   json.RawMessage
			IsError   bool `json:"is_error"`
		}
		if json.Unmarshal(m.Content, &parts) != nil {
			continue // a text
		}
		for _, p := range parts {
			if p.ToolUseID == "" {
				continue
			}
			var text content
			if json.Unmarshal(p.Content, &text) != nil {
				text = content(p.Content)
			}
			a.Answers[p.ToolUseID] = Answer{string(text), p.IsError}
		}
	}
	return a, err
}

func writeMessages(w io.Writer, r Reply) {
	block, delta, stop := object{"type": "text", "text": ""}, object{"type": "text_delta", "text": r.Text}, "end_turn"
	if r.Tool.Name != "" {
		block = object{"type": "tool_use", "id": r.ID, "name": r.Tool.String(), "input": object{}}
		delta, stop = object{"type": "input_json_delta", "partial_json": encoded(r.Args)}, "tool_use"
	}
	usage := object{"input_tokens": 1, "output_tokens": 1}
	message := object{"id": "m", "type": "message", "role": "assistant", "model": "stand-in", "content": []any{}, "stop_reason": nil, "stop_sequence": nil, "usage": usage}
	for _, e := range []object{
		{"type": "message_start", "message": message},
		{"type": "content_block_start", "index": 0, "content_block": block},
		{"type": "content_block_delta", "index": 0, "delta": delta},
		{"type": "content_block_stop", "index": 0},
		{"type": "message_delta", "delta": object{"stop_reason": stop, "stop_sequence": nil}, "usage": usage},
		{"type": "message_stop"},
	} {
		event(w, fmt.Sprint(e["type"]), e)
	}
}

var (
	anthropicNames      = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,128}$`)
	anthropicProperties = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)
)

// refuseAnthropic says what Anthropic refuses. A tool of its own has no schema.
func refuseAnthropic(tools []Tool) *RefusedError {
	refuse := func(format string, args ...any) *RefusedError {
		message := fmt.Sprintf(format, args...)
		return &RefusedError{message, object{"type": "error", "error": object{"type": "invalid_request_error", "message": message}}}
	}
	names := map[string]bool{}
	for _, t := range tools {
		if names[t.Name] {
			return refuse("tools: Tool names must be unique.")
		}
		names[t.Name] = true
		if t.Schema == nil {
			continue
		}
		if !anthropicNames.MatchString(t.Name) {
			return refuse("%s.name: String should match pattern '%s'", t.at, anthropicNames)
		}
		if t.Schema.Get("type") == nil {
			return refuse("%s.input_schema.type: Field required", t.at)
		}
		if t.Schema.word() != "object" {
			return refuse("%s.input_schema.type: Input should be 'object'", t.at)
		}
		for _, m := range t.Schema {
			if slices.Contains([]string{"oneOf", "allOf", "anyOf"}, m.Name) {
				return refuse("%s.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level", t.at)
			}
		}
		for _, p := range t.Schema.Properties() {
			if !anthropicProperties.MatchString(p.Name) {
				return refuse("%s.input_schema.properties: Property keys should match pattern '%s'", t.at, anthropicProperties)
			}
		}
		if !t.Schema.isValid() {
			return refuse("%s.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12 (https://json-schema.org/draft/2020-12). Learn more about tool use at https://docs.claude.com/en/docs/tool-use.", t.at)
		}
	}
	return nil
}
