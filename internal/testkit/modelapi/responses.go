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
		Strict     *bool
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
		// Where strict is not said, OpenAI makes the schema strict, so that all arguments are required.
		all := f.Strict == nil || *f.Strict
		a.Tools = append(a.Tools, Tool{Space: space, Name: f.Name, Strict: all && f.Strict != nil, All: all, Schema: f.Parameters, at: at})
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
	text := object{"type": "output_text", "text": r.Text, "annotations": []any{}, "logprobs": []any{}}
	item := object{"type": "message", "role": "assistant", "id": "m", "status": "completed", "content": []object{text}}
	if r.Tool.Name != "" {
		item = object{"type": "function_call", "id": "f" + r.ID, "call_id": r.ID, "name": r.Tool.Name, "arguments": encoded(r.Args), "status": "completed"}
		if r.Tool.Space != "" {
			item["namespace"] = r.Tool.Space
		}
	}
	usage := object{
		"input_tokens": 1, "input_tokens_details": object{"cached_tokens": 0}, "output_tokens": 1, "output_tokens_details": object{"reasoning_tokens": 0}, "total_tokens": 2,
	}
	response := func(status string, output ...object) object {
		return object{"id": "r", "object": "response", "created_at": 0, "model": "stand-in", "status": status, "output": output, "usage": usage}
	}
	for i, e := range []object{
		{"type": "response.created", "response": response("in_progress")},
		{"type": "response.output_item.done", "output_index": 0, "item": item},
		{"type": "response.completed", "response": response("completed", item)},
	} {
		e["sequence_number"] = i
		event(w, fmt.Sprint(e["type"]), e)
	}
}
