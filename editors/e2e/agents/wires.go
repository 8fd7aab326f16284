//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

type object = map[string]any

// content is a text, or a list of parts with texts, as all of these APIs have it.
type content string

func (c *content) UnmarshalJSON(raw []byte) error {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		*c = content(s)
		return nil
	}
	var parts []struct{ Text string }
	if err := json.Unmarshal(raw, &parts); err != nil {
		return err
	}
	var texts []string
	for _, p := range parts {
		texts = append(texts, p.Text)
	}
	*c = content(strings.Join(texts, "\n"))
	return nil
}

func encoded(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// Anthropic's Messages.

func readMessages(body []byte) (ask, error) {
	var in struct {
		Tools    []struct{ Name string }
		Messages []struct{ Content json.RawMessage }
	}
	err := json.Unmarshal(body, &in)
	a := ask{answers: map[string]answer{}}
	for _, t := range in.Tools {
		a.tools = append(a.tools, tool{name: t.Name})
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
			a.answers[p.ToolUseID] = answer{string(text), p.IsError}
		}
	}
	return a, err
}

func writeMessages(w io.Writer, r reply) {
	block, delta, stop := object{"type": "text", "text": ""}, object{"type": "text_delta", "text": r.text}, "end_turn"
	if r.tool != (tool{}) {
		block = object{"type": "tool_use", "id": r.id, "name": r.tool.String(), "input": object{}}
		delta, stop = object{"type": "input_json_delta", "partial_json": encoded(r.args)}, "tool_use"
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

// OpenAI's Responses.

func readResponses(body []byte) (ask, error) {
	type function struct {
		Name  string
		Tools []struct{ Name string }
	}
	var in struct {
		Tools []function
		Input []struct {
			Type   string
			CallID string `json:"call_id"`
			Output content
		}
	}
	err := json.Unmarshal(body, &in)
	a := ask{answers: map[string]answer{}}
	for _, t := range in.Tools {
		if len(t.Tools) == 0 {
			a.tools = append(a.tools, tool{name: t.Name})
		}
		for _, inner := range t.Tools {
			a.tools = append(a.tools, tool{t.Name, inner.Name})
		}
	}
	for _, i := range in.Input {
		if i.Type == "function_call_output" {
			a.answers[i.CallID] = answer{text: string(i.Output)}
		}
	}
	return a, err
}

func writeResponses(w io.Writer, r reply) {
	item := object{"type": "message", "role": "assistant", "id": "m", "content": []object{{"type": "output_text", "text": r.text}}}
	if r.tool != (tool{}) {
		item = object{"type": "function_call", "id": "f" + r.id, "call_id": r.id, "name": r.tool.name, "arguments": encoded(r.args)}
		if r.tool.space != "" {
			item["namespace"] = r.tool.space
		}
	}
	usage := object{"input_tokens": 1, "input_tokens_details": nil, "output_tokens": 1, "output_tokens_details": nil, "total_tokens": 2}
	for _, e := range []object{
		{"type": "response.created", "response": object{"id": "r"}},
		{"type": "response.output_item.done", "output_index": 0, "item": item},
		{"type": "response.completed", "response": object{"id": "r", "usage": usage}},
	} {
		event(w, fmt.Sprint(e["type"]), e)
	}
}

// Gemini's streamGenerateContent. It has no ids of calls in all versions: an answer belongs to the
// call of the same number.

func readGemini(body []byte) (ask, error) {
	var in struct {
		Tools []struct {
			FunctionDeclarations []struct{ Name string }
		}
		Contents []struct {
			Parts []struct {
				FunctionResponse *struct {
					ID       string
					Response struct{ Output, Error string }
				}
			}
		}
	}
	err := json.Unmarshal(body, &in)
	a := ask{answers: map[string]answer{}}
	for _, t := range in.Tools {
		for _, f := range t.FunctionDeclarations {
			a.tools = append(a.tools, tool{name: f.Name})
		}
	}
	for _, c := range in.Contents {
		for _, p := range c.Parts {
			if f := p.FunctionResponse; f != nil {
				a.answers[f.ID] = answer{f.Response.Output + f.Response.Error, f.Response.Error != ""}
			}
		}
	}
	return a, err
}

func writeGemini(w io.Writer, r reply) {
	part := object{"text": r.text}
	if r.tool != (tool{}) {
		part = object{"functionCall": object{"id": r.id, "name": r.tool.String(), "args": r.args}}
	}
	event(w, "", object{
		"candidates":    []object{{"index": 0, "finishReason": "STOP", "content": object{"role": "model", "parts": []object{part}}}},
		"usageMetadata": object{"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
	})
}

// OpenAI's chat completions, which many others speak.

func readCompletions(body []byte) (ask, error) {
	var in struct {
		Tools    []struct{ Function struct{ Name string } }
		Messages []struct {
			Role       string
			ToolCallID string `json:"tool_call_id"`
			Content    content
		}
	}
	err := json.Unmarshal(body, &in)
	a := ask{answers: map[string]answer{}}
	for _, t := range in.Tools {
		a.tools = append(a.tools, tool{name: t.Function.Name})
	}
	for _, m := range in.Messages {
		if m.Role == "tool" {
			a.answers[m.ToolCallID] = answer{text: string(m.Content)}
		}
	}
	return a, err
}

func writeCompletions(w io.Writer, r reply) {
	delta, stop := object{"role": "assistant", "content": r.text}, "stop"
	if r.tool != (tool{}) {
		call := object{"index": 0, "id": r.id, "type": "function", "function": object{"name": r.tool.String(), "arguments": encoded(r.args)}}
		delta, stop = object{"role": "assistant", "tool_calls": []object{call}}, "tool_calls"
	}
	usage := object{"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
	for _, choice := range []object{{"index": 0, "delta": delta, "finish_reason": nil}, {"index": 0, "delta": object{}, "finish_reason": stop}} {
		event(w, "", object{"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "stand-in", "choices": []object{choice}, "usage": usage})
	}
	fmt.Fprint(w, "data: [DONE]\n\n")
}
