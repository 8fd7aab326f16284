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
	"github.com/patchls/patchls/internal/lazy"
	"github.com/patchls/patchls/internal/lists"
)

// Decode decodes the arguments of a command into dst, a pointer to a struct that holds the defaults. The arguments are one
// object. If one is unknown, missing or of the wrong type, the error says what to send instead. A member is required unless
// its json tag says omitempty; an `enum` tag lists the values that a string may have. What clients make of an argument on
// its way is undone: see plain. given has the arguments that are set, as they were sent.
func Decode(arguments []jsontext.Value, dst any) (given map[string]jsontext.Value, err error) {
	if given, err = Arguments(arguments); err == nil {
		err = DecodeObject(given, dst)
	}
	return given, err
}

// Arguments is [Object] for the arguments of a command of LSP, which are one object in a list.
func Arguments(list []jsontext.Value) (map[string]jsontext.Value, error) {
	if len(list) > 1 {
		return nil, Invalid("The arguments are one object with names, and %d values were sent", len(list))
	}
	return Object(append(list, nil)[0]) // none are set if there is none
}

// Object returns the members of the object that holds the arguments of a command, as they were
// sent. The map is the caller's. raw is valid JSON.
func Object(raw []byte) (map[string]jsontext.Value, error) {
	value := plain(raw, reflect.TypeFor[struct{}](), false)
	if value == nil {
		return nil, nil
	}
	return object("The arguments", value)
}

// DecodeObject is [Decode] for the result of [Object] or [Arguments]. It deletes from given the arguments that
// are not set, such as those that are null.
func DecodeObject(given map[string]jsontext.Value, dst any) error {
	return decodeObject("", given, reflect.ValueOf(dst).Elem())
}

// DecodeSome decodes those arguments in raw, an object, that dst declares, up to the first that cannot be read.
func DecodeSome(raw []byte, dst any) {
	given, _ := Object(raw)
	declared := namesOf(Members(reflect.TypeOf(dst).Elem()))
	maps.DeleteFunc(given, func(name string, _ jsontext.Value) bool { return !slices.Contains(declared, name) })
	_ = DecodeObject(given, dst)
}

func namesOf(all []Member) []string { return lists.Map(all, func(m Member) string { return m.Name }) }

// List returns the items of a list of objects, as [Object] takes them; nil if raw is no such list.
func List(raw []byte) (items []jsontext.Value) {
	_ = json.Unmarshal(plain(raw, reflect.TypeFor[[]struct{}](), false), &items)
	return items
}

// object returns the members of raw, which errors call what.
func object(what string, raw jsontext.Value) (given map[string]jsontext.Value, err error) {
	err = json.Unmarshal(raw, &given)
	if changes, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return nil, notAsSent(raw, changes)
	} else if err != nil {
		return nil, Invalid("%s must be an object with names, not %s", what, typeName(raw))
	}
	return given, nil
}

// Invalid returns an error about wrong arguments. The format gives a sentence without its full stop.
func Invalid(format string, args ...any) *edits.Error {
	return &edits.Error{Kind: edits.InvalidParams, Message: fmt.Sprintf(format, args...) + "."}
}

// decodeObject decodes an object into the struct dst. Errors call its members by prefix and name.
func decodeObject(prefix string, given map[string]jsontext.Value, dst reflect.Value) error {
	fields := Members(dst.Type())
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if names := namesOf(fields); !slices.Contains(names, name) {
			return Unknown(prefix, name, names)
		}
	}
	for _, m := range fields {
		field := dst.FieldByIndex(m.Index)
		value := plain(given[m.Name], field.Type(), len(m.Enum) > 0)
		if value == nil {
			if delete(given, m.Name); m.Required {
				return Invalid("The argument %q is missing: %s", prefix+m.Name, m.Doc)
			}
			continue
		}
		if err := decodeValue(prefix+m.Name, value, field); err != nil {
			return err
		}
		if len(m.Enum) > 0 && !slices.Contains(m.Enum, field.String()) {
			return Invalid(`%q must be "%s", not %q`, prefix+m.Name, strings.Join(m.Enum, `" or "`), field.String())
		}
	}
	return nil
}

