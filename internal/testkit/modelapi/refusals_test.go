package modelapi

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// The bodies of a request with one tool, by its name and the schema of its arguments.
var bodies = map[string]struct{ path, body string }{
	"Chat":        {"/v1/chat/completions", `{"tools": [{"type": "function", "function": {"name": %q, "parameters": %s}}]}`},
	"Responses":   {"/v1/responses", `{"tools": [{"type": "web_search"}, {"type": "function", "name": %q, "parameters": %s}]}`},
	"namespace":   {"/v1/responses", `{"tools": [{"type": "namespace", "name": "mcp__a__", "tools": [{"type": "function", "name": %q, "parameters": %s}]}]}`},
	"strict":      {"/v1/responses", `{"tools": [{"type": "function", "name": %q, "parameters": %s, "strict": true}]}`},
	"Gemini":      {"/v1beta/models/m:streamGenerateContent", `{"tools": [{"functionDeclarations": [{"name": %q, "parameters": %s}]}]}`},
	"Gemini JSON": {"/v1beta/models/m:streamGenerateContent", `{"tools": [{"functionDeclarations": [{"name": %q, "parametersJsonSchema": %s}]}]}`},
	"Messages":    {"/v1/messages", `{"tools": [{"type": "web_search_20250305", "name": "web_search"}, {"name": %q, "input_schema": %s}]}`},
}

// A good schema is taken by all, but for strict tools.
const good = `{"type": "object", "properties": {
	"path": {"type": "string", "description": "The file."}, "near": {"type": "integer", "default": 0}, "match": {"type": "string", "enum": ["a", "b"]},
	"edits": {"type": "array", "items": {"type": "object", "properties": {"from": {"type": "integer"}}, "required": ["from"]}}
}, "required": ["path"]}`

// object with one property of this schema
func with(property string) string {
	return `{"type": "object", "properties": {"path": {"type": "string"}, "x": ` + property + `}, "required": ["path", "x"], "additionalProperties": false}`
}

