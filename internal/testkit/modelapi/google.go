package modelapi

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// What Google refuses. It says all that is wrong at once.

var googleNames = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$`)

// googleFields are the members of a schema in the API's own subset of JSON schemas.
var googleFields = []string{
	"type", "format", "title", "description", "nullable", "default", "items", "minItems", "maxItems", "enum", "properties",
	"propertyOrdering", "required", "minProperties", "maxProperties", "minimum", "maximum", "minLength", "maxLength", "pattern",
	"example", "anyOf",
}

func refuseGoogle(tools []Tool) *RefusedError {
	var all []string
	names := map[string]bool{}
	for _, t := range tools {
		if !googleNames.MatchString(t.Name) {
			all = append(all, fmt.Sprintf("* GenerateContentRequest.%s.name: Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.", t.at))
		}
		if names[t.Name] {
			all = append(all, "Duplicate function declaration found: "+t.Name)
		}
		names[t.Name] = true
		switch {
		case t.subset:
			all = append(append(all, t.unknownFields()...), t.typeLists()...)
		case t.Schema != nil && (t.Schema.word() != "object" || !t.Schema.isValid()):
			all = append(all, "Request contains an invalid argument.")
		}
	}
	if len(all) == 0 { // of what can be read
		for _, t := range tools {
			if t.subset {
				all = append(all, t.meaningless()...)
			}
		}
	}
	if len(all) == 0 {
		return nil
	}
	message := strings.Join(all, "\n")
	return &RefusedError{message, object{"error": object{"code": 400, "message": message, "status": "INVALID_ARGUMENT"}}}
}

// unknownFields says which members of the schema the API does not have.
func (t Tool) unknownFields() (all []string) {
	t.Schema.walk(func(way []step, s Schema) {
		for _, m := range s {
			if !slices.Contains(googleFields, m.Name) {
				all = append(all, fmt.Sprintf("Invalid JSON payload received. Unknown name %q at '%s': Cannot find field.", m.Name, t.message(way)))
			}
		}
	})
	return all
}

// typeLists says where a type is a list.
func (t Tool) typeLists() (all []string) {
	t.Schema.walk(func(way []step, s Schema) {
		if s.isTypeList() {
			all = append(all, fmt.Sprintf("Invalid JSON payload received. Unknown name \"type\" at '%s': Proto field is not repeating, cannot start list.", t.message(way)))
		}
	})
	return all
}

// message says where a node is in the request's message, in which the properties are a list.
func (t Tool) message(way []step) string {
	return t.at + googlePath(way, func(s step) string { return fmt.Sprintf("[%d].value", s.place) })
}

// googlePath says where a node is in a tool's declaration. property says which one of the properties.
func googlePath(way []step, property func(step) string) string {
	var at strings.Builder
	at.WriteString(".parameters")
	for _, s := range way {
		switch s.keyword {
		case "properties":
			at.WriteString(".properties" + property(s))
		case "anyOf":
			fmt.Fprintf(&at, ".any_of[%d]", s.place)
		default:
			at.WriteString("." + s.keyword)
		}
	}
	return at.String()
}

// meaningless says where a schema contradicts itself.
func (t Tool) meaningless() (all []string) {
	t.Schema.walk(func(way []step, s Schema) {
		at := "* GenerateContentRequest." + t.at + googlePath(way, func(s step) string { return "[" + s.name + "]" })
		word, properties := strings.ToUpper(s.word()), s.Properties()
		if len(properties) > 0 && word != "OBJECT" {
			all = append(all, at+".properties: only allowed for OBJECT type")
		}
		if word == "OBJECT" && len(properties) == 0 && len(way) > 0 {
			all = append(all, at+".properties: should be non-empty for OBJECT type")
		}
		if word == "ARRAY" && s.Get("items") == nil {
			all = append(all, at+".items: missing field.")
		}
		if s.Get("enum") != nil && word != "STRING" {
			all = append(all, at+".enum: only allowed for STRING type")
		}
		for i, raw := range decoded[[]json.RawMessage](s.Get("enum")) {
			if string(raw) == `""` {
				all = append(all, fmt.Sprintf("%s.enum[%d]: cannot be empty", at, i))
			}
		}
		for i, name := range s.Required() {
			if properties.Get(name) == nil {
				all = append(all, fmt.Sprintf("%s.required[%d]: property is not defined", at, i))
			}
		}
	})
	return all
}
