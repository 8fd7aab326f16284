package modelapi

import (
	"encoding/json"
	"fmt"
	"io"
)

// Gemini's streamGenerateContent. It has no ids of calls in all versions: an answer belongs to the
// call of the same number.

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
					Response struct{ Output, Error string }
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
	for _, c := range in.Contents {
		for _, p := range c.Parts {
			if f := p.FunctionResponse; f != nil {
				a.Answers[f.ID] = Answer{f.Response.Output + f.Response.Error, f.Response.Error != ""}
			}
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
