package schema

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
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
	Items    reflect.Type // the struct type of a list of objects
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
		if f.Type.Kind() == reflect.Slice && f.Type.Elem().Kind() == reflect.Struct {
			m.Items = f.Type.Elem()
		}
		ms = append(ms, m)
	}
	membersByType.Store(t, ms)
	return ms
}

// Of returns the JSON schema of arguments: an object. defaults is their struct, with the values of arguments that are not
// sent. The schema keeps to what every client and every API of a model takes: each node has one type, and an object has
// properties. Since some drop "default", the description has it too; a default that is zero is left to the description.
func Of(defaults reflect.Value) (*jsonschema.Schema, error) {
	of, err := jsonschema.ForType(defaults.Type(), &jsonschema.ForOptions{})
	if err != nil {
		return nil, err
	}
	neverNull(of)
	if of.Properties == nil {
		of.Properties = map[string]*jsonschema.Schema{}
	}
	for _, m := range Members(defaults.Type()) {
		p := of.Properties[m.Name]
		for _, word := range m.Enum {
			p.Enum = append(p.Enum, word)
		}
		value := defaults.FieldByIndex(m.Index)
		if m.Required || value.IsZero() {
			continue
		}
		p.Description += fmt.Sprintf(" (default %v)", value)
		if p.Default, err = json.Marshal(value.Interface()); err != nil {
			return nil, fmt.Errorf("default of %s: %w", m.Name, err)
		}
	}
	return of, nil
}

// Argument is an argument of a command, as a reference page or a help text has it.
type Argument struct {
	Name     string // "edits[].from" is a member of the items of the list edits
	Type     string
	Required bool
	Default  string // as JSON; "" if it is required, or absent unless it is sent
	Doc      string
}

// Describe returns the arguments that a struct declares, in order. of is its schema.
func Describe(t reflect.Type, of *jsonschema.Schema) []Argument {
	var all []Argument
	for _, m := range Members(t) {
		p := of.Properties[m.Name]
		a := Argument{Name: m.Name, Type: p.Type, Required: m.Required, Doc: m.Doc}
		if !m.Required {
			a.Default = string(p.Default)
		}
		all = append(all, a)
		if m.Items == nil {
			continue
		}
		for _, item := range Describe(m.Items, p.Items) {
			item.Name = m.Name + "[]." + item.Name
			all = append(all, item)
		}
	}
	return all
}

// neverNull removes null from a schema: the argument is absent instead.
func neverNull(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if i := slices.IndexFunc(s.Types, func(t string) bool { return t != "null" }); i >= 0 {
		s.Type, s.Types = s.Types[i], nil
	}
	neverNull(s.Items)
	for _, p := range s.Properties {
		neverNull(p)
	}
}
