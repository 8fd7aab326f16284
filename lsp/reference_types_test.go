package lsp_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/lsp"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/proposal"
	"github.com/patchls/patchls/lsp/reference"
	"github.com/patchls/patchls/lsp/review"
	"github.com/patchls/patchls/lsp/transaction"
	"github.com/patchls/patchls/lsp/view"
)

// wire has the types of what goes over a connection, for authors of clients: the arguments of the commands, and, by
// their names in docs/build/results.md, what a command is answered.
type wire struct {
	types map[string]*jsonschema.Schema
	names map[reflect.Type]string
	docs  map[string]string // of members of results and errors, from docs/build/results.md
}

// otherAnswers are the types of answers that do not come from a command that edits. A reference tool may do either.
var otherAnswers = map[string]any{"view": view.View{}, "list": view.Listing{}, "keep": review.KeepResult{}}

func wireTypes(t *testing.T) *wire {
	page, err := os.ReadFile("../docs/build/results.md")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{types: map[string]*jsonschema.Schema{}, docs: map[string]string{}, names: map[reflect.Type]string{
		reflect.TypeFor[transaction.Result]():     "Result",
		reflect.TypeFor[transaction.FileResult](): "FileResult",
		reflect.TypeFor[edits.Hunk]():             "Hunk",
		reflect.TypeFor[view.View]():              "View",
		reflect.TypeFor[view.Listing]():           "List",
		reflect.TypeFor[view.DocumentInfo]():      "Document",
		reflect.TypeFor[view.EditInfo]():          "Edit",
		reflect.TypeFor[view.MarkInfo]():          "Mark",
		reflect.TypeFor[review.KeepResult]():      "Kept",
		reflect.TypeFor[reference.Reading]():      "Reading",
		reflect.TypeFor[transaction.ErrorData]():  "ErrorData",
		reflect.TypeFor[edits.Kind]():             "ErrorKind",
		reflect.TypeFor[edits.Candidate]():        "Candidate",
		reflect.TypeFor[edits.Match]():            "Match",
		reflect.TypeFor[edits.Suggestion]():       "Suggestion",
		reflect.TypeFor[proposal.Decision]():      "Decision",
	}}
	w.document("Result", string(page), "Results")
	w.document("ErrorData", string(page), "Errors")
	for of := range w.names {
		w.add(of)
	}
	w.types["ErrorKind"].Enum = nil
	for _, kind := range kindsOfErrors(t) {
		w.types["ErrorKind"].Enum = append(w.types["ErrorKind"].Enum, kind)
	}
	return w
}

var (
	contractRow = regexp.MustCompile("(?m)^\\| (`[^|]*`) \\| (.*) \\|$")
	contractRef = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
)

// document takes what the members of a type are from the table below a heading of docs/build/results.md.
func (w *wire) document(name, page, heading string) {
	_, section, _ := strings.Cut(page, "\n## "+heading+"\n")
	section, _, _ = strings.Cut(section, "\n#")
	for _, m := range contractRow.FindAllStringSubmatch(section, -1) {
		of := name
		for member := range strings.SplitSeq(m[1], ", ") {
			member = strings.Trim(member, "`")
			if inner, ok := strings.CutPrefix(member, "files[]."); ok {
				of, member = "FileResult", inner
			}
			w.docs[of+"."+member] = contractRef.ReplaceAllString(m[2], "$1")
		}
	}
}

// kindsOfErrors returns all kinds of errors, as the code lists them.
func kindsOfErrors(t *testing.T) (kinds []string) {
	source, err := os.ReadFile("../edits/kinds.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`Kind = "(\w+)"`).FindAllStringSubmatch(string(source), -1) {
		kinds = append(kinds, m[1])
	}
	return kinds
}

