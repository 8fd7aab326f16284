package setup

import (
	"path/filepath"
	"reflect"
	"slices"
)

// A format is a syntax of files. Its add and cut leave all else as it is, byte for byte.
type format struct {
	empty  string // a text without values
	decode func(s string) (any, error)
	value  func(p part) (any, error)
	add    func(s string, p *part) (string, error) // adds a part that s lacks, and notes in p how
	cut    func(s string, p part) (string, error)  // removes a part that s has
}

func formatOf(path string) format {
	if filepath.Ext(path) == ".toml" {
		return format{"", decodeTOML, valueOfTOML, addTOML, cutTOML}
	}
	return format{"{\n}\n", decodeJSON, func(p part) (any, error) { return decodeJSON(p.Text) }, addJSON, cutJSON}
}

// state says what a file has in the place of a part.
type state int

const (
	missing state = iota
	there
	other // something else
)

// state looks for a part in a decoded text.
func (f format) state(tree any, p part) state {
	want, err := f.value(p)
	if err != nil {
		return other // no part has a faulty value
	}
	found, fits := lookUp(tree, p.keys())
	switch {
	case slices.ContainsFunc(found, func(v any) bool { return reflect.DeepEqual(v, want) }):
		return there
	case !fits || len(found) > 0 && !p.inList():
		return other
	}
	return missing
}

// lookUp returns the value to which keys lead, or the elements of the list. fits is false if a value on the way
// is not the object or the list that its key needs.
func lookUp(tree any, keys []string) (found []any, fits bool) {
	for _, key := range keys {
		switch t := tree.(type) {
		case map[string]any:
			v, is := t[key]
			if !is {
				return nil, key != element
			}
			tree = v
		case []any:
			return t, key == element
		default:
			return nil, false
		}
	}
	return []any{tree}, true
}

// contains reports whether all has everything that some has.
func contains(all, some any) bool {
	switch some := some.(type) {
	case map[string]any:
		m, is := all.(map[string]any)
		for key, v := range some {
			w, has := m[key]
			is = is && has && contains(w, v)
		}
		return is
	case []any:
		list, is := all.([]any)
		return is && !slices.ContainsFunc(some, func(v any) bool {
			return !slices.ContainsFunc(list, func(w any) bool { return contains(w, v) })
		})
	}
	return reflect.DeepEqual(all, some)
}
