package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/jsonrpc2"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/agent/mcp"
	"github.com/patchls/patchls/agent/words"
	"github.com/patchls/patchls/lsp/transaction"
	"github.com/patchls/patchls/lsp/view"
)

// The members of the answers, and which doors have them in the text that they show: mcp for a model, print on the
// command line, and whole (of errors) in patchls hook and acp, for a tool that is not ours. A member that no door
// shows is for programs: serve, --json and structured answers have all members. patchls run shows one line, the
// message of an error. To a hook, an edit is shown as by mcp.
const (
	resultMembers = `
applied                    mcp
decision.answer            mcp
decision.text              mcp
diff                       mcp print
edit_id                    mcp
files.change               mcp
files.dirty
files.edits
files.hunks.end_line
files.hunks.match
files.hunks.new_lines
files.hunks.old_lines
files.hunks.start_line
files.new_path             mcp
files.open
files.path                 mcp
files.rev                  mcp
files.saved                mcp
files.snippet              mcp
files.total_lines
files.uri
files.version
message                    mcp print
notes                      mcp print
rebased
verified
workspace_edit`

	errorMembers = `
candidates.difference
candidates.end_line        mcp print whole
candidates.first_difference.column
candidates.first_difference.found
candidates.first_difference.line
candidates.first_difference.sent
candidates.similarity      mcp print whole
candidates.start_line      mcp print whole
candidates.text            mcp print whole
candidates.text_line       mcp print whole
decision.answer
decision.text
file_index
hunk_index
kind                       whole
matches.column
matches.context.line       mcp print whole
matches.context.opens      mcp print whole
matches.context.text       mcp print whole
matches.line               mcp print whole
path
rev
snippet                    mcp print whole
suggestion.arguments       mcp print
suggestion.command         mcp print`

	viewMembers = `
dirty                      mcp
end_line                   mcp print
eol
final_newline
next_line                  mcp print
notes                      mcp print
open
path                       mcp
rev                        mcp
start_line                 mcp print
text                       mcp print
total_lines                mcp print
uri
version`

	listedMembers = `
documents.as               mcp print
documents.dirty
documents.out_of_step      mcp print
documents.path             mcp print
documents.rev
documents.total_lines      mcp print
documents.unsaved          mcp print
documents.uri
documents.version
edits.agent
edits.command              mcp print
edits.edit_id              mcp print
edits.marked.end_line
edits.marked.hunk          mcp print
edits.marked.path
edits.marked.start_line
edits.paths                mcp print
edits.prompt               mcp print
edits.time
edits.turn                 mcp print
refused`
)

// TestMembersOfAnswers: each door shows of each member what the lists above say, so that a new member is shown, or is left out
// on purpose.
func TestMembersOfAnswers(t *testing.T) {
	model := newModel(t)
	asResult := func(raw []byte) (r *transaction.Result) {
		r = new(transaction.Result)
		unmarshal(t, raw, r)
		return r
	}
	printed := func(show func(std streams) error) string {
		var out bytes.Buffer
		_ = show(streams{out: &out, err: &out}) // the error decides the exit code
		return out.String()
	}
	failed := func(raw []byte) error { return &jsonrpc2.Error{Code: -32803, Message: "No.", Data: raw} }
	read := func(tool string) map[string]door {
		return map[string]door{
			"mcp":   func(raw []byte) string { return model.call(tool, raw, nil) },
			"print": func(raw []byte) string { return printed(func(std streams) error { return showRead(std, false, raw) }) },
			"json":  func(raw []byte) string { return printed(func(std streams) error { return showRead(std, true, raw) }) },
		}
	}
	for _, tt := range []struct {
		name   string
		answer any
		doors  map[string]door
		// cases change the answer that has all members, where a door shows a member only if another is not set.
		cases map[string]string
		want  string
	}{
		{"a result", transaction.Result{}, map[string]door{
			"mcp": func(raw []byte) string { return model.call("str_replace", raw, nil) },
			"print": func(raw []byte) string {
				return printed(func(std streams) error { return new(reach).show(std, asResult(raw), nil) })
			},
			"json": func(raw []byte) string {
				return printed(func(std streams) error { return (&reach{json: true}).show(std, asResult(raw), nil) })
			},
		}, map[string]string{"applied": "false", "files.change": `"delete"`, "files.new_path": `""`}, resultMembers},
		{"an error", transaction.ErrorData{}, map[string]door{
			"mcp": func(raw []byte) string { return model.call("str_replace", nil, failed(raw)) },
			"print": func(raw []byte) string {
				return printed(func(std streams) error { return show(std, false, failed(raw)) })
			},
			"json": func(raw []byte) string {
				return printed(func(std streams) error { return show(std, true, failed(raw)) })
			},
			"whole": func(raw []byte) string { return words.ErrorOfWhole(failed(raw)) },
		}, map[string]string{"kind": `"stale"`}, errorMembers},
		{"a view", view.View{}, read("view"), map[string]string{"next_line": "0", "text": `""`}, viewMembers},
		{"a listing", view.Listing{}, read("list"), map[string]string{"documents.as": `""`}, listedMembers},
	} {
		t.Run(tt.name, func(t *testing.T) {
			full := reflect.New(reflect.TypeOf(tt.answer)).Elem()
			fill(full, new(int))
			members := membersOf(full.Type(), "")
			bases := []reflect.Value{full}
			for member, value := range tt.cases {
				base := copyOf(t, full)
				if err := json.Unmarshal([]byte(value), memberAt(base, members[member]).Addr().Interface()); err != nil {
					t.Fatal(err)
				}
				bases = append(bases, base)
			}
			var got strings.Builder
			for _, name := range slices.Sorted(maps.Keys(members)) {
				var shows []string
				for _, door := range slices.Sorted(maps.Keys(tt.doors)) {
					if slices.ContainsFunc(bases, func(base reflect.Value) bool {
						without := copyOf(t, base)
						memberAt(without, members[name]).SetZero()
						return tt.doors[door](marshal(t, base)) != tt.doors[door](marshal(t, without))
					}) {
						shows = append(shows, door)
					}
				}
				if shows = slices.DeleteFunc(shows, func(door string) bool { return door == "json" }); len(shows) == len(tt.doors) {
					t.Errorf("%s is not in the JSON", name)
				}
				fmt.Fprintf(&got, "\n%s", strings.TrimRight(fmt.Sprintf("%-26s %s", name, strings.Join(shows, " ")), " "))
			}
			if got.String() != tt.want {
				t.Errorf("each member of %s, and the doors that show it:%s\n\nwanted:%s\n\nIf this is meant, say so in the list of this file.", tt.name, got.String(), tt.want)
			}
		})
	}
}

