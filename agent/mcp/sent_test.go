package mcp_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchls/patchls/agent/mcp"
)

// node is a node of the schema of a tool's arguments, as JSON.
type node = map[string]any

// lists returns the tools of every list that a client may be shown, by the flags for it.
func lists(t *testing.T) map[string]*sdk.ClientSession {
	t.Helper()
	all := map[string]*sdk.ClientSession{}
	add := func(name string, opts mcp.Options) {
		opts.Connect = connectTo(mcp.Session{})
		all[name] = client(t, opts, nil)
	}
	for _, dialect := range mcp.Dialects() {
		add(dialect, mcp.Options{Dialect: dialect})
	}
	add("--structured", mcp.Options{Structured: true})
	add("--review-tools", mcp.Options{ReviewTools: true})
	add("--structured --review-tools", mcp.Options{Structured: true, ReviewTools: true})
	return all
}

// schemaOf returns the schema of a tool's arguments.
func schemaOf(t *testing.T, tool *sdk.Tool) (schema node) {
	t.Helper()
	if err := json.Unmarshal([]byte(mustJSON(tool.InputSchema)), &schema); err != nil {
		t.Fatal(err)
	}
	return schema
}

// members returns the properties of an object, by name.
func members(schema node) map[string]node {
	all := map[string]node{}
	properties, _ := schema["properties"].(node)
	for name, p := range properties {
		all[name], _ = p.(node)
	}
	return all
}

var (
	wordsOfSchemas = []string{"type", "properties", "required", "additionalProperties", "items", "enum", "description"}
	nameOfArgument = regexp.MustCompile(`^[a-z][a-z0-9_]{0,39}$`)
)

