package modelapi

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// OpenAI's chat completions, which many others speak.

func readChat(body []byte) (Ask, error) {
	var in struct {
		Tools []struct {
			Function struct {
				Name       string
				Parameters Schema
				Strict     bool
			}
		}
		Messages []struct {
			Role       string
			ToolCallID string `json:"tool_call_id"`
			Content    content
		}
	}
	err := json.Unmarshal(body, &in)
	a := Ask{Answers: map[string]Answer{}}
	for i, t := range in.Tools {
		f := t.Function
		a.Tools = append(a.Tools, Tool{Name: f.Name, Strict: f.Strict, All: f.Strict, Schema: f.Parameters, at: fmt.Sprintf("tools[%d].function", i)})
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
	if r.Tool.Name != "" {
		call := object{"index": 0, "id": r.ID, "type": "function", "function": object{"name": r.Tool.String(), "arguments": encoded(r.Args)}}
		delta, stop = object{"role": "assistant", "tool_calls": []object{call}}, "tool_calls"
	}
	usage := object{"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
	for _, choice := range []object{{"index": 0, "delta": delta, "finish_reason": nil}, {"index": 0, "delta": object{}, "finish_reason": stop}} {
		event(w, "", object{"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "stand-in", "choices": []object{choice}, "usage": usage})
	}
	fmt.Fprint(w, "data: [DONE]\n\n")
}

// refuseChat says what OpenAI refuses, and what the models of Google refuse behind others who serve them by this API:
// these pass on the type as it is.
func refuseChat(tools []Tool) *RefusedError {
	if refusal := refuseOpenAI(tools); refusal != nil {
		return refusal
	}
	for i, t := range tools {
		if t.Strict {
			continue // OpenAI's own
		}
		t.at = fmt.Sprintf("tools[0].function_declarations[%d]", i)
		if all := t.typeLists(); len(all) > 0 {
			return openAIRefusal("INVALID_ARGUMENT", "", "%s", strings.Join(all, "\n"))
		}
	}
	return nil
}