func TestRefusals(t *testing.T) {
	long := strings.Repeat("n", 65)
	nested := `{"type": "array", "items": {"type": "object", "properties": {"to": {"type": ["null", "integer"]}}, "required": ["to"], "additionalProperties": false}}`
	for _, c := range []struct{ form, name, schema, want string }{
		{"Chat", "view", good, ""},
		{"Chat", "view.it", good, `Invalid 'tools[0].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`},
		{"Chat", long, good, `Invalid 'tools[0].function.name': string too long. Expected a string with maximum length 64, but got a string with length 65 instead.`},
		{"Chat", "list", `{"type": "object"}`, `Invalid schema for function 'list': In context=(), object schema missing properties.`},
		{"Chat", "list", `{"properties": {}}`, `Invalid schema for function 'list': schema must be a JSON Schema of 'type: "object"', got 'type: "None"'.`},
		{"Chat", "list", `{"type": "string"}`, `Invalid schema for function 'list': schema must be a JSON Schema of 'type: "object"', got 'type: "string"'.`},
		{"Chat", "list", `{"type": "object", "properties": {}, "oneOf": []}`, `Invalid schema for function 'list': schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.`},
		{"Chat", "list", with(`{"type": "array"}`), `Invalid schema for function 'list': In context=('properties', 'x'), array schema missing items.`},
		{"Chat", "list", with(`{"type": "array", "items": {"type": "object"}}`), `Invalid schema for function 'list': In context=('properties', 'x', 'items'), object schema missing properties.`},
		{"Chat", "list", with(`{"anyOf": [{"type": "string"}, {"type": "array"}]}`), `Invalid schema for function 'list': In context=('properties', 'x', 'anyOf', '1'), array schema missing items.`},
		{"Chat", "edit", with(`{"type": ["string", "null"]}`), `Invalid JSON payload received. Unknown name "type" at 'tools[0].function_declarations[0].parameters.properties[1].value': Proto field is not repeating, cannot start list.`},
		{"Chat", "edit", with(nested), `Invalid JSON payload received. Unknown name "type" at 'tools[0].function_declarations[0].parameters.properties[1].value.items.properties[0].value': Proto field is not repeating, cannot start list.`},

		{"Responses", "view", good, ""},
		{"Responses", "edit", with(nested), ""},
		{"Responses", "list", `{"type": "object"}`, `Invalid schema for function 'list': In context=(), object schema missing properties.`},
		{"Responses", "view it", good, `Invalid 'tools[1].name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`},
		{"namespace", "view it", good, `Invalid 'tools[0].tools[0].name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`},
		{"namespace", "list", `{"type": "object"}`, `Invalid schema for function 'list': In context=(), object schema missing properties.`},
		{"strict", "edit", with(nested), ""},
		{"strict", "edit", with(`{"anyOf": [{"type": "string"}, {"type": "null"}]}`), ""},
		{"strict", "edit", with(`{"type": "string", "default": ""}`), `Invalid schema for function 'edit': In context=('properties', 'x'), 'default' is not permitted.`},
		{"strict", "edit", with(`{"type": "object", "properties": {}}`), `Invalid schema for function 'edit': In context=('properties', 'x'), 'additionalProperties' is required to be supplied and to be false.`},
		{"strict", "edit", `{"type": "object", "properties": {"x": {"type": "string"}}, "additionalProperties": false}`, `Invalid schema for function 'edit': In context=(), 'required' is required to be supplied and to be an array including every key in properties. Missing 'x'.`},

		{"Gemini", "view", good, ""},
		{"Gemini", "list", `{"type": "object", "properties": {}}`, ""},
		{"Gemini", "1view", good, `* GenerateContentRequest.tools[0].function_declarations[0].name: Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.`},
		{"Gemini", "view", `{"type": "object", "properties": {"path": {"type": "string"}}, "additionalProperties": false}`, `Invalid JSON payload received. Unknown name "additionalProperties" at 'tools[0].function_declarations[0].parameters': Cannot find field.`},
		{"Gemini", "view", inSubset(`{"const": "a"}`), `Invalid JSON payload received. Unknown name "const" at 'tools[0].function_declarations[0].parameters.properties[0].value': Cannot find field.`},
		{"Gemini", "view", inSubset(`{"anyOf": [{"type": "string"}, {"type": "integer", "exclusiveMinimum": 0}]}`), `Invalid JSON payload received. Unknown name "exclusiveMinimum" at 'tools[0].function_declarations[0].parameters.properties[0].value.any_of[1]': Cannot find field.`},
		{"Gemini", "edit", inSubset(`{"type": ["string", "null"]}`), `Invalid JSON payload received. Unknown name "type" at 'tools[0].function_declarations[0].parameters.properties[0].value': Proto field is not repeating, cannot start list.`},
		{"Gemini", "edit", inSubset(`{"type": "array"}`), `* GenerateContentRequest.tools[0].function_declarations[0].parameters.properties[x].items: missing field.`},
		{"Gemini", "edit", inSubset(`{"type": "array", "items": {"type": "object"}}`), `* GenerateContentRequest.tools[0].function_declarations[0].parameters.properties[x].items.properties: should be non-empty for OBJECT type`},
		{"Gemini", "edit", inSubset(`{"type": "string", "properties": {"a": {"type": "string"}}}`), `* GenerateContentRequest.tools[0].function_declarations[0].parameters.properties[x].properties: only allowed for OBJECT type`},
		{"Gemini", "edit", inSubset(`{"type": "integer", "enum": ["1"]}`), `* GenerateContentRequest.tools[0].function_declarations[0].parameters.properties[x].enum: only allowed for STRING type`},
		{"Gemini", "edit", inSubset(`{"type": "string", "enum": ["a", ""]}`), `* GenerateContentRequest.tools[0].function_declarations[0].parameters.properties[x].enum[1]: cannot be empty`},
		{"Gemini", "edit", `{"type": "object", "properties": {}, "required": ["path"]}`, `* GenerateContentRequest.tools[0].function_declarations[0].parameters.required[0]: property is not defined`},
		{"Gemini JSON", "edit", with(nested), ""},
		{"Gemini JSON", "edit", `{"type": "array"}`, "Request contains an invalid argument."},
		{"Gemini JSON", "edit", with(`{"type": "text"}`), "Request contains an invalid argument."},

		{"Messages", "view", good, ""},
		{"Messages", "edit", with(nested), ""},
		{"Messages", "list", `{"type": "object"}`, ""},
		{"Messages", "view it", good, `tools.1.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`},
		{"Messages", "list", `{}`, `tools.1.custom.input_schema.type: Field required`},
		{"Messages", "list", `{"type": "string"}`, `tools.1.custom.input_schema.type: Input should be 'object'`},
		{"Messages", "list", `{"type": "object", "anyOf": []}`, `tools.1.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level`},
		{"Messages", "list", `{"type": "object", "properties": {"a b": {"type": "string"}}}`, `tools.1.custom.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'`},
		{"Messages", "list", with(`{"type": "text"}`), notDraft},
		{"Messages", "list", with(`{"type": "string", "enum": "a"}`), notDraft},
		{"Messages", "list", with(`{"type": "array", "items": [{"type": "string"}]}`), notDraft},
		{"Messages", "list", with(`{"type": "integer", "exclusiveMinimum": true}`), notDraft},
		{"Messages", "list", `{"type": "object", "properties": {"x": {"type": "string", "required": true}}}`, notDraft},
		{"Messages", "list", `{"type": "object", "properties": {"x": "string"}}`, notDraft},
		{"Messages", "web_search", good, `tools: Tool names must be unique.`},
	} {
		t.Run(c.form+" "+c.name, func(t *testing.T) {
			b := bodies[c.form]
			asked, err := Of(b.path).Read(fmt.Appendf(nil, b.body, c.name, c.schema))
			var refusal *RefusedError
			if err != nil && !errors.As(err, &refusal) || len(asked.Tools) == 0 {
				t.Fatalf("%s is not read: %v", c.schema, err)
			}
			got := ""
			if refusal != nil {
				got = refusal.Message
			}
			if got != c.want {
				t.Errorf("%s\ngot  %s\nwant %s", c.schema, got, c.want)
			}
		})
	}
}