// plain returns raw as clients that keep to the schema send a value of type t; nil if the argument is not set. Some clients
// send null or "" for an argument that the model did not set, send numbers, truth values, lists and objects as text, one
// item in place of a list of one, or a number in place of a text. plain undoes only what has one reading, and returns
// everything else as it is. enum says that the text is one of a few words.
func plain(raw jsontext.Value, t reflect.Type, enum bool) jsontext.Value {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch text := t.Kind() == reflect.String; {
	case len(raw) == 0, raw.Kind() == 'n', (enum || !text) && string(raw) == `""`:
		return nil
	case text && strings.ContainsRune("0tf", rune(raw.Kind())):
		return slices.Concat(jsontext.Value(`"`), raw, jsontext.Value(`"`))
	case text:
		return raw
	}
	takes, item := kinds[t.Kind()].begins, reflect.Invalid
	if t.Kind() == reflect.Slice {
		item = t.Elem().Kind()
	}
	if item == reflect.Struct {
		takes = "[{"
	}
	var said string
	if raw.Kind() == '"' && json.Unmarshal(raw, &said) == nil {
		if t.Kind() == reflect.Bool {
			said = strings.ToLower(said) // Python writes True
		}
		if inner := jsontext.Value(strings.TrimSpace(said)); inner.IsValid() && strings.ContainsRune(takes, rune(inner.Kind())) {
			raw = inner
		}
	}
	if item == reflect.Struct && raw.Kind() == '{' || item == reflect.String && raw.Kind() == '"' {
		return slices.Concat(jsontext.Value("["), raw, jsontext.Value("]"))
	}
	return raw
}

// Unknown returns the error for an argument that is not one of names. The error names it by prefix and name.
func Unknown(prefix, name string, names []string) error {
	if near := edits.NearestName(name, names); near != "" {
		return edits.Errorf(edits.InvalidParams, "Unknown argument %q: did you mean %q?", prefix+name, prefix+near)
	}
	return Invalid("Unknown argument %q: the arguments are %s", prefix+name, cmp.Or(strings.Join(names, ", "), "none"))
}

// decodeValue decodes one value, which is not null. It handles the kinds that arguments have.
func decodeValue(name string, raw jsontext.Value, dst reflect.Value) error {
	var err error
	switch dst.Kind() {
	case reflect.Pointer:
		dst.Set(reflect.New(dst.Type().Elem()))
		return decodeValue(name, raw, dst.Elem())
	case reflect.Struct:
		given, err := object(name, raw)
		if err != nil {
			return err
		}
		return decodeObject(name+".", given, dst)
	case reflect.Slice:
		var items []jsontext.Value
		if err = json.Unmarshal(raw, &items); err == nil {
			return decodeItems(name, items, dst)
		}
	case reflect.Int:
		var n float64 // 3 and, since some languages have no other numbers, 3.0
		if err = json.Unmarshal(raw, &n); err == nil && (n != math.Trunc(n) || math.Abs(n) > 1<<31) {
			err = strconv.ErrRange
		}
		dst.SetInt(int64(n))
	default:
		err = json.Unmarshal(raw, dst.Addr().Interface())
	}
	if err != nil {
		return Invalid("%q must be %s, not %s", name, kinds[dst.Kind()].called, typeName(raw))
	}
	return nil
}

// decodeItems decodes the items of a list but for those that clients add: null, and a text that is empty, such as for the
// name of a file.
func decodeItems(name string, items []jsontext.Value, dst reflect.Value) error {
	of := dst.Type().Elem()
	items = slices.DeleteFunc(items, func(item jsontext.Value) bool {
		return item.Kind() == 'n' || of.Kind() == reflect.String && string(item) == `""`
	})
	dst.Set(reflect.MakeSlice(dst.Type(), len(items), len(items)))
	for i, item := range items {
		if p := plain(item, of, false); p != nil {
			item = p
		}
		if err := decodeValue(fmt.Sprintf("%s[%d]", name, i), item, dst.Index(i)); err != nil {
			return err
		}
	}
	return nil
}

// typeName describes raw for an error.
func typeName(raw jsontext.Value) string {
	if called := map[jsontext.Kind]string{'"': "a string", '{': "an object", '[': "a list"}[raw.Kind()]; called != "" {
		return called
	}
	s := strings.TrimSpace(string(raw))
	if len(s) > 30 {
		s = s[:30] + "…"
	}
	return s
}

// notAsSent returns the error for JSON that encoding/json would change silently: it replaces bytes that are not UTF-8 and
// halves of surrogate pairs by U+FFFD, and takes the last of several values of one name. The text of an edit must be what
// was sent.
func notAsSent(raw jsontext.Value, wrong *jsontext.SyntacticError) error {
	what := `is not UTF-8: send it as UTF-8, or as \u escapes`
	switch {
	case errors.Is(wrong, jsontext.ErrDuplicateName):
		what = "is given twice: send it once"
	case bytes.HasPrefix(raw[wrong.ByteOffset:], []byte(`\u`)):
		what = fmt.Sprintf("has %s, which is half of a character: send both halves, or the character itself", raw[wrong.ByteOffset:][:6])
	}
	name := "The name of an argument"
	if wrong.JSONPointer != "" { // edits[1].content is /edits/1/content
		name = strconv.Quote(strings.ReplaceAll(index().ReplaceAllString(string(wrong.JSONPointer[1:]), "[$1]"), "/", "."))
	}
	return edits.Errorf(edits.InvalidParams, "%s %s.", name, what)
}

// index matches an index in a pointer.
var index = lazy.Regexp(`/(\d+)`)
