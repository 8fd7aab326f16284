package schema

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
)

// Member is one argument of a command, as its struct declares it: the json tag has its name, and omitempty if it is not
// required, the jsonschema tag what it is, and the enum tag the values that a string may have.
type Member struct {
	Name     string
	Doc      string
	Index    []int // of the field, as [reflect.Value.FieldByIndex] takes it
	Required bool
	Enum     []string

	Type, Default string // set by [Describe]; Default is JSON, "" if it is required, or absent unless it is sent
}

// kinds are the kinds of values that arguments have: what a schema calls each, what an error calls it, and with which of the
// kinds of jsontext its JSON begins.
var kinds = map[reflect.Kind]struct{ word, called, begins string }{
	reflect.String: {"string", "a string", `"`},
	reflect.Int:    {"integer", "a whole number", "0"},
	reflect.Bool:   {"boolean", "true or false", "tf"},
	reflect.Slice:  {"array", "a list", "["},
	reflect.Struct: {"object", "an object", "{"},
}

// membersByType caches the results of Members by struct type.
var membersByType sync.Map

// Members returns the arguments that a struct declares, those of embedded structs included, in order. The result is cached:
// reading the struct takes longer than finding a line in a file of ordinary size.
func Members(t reflect.Type) []Member {
	known, _ := membersByType.Load(t)
	ms, ok := known.([]Member)
	if ok {
		return ms
	}
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || name == "" {
			continue
		}
		m := Member{Name: name, Doc: f.Tag.Get("jsonschema"), Index: f.Index, Required: options != "omitempty"}
		if enum := f.Tag.Get("enum"); enum != "" {
			m.Enum = strings.Split(enum, ",")
		}
		ms = append(ms, m)
	}
	membersByType.Store(t, ms)
	return ms
}

// Of returns the JSON schema of arguments: an object. defaults is their struct, with the values of arguments that are not
// sent. The schema keeps to what every client and every API of a model takes: each node has one type, which is never null, and
// an object has properties. Since some drop "default", the description has it too; a default that is zero is left to the
// description.
func Of(defaults reflect.Value) *jsonschema.Schema {
	of := ofType(defaults.Type())
	for _, m := range Members(defaults.Type()) {
		if value := defaults.FieldByIndex(m.Index); !m.Required && !value.IsZero() {
			p := of.Properties[m.Name]
			p.Description += fmt.Sprintf(" (default %v)", value)
			p.Default, _ = json.Marshal(value.Interface()) // values of these kinds always encode
		}
	}
	return of
}

// ofType returns the schema of a value of type t.
func ofType(t reflect.Type) *jsonschema.Schema {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	of := &jsonschema.Schema{Type: kinds[t.Kind()].word}
	switch t.Kind() {
	case reflect.Slice:
		of.Items = ofType(t.Elem())
	case reflect.Struct:
		of.Properties = map[string]*jsonschema.Schema{}
		of.AdditionalProperties = &jsonschema.Schema{Not: &jsonschema.Schema{}} // none
		for _, m := range Members(t) {
			p := ofType(t.FieldByIndex(m.Index).Type)
			p.Description = m.Doc
			for _, word := range m.Enum {
				p.Enum = append(p.Enum, word)
			}
			if of.Properties[m.Name], of.PropertyOrder = p, append(of.PropertyOrder, m.Name); m.Required {
				of.Required = append(of.Required, m.Name)
			}
		}
	}
	return of
}

// Describe returns the arguments that a struct declares, in order, as a reference page or a help text has them:
// "edits[].from" is a member of the items of the list edits. of is the schema of the struct.
func Describe(t reflect.Type, of *jsonschema.Schema) (all []Member) {
	for _, m := range Members(t) {
		p := of.Properties[m.Name]
		m.Type, m.Default = p.Type, string(p.Default)
		all = append(all, m)
		if p.Items == nil || p.Items.Type != kinds[reflect.Struct].word {
			continue
		}
		for _, item := range Describe(t.FieldByIndex(m.Index).Type.Elem(), p.Items) {
			item.Name = m.Name + "[]." + item.Name
			all = append(all, item)
		}
	}
	return all
}
