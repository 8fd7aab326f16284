package metamodel_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchls/patchls/internal/testkit/metamodel"
)

// excerpt has one of each kind of type, so that these tests need no other file.
const excerpt = `{
	"requests": [{"method": "ask", "messageDirection": "serverToClient", "params": {"kind": "reference", "name": "Params"}, "result": {"kind": "base", "name": "null"}}],
	"notifications": [{"method": "tell", "messageDirection": "both"}],
	"structures": [
		{"name": "Base", "properties": [{"name": "name", "type": {"kind": "base", "name": "string"}}]},
		{"name": "Mixed", "properties": [{"name": "flag", "optional": true, "type": {"kind": "base", "name": "boolean"}}]},
		{"name": "Params", "extends": [{"kind": "reference", "name": "Base"}], "mixins": [{"kind": "reference", "name": "Mixed"}], "properties": [
			{"name": "pair", "optional": true, "type": {"kind": "tuple", "items": [{"kind": "base", "name": "integer"}, {"kind": "base", "name": "decimal"}]}},
			{"name": "map", "optional": true, "type": {"kind": "map", "key": {"kind": "base", "name": "string"}, "value": {"kind": "array", "element": {"kind": "base", "name": "URI"}}}},
			{"name": "either", "optional": true, "type": {"kind": "or", "items": [{"kind": "stringLiteral", "value": "yes"}, {"kind": "reference", "name": "Base"}]}},
			{"name": "both", "optional": true, "type": {"kind": "and", "items": [{"kind": "reference", "name": "Base"}, {"kind": "reference", "name": "Mixed"}]}},
			{"name": "literal", "optional": true, "type": {"kind": "literal", "value": {"properties": [{"name": "a", "type": {"kind": "base", "name": "uinteger"}}]}}},
			{"name": "color", "optional": true, "type": {"kind": "reference", "name": "Color"}}
		]}
	],
	"enumerations": [{"name": "Color", "type": {"kind": "base", "name": "string"}, "values": [{"value": "red"}]}]
}`

func TestEveryKindOfType(t *testing.T) {
	m, err := metamodel.Parse([]byte(excerpt))
	if err != nil {
		t.Fatal(err)
	}
	for member, want := range map[string]string{
		``:                            ``,
		`,"flag":true`:                ``,
		`,"flag":1`:                   `ask.flag: is 1, not boolean`,
		`,"pair":[-1,2.5]`:            ``,
		`,"pair":[1]`:                 `ask.pair: is [1], not an array of 2`,
		`,"pair":[1.5,2]`:             `ask.pair[0]: is 1.5, not integer`,
		`,"map":{"a":["x:y"]}`:        ``,
		`,"map":{"a":["y"]}`:          `ask.map.a[0]: is "y", not URI`,
		`,"map":[]`:                   `ask.map: is [], not an object`,
		`,"either":"yes"`:             ``,
		`,"either":{"name":"x"}`:      ``,
		`,"either":{"name":5}`:        `ask.either.name: is 5, not string`,
		`,"both":{"name":"x"}`:        ``,
		`,"both":{"flag":true}`:       `ask.both: it needs "name"`,
		`,"literal":{"a":1}`:          ``,
		`,"literal":{"a":1,"b":1}`:    `ask.literal: it has no "b"`,
		`,"literal":{"a":2147483648}`: `ask.literal.a: is 2147483648, not uinteger`,
		`,"color":"red"`:              ``,
		`,"color":"blue"`:             `ask.color: is "blue", not one of [red]`,
		`,"other":1`:                  `ask: Params has no "other"`,
	} {
		if got := talk(m, `>{"jsonrpc":"2.0","id":1,"method":"ask","params":{"name":"x"`+member+`}}`); got != want {
			t.Errorf("%s: found %q, want %q", member, got, want)
		}
	}
}

func TestMetaModelsThatCannotBeRead(t *testing.T) {
	for name, test := range map[string]struct{ model, want string }{
		"no JSON":         {`{`, "meta-model"},
		"an unknown name": {strings.Replace(excerpt, `"name": "Color"}`, `"name": "Colour"}`, 1), "nothing is called Colour"},
		"an unknown kind": {strings.Replace(excerpt, `"kind": "tuple"`, `"kind": "triple"`, 1), `not known: "triple"`},
	} {
		if _, err := metamodel.Parse([]byte(test.model)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q in it", name, err, test.want)
		}
	}
}

func TestAnAbsentMetaModelIsSaid(t *testing.T) {
	t.Setenv(metamodel.Variable, "")
	_, err := metamodel.Load(filepath.Join(t.TempDir(), "none.json"))
	if !errors.Is(err, metamodel.ErrAbsent) || !strings.Contains(err.Error(), metamodel.Variable) {
		t.Errorf("%v", err)
	}
}