const notDraft = "tools.1.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12 (https://json-schema.org/draft/2020-12). Learn more about tool use at https://docs.claude.com/en/docs/tool-use."

// inSubset returns an object with one property in Gemini's subset.
func inSubset(property string) string {
	return `{"type": "object", "properties": {"x": ` + property + `}}`
}

// A vendor counts the tools, and compares them.
func TestRefusalsOfSeveralTools(t *testing.T) {
	one := `{"type": "function", "name": "a%d", "parameters": {"type": "object", "properties": {}}}`
	var many []string
	for i := range 129 {
		many = append(many, fmt.Sprintf(one, i))
	}
	for _, c := range []struct{ path, body, want string }{
		{"/v1/responses", `{"tools": [` + strings.Join(many[:128], ",") + `]}`, ""},
		{"/v1/responses", `{"tools": [` + strings.Join(many, ",") + `]}`, "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 129 instead."},
		{"/m:streamGenerateContent", `{"tools": [{"functionDeclarations": [{"name": "a"}]}, {"functionDeclarations": [{"name": "a"}]}]}`, "Duplicate function declaration found: a"},
	} {
		_, err := Of(c.path).Read([]byte(c.body))
		if got := fmt.Sprint(err); got != c.want && (err != nil || c.want != "") {
			t.Errorf("%.80s\ngot  %s\nwant %s", c.body, got, c.want)
		}
	}
}
