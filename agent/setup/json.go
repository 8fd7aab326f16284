package setup

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/tailscale/hujson"

	"github.com/patchls/patchls/internal/lazy"
	"github.com/patchls/patchls/internal/lists"
)

const blanks = " \t\r\n"

// behind matches what may stand behind a bracket on its line.
var behind = lazy.Regexp(`^(?:[ \t\r]|//[^\r\n]*|/\*.*?\*/)*`)

// lined is s with an end of its last line, without which a comment does not end.
func lined(s string) []byte { return []byte(strings.TrimSuffix(s, "\n") + "\n") }

// parse reads a JSON text, which may have comments, and a comma after the last member or element.
func parse(s string) (hujson.Value, error) { return hujson.Parse(lined(s)) }

// decodeJSON decodes a text that parse can read, and in which no object has a name twice.
func decodeJSON(s string) (v any, err error) {
	plain, err := hujson.Standardize(lined(s))
	if err == nil {
		err = json.Unmarshal(plain, &v)
	}
	return v, err
}

// inner returns the members of a value, or its elements, which have no names.
func inner(v hujson.Value) []hujson.ObjectMember {
	switch c := v.Value.(type) {
	case *hujson.Object:
		return c.Members
	case *hujson.Array:
		return lists.Map(c.Elements, func(e hujson.ArrayElement) hujson.ObjectMember {
			return hujson.ObjectMember{Name: hujson.Value{StartOffset: e.StartOffset}, Value: e}
		})
	}
	return nil
}

// name returns the name of a member, "" for an element.
func name(m hujson.ObjectMember) string {
	name, _ := m.Name.Value.(hujson.Literal)
	return name.String()
}

// follow follows the keys as far as they exist. It returns the value reached, and the number of keys followed.
func follow(v hujson.Value, keys []string) (hujson.Value, int) {
	for n, key := range keys {
		i := slices.IndexFunc(inner(v), func(m hujson.ObjectMember) bool { return name(m) == key })
		if i < 0 {
			return v, n
		}
		v = inner(v)[i].Value
	}
	return v, len(keys)
}

// addJSON adds a part that s has a place for, and sets p.Had to how many of its keys s had.
func addJSON(s string, p *part) (string, error) {
	v, err := parse(s)
	if err != nil {
		return s, err
	}
	keys := p.keys()
	v, had := follow(v, keys)
	p.Had = had
	piece := p.Text
	for i := len(keys) - 1; i >= had; i-- {
		switch {
		case keys[i] != element:
			piece = strconv.Quote(keys[i]) + ": " + piece
			if i > had {
				piece = "{" + piece + "}"
			}
		case i > had:
			piece = "[" + piece + "]"
		}
	}
	return insert(v, s, piece), nil
}

// insert returns s with a member or element before all others, on a line of its own if the others are on lines of their own.
func insert(v hujson.Value, s, piece string) string {
	at := v.StartOffset + 1
	at += len(strings.TrimRight(behind().FindString(s[at:]), blanks)) // a comment on the bracket's line stays there
	room := s[at : len(s)-len(strings.TrimLeft(s[at:], blanks))]
	line := strings.LastIndex(room, "\n")
	switch {
	case line < 0 && len(inner(v)) == 0:
		return s[:at] + room + piece + s[at:]
	case line < 0:
		at += len(room)
		return s[:at] + piece + ", " + s[at:]
	}
	indent := room[line:]
	if strings.Contains(room, "\r\n") {
		indent = "\r" + indent
	}
	switch {
	case len(inner(v)) > 0:
		piece += ","
	case at+len(room) == v.EndOffset-1 && strings.Contains(s, "\n\t"):
		indent += "\t"
	case at+len(room) == v.EndOffset-1:
		indent += "  "
	}
	return s[:at] + indent + piece + s[at:]
}

// cutJSON returns s without a part that it has, and without the containers that were made for the part and are empty.
func cutJSON(s string, p part) (string, error) {
	keys := p.keys()
	want, err := decodeJSON(p.Text)
	if err != nil {
		return s, err
	}
	for n := len(keys) - 1; n >= p.Had; n-- {
		root, err := parse(s)
		if err != nil {
			return s, err
		}
		v, _ := follow(root, keys[:n])
		i := slices.IndexFunc(inner(v), func(in hujson.ObjectMember) bool {
			if keys[n] == element {
				have, _ := decodeJSON(s[in.Value.StartOffset:in.Value.EndOffset]) // parse has read it
				return reflect.DeepEqual(have, want)
			}
			return name(in) == keys[n]
		})
		if in := inner(v)[i].Value; n < len(keys)-1 && strings.Trim(s[in.StartOffset+1:in.EndOffset-1], blanks) != "" {
			break // the user has put something there
		}
		s = cut(v, s, i)
	}
	return s, nil
}

// past returns where the comma behind a member or element is. If it has none, something else is there.
func past(m hujson.ObjectMember) int { return m.Value.EndOffset + len(m.Value.AfterExtra) }

// cut returns s without member or element i: the reverse of insert.
func cut(v hujson.Value, s string, i int) string {
	all := inner(v)
	at, end := all[i].Name.StartOffset, all[i].Value.EndOffset
	start := len(strings.TrimRight(s[:at], blanks))
	switch comma := past(all[i]); {
	case s[comma] == ',' && !strings.Contains(s[start:at], "\n"):
		return s[:at] + s[end:comma] + strings.TrimPrefix(s[comma+1:], " ")
	case s[comma] == ',':
		return s[:start] + s[end:comma] + s[comma+1:]
	case i > 0:
		comma = past(all[i-1])
		return s[:comma] + s[comma+1:start] + s[end:]
	}
	return s[:start] + s[end:]
}
