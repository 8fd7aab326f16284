package modelapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// A Schema is a JSON schema as it was sent: its members, in their order.
type Schema []Member

// A Member is a member of a JSON object.
type Member struct {
	Name  string
	Value json.RawMessage
}

// UnmarshalJSON reads an object, or null.
func (s *Schema) UnmarshalJSON(raw []byte) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	first, err := d.Token()
	if err != nil || first == nil {
		return err
	}
	if first != json.Delim('{') {
		return errors.New("not an object")
	}
	*s = Schema{}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		m := Member{Name: fmt.Sprint(name)}
		if err := d.Decode(&m.Value); err != nil {
			return err
		}
		*s = append(*s, m)
	}
	return nil
}

// Get returns the value of a member, or nil.
func (s Schema) Get(name string) json.RawMessage {
	if i := slices.IndexFunc(s, func(m Member) bool { return m.Name == name }); i >= 0 {
		return s[i].Value
	}
	return nil
}

// Properties returns the schemas of an object's properties.
func (s Schema) Properties() Schema { return decoded[Schema](s.Get("properties")) }

// Items returns the schema of a list's items, also if the list may be null.
func (s Schema) Items() Schema {
	if items := decoded[Schema](s.Get("items")); items != nil {
		return items
	}
	for _, one := range decoded[[]Schema](s.Get("anyOf")) {
		if items := one.Items(); items != nil {
			return items
		}
	}
	return nil
}

// Required returns the names of the properties that an object must have.
func (s Schema) Required() []string { return decoded[[]string](s.Get("required")) }

// Types returns the words for the values that the schema allows by its type, or by those of its anyOf.
func (s Schema) Types() []string {
	if word := s.word(); word != "" {
		return []string{word}
	}
	types := decoded[[]string](s.Get("type"))
	for _, one := range decoded[[]Schema](s.Get("anyOf")) {
		types = append(types, one.Types()...)
	}
	return types
}

// word is the type, or "" if it is not one word.
func (s Schema) word() string { return decoded[string](s.Get("type")) }

// isTypeList reports whether the type is a list of words.
func (s Schema) isTypeList() bool { return bytes.HasPrefix(s.Get("type"), []byte("[")) }

// decoded returns a value, or the zero value if it is none of this type.
func decoded[T any](raw json.RawMessage) T {
	var value, none T
	if json.Unmarshal(raw, &value) != nil {
		return none
	}
	return value
}

// A step leads from a schema to one of those in it: to a property by its name, to one of a list by its place there.
type step struct {
	keyword, name string
	place         int
}

// walk visits a schema and all those in it, each with the steps that lead to it.
func (s Schema) walk(visit func(way []step, s Schema)) { s.walkFrom(nil, visit) }

func (s Schema) walkFrom(way []step, visit func(way []step, s Schema)) {
	visit(way, s)
	sub := func(raw json.RawMessage, next step) {
		if inner := decoded[Schema](raw); inner != nil {
			inner.walkFrom(append(slices.Clone(way), next), visit)
		}
	}
	for _, m := range s {
		switch m.Name {
		case "properties":
			for i, p := range s.Properties() {
				sub(p.Value, step{m.Name, p.Name, i})
			}
		case "items", "additionalProperties":
			sub(m.Value, step{keyword: m.Name})
		case "anyOf", "oneOf", "allOf":
			for i, raw := range decoded[[]json.RawMessage](m.Value) {
				sub(raw, step{keyword: m.Name, place: i})
			}
		}
	}
}

// isValid reports whether a schema is one: a type is a word of JSON Schema or a list of such words, and the keywords used
// here have values of their kinds.
func (s Schema) isValid() bool {
	valid := true
	s.walk(func(_ []step, s Schema) {
		for _, m := range s {
			if string(m.Value) == "null" {
				continue // as if it were not there
			}
			switch m.Name {
			case "type":
				words := s.Types()
				valid = valid && len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(typeWords, w) })
			case "properties":
				valid = valid && is[Schema](m.Value) && !slices.ContainsFunc(s.Properties(), func(p Member) bool { return !isSchema(p.Value) })
			case "items", "additionalProperties":
				valid = valid && isSchema(m.Value)
			case "required":
				valid = valid && is[[]string](m.Value)
			case "enum", "anyOf", "oneOf", "allOf":
				valid = valid && is[[]json.RawMessage](m.Value)
			case "description":
				valid = valid && is[string](m.Value)
			case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
				valid = valid && is[float64](m.Value)
			}
		}
	})
	return valid
}

var typeWords = []string{"object", "array", "string", "number", "integer", "boolean", "null"}

func isSchema(raw json.RawMessage) bool { return is[Schema](raw) || is[bool](raw) }

// is reports whether a value is of a type.
func is[T any](raw json.RawMessage) bool {
	var value T
	return json.Unmarshal(raw, &value) == nil
}
