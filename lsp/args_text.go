package lsp

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/patchls/patchls/edits"
)

// CheckText refuses arguments of which encoding/json would make other ones without a
// word: bytes that are not UTF-8 and halves of surrogate pairs become U+FFFD, and of a name
// that is given twice the last value counts. The text of an edit is what was sent, or none.
// raw is valid JSON.
func CheckText(raw json.RawMessage) error {
	c := textCheck{b: raw}
	if c.value(); c.wrong == "" {
		return nil
	}
	return &edits.Error{Kind: edits.InvalidParams, Message: fmt.Sprintf("%q %s.", strings.TrimPrefix(c.where, "."), c.wrong)}
}

// textCheck goes through JSON once. It ends at what is wrong.
type textCheck struct {
	b     []byte
	i     int
	wrong string
	where string // made from the inside out: nothing is to be made while all is well
}

// value takes a value and reports whether all is well with it.
func (c *textCheck) value() bool {
	c.space()
	switch c.b[c.i] {
	case '"':
		_, ok := c.text()
		return ok
	case '{':
		return c.object()
	case '[':
		c.i++
		for n := 0; c.more(); n++ {
			if !c.value() {
				c.where = fmt.Sprintf("[%d]%s", n, c.where)
				return false
			}
		}
		return true
	}
	for c.i < len(c.b) && !strings.ContainsRune(",]} \t\r\n", rune(c.b[c.i])) {
		c.i++
	}
	return true
}

func (c *textCheck) object() bool {
	c.i++
	seen := map[string]bool{}
	for c.more() {
		raw, ok := c.text()
		name := string(raw)
		if ok && strings.Contains(name, `\`) {
			_ = json.Unmarshal([]byte(`"`+name+`"`), &name) // a string, as was seen
		}
		if ok && seen[name] {
			c.wrong, ok = "is given twice: send it once", false
		}
		if ok {
			seen[name] = true
			c.space()
			c.i++ // the colon
			ok = c.value()
		}
		if !ok {
			c.where = "." + name + c.where
			return false
		}
	}
	return true
}

// more takes what stands before the next value or name, or the end of the list or object,
// and reports whether it was the former.
func (c *textCheck) more() bool {
	c.space()
	if c.b[c.i] == ',' {
		c.i++
		c.space()
	}
	if c.b[c.i] == ']' || c.b[c.i] == '}' {
		c.i++
		return false
	}
	return true
}

// text takes a string and returns it as it stands between its quotes.
func (c *textCheck) text() (raw []byte, ok bool) {
	start := c.i + 1
	for c.i = start; c.b[c.i] != '"'; c.i++ {
		if c.b[c.i] != '\\' {
			continue
		}
		if c.i++; c.b[c.i] != 'u' {
			continue
		}
		first := c.unit(c.i + 1)
		c.i += 4
		if !utf16.IsSurrogate(first) {
			continue
		}
		if c.b[c.i+1] != '\\' || c.b[c.i+2] != 'u' || utf16.DecodeRune(first, c.unit(c.i+3)) == utf8.RuneError {
			c.wrong = fmt.Sprintf(`has \u%04x, which is half of a character: send both halves, or the character itself`, first)
			return c.b[start : c.i+1], false
		}
		c.i += 6
	}
	raw = c.b[start:c.i]
	c.i++
	if !utf8.Valid(raw) {
		c.wrong = `is not UTF-8: send it as UTF-8, or as \u escapes`
		return raw, false
	}
	return raw, true
}

// unit reads the four digits of an escape.
func (c *textCheck) unit(at int) rune {
	n, _ := strconv.ParseUint(string(c.b[at:at+4]), 16, 16) // which are there in valid JSON
	return rune(n)
}

func (c *textCheck) space() {
	for c.i < len(c.b) && c.b[c.i] <= ' ' {
		c.i++
	}
}
