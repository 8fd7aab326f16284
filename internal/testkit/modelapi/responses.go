package modelapi

import (
	"encoding/json"
	"fmt"
	"io"
)

// OpenAI's Responses.

func readResponses(body []byte) (Ask, error) {
	type function struct {
		Name       string
		Parameters Schema
		Strict     bool
	}
	var in struct {
		Tools []struct {
			function
			Tools []function
		}
		Input []struct {
			Type   string
			CallID string `json:"call_id"`
			Output content
		}
	}
	err := json.Unmarshal(body, &in)
	a := Ask{Answers: map[string]Answer{}}
	add := func(space string, f function, at string) {
		a.Tools = append(a.Tools, Tool{Space: space, Name: f.Name, Strict: f.Strict, Schema: f.Parameters, at: at})
	}
	for i, t := range in.Tools {
		at := fmt.Sprintf("tools[%d]", i)
		if len(t.Tools) == 0 && t.Name != "" { // OpenAI's own tools have none
			add("", t.function, at)
		}
		for j, inner := range t.Tools {
			add(t.Name, inner, fmt.Sprintf("%s.tools[%d]", at, j))
		}
	}
	for _, i := range in.Input {
		if i.Type == "function_call_output" {
			a.Answers[i.CallID] = Answer{Text: string(i.Output)}
		}
	}
	return a, err
}

func writeResponses(w io.Writer, r Reply) {
	item := object{"type": "message", "role": "assistant", "id": "m", "content": []object{{"type": "output_text", "text": r.Text}}}
	if r.Tool.Name != "" {
		item = object{"type": "function_call", "id": "f" + r.ID, "call_id": r.ID, "name": r.Tool.Name, "arguments": encoded(r.Args)}
		if r.Tool.Space != "" {
			item["namespace"] = r.Tool.Space
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
