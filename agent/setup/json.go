package setup

import (
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// A value is a value in a JSON text, with its place in the text.
type value struct {
	key        string // of a member
	at         int    // where the key begins, or the value if it has none
	start, end int
	inner      []value // members or elements
}

// parse reads a JSON text, which may have comments, and a comma after the last member or element.
func parse(s string) (value, error) {
	d := jsontext.NewDecoder(strings.NewReader(bare(s)))
	v, err := next(d)
	if err != nil {
		return v, err
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return v, errors.New("there is more behind the value")
	}
	return v, nil
}

func next(d *jsontext.Decoder) (value, error) {
	kind := d.PeekKind()
	if kind != '{' && kind != '[' {
		raw, err := d.ReadValue()
		end := int(d.InputOffset())
		return value{at: end - len(raw), start: end - len(raw), end: end}, err
	}
	_, err := d.ReadToken()
	start := int(d.InputOffset()) - 1
	v := value{at: start, start: start}
	for err == nil && d.PeekKind() != '}' && d.PeekKind() != ']' {
		var name jsontext.Value
		if kind == '{' {
			name, err = d.ReadValue()
		}
		at := int(d.InputOffset()) - len(name)
		key, _ := jsontext.AppendUnquote(nil, name) // the decoder has read it
		var in value
		if err == nil {
			in, err = next(d)
		}
		if kind == '{' {
			in.key, in.at = string(key), at
		}
		v.inner = append(v.inner, in)
	}
	if err == nil {
		_, err = d.ReadToken()
	}
	v.end = int(d.InputOffset())
	return v, err
}

// bare returns s with blanks in place of comments, and of commas before a closing bracket.
func bare(s string) string {
	b := []byte(s)
	comma := -1
	for i := 0; i < len(s); i++ {
		end := skip(s, i)
		for ; i < end; i++ {
			b[i] = ' '
		}
		if i == len(s) {
			break
		}
		switch s[i] {
		case ',':
			comma = i
			continue
		case '}', ']':
			if comma >= 0 {
				b[comma] = ' '
			}
		case '"':
			for i++; i < len(s) && s[i] != '"'; i++ {
				if s[i] == '\\' {
					i++
				}
			}
		}
		comma = -1
	}
	return string(b)
}

const blanks = " \t\r\n"

// skip returns the end of the blanks and comments that begin at i.
func skip(s string, i int) int {
	for i < len(s) {
		rest := s[i:]
		switch {
		case strings.IndexByte(blanks, s[i]) >= 0:
			i++
		case strings.HasPrefix(rest, "//"):
			n := strings.IndexAny(rest, "\r\n")
			if n < 0 {
				return len(s)
			}
			i += n
		case strings.HasPrefix(rest, "/*") && strings.Contains(rest[2:], "*/"):
			i += strings.Index(rest[2:], "*/") + 4
		default:
			return i
		}
	}
	return i
}

// decodeJSON decodes a text that parse can read.
func decodeJSON(s string) (v any, err error) {
	if _, err = parse(s); err == nil {
		err = json.Unmarshal([]byte(bare(s)), &v)
	}
	return v, err
}

// follow follows the keys as far as they exist. It returns the value reached, and the number of keys followed.
func (v value) follow(keys []string) (value, int) {
	for n, key := range keys {
		i := slices.IndexFunc(v.inner, func(m value) bool { return m.key == key })
		if i < 0 {
			return v, n
		}
		v = v.inner[i]
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
	v, had := v.follow(keys)
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
	return v.insert(s, piece), nil
}

// insert returns s with a member or element before all others, on a line of its own if the others are on lines of their own.
func (v value) insert(s, piece string) string {
	at := v.start + 1
	rest, _, _ := strings.Cut(s[at:], "\n")
	at = len(strings.TrimRight(s[:skip(s[:at+len(rest)], at)], blanks)) // a comment on the bracket's line stays there
	room := s[at : len(s)-len(strings.TrimLeft(s[at:], blanks))]
	line := strings.LastIndex(room, "\n")
	switch {
	case line < 0 && len(v.inner) == 0:
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
	case len(v.inner) > 0:
		piece += ","
	case at+len(room) == v.end-1 && strings.Contains(s, "\n\t"):
		indent += "\t"
	case at+len(room) == v.end-1:
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
		v, _ := root.follow(keys[:n])
		i := slices.IndexFunc(v.inner, func(in value) bool {
			if keys[n] == element {
				have, _ := decodeJSON(s[in.start:in.end]) // parse has read it
				return reflect.DeepEqual(have, want)
			}
			return in.key == keys[n]
		})
		if in := v.inner[i]; n < len(keys)-1 && strings.Trim(s[in.start+1:in.end-1], blanks) != "" {
			break // the user has put something there
		}
		s = v.cut(s, i)
	}
	return s, nil
}

// cut returns s without member or element i: the reverse of insert.
func (v value) cut(s string, i int) string {
	in := v.inner[i]
	start, end := len(strings.TrimRight(s[:in.at], blanks)), in.end
	switch comma := skip(s, end); {
	case s[comma] == ',' && !strings.Contains(s[start:in.at], "\n"):
		return s[:in.at] + s[end:comma] + strings.TrimPrefix(s[comma+1:], " ")
	case s[comma] == ',':
		return s[:start] + s[end:comma] + s[comma+1:]
	case i > 0:
		comma = skip(s, v.inner[i-1].end)
		return s[:comma] + s[comma+1:start] + s[end:]
	}
	return s[:start] + s[end:]
}
