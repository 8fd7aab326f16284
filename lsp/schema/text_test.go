package schema_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/patchls/patchls/lsp/schema"
)

// What encoding/json would take for something else is refused, by the name of its
// argument.
func TestTextIsAsSent(t *testing.T) {
	for _, tt := range []struct{ raw, want string }{
		{`{}`, ""},
		{` { "a" : [ 1 , -2.5e3 , true , null , { } , [ ] ] , "b" : "" } `, ""},
		{`{"path":"a","new_str":"\ud83d\ude00 \u00e4 \\ud83d \"\\\" 😀 \ufffd"}`, ""},
		{`{"edits":[{"from":1,"to":2},{"from":3,"to":4}]}`, ""},
		{`{"new_str":"\ud83d"}`, `"new_str" has \ud83d, which is half`},
		{`{"new_str":"a\ud83db"}`, `"new_str" has \ud83d`},
		{`{"new_str":"\ude00\ud83d"}`, `"new_str" has \ude00`},
		{`{"new_str":"\uD83D\u0041"}`, `"new_str" has \uD83D`},
		{`{"new_str":"\uD83D\n"}`, `"new_str" has \uD83D`},
		{`{"new_str":"\ud83d\ud83d\ude00"}`, `"new_str" has \ud83d`},
		{"{\"new_str\":\"caf\xe9\"}", `"new_str" is not UTF-8`},
		{"{\"new_str\":\"\xed\xa0\xbd\"}", `"new_str" is not UTF-8`},
		{"{\"caf\xe9\":1}", `The name of an argument is not UTF-8`},
		{`{"\ud83d":1}`, `The name of an argument has \ud83d`},
		{`{"path":"a","path":"a"}`, `"path" is given twice`},
		{`{"path":"a","p\u0061th":"b"}`, `"path" is given twice`},
		{`{"edits":[{"from":1},{"from":2,"content":"\ud83d"}]}`, `"edits[1].content" has \ud83d`},
		{`{"delete_lines":{"start":1,"start":2}}`, `"delete_lines.start" is given twice`},
	} {
		if !json.Valid([]byte(tt.raw)) {
			t.Fatalf("%q is not JSON", tt.raw)
		}
		got := ""
		if _, err := schema.Object(json.RawMessage(tt.raw)); err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, tt.want) || got != "" && tt.want == "" {
			t.Errorf("%q: %q, want %q", tt.raw, got, tt.want)
		}
	}
}
