package hostile

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// node is a JSON value that can be corrupted: it may have duplicate members, and values
// that are not JSON.
type node struct {
	raw   string // if it is neither of the others
	kind  json.Delim
	names []string // of an object, in quotes
	items []*node
}

// Spoil returns the JSON text with the given number of faults. A text that is not JSON is
// returned as it is.
func Spoil(d *Dice, text string, faults int) string {
	if !json.Valid([]byte(text)) {
		return text
	}
	n := parse(text)
	for range faults {
		n.spoil(d)
	}
	var b strings.Builder
	n.print(&b)
	return b.String()
}

// parse reads JSON text, which is valid.
func parse(text string) *node {
	dec := json.NewDecoder(bytes.NewReader([]byte(text)))
	dec.UseNumber()
	return parseValue(dec)
}

func parseValue(dec *json.Decoder) *node {
	token, err := dec.Token()
	if err != nil {
		panic("hostile: what is valid JSON cannot be read: " + err.Error())
	}
	kind, ok := token.(json.Delim)
	if !ok {
		raw, _ := json.Marshal(token) // what came of JSON is JSON
		return &node{raw: string(raw)}
	}
	n := &node{kind: kind}
	for dec.More() {
		if kind == '{' {
			n.names = append(n.names, parseValue(dec).raw)
		}
		n.items = append(n.items, parseValue(dec))
	}
	_, _ = dec.Token() // the end of what was begun
	return n
}

func (n *node) print(b *strings.Builder) {
	if n.kind == 0 {
		b.WriteString(n.raw)
		return
	}
	b.WriteRune(rune(n.kind))
	for i, item := range n.items {
		if i > 0 {
			b.WriteString(",")
		}
		if n.kind == '{' {
			b.WriteString(n.names[i] + ":")
		}
		item.print(b)
	}
	b.WriteRune(rune(n.kind + 2)) // } follows { and ] follows [ by two
}

func (n *node) clone() *node {
	c := &node{raw: n.raw, kind: n.kind, names: slices.Clone(n.names)}
	for _, item := range n.items {
		c.items = append(c.items, item.clone())
	}
	return c
}

// spoil makes one fault at a random place in n, however deep.
func (n *node) spoil(d *Dice) {
	type place struct {
		in *node
		i  int
	}
	var all []place
	var walk func(n *node)
	walk = func(n *node) {
		for i, item := range n.items {
			all = append(all, place{n, i})
			walk(item)
		}
	}
	walk(n)
	if len(all) == 0 {
		*n = node{raw: nasty(d, n.raw)}
		return
	}
	at := Pick(d, all)
	at.in.spoilItem(d, at.i)
}

func (n *node) spoilItem(d *Dice, i int) {
	switch d.Int(10) {
	case 0: // missing
		n.items = slices.Delete(n.items, i, i+1)
		if n.kind == '{' {
			n.names = slices.Delete(n.names, i, i+1)
		}
	case 1: // twice, and not alike
		other := n.items[i].clone()
		if d.Once(2) {
			other = &node{raw: nasty(d, other.raw)}
		}
		n.items = append(n.items, other)
		if n.kind == '{' {
			n.names = append(n.names, n.names[i])
		}
	case 2: // under another name
		if n.kind == '{' {
			n.names[i] = Pick(d, []string{`"__proto__"`, `""`, `"URI"`, `"id"`, `"\ud800"`, `"` + strings.Trim(strings.ToUpper(n.names[i]), `"`) + `"`})
		}
	case 3: // another kind of value
		n.items[i] = &node{kind: '[', items: []*node{n.items[i]}}
	default:
		n.items[i] = &node{raw: nasty(d, n.items[i].raw)}
	}
}

// nasties are values that a decoder may not expect.
var nasties = []string{
	`null`, `true`, `false`, `0`, `-1`, `1`, `2`, `1.5`, `-0`, `1e3`, `1e308`, `1e-400`, `2147483648`, `-2147483649`, `4294967295`, `4294967296`,
	`9007199254740993`, `9223372036854775807`, `9223372036854775808`, `-9223372036854775809`, `§400*9§`,
	`""`, `" "`, `"\u0000"`, `"\ud800"`, `"\udc00x"`, "\"\xff\xfe\"", "\"\xed\xa0\x80\"", `"\r"`, `"\n"`, `"\r\n\r\n"`, "\"\ufeff\"", `"é😀\u0301"`,
	`"§70000*x§"`, `"§2000*a\n§"`, `"§3000*../§etc/passwd"`, `"../../../../etc/passwd"`, `"/etc/passwd"`, `"/dev/zero"`, `"/proc/self/mem"`, `".git/config"`, `".."`, `"."`, `"/"`,
	`"file:///"`, `"file://host/share"`, `"file:///%00"`, `"%zz"`, `"untitled:doc"`, `"untitled:"`, `":"`, `"patchls-diff:x"`, `"http://[::1"`, `"a.txt"`, `"CON"`,
	`[]`, `{}`, `[null]`, `[[]]`, `{"":{}}`, `[{}]`, `{"a":1,"a":2}`, `§200*[§§200*]§`, `§200*{"a":§1§200*}§`, `§20000*[§§20000*]§`, `[§2000*0,§0]`,
}

// nasty returns a value to stand where raw is right.
func nasty(d *Dice, raw string) string {
	switch {
	case strings.HasPrefix(raw, `"`) && d.Once(2): // near to the right one
		inside := strings.Trim(raw, `"`)
		return Pick(d, []string{`"` + inside + `\u0000"`, `"x` + inside + `"`, `"` + inside + inside + `"`, `"` + strings.ToUpper(strings.ReplaceAll(inside, `\`, ``)) + `"`, `["` + inside + `"]`})
	case d.Once(40): // no value at all
		return Pick(d, []string{``, `nul`, `01`, `"`, `'a'`, `NaN`, `{`, `]`, `"\x"`, "\"\n\"", `§100000*[§`, `// x`})
	}
	return Pick(d, nasties)
}
