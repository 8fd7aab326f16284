package setup

import (
	"path/filepath"
	"reflect"
	"slices"
)

// A format is how values are written. Add and cut leave all else as it is, byte for byte.
type format struct {
	empty  string // a text without values
	decode func(s string) (any, error)
	value  func(p part) (any, error)
	add    func(s string, p *part) (string, error) // a part that is not there; and notes in it how
	cut    func(s string, p part) (string, error)  // a part that is there
}

func formatOf(path string) format {
	if filepath.Ext(path) == ".toml" {
		return format{"", decodeTOML, valueOfTOML, addTOML, cutTOML}
	}
	return format{"{\n}\n", decodeJSON, func(p part) (any, error) { return decodeJSON(p.Text) }, addJSON, cutJSON}
}

// state is what is in the place of a part.
type state int

const (
	missing state = iota
	there
	other // something else
)

// state looks for a part in what a text means.
func (f format) state(tree any, p part) state {
	want, err := f.value(p)
	if err != nil {
		return other // no part is so
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

// lookUp returns the value to which keys lead, or the elements of the list. It does not fit where something
// on the way is no object, or no list.
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

// contains reports whether all that is in some is in all.
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