// add adds a type, whose struct has no embedded struct with a name of its own.
func (w *wire) add(t reflect.Type) {
	of := &jsonschema.Schema{Type: "string"}
	if t.Kind() == reflect.Struct {
		of.Type, of.Properties = "object", map[string]*jsonschema.Schema{}
		for _, f := range reflect.VisibleFields(t) {
			name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			if f.Anonymous || name == "" {
				continue
			}
			member := w.of(f.Type)
			member.Description = w.docs[w.names[t]+"."+name]
			if of.Properties[name], of.PropertyOrder = member, append(of.PropertyOrder, name); options != "omitempty" {
				of.Required = append(of.Required, name)
			}
		}
	}
	w.types[w.names[t]] = of
}

// of returns the schema of a value of type t.
func (w *wire) of(t reflect.Type) *jsonschema.Schema {
	if name, ok := w.names[t]; ok {
		return &jsonschema.Schema{Ref: "#/$defs/" + name}
	}
	switch {
	case t == reflect.TypeFor[json.RawMessage](), t == reflect.TypeFor[protocol.TextEdit]():
		return &jsonschema.Schema{Type: "object"} // as LSP defines it
	case t.Kind() == reflect.Pointer:
		return w.of(t.Elem())
	case t.Kind() == reflect.Slice:
		return &jsonschema.Schema{Type: "array", Items: w.of(t.Elem())}
	case t.Kind() == reflect.Struct:
		inner := &wire{types: map[string]*jsonschema.Schema{}, names: maps.Clone(w.names), docs: w.docs}
		inner.names[t] = "it"
		inner.add(t)
		return inner.types["it"]
	}
	words := map[reflect.Kind]string{reflect.Bool: "boolean", reflect.Int: "integer", reflect.Int32: "integer", reflect.Float64: "number", reflect.Map: "object"}
	return &jsonschema.Schema{Type: cmp.Or(words[t.Kind()], "string")}
}

// answer returns the names of the types that the answer to a command may have.
func (w *wire) answer(c *lsp.Command) []string {
	switch of := otherAnswers[c.Name]; {
	case of != nil:
		return []string{w.names[reflect.TypeOf(of)]}
	case !c.Edits():
		return []string{"Reading"}
	case c.Imitates() && c.Name != "edit_file" && c.Name != "write_file":
		return []string{"Result", "Reading"}
	}
	return []string{"Result"}
}

// schema returns docs/commands.schema.json: the parameters of workspace/executeCommand. The arguments of each command are a
// definition by the command's LSP name.
func (w *wire) schema() string {
	all := &jsonschema.Schema{
		Schema:      "https://json-schema.org/draft/2020-12/schema",
		Title:       "patchls commands",
		Description: "The parameters of workspace/executeCommand. Answers are defined by the names of their types, and ErrorData is the data of an error.",
		Defs:        maps.Clone(w.types),
	}
	for i := range lsp.Commands {
		name := commands.Prefix + lsp.Commands[i].Name
		all.Defs[name] = lsp.Commands[i].Schema()
		one := 1
		all.OneOf = append(all.OneOf, &jsonschema.Schema{
			Type: "object", Required: []string{"command", "arguments"}, PropertyOrder: []string{"command", "arguments"},
			Properties: map[string]*jsonschema.Schema{
				"command":   {Type: "string", Enum: []any{name}},
				"arguments": {Type: "array", PrefixItems: []*jsonschema.Schema{{Ref: "#/$defs/" + name}}, MinItems: &one, MaxItems: &one},
			},
			Extra: map[string]any{"answer": w.answer(&lsp.Commands[i])},
		})
	}
	raw, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		panic(err)
	}
	return string(raw) + "\n"
}

