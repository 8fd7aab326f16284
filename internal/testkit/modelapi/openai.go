package modelapi

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// What OpenAI refuses, in both of its APIs, and those who serve models of others by them.

const (
	openAITools = 128
	openAIName  = 64
)

var openAINames = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)

func openAIRefusal(code, param, format string, args ...any) *RefusedError {
	message := fmt.Sprintf(format, args...)
	return &RefusedError{message, object{"error": object{"message": message, "type": "invalid_request_error", "param": param, "code": code}}}
}

func refuseOpenAI(tools []Tool) *RefusedError {
	if n := len(tools); n > openAITools {
		return openAIRefusal("array_above_max_length", "tools", "Invalid 'tools': array too long. Expected an array with maximum length %d, but got an array with length %d instead.", openAITools, n)
	}
	for _, t := range tools {
		if n := len(t.Name); n > openAIName {
			return openAIRefusal("string_above_max_length", t.at+".name", "Invalid '%s.name': string too long. Expected a string with maximum length %d, but got a string with length %d instead.", t.at, openAIName, n)
		}
		if !openAINames.MatchString(t.Name) {
			return openAIRefusal("invalid_value", t.at+".name", "Invalid '%s.name': string does not match pattern. Expected a string that matches the pattern '%s'.", t.at, openAINames)
		}
		if why := t.openAISchema(); t.Schema != nil && why != "" {
			return openAIRefusal("invalid_function_parameters", t.at+".parameters", "Invalid schema for function '%s': %s", t.Name, why)
		}
	}
	return nil
}

// openAISchema returns the first reason for which the schema of a tool is refused, or "".
func (t Tool) openAISchema() (why string) {
	if word := t.Schema.word(); word != "object" {
		if word == "" {
			word = "None"
		}
		return fmt.Sprintf(`schema must be a JSON Schema of 'type: "object"', got 'type: "%s"'.`, word)
	}
	for _, m := range t.Schema {
		if slices.Contains([]string{"oneOf", "anyOf", "allOf", "enum", "not"}, m.Name) {
			return "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level."
		}
	}
	t.Schema.walk(func(way []step, s Schema) {
		if why == "" {
			if why = s.openAINode(t.Strict); why != "" {
				why = "In context=" + openAIContext(way) + ", " + why
			}
		}
	})
	return why
}

// openAINode returns the reason for which one node of a schema is refused, or "".
func (s Schema) openAINode(strict bool) string {
	types := s.Types()
	isObject := slices.Contains(types, "object") && s.Get("anyOf") == nil
	switch {
	case isObject && s.Get("properties") == nil:
		return "object schema missing properties."
	case slices.Contains(types, "array") && s.Get("anyOf") == nil && s.Get("items") == nil:
		return "array schema missing items."
	case !strict:
		return ""
	case s.Get("default") != nil:
		return "'default' is not permitted."
	case isObject && string(s.Get("additionalProperties")) != "false":
		return "'additionalProperties' is required to be supplied and to be false."
	}
	for _, p := range s.Properties() {
		if !slices.Contains(s.Required(), p.Name) {
			return fmt.Sprintf("'required' is required to be supplied and to be an array including every key in properties. Missing '%s'.", p.Name)
		}
	}
	return ""
}

// openAIContext says where a node is, as a tuple of Python.
func openAIContext(way []step) string {
	var words []string
	for _, s := range way {
		words = append(words, "'"+s.keyword+"'")
		switch s.keyword {
		case "properties":
			words = append(words, "'"+s.name+"'")
		case "anyOf", "oneOf", "allOf":
			words = append(words, "'"+strconv.Itoa(s.place)+"'")
		}
	}
	return "(" + strings.Join(words, ", ") + ")"
}
