package schema

import (
	"reflect"
	"strings"
	"sync"
)

// Member is one argument of a command, as its struct declares it: the json tag has its name,
// and omitempty if it is not required, the jsonschema tag what it is, and the enum tag the
// values that a string may have.
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

// Members returns the arguments that a struct declares, those of embedded structs included,
// in order. The result is cached: reading the struct takes longer than finding a line in a
// file of ordinary size.
func Members(t reflect.Type) []Member {
	known, _ := membersByType.Load(t)
	if ms, ok := known.([]Member); ok {
		return ms
	}
	ms := declared(t)
	membersByType.Store(t, ms)
	return ms
}

func declared(t reflect.Type) []Member {
	var ms []Member
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
	return ms
}