// typeScript returns the types of the npm package.
func (w *wire) typeScript() string {
	var b strings.Builder
	b.WriteString("// Made by `make generate`. Do not edit.\n\n" +
		"/** The commands: what the one object in `arguments` of workspace/executeCommand is, and what it is answered. */\n" +
		"export interface Commands {\n")
	for i := range lsp.Commands {
		c := &lsp.Commands[i]
		fmt.Fprintf(&b, "  %q: { arguments: %s; answer: %s };\n", commands.Prefix+c.Name, argumentsName(c), strings.Join(w.answer(c), " | "))
	}
	b.WriteString("}\n")
	for i := range lsp.Commands {
		c := &lsp.Commands[i]
		fmt.Fprintf(&b, "\n/** %s */\nexport type %s = %s;\n", c.Doc, argumentsName(c), typeOf(c.Schema(), ""))
	}
	for _, name := range slices.Sorted(maps.Keys(w.types)) {
		fmt.Fprintf(&b, "\nexport type %s = %s;\n", name, typeOf(w.types[name], ""))
	}
	return b.String()
}

// argumentsName returns the name of the type of a command's arguments.
func argumentsName(c *lsp.Command) string {
	var b strings.Builder
	for part := range strings.SplitSeq(c.Name, "_") {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String() + "Arguments"
}

// typeOf returns a schema as a type of TypeScript; margin is before its last line.
func typeOf(of *jsonschema.Schema, margin string) string {
	switch {
	case of.Ref != "":
		return strings.TrimPrefix(of.Ref, "#/$defs/")
	case len(of.Enum) > 0:
		var all []string
		for _, value := range of.Enum {
			all = append(all, fmt.Sprintf("%q", value))
		}
		return strings.Join(all, " | ")
	case of.Type == "array":
		return "Array<" + typeOf(of.Items, margin) + ">"
	case of.Type == "integer":
		return "number"
	case of.Type == "object" && len(of.Properties) == 0:
		return "Record<string, unknown>"
	case of.Type != "object":
		return of.Type
	}
	var b strings.Builder
	b.WriteString("{\n")
	for _, name := range of.PropertyOrder {
		p, mark := of.Properties[name], "?"
		if slices.Contains(of.Required, name) {
			mark = ""
		}
		if p.Description != "" {
			fmt.Fprintf(&b, "%s  /** %s */\n", margin, p.Description)
		}
		fmt.Fprintf(&b, "%s  %s%s: %s;\n", margin, name, mark, typeOf(p, margin+"  "))
	}
	return b.String() + margin + "}"
}

// What commands are really answered has the members of the type that the schema names, and all that it requires.
func TestAnswersAreOfTheirTypes(t *testing.T) {
	w := wireTypes(t)
	s := start(t, map[string]string{"a.txt": "one\ntwo\n"}, headless.Options{})
	s.open("a.txt")
	patch := "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-1\n+one\n"
	for _, call := range []struct {
		name, as string
		args     args
	}{
		{"str_replace", "Result", args{"path": "a.txt", "old_str": "one", "new_str": "1"}},
		{"view", "View", args{"path": "a.txt"}},
		{"list", "List", args{}},
		{"keep", "Kept", args{"path": "a.txt"}},
		{"apply_patch", "Result", args{"patch": patch, "dry_run": true}},
		{"read_file", "Reading", args{"path": "a.txt"}},
		{"text_editor", "Reading", args{"action": "read", "path": "a.txt"}},
		{"text_editor", "Result", args{"action": "write", "path": "a.txt", "content": "three\n"}},
		{"str_replace_editor", "Reading", args{"command": "view", "path": "."}},
		{"save", "Result", args{}},
		{"undo", "Result", args{}},
	} {
		c := &lsp.Commands[slices.IndexFunc(lsp.Commands, func(c lsp.Command) bool { return c.Name == call.name })]
		if !slices.Contains(w.answer(c), call.as) {
			t.Errorf("%s is not answered by a %s, but by %q", call.name, call.as, w.answer(c))
		}
		answer, of := run[map[string]json.RawMessage](s, call.name, call.args), w.types[call.as]
		for member := range answer {
			if of.Properties[member] == nil {
				t.Errorf("%s: a %s has no %s", call.name, call.as, member)
			}
		}
		for _, member := range of.Required {
			if answer[member] == nil {
				t.Errorf("%s: the answer lacks %s", call.name, member)
			}
		}
	}
}
