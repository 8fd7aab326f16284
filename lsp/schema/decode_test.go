package schema_test

import (
	"encoding/json"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchls/patchls/lsp/schema"
)

// sent has an argument of each kind.
type sent struct {
	Text  string   `json:"text,omitempty"`
	Maybe *string  `json:"maybe,omitempty"`
	Word  string   `json:"word,omitempty" enum:"a,b"`
	Line  int      `json:"line,omitempty"`
	After *int     `json:"after,omitempty"`
	Flag  bool     `json:"flag,omitempty"`
	Names []string `json:"names,omitempty"`
	Range []int    `json:"range,omitempty"`
	Items []item   `json:"items,omitempty"`
	One   *item    `json:"one,omitempty"`
}

type item struct {
	From int     `json:"from"`
	New  *string `json:"new,omitempty"`
}

// What clients make of an argument is undone if it has one reading, and only then.
func TestDecode(t *testing.T) {
	for _, tt := range []struct{ raw, want string }{
		{`null`, `{}`},
		{`"{\"line\":\"3\"}"`, `{"line":3}`},
		{`{"text":null,"maybe":null,"word":null,"line":null,"after":null,"flag":null,"names":null,"range":null,"items":null}`, `{}`},
		{`{"word":"","line":"","after":"","flag":"","names":null,"range":"","items":""}`, `{}`},
		{`{"text":"","maybe":""}`, `{"maybe":""}`},
		{`{"text":"null","maybe":"true"}`, `{"text":"null","maybe":"true"}`},
		{`{"text":1.50,"maybe":1E3}`, `{"text":"1.50","maybe":"1E3"}`},
		{`{"text":true,"maybe":false}`, `{"text":"true","maybe":"false"}`},
		{`{"text":12345678901234567890123}`, `{"text":"12345678901234567890123"}`},
		{`{"text":[]}`, `"text" must be a string, not a list.`},
		{`{"text":{"a":1}}`, `"text" must be a string, not an object.`},
		{`{"word":"c"}`, `"word" must be "a" or "b", not "c".`},
		{`{"word":1}`, `"word" must be "a" or "b", not "1".`},
		{`{"line":"3","after":" 4\n"}`, `{"line":3,"after":4}`},
		{`{"line":"3.0"}`, `{"line":3}`},
		{`{"line":"3.5"}`, `"line" must be a whole number, not 3.5.`},
		{`{"line":"three"}`, `"line" must be a whole number, not a string.`},
		{`{"line":"03"}`, `"line" must be a whole number, not a string.`},
		{`{"line":"null"}`, `"line" must be a whole number, not a string.`},
		{`{"line":true}`, `"line" must be a whole number, not true.`},
		{`{"line":[3]}`, `"line" must be a whole number, not a list.`},
		{`{"flag":"true"}`, `{"flag":true}`},
		{`{"flag":"True"}`, `{"flag":true}`},
		{`{"flag":"FALSE"}`, `{}`},
		{`{"flag":"yes"}`, `"flag" must be true or false, not a string.`},
		{`{"flag":1}`, `"flag" must be true or false, not 1.`},
		{`{"names":"a.txt"}`, `{"names":["a.txt"]}`},
		{`{"names":"[\"a\", \"b\"]"}`, `{"names":["a","b"]}`},
		{`{"names":"[draft].txt"}`, `{"names":["[draft].txt"]}`},
		{`{"names":"null"}`, `{"names":["null"]}`},
		{`{"names":"7"}`, `{"names":["7"]}`},
		{`{"names":["a",7]}`, `{"names":["a","7"]}`},
		{`{"names":7}`, `"names" must be a list, not 7.`},
		{`{"names":{"a":1}}`, `"names" must be a list, not an object.`},
		{`{"names":[null]}`, `{}`},
		{`{"names":[""]}`, `{}`},
		{`{"names":["","a"]}`, `{"names":["a"]}`},
		{`{"names":[null,"a",null],"range":[null,2],"items":[null]}`, `{"names":["a"],"range":[2]}`},
		{`{"range":"[1, \"2\"]"}`, `{"range":[1,2]}`},
		{`{"range":5}`, `"range" must be a list, not 5.`},
		{`{"range":"1-2"}`, `"range" must be a list, not a string.`},
		{`{"range":["",2]}`, `"range[0]" must be a whole number, not a string.`},
		{`{"items":{"from":"1"}}`, `{"items":[{"from":1}]}`},
		{`{"items":"{\"from\":1,\"new\":null}"}`, `{"items":[{"from":1}]}`},
		{`{"items":["{\"from\":1}",{"from":2,"new":7}]}`, `{"items":[{"from":1},{"from":2,"new":"7"}]}`},
		{`{"items":"[{\"from\":1,\"new\":\"\\ud83d\"}]"}`, `"items" must be a list, not a string.`},
		{`{"items":[{"from":null}]}`, `The argument "items[0].from" is missing: .`},
		{`{"items":[{"from":1,"_meta":2}]}`, `Unknown argument "items[0]._meta": the arguments are from, new.`},
		{`{"one":"{\"from\":\"2\"}"}`, `{"one":{"from":2}}`},
		{`{"one":""}`, `{}`},
		{`{"one":[{"from":2}]}`, `one must be an object with names, not a list.`},
		{`["a"]`, `The arguments must be an object with names, not a list.`},
		{`"a"`, `The arguments must be an object with names, not a string.`},
	} {
		var got sent
		_, err := schema.Decode([]jsontext.Value{jsontext.Value(tt.raw)}, &got)
		said := ""
		if err != nil {
			said = err.Error()
		} else if raw, err := json.Marshal(got); err == nil {
			said = string(raw)
		}
		if said != tt.want {
			t.Errorf("%s: %s, want %s", tt.raw, said, tt.want)
		}
	}
}
