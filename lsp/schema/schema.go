package schema

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"
)

// Of returns the JSON schema of arguments: an object. defaults is a struct that has what is
// not sent.
func Of(defaults reflect.Value) (*jsonschema.Schema, error) {
	of, err := jsonschema.ForType(defaults.Type(), &jsonschema.ForOptions{})
	if err != nil {
		return nil, err
	}
	for _, m := range Members(defaults.Type()) {
		p := of.Properties[m.Name]
		if len(p.Types) > 0 { // a pointer is for what may be absent, never for null
			p.Type, p.Types = schemaType(p), nil
		}
		for _, word := range m.Enum {
			p.Enum = append(p.Enum, word)
		}
		value := defaults.FieldByIndex(m.Index)
		if m.Required || value.Kind() == reflect.Pointer || value.Kind() == reflect.Slice {
			continue
		}
		if p.Default, err = json.Marshal(value.Interface()); err != nil {
			return nil, fmt.Errorf("default of %s: %w", m.Name, err)
		}
	}
	return of, nil
}

// Argument is an argument of a command, for whoever documents it.
type Argument struct {
	Name     string // "edits[].from" is a member of what the list edits has
	Type     string
	Required bool
	Default  string // as JSON; "" if it is required, or absent unless it is sent
	Doc      string
}

// Describe returns the arguments that a struct declares, in order. of is its schema.
func Describe(t reflect.Type, of *jsonschema.Schema) []Argument {
	return describe(nil, of, Members(t), "")
}

func describe(all []Argument, of *jsonschema.Schema, ms []Member, prefix string) []Argument {
	for _, m := range ms {
		p := of.Properties[m.Name]
		a := Argument{Name: prefix + m.Name, Type: schemaType(p), Required: m.Required, Doc: m.Doc}
		if !m.Required {
			a.Default = string(p.Default)
		}
		all = append(all, a)
		if p.Items != nil && m.Items != nil {
			all = describe(all, p.Items, Members(m.Items), m.Name+"[].")
		}
	}
	return all
}

// schemaType words the type of a property; null only means absent.
func schemaType(p *jsonschema.Schema) string {
	if p.Type != "" {
		return p.Type
	}
	for _, t := range p.Types {
		if t != "null" {
			return t
		}
	}
	return ""
}
