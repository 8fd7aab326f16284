package schema

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchls/patchls/edits"
)

// Decode decodes the arguments of a command into dst, a pointer to a struct that holds the
// defaults. The arguments are one object. If one is unknown, missing or of the wrong type,
// the error says what to send instead. A member is required unless its json tag says
// omitempty; an `enum` tag lists the values that a string may have.
func Decode(command string, arguments []jsontext.Value, dst any) error {
	given, err := Object(command, arguments)
	if err != nil {
		return err
	}
	return DecodeObject(command, given, dst)
}

// Object returns the members of the one object that holds the arguments of a command, as
// they were sent.
func Object(command string, arguments []jsontext.Value) (map[string]jsontext.Value, error) {
	if len(arguments) == 0 {
		return nil, nil
	}
	if len(arguments) > 1 {
		return nil, Invalid("%s takes one object of named arguments, and %d values were sent", command, len(arguments))
	}
	if err := CheckText(arguments[0]); err != nil {
		return nil, err
	}
	return object("The arguments of "+command, arguments[0])
}

// DecodeObject is [Decode] for the result of [Object].
func DecodeObject(command string, given map[string]jsontext.Value, dst any) error {
	return decodeObject(command, "", given, reflect.ValueOf(dst).Elem())
}

// object returns the members of raw, which errors call what.
func object(what string, raw jsontext.Value) (given map[string]jsontext.Value, err error) {
	if err := json.Unmarshal(raw, &given); err != nil || given == nil {
		return nil, Invalid("%s must be an object with names, not %s", what, typeName(raw))
	}
	return given, nil
}

// Invalid returns an error about wrong arguments. The format gives a sentence without its
// full stop.
func Invalid(format string, args ...any) *edits.Error {
	return &edits.Error{Kind: edits.InvalidParams, Message: fmt.Sprintf(format, args...) + "."}
}

// decodeObject decodes an object into the struct dst. Errors call its members by
// prefix and name.
func decodeObject(command, prefix string, given map[string]jsontext.Value, dst reflect.Value) error {
	fields := Members(dst.Type())
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if i := slices.IndexFunc(fields, func(m Member) bool { return m.Name == name }); i < 0 {
			return unknown(command, prefix, name, fields)
		}
	}
	for _, m := range fields {
		value, ok := given[m.Name]
		if !ok {
			if m.Required {
				return Invalid("%s needs the argument %q: %s", command, prefix+m.Name, m.Doc)
			}
			continue
		}
		if err := decodeValue(command, prefix+m.Name, value, dst.FieldByIndex(m.Index)); err != nil {
			return err
		}
		if s := dst.FieldByIndex(m.Index); len(m.Enum) > 0 && !slices.Contains(m.Enum, s.String()) {
			return Invalid("%q must be %s, not %q", prefix+m.Name, oneOf(m.Enum), s.String())
		}
	}
	return nil
}

// unknown returns the error for an argument that the command does not take. The error names
// it by prefix and name.
func unknown(cmd, prefix, name string, fields []Member) error {
	names := make([]string, len(fields))
	for i, m := range fields {
		names[i] = m.Name
	}
	if near := edits.NearestName(name, names); near != "" {
		return edits.Errorf(edits.InvalidParams, "Unknown argument %q: did you mean %q?", prefix+name, prefix+near)
	}
	return Invalid("Unknown argument %q: %s takes %s", prefix+name, cmd, cmp.Or(strings.Join(names, ", "), "none"))
}

// decodeValue decodes one value. It handles the kinds that arguments have.
func decodeValue(command, name string, raw jsontext.Value, dst reflect.Value) error {
	switch dst.Kind() {
	case reflect.Pointer:
		dst.Set(reflect.New(dst.Type().Elem()))
		return decodeValue(command, name, raw, dst.Elem())
	case reflect.Slice:
		var items []jsontext.Value
		if err := json.Unmarshal(raw, &items); err != nil || items == nil {
			return Invalid("%q must be a list, not %s", name, typeName(raw))
		}
		dst.Set(reflect.MakeSlice(dst.Type(), len(items), len(items)))
		for i, item := range items {
			if err := decodeValue(command, fmt.Sprintf("%s[%d]", name, i), item, dst.Index(i)); err != nil {
				return err
			}
		}
		return nil
	case reflect.Struct:
		given, err := object(name, raw)
		if err != nil {
			return err
		}
		return decodeObject(command, name+".", given, dst)
	case reflect.Int:
		n, ok := wholeNumber(raw)
		if !ok {
			return Invalid("%q must be a whole number, not %s", name, typeName(raw))
		}
		dst.SetInt(n)
		return nil
	}
	if err := json.Unmarshal(raw, dst.Addr().Interface()); err != nil || string(raw) == "null" {
		want := map[reflect.Kind]string{reflect.String: "a string", reflect.Bool: "true or false"}[dst.Kind()]
		return Invalid("%q must be %s, not %s", name, want, typeName(raw))
	}
	return nil
}

// wholeNumber takes 3 and, since some languages have no other numbers, 3.0.
func wholeNumber(raw jsontext.Value) (int64, bool) {
	var f float64
	if err := json.Unmarshal(raw, &f); err != nil || string(raw) == "null" || f != math.Trunc(f) || math.Abs(f) > 1<<31 {
		return 0, false
	}
	return int64(f), true
}

// typeName describes raw for an error.
func typeName(raw jsontext.Value) string {
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

// oneOf joins alternatives: "exact" or "lenient".
func oneOf(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = fmt.Sprintf("%q", w)
	}
	return strings.Join(quoted, " or ")
}

// CheckText refuses arguments that encoding/json would change silently: it replaces bytes
// that are not UTF-8 and halves of surrogate pairs by U+FFFD, and takes the last of several
// values of one name. The text of an edit must be what was sent. raw is valid JSON.
func CheckText(raw []byte) error {
	_, err := jsontext.NewDecoder(bytes.NewBuffer(raw)).ReadValue()
	wrong, ok := errors.AsType[*jsontext.SyntacticError](err)
	if !ok {
		return nil
	}
	what := `is not UTF-8: send it as UTF-8, or as \u escapes`
	switch {
	case errors.Is(wrong, jsontext.ErrDuplicateName):
		what = "is given twice: send it once"
	case bytes.HasPrefix(raw[wrong.ByteOffset:], []byte(`\u`)):
		what = fmt.Sprintf("has %s, which is half of a character: send both halves, or the character itself", raw[wrong.ByteOffset:][:6])
	}
	name := "The name of an argument"
	if wrong.JSONPointer != "" {
		name = strconv.Quote(argumentName(wrong.JSONPointer))
	}
	return edits.Errorf(edits.InvalidParams, "%s %s.", name, what)
}

// argumentName returns the name of the argument at p as errors write it: edits[1].content.
func argumentName(p jsontext.Pointer) string {
	var name strings.Builder
	for token := range p.Tokens() {
		if n, err := strconv.ParseUint(token, 10, 32); err == nil {
			fmt.Fprintf(&name, "[%d]", n)
		} else {
			name.WriteString("." + token)
		}
	}
	return strings.TrimPrefix(name.String(), ".")
}