// wrongs returns what an API of a model or a client program refuses of a node, at any depth.
func wrongs(at string, schema node) (all []string) {
	wrong := func(format string, args ...any) { all = append(all, at+": "+fmt.Sprintf(format, args...)) }
	for _, word := range slices.Sorted(maps.Keys(schema)) {
		if !slices.Contains(wordsOfSchemas, word) {
			wrong("has %s", word)
		}
	}
	kind, _ := schema["type"].(string)
	if !slices.Contains([]string{"object", "array", "string", "integer", "boolean"}, kind) {
		wrong("type %v", schema["type"])
	}
	doc, _ := schema["description"].(string)
	if len(doc) > 1000 {
		wrong("a description of %d bytes", len(doc))
	}
	if enum, has := schema["enum"].([]any); has {
		for _, word := range enum {
			if s, _ := word.(string); s == "" || kind != "string" {
				wrong("the word %v", word)
			}
		}
	}
	switch items, _ := schema["items"].(node); {
	case kind == "array" && items == nil:
		wrong("no items")
	case kind == "array":
		all = append(all, wrongs(at+"[]", items)...)
	case kind != "object":
	case schema["properties"] == nil:
		wrong("no properties")
	default:
		if schema["additionalProperties"] != false {
			wrong("additionalProperties %v", schema["additionalProperties"])
		}
		properties := members(schema)
		required, _ := schema["required"].([]any)
		for _, name := range required {
			if _, has := properties[fmt.Sprint(name)]; !has {
				wrong("%v is required and not declared", name)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			if !nameOfArgument.MatchString(name) {
				wrong("the name %s", name)
			}
			all = append(all, wrongs(at+"."+name, properties[name])...)
		}
	}
	return all
}

// A model's API refuses a whole request for one schema that it does not take.
func TestSchemasForEveryVendor(t *testing.T) {
	for list, c := range lists(t) {
		all, size := tools(t, c), 0
		for name, tool := range all {
			size += len(mustJSON(tool))
			schema := schemaOf(t, tool)
			for _, wrong := range wrongs(list+" "+name, schema) {
				t.Error(wrong)
			}
			if raw := mustJSON(schema); len(raw) > 3500 || schema["type"] != "object" || !nameOfArgument.MatchString(name) || len(tool.Description) > 1000 {
				t.Errorf("%s %s: a schema of %d bytes, type %v, a description of %d", list, name, len(raw), schema["type"], len(tool.Description))
			}
		}
		if size > 14_000 || len(all) > 20 {
			t.Errorf("%s: %d tools take %d bytes", list, len(all), size)
		}
		if said := c.InitializeResult().Instructions; len(said) > 2000 {
			t.Errorf("%s: the instructions take %d bytes", list, len(said))
		}
	}
	for _, bad := range []string{
		`{"type":"object","additionalProperties":false}`,
		`{"type":["null","string"]}`, `{"type":"array"}`, `{"type":"string","const":"a"}`, `{"anyOf":[]}`, `{}`,
		`{"type":"integer","enum":[1]}`, `{"type":"integer","default":3}`, `{"type":"string","format":"uri"}`,
		`{"type":"object","properties":{"A":{"type":"string"}},"additionalProperties":false}`,
		`{"type":"object","properties":{},"required":["a"],"additionalProperties":false}`,
		`{"type":"array","items":{"type":"object","properties":{"a":{"type":["null","string"]}},"additionalProperties":false}}`,
	} {
		var schema node
		if err := json.Unmarshal([]byte(bad), &schema); err != nil || wrongs("", schema) == nil {
			t.Errorf("nothing is wrong with %s (%v)", bad, err)
		}
	}
}

// sentCalls are calls that succeed, by dialect. Each is made in a world of its own, after the call of firstCalls.
var sentCalls = map[string][]string{
	"native": {
		`view {"path":"a.txt"}`,
		`view {"path":"a.txt","start_line":2,"end_line":3}`,
		`str_replace {"path":"a.txt","old_str":"two","new_str":"2"}`,
		`str_replace {"path":"a.txt","old_str":"e","replace_all":true}`,
		`str_replace {"path":"a.txt","old_str":"o","new_str":"0","near_line":1,"match":"lenient"}`,
		`insert {"path":"a.txt","after_line":2,"content":"new"}`,
		`insert {"path":"a.txt","after_line":0,"content":"new"}`,
		`insert {"path":"a.txt","before_line":2,"content":"new"}`,
		`delete_lines {"path":"a.txt","start_line":1,"end_line":2}`,
		`edit_lines {"path":"a.txt","edits":[{"from":1,"to":1,"content":"1","expect":"one"}]}`,
		`edit_lines {"path":"a.txt","edits":[{"from":2,"content":"new"}]}`,
		`edit_lines {"path":"a.txt","edits":[{"from":2,"to":2},{"from":4,"content":"4"}]}`,
		`apply_patch {"patch":"@@\n-two\n+2\n","path":"a.txt","on_ambiguous":"first","match":"exact"}`,
		`create {"path":"new.txt","content":"1\n"}`,
		`create {"path":"a.txt","content":"1\n","overwrite":true}`,
		`write {"path":"a.txt","content":"1\n"}`,
		`undo {}`, `undo {"edit_id":"e1"}`, `save {}`, `save {"paths":["b.txt"]}`, `list {}`,
		`keep {"path":"b.txt"}`, `keep {"edit_id":"e1","hunk":1}`, `revert {"path":"b.txt"}`, `revert {"edit_id":"e1"}`,
	},
	"claude": {
		`str_replace_based_edit_tool {"command":"view","path":"a.txt"}`,
		`str_replace_based_edit_tool {"command":"view","path":"a.txt","view_range":[2,3]}`,
		`str_replace_based_edit_tool {"command":"create","path":"new.txt","file_text":"1\n"}`,
		`str_replace_based_edit_tool {"command":"str_replace","path":"a.txt","old_str":"two","new_str":"2"}`,
		`str_replace_based_edit_tool {"command":"str_replace","path":"a.txt","old_str":"two"}`,
		`str_replace_based_edit_tool {"command":"insert","path":"a.txt","insert_line":2,"insert_text":"new"}`,
		`str_replace_based_edit_tool {"command":"insert","path":"a.txt","insert_line":0,"new_str":"new"}`,
	},
	"codex": {`apply_patch {"input":"*** Begin Patch\n*** Update File: a.txt\n@@\n-two\n+2\n*** End Patch\n"}`},
	"agent-zero": {
		`text_editor {"action":"read","path":"a.txt"}`,
		`text_editor {"action":"read","path":"a.txt","line_from":2,"line_to":3}`,
		`text_editor {"action":"write","path":"a.txt","content":"1\n"}`,
		`text_editor {"action":"patch","path":"b.txt","edits":[{"from":1,"to":1,"content":"1"}]}`,
		`text_editor {"action":"patch","path":"b.txt","edits":[{"from":2,"content":"new"},{"from":1,"to":1}]}`,
		`text_editor {"action":"patch","path":"a.txt","patch_text":"@@\n-two\n+2\n"}`,
		`text_editor {"action":"patch","path":"a.txt","old_text":"two","new_text":"2"}`,
		`text_editor {"action":"patch","path":"a.txt","old_text":"two"}`,
	},
	"smarthole": {
		`edit_file {"path":"a.txt","old_text":"two","new_text":"2"}`,
		`edit_file {"path":"a.txt","old_text":"e","new_text":"","replace_all":true}`,
		`edit_file {"path":"a.txt","insert_after_line":2,"content":"new"}`,
		`edit_file {"path":"a.txt","insert_after_line":0,"content":"new"}`,
		`edit_file {"path":"a.txt","insert_before_line":2,"content":"new"}`,
		`edit_file {"path":"a.txt","delete_lines":{"start":1,"end":2}}`,
		`read_file {"path":"a.txt"}`, `read_file {"path":"a.txt","start_line":2,"end_line":3}`,
		`write_file {"path":"a.txt","content":"1\n"}`,
	},
}

// firstCalls edit b.txt, so that there is something to undo, to save and to review, and show it.
var firstCalls = map[string]string{
	"native":     `str_replace {"path":"b.txt","old_str":"two","new_str":"zwei"}`,
	"claude":     `str_replace_based_edit_tool {"command":"str_replace","path":"b.txt","old_str":"two","new_str":"zwei"}`,
	"codex":      `apply_patch {"input":"*** Begin Patch\n*** Update File: b.txt\n@@\n-two\n+zwei\n*** End Patch\n"}`,
	"agent-zero": `text_editor {"action":"read","path":"b.txt"}`,
	"smarthole":  `edit_file {"path":"b.txt","old_text":"two","new_text":"zwei"}`,
}

// outcome is what a call said and left in the editor, in a world of its own.
func outcome(t *testing.T, dialect, tool, arguments string) string {
	t.Helper()
	const text = "one\ntwo\nthree\nfour\n"
	w := newWorld(t, dialect, "a.txt", text, "b.txt", text)
	name, first, _ := strings.Cut(firstCalls[dialect], " ")
	w.did(name, first)
	r := call(t, w.ClientSession, tool, arguments)
	out := fmt.Sprintf("isError %v\n%s", r.IsError, strings.TrimSuffix(said(t, r), "\n"))
	for _, path := range []string{"a.txt", "b.txt", "new.txt"} {
		if b, ok := w.editor.Buffer(path); ok {
			out += "\n" + path + ": " + b.Text()
		}
	}
	return out
}

// variants returns calls that mean the same as given, as clients change it, by what they do.
func variants(schema node, given map[string]any) map[string]string {
	all := map[string]string{}
	add := func(what string, change func(name string, p node, value any, given bool) (any, bool)) {
		all[what] = mustJSON(changed(schema, given, change))
	}
	unset := func(value func(p node) any) func(string, node, any, bool) (any, bool) {
		return func(_ string, p node, v any, given bool) (any, bool) {
			if given {
				return v, true
			}
			return value(p), true
		}
	}
	add("null for what is not set", unset(func(node) any { return nil }))
	add("its default for what is not set", unset(func(p node) any {
		if value, is := saidDefault(p["description"]); is {
			return value
		}
		return zero(p)
	}))
	add("an empty text for what is not set", func(name string, p node, v any, given bool) (any, bool) {
		if given || p["type"] == "string" && p["enum"] == nil {
			return v, given
		}
		return "", true
	})
	add("a list of an empty text for what is not set", func(_ string, p node, v any, given bool) (any, bool) {
		if items, _ := p["items"].(node); !given && items["type"] == "string" {
			return []any{""}, true
		}
		return v, given
	})
	add("an object, or a list of as many, of nothing for what is not set", unset(func(p node) any {
		switch items, _ := p["items"].(node); {
		case p["type"] == "object":
			return node{}
		case items["type"] == "integer":
			return []any{0, 0}
		case items != nil:
			return []any{nil}
		}
		return nil
	}))
	as := func(kinds ...string) func(string, node, any, bool) (any, bool) {
		return func(_ string, p node, v any, given bool) (any, bool) {
			if kind, _ := p["type"].(string); given && slices.Contains(kinds, kind) {
				return mustJSON(v), true
			}
			return v, given
		}
	}
	add("numbers and truth values as text", as("integer", "boolean"))
	add("lists and objects as text", as("array", "object"))
	add("all of these as text", as("array", "object", "integer", "boolean"))
	add("one for a list of one", func(_ string, p node, v any, given bool) (any, bool) {
		list, _ := v.([]any)
		if items, _ := p["items"].(node); len(list) == 1 && items["type"] != "integer" {
			return list[0], true
		}
		return v, given
	})
	number := regexp.MustCompile(`^(\d+|true|false)$`)
	add("a number for a text", func(_ string, p node, v any, given bool) (any, bool) {
		if s, is := v.(string); is && p["enum"] == nil && number.MatchString(s) {
			return json.RawMessage(s), true
		}
		return v, given
	})
	all["all in a text"] = mustJSON(mustJSON(given))
	all["arguments of clients"] = mustJSON(addedTo(schema, given))
	more := addedTo(schema, given)
	for name := range more {
		if kind := members(schema)[name]["type"]; kind == "array" || kind == "object" {
			more[name] = mustJSON(more[name])
		}
	}
	all["arguments of clients, and lists and objects as text"] = mustJSON(more)
	return all
}

// addedTo returns an object with what clients add to it, and to the objects in it.
func addedTo(schema node, given map[string]any) map[string]any {
	properties, all := members(schema), map[string]any{}
	for name, value := range given {
		switch v := value.(type) {
		case map[string]any:
			value = addedTo(properties[name], v)
		case []any:
			list := slices.Clone(v)
			items, _ := properties[name]["items"].(node)
			for i, item := range list {
				if o, is := item.(map[string]any); is {
					list[i] = addedTo(items, o)
				}
			}
			value = list
		}
		all[name] = value
	}
	for _, name := range []string{"task_progress", "toolCallId", "sessionId", "chatInput", "action", "random_string", "_meta", "_context"} {
		if _, has := properties[name]; !has {
			all[name] = "x"
		}
	}
	return all
}

// defaultInWords is at the end of the description of an argument that has a default.
var defaultInWords = regexp.MustCompile(`\(default (.*)\)$`)

// saidDefault returns the default that a description says, if it says one.
func saidDefault(description any) (value any, is bool) {
	m := defaultInWords.FindStringSubmatch(fmt.Sprint(description))
	if m == nil {
		return nil, false
	}
	if json.Unmarshal([]byte(m[1]), &value) != nil {
		value = m[1] // a word
	}
	return value, true
}

// zero returns the value of a type that says nothing.
func zero(p node) any {
	switch p["type"] {
	case "integer":
		return 0
	case "boolean":
		return false
	case "array":
		return []any{}
	case "object":
		all := map[string]any{}
		for name, p := range members(p) {
			all[name] = zero(p)
		}
		return all
	}
	return ""
}

// changed returns given with each argument changed, also those of objects and of the objects in lists.
func changed(schema node, given map[string]any, change func(name string, p node, value any, given bool) (any, bool)) map[string]any {
	all := map[string]any{}
	for name, p := range members(schema) {
		value, has := given[name]
		if inner, is := value.(map[string]any); is {
			value = changed(p, inner, change)
		}
		if list, is := value.([]any); is {
			list = slices.Clone(list)
			items, _ := p["items"].(node)
			for i, item := range list {
				if inner, is := item.(map[string]any); is {
					list[i] = changed(items, inner, change)
				}
			}
			value = list
		}
		if value, has = change(name, p, value, has); has {
			all[name] = value
		}
	}
	return all
}

// What the schema allows, and what clients make of it, is the same call.
func TestSentByClients(t *testing.T) {
	t.Parallel()
	note := regexp.MustCompile(`note: The argument "[\w.[\]]+", which [\w ]+ adds, was left out\.\n`)
	for dialect, calls := range sentCalls {
		t.Run(dialect, func(t *testing.T) {
			t.Parallel()
			called := map[string]bool{}
			all := tools(t, newWorld(t, dialect).ClientSession)
			for _, line := range calls {
				tool, arguments, _ := strings.Cut(line, " ")
				if called[tool] && testing.Short() { // one call of each tool
					continue
				}
				called[tool] = true
				var given map[string]any
				if err := json.Unmarshal([]byte(arguments), &given); err != nil {
					t.Fatal(err)
				}
				want := outcome(t, dialect, tool, arguments)
				if strings.HasPrefix(want, "isError true") {
					t.Fatalf("%s: %s", line, want)
				}
				for what, sent := range variants(schemaOf(t, all[tool]), given) {
					got := outcome(t, dialect, tool, sent)
					notes := note.FindAllString(got, -1)
					if got = note.ReplaceAllString(got, ""); got != want {
						t.Errorf("%s: %s %s\n%s\nwant\n%s", what, tool, sent, got, want)
					}
					if (len(notes) > 0) != strings.HasPrefix(what, "arguments of clients") {
						t.Errorf("%s: %s: notes %q", what, sent, notes)
					}
				}
			}
			if want := slices.Sorted(maps.Keys(all)); !slices.Equal(slices.Sorted(maps.Keys(called)), want) {
				t.Errorf("called are %v of %v", slices.Sorted(maps.Keys(called)), want)
			}
		})
	}
}
