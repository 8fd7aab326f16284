package modelapi

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
)

// Gemini's streamGenerateContent. Not all clients have ids of calls: an answer without one is the answer to the call of the
// same number, from 0.

func readGemini(body []byte) (Ask, error) {
	var in struct {
		Tools []struct {
			FunctionDeclarations []struct {
				Name                 string
				Parameters           Schema
				ParametersJSONSchema Schema `json:"parametersJsonSchema"`
			}
		}
		Contents []struct {
			Parts []struct {
				FunctionResponse *struct {
					ID       string
					Response json.RawMessage
				}
			}
		}
	}
	err := json.Unmarshal(body, &in)
	a := Ask{Answers: map[string]Answer{}}
	for i, t := range in.Tools {
		for j, f := range t.FunctionDeclarations {
			one := Tool{Name: f.Name, Schema: f.Parameters, subset: true, at: fmt.Sprintf("tools[%d].function_declarations[%d]", i, j)}
			if f.Parameters == nil {
				one.Schema, one.subset = f.ParametersJSONSchema, false
			}
			a.Tools = append(a.Tools, one)
		}
	}
	answered := 0
	for _, c := range in.Contents {
		for _, p := range c.Parts {
			f := p.FunctionResponse
			if f == nil {
				continue
			}
			var said struct{ Output, Error string }
			if json.Unmarshal(f.Response, &said) != nil || said.Output+said.Error == "" {
				said.Output = string(f.Response)
			}
			a.Answers[cmp.Or(f.ID, strconv.Itoa(answered))] = Answer{said.Output + said.Error, said.Error != ""}
			answered++
		}
	}
	return a, err
}

func writeGemini(w io.Writer, r Reply) {
	part := object{"text": r.Text}
	if r.Tool.Name != "" {
		part = object{"functionCall": object{"id": r.ID, "name": r.Tool.String(), "args": r.Args}}
	}
	event(w, "", object{
		"candidates":    []object{{"index": 0, "finishReason": "STOP", "content": object{"role": "model", "parts": []object{part}}}},
		"usageMetadata": object{"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
	})
}
