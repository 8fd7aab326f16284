package schema

import (
	"encoding/json"
	"reflect"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
	"go.lsp.dev/protocol"
)

// answers are the schemas that were made, by type: most commands answer alike,
// and a schema is some hundred kilobytes of work.
var answers sync.Map

// OfAnswer returns the JSON schema of an answer of that type, a struct. Whoever asks for the
// same type shares it, so it must not be changed.
func OfAnswer(t reflect.Type) (*jsonschema.Schema, error) {
	if known, ok := answers.Load(t); ok {
		schema, _ := known.(*jsonschema.Schema)
		return schema, nil
	}
	schema, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		// The protocol's own, of which nothing more needs to be said here.
		reflect.TypeFor[json.RawMessage]():   {Type: "object"},
		reflect.TypeFor[protocol.TextEdit](): textEditSchema(),
	}})
	if err != nil {
		return nil, err
	}
	neverNull(schema)
	first, _ := answers.LoadOrStore(t, schema)
	schema, _ = first.(*jsonschema.Schema)
	return schema, nil
}

// textEditSchema is that of LSP's TextEdit.
func textEditSchema() *jsonschema.Schema {
	object := func(properties map[string]*jsonschema.Schema, required ...string) *jsonschema.Schema {
		return &jsonschema.Schema{Type: "object", Properties: properties, Required: required}
	}
	position := func() *jsonschema.Schema {
		return object(map[string]*jsonschema.Schema{"line": {Type: "integer"}, "character": {Type: "integer"}}, "line", "character")
	}
	return object(map[string]*jsonschema.Schema{
		"range":   object(map[string]*jsonschema.Schema{"start": position(), "end": position()}, "start", "end"),
		"newText": {Type: "string"},
	}, "range", "newText")
}

// neverNull takes null out of a schema: in answers a list is [] or absent.
func neverNull(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if len(s.Types) > 0 {
		s.Type, s.Types = schemaType(s), nil
	}
	neverNull(s.Items)
	for _, p := range s.Properties {
		neverNull(p)
	}
}
