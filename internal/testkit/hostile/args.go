package hostile

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Schema is the JSON schema of an object, as far as commands have it.
type Schema struct {
	Type       any               `json:"type"`
	Properties map[string]Schema `json:"properties"`
	Required   []string          `json:"required"`
	Enum       []any             `json:"enum"`
	Items      *Schema           `json:"items"`
}

// Words are values for arguments that a schema does not determine.
type Words struct {
	Paths   []string
	Texts   []string // pieces of the texts, and others
	Patches func(d *Dice) string
}

// Arguments draws an object that is valid by a schema, as JSON.
func (s Schema) Arguments(d *Dice, w Words) string { return s.value(d, w, "") }

func (s Schema) value(d *Dice, w Words, name string) string {
	if len(s.Enum) > 0 {
		raw, _ := json.Marshal(Pick(d, s.Enum)) // it came from JSON
		return string(raw)
	}
	kind, _ := s.Type.(string)
	if kinds, ok := s.Type.([]any); ok && len(kinds) > 0 {
		kind, _ = Pick(d, kinds).(string)
	}
	switch kind {
	case "object":
		return s.object(d, w)
	case "array":
		items := make([]string, d.Int(4))
		for i := range items {
			items[i] = s.Items.value(d, w, name)
		}
		return "[" + strings.Join(items, ",") + "]"
	case "integer", "number":
		return strconv.Itoa(d.Int(9) - 1)
	case "boolean":
		return strconv.FormatBool(d.Once(2))
	case "null":
		return "null"
	}
	return quoted(s.word(d, w, name))
}

func (s Schema) object(d *Dice, w Words) string {
	var members []string
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if !slices.Contains(s.Required, name) && !d.Once(3) {
			continue
		}
		if name == "confirm" && !d.Once(4) {
			continue // most often it is not the user who is of interest
		}
		members = append(members, fmt.Sprintf("%q:%s", name, s.Properties[name].value(d, w, name)))
	}
	return "{" + strings.Join(members, ",") + "}"
}

// word draws a string for an argument of that name.
func (s Schema) word(d *Dice, w Words, name string) string {
	switch {
	case strings.Contains(name, "patch"):
		return w.Patches(d)
	case strings.Contains(name, "path"), name == "uri":
		return Pick(d, w.Paths)
	case name == "rev":
		return Pick(d, []string{"", "", "", "x", "0000000000000000"})
	case name == "edit_id":
		return "e" + strconv.Itoa(1+d.Int(20))
	}
	return Pick(d, w.Texts)
}

func quoted(s string) string {
	raw, _ := json.Marshal(s) // a string always encodes
	return string(raw)
}