// A door renders an answer, given as JSON.
type door func(raw []byte) string

// model is a client of patchls mcp.
type model struct {
	t      *testing.T
	in     io.Writer
	out    *bufio.Reader
	answer json.RawMessage
	err    error
}

// newModel returns a client that has done the handshake.
func newModel(t *testing.T) *model {
	m := &model{t: t}
	server, err := mcp.New(mcp.Options{Connect: func(context.Context, agent.ClientInfo, agent.About) (mcp.Session, error) {
		return mcp.Session{Editor: m, Name: "fake"}, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	m.in, m.out = toServer, bufio.NewReader(fromServer)
	served := make(chan error, 1)
	go func() { served <- server.Serve(context.Background(), in, out) }()
	t.Cleanup(func() {
		if err := errors.Join(toServer.Close(), <-served); err != nil {
			t.Error(err)
		}
	})
	m.say("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}`)
	return m
}

// Execute implements [agent.Editor].
func (m *model) Execute(context.Context, agent.Call) (json.RawMessage, error) { return m.answer, m.err }

// say sends a request, and returns the answer.
func (m *model) say(method, params string) (answer struct {
	Result struct {
		IsError bool
		Content []struct{ Text string }
	}
},
) {
	m.t.Helper()
	if _, err := fmt.Fprintf(m.in, `{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`+"\n", method, params); err != nil {
		m.t.Fatal(err)
	}
	line, err := m.out.ReadBytes('\n')
	if err != nil {
		m.t.Fatal(err)
	}
	unmarshal(m.t, line, &answer)
	return answer
}

// call returns the text that a tool gives for the answer or the error of an editor.
func (m *model) call(tool string, answer json.RawMessage, err error) string {
	m.t.Helper()
	m.answer, m.err = answer, err
	result := m.say("tools/call", `{"name":"`+tool+`","arguments":{}}`).Result
	if result.IsError != (err != nil) {
		m.t.Fatalf("%s answers %+v", tool, result)
	}
	return result.Content[0].Text
}

// fill sets all members, each to another value.
func fill(v reflect.Value, n *int) {
	*n++
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("text %d", *n))
	case reflect.Int, reflect.Int32:
		v.SetInt(int64(*n))
	case reflect.Float64:
		v.SetFloat(1 / float64(*n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n)
	case reflect.Struct:
		for _, field := range v.Fields() {
			fill(field, n)
		}
	case reflect.Map:
		v.Set(reflect.ValueOf(map[string]any{"path": *n}))
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			v.SetBytes(fmt.Appendf(nil, `{"raw":%d}`, *n))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), n)
	default:
		v.SetUint(uint64(*n))
	}
}

// membersOf returns the members of our own types by their names in JSON, as the indexes of fields.
func membersOf(of reflect.Type, prefix string) map[string][]int {
	all := map[string][]int{}
	for i := range of.NumField() {
		f := of.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		inner := f.Type
		for inner.Kind() == reflect.Slice || inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		if inner.Kind() != reflect.Struct || !strings.HasPrefix(inner.PkgPath(), "github.com/patchls/") {
			all[prefix+name] = []int{i}
			continue
		}
		under := prefix
		if !f.Anonymous {
			under += name + "."
		}
		for name, index := range membersOf(inner, under) {
			all[name] = append([]int{i}, index...)
		}
	}
	return all
}

// memberAt returns the member at the indexes of fields, of the first elements of lists.
func memberAt(v reflect.Value, index []int) reflect.Value {
	for _, i := range index {
		for v.Kind() == reflect.Pointer || v.Kind() == reflect.Slice {
			if v.Kind() == reflect.Slice {
				v = v.Index(0)
			} else {
				v = v.Elem()
			}
		}
		v = v.Field(i)
	}
	return v
}

func copyOf(t *testing.T, v reflect.Value) reflect.Value {
	t.Helper()
	other := reflect.New(v.Type())
	unmarshal(t, marshal(t, v), other.Interface())
	return other.Elem()
}

func marshal(t *testing.T, v reflect.Value) []byte {
	t.Helper()
	raw, err := json.Marshal(v.Interface())
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func unmarshal(t *testing.T, raw []byte, v any) {
	t.Helper()
	if err := json.Unmarshal(raw, v); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
}
