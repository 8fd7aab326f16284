package lsp

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/patchls/patchls/edits"
)

// decodeArguments decodes the arguments of a command into dst, a pointer to a
// struct that holds the defaults. They are one object; what is unknown, missing
// or of the wrong type is an error that says what to send instead. A member is
// required unless its json tag says omitempty; an `enum` tag lists the values
// that a string may have.
func decodeArguments(command string, arguments []json.RawMessage, dst any) error {
	raw := json.RawMessage("{}")
	switch {
	case len(arguments) > 1:
		return invalid("%s takes one object of named arguments, and %d values were sent", command, len(arguments))
	case len(arguments) == 1:
		raw = arguments[0]
	}
	if err := CheckText(raw); err != nil {
		return err
	}
	return decodeObject(command, "", raw, reflect.ValueOf(dst).Elem())
}

func invalid(format string, args ...any) *edits.Error {
	return &edits.Error{Kind: edits.InvalidParams, Message: fmt.Sprintf(format, args...) + "."}
}

// decodeObject decodes raw into the struct dst. Errors call its members by
// prefix and name.
func decodeObject(command, prefix string, raw json.RawMessage, dst reflect.Value) error {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(raw, &given); err != nil || given == nil {
		what := "The arguments of " + command
		if prefix != "" {
			what = strings.TrimSuffix(prefix, ".")
		}
		return invalid("%s must be an object with names, not %s", what, typeName(raw))
	}
	fields := members(dst.Type())
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if i := slices.IndexFunc(fields, func(m member) bool { return m.name == name }); i < 0 {
			return unknownArgument(command, prefix, name, fields)
		}
	}
	for _, m := range fields {
		value, ok := given[m.name]
		if !ok {
			if m.required {
				return invalid("%s needs the argument %q: %s", command, prefix+m.name, m.doc)
			}
			continue
		}
		if err := decodeValue(command, prefix+m.name, value, dst.FieldByIndex(m.index)); err != nil {
			return err
		}
		if s := dst.FieldByIndex(m.index); len(m.enum) > 0 && !slices.Contains(m.enum, s.String()) {
			return invalid("%q must be %s, not %q", prefix+m.name, oneOf(m.enum), s.String())
		}
	}
	return nil
}

func unknownArgument(command, prefix, name string, fields []member) error {
	names := make([]string, len(fields))
	for i, m := range fields {
		names[i] = m.name
	}
	hint := fmt.Sprintf("%s takes %s", command, strings.Join(names, ", "))
	if len(names) == 0 {
		hint = command + " takes none"
	}
	if near := edits.NearestName(name, names); near != "" {
		hint = fmt.Sprintf("did you mean %q", prefix+near)
		return &edits.Error{Kind: edits.InvalidParams, Message: fmt.Sprintf("Unknown argument %q: %s?", prefix+name, hint)}
	}
	return invalid("Unknown argument %q: %s", prefix+name, hint)
}

// decodeValue decodes one value. The kinds are those that arguments have.
func decodeValue(command, name string, raw json.RawMessage, dst reflect.Value) error {
	switch dst.Kind() {
	case reflect.Pointer:
		p := reflect.New(dst.Type().Elem())
		if err := decodeValue(command, name, raw, p.Elem()); err != nil {
			return err
		}
		dst.Set(p)
		return nil
	case reflect.Slice:
		var items []json.RawMessage
		if err := json.Unmarshal(raw, &items); err != nil || items == nil {
			return invalid("%q must be a list, not %s", name, typeName(raw))
		}
		list := reflect.MakeSlice(dst.Type(), len(items), len(items))
		for i, item := range items {
			if err := decodeValue(command, fmt.Sprintf("%s[%d]", name, i), item, list.Index(i)); err != nil {
				return err
			}
		}
		dst.Set(list)
		return nil
	case reflect.Struct:
		return decodeObject(command, name+".", raw, dst)
	case reflect.Int:
		n, ok := wholeNumber(raw)
		if !ok {
			return invalid("%q must be a whole number, not %s", name, typeName(raw))
		}
		dst.SetInt(n)
		return nil
	}
	if err := json.Unmarshal(raw, dst.Addr().Interface()); err != nil || string(raw) == "null" {
		want := map[reflect.Kind]string{reflect.String: "a string", reflect.Bool: "true or false"}[dst.Kind()]
		return invalid("%q must be %s, not %s", name, want, typeName(raw))
	}
	return nil
}

// wholeNumber takes 3 and, since some languages have no other numbers, 3.0.
func wholeNumber(raw json.RawMessage) (int64, bool) {
	var f float64
	if err := json.Unmarshal(raw, &f); err != nil || string(raw) == "null" || f != math.Trunc(f) || math.Abs(f) > 1<<31 {
		return 0, false
	}
	return int64(f), true
}

// typeName words what raw is, for an error.
func typeName(raw json.RawMessage) string {
	s := strings.TrimSpace(string(raw))
	switch {
	case strings.HasPrefix(s, `"`):
		return "a string"
	case strings.HasPrefix(s, "{"):
		return "an object"
	case strings.HasPrefix(s, "["):
		return "a list"
	case len(s) > 30:
		return s[:30] + "…"
	}
	return s
}

// oneOf words alternatives: "exact" or "lenient".
func oneOf(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = fmt.Sprintf("%q", w)
	}
	return strings.Join(quoted, " or ")
}

// member is one argument of a command, as its struct declares it.
type member struct {
	name     string
	doc      string
	index    []int
	required bool
	enum     []string
	items    reflect.Type // of a list of objects: their struct
}

// membersByType has what members has found, by the struct's type.
var membersByType sync.Map

// members returns the arguments that a struct declares, those of embedded
// structs included, in order. It is looked at once only: that takes longer than
// finding a line in a file of ordinary size.
func members(t reflect.Type) []member {
	known, _ := membersByType.Load(t)
	if ms, ok := known.([]member); ok {
		return ms
	}
	ms := declared(t)
	membersByType.Store(t, ms)
	return ms
}

func declared(t reflect.Type) []member {
	var ms []member
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || name == "" {
			continue
		}
		m := member{name: name, doc: f.Tag.Get("jsonschema"), index: f.Index, required: options != "omitempty"}
		if enum := f.Tag.Get("enum"); enum != "" {
			m.enum = strings.Split(enum, ",")
		}
		if f.Type.Kind() == reflect.Slice && f.Type.Elem().Kind() == reflect.Struct {
			m.items = f.Type.Elem()
		}
		ms = append(ms, m)
	}
	return ms
}
