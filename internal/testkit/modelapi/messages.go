package modelapi

import (
	"encoding/json"
	"fmt"
	"io"
)

// Anthropic's Messages.

func readMessages(body []byte) (Ask, error) {
	var in struct {
		Tools    []struct{ Name string }
		Messages []struct{ Content json.RawMessage }
	}
	err := json.Unmarshal(body, &in)
	a := Ask{Answers: map[string]Answer{}}
	for _, t := range in.Tools {
		a.Tools = append(a.Tools, Tool{Name: t.Name})
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
	if r.Tool != (Tool{}) {
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
