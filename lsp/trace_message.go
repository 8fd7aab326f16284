package lsp

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// passing is a message on its way.
type passing struct {
	body    []byte
	rawID   string // as it was sent; "" for a notification
	id      string // without quotes
	method  string // "" for a response
	member  string // that payload is of: params, result or error; "" where there is none
	payload []byte

	spans  []said
	unlike bool // it has a member twice, or one that says nothing
}

// said is a part of a message that its entry says.
type said struct {
	from, to int
	as       string
}

// readPassing returns nil for a body that is no message.
func readPassing(body []byte) *passing {
	if !json.Valid(body) || body[bytes.IndexFunc(body, isNotBlank)] != '{' {
		return nil
	}
	m := &passing{body: body}
	d := json.NewDecoder(bytes.NewReader(body))
	_, _ = d.Token() // the brace
	seen := map[string]bool{}
	for d.More() {
		key, _ := d.Token()
		name, _ := key.(string)
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return nil
		}
		m.unlike = m.unlike || seen[name]
		seen[name] = true
		m.take(name, value, int(d.InputOffset()))
	}
	if m.method == "" && m.rawID == "" {
		return nil
	}
	return m
}

func isNotBlank(r rune) bool { return !strings.ContainsRune(" \t\r\n", r) }

// take takes in a member whose value ends at end.
func (m *passing) take(name string, value []byte, end int) {
	from := end - len(value)
	switch name {
	case "id", "method":
		bare := value
		if value[0] == '"' {
			bare = value[1 : len(value)-1]
			from, end = from+1, end-1
		}
		if name == "id" {
			m.rawID, m.id = string(value), string(bare)
			m.unlike = m.unlike || m.id == ""
		} else {
			m.method = string(bare)
			m.unlike = m.unlike || m.method == ""
		}
	case "params", "result", "error":
		m.member, m.payload = name, value
		name = "body"
	default:
		return
	}
	m.spans = append(m.spans, said{from, end, "{" + name + "}"})
}

func (m *passing) kind() string {
	switch {
	case m.method == "":
		return "response"
	case m.rawID == "":
		return "notification"
	}
	return "request"
}

func (m *passing) label() string {
	if m.method == "" {
		return "Result"
	}
	return "Params"
}

// isPlain reports whether an entry can hold the payload as it is.
func (m *passing) isPlain() bool {
	return !bytes.ContainsAny(m.payload, "\r\n") && !bytes.Contains(m.payload, []byte(entryStart))
}

// form returns the message with its header, and with {length}, {id}, {method} and
// {body} for what its entry says. It is not whole if those do not give all of it back.
func (m *passing) form(header []byte, length int) (form string, whole bool) {
	if m.unlike || !bytes.HasSuffix(header, []byte("\r\n\r\n")) || !m.isPlain() || wordless.MatchString(m.id) || unquotable.MatchString(m.method) {
		return "", false
	}
	var b strings.Builder
	b.WriteString(strings.Replace(string(header), strconv.Itoa(length), "{length}", 1))
	at := 0
	slices.SortFunc(m.spans, func(a, b said) int { return a.from - b.from })
	for _, s := range m.spans {
		b.Write(m.body[at:s.from])
		b.WriteString(s.as)
		at = s.to
	}
	b.Write(m.body[at:])
	form = b.String()
	for _, name := range []string{"{length}", "{id}", "{method}", "{body}"} {
		if strings.Count(form, name) > 1 {
			return "", false
		}
	}
	return form, true
}
