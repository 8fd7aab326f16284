package modelapi

import (
	"encoding/json"
	"fmt"
	"io"
)

// OpenAI's chat completions, which many others speak.

func readChat(body []byte) (Ask, error) {
	var in struct {
		Tools    []struct{ Function struct{ Name string } }
		Messages []struct {
			Role       string
			ToolCallID string `json:"tool_call_id"`
			Content    content
		}
	}
	err := json.Unmarshal(body, &in)
	a := Ask{Answers: map[string]Answer{}}
	for _, t := range in.Tools {
		a.Tools = append(a.Tools, Tool{Name: t.Function.Name})
	}
	for _, m := range in.Messages {
		if m.Role == "tool" {
			a.Answers[m.ToolCallID] = Answer{Text: string(m.Content)}
		}
	}
	return a, err
}

func writeChat(w io.Writer, r Reply) {
	delta, stop := object{"role": "assistant", "content": r.Text}, "stop"
	if r.Tool != (Tool{}) {
		call := object{"index": 0, "id": r.ID, "type": "function", "function": object{"name": r.Tool.String(), "arguments": encoded(r.Args)}}
		delta, stop = object{"role": "assistant", "tool_calls": []object{call}}, "tool_calls"
	}
	usage := object{"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
	for _, choice := range []object{{"index": 0, "delta": delta, "finish_reason": nil}, {"index": 0, "delta": object{}, "finish_reason": stop}} {
		event(w, "", object{"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "stand-in", "choices": []object{choice}, "usage": usage})
	}
	fmt.Fprint(w, "data: [DONE]\n\n")
}
