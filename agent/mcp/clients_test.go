package mcp_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/patchls/patchls/internal/testkit/modelapi"
)

// A call of a tool, and a part of the right answer.
type clientCall struct {
	tool string
	args map[string]any
	want string
}

// nativeCalls are one call of each native tool, in an order in which each finds what it needs.
var nativeCalls = []clientCall{
	{"list", map[string]any{}, "Open documents"},
	{"view", map[string]any{"path": "a.txt"}, "two"},
	{"str_replace", map[string]any{"path": "a.txt", "old_str": "one", "new_str": "uno"}, "Replaced 1 occurrence"},
	{"undo", map[string]any{"path": "a.txt"}, "Undid"},
	{"insert", map[string]any{"path": "a.txt", "after_line": 2, "content": "three"}, "Inserted"},
	{"edit_lines", map[string]any{"path": "a.txt", "edits": []any{
		map[string]any{"from": 3, "to": 3, "content": "drei", "expect": "three"}, map[string]any{"from": 4, "content": "vier"},
	}}, "drei"},
	{"delete_lines", map[string]any{"path": "a.txt", "start_line": 1, "end_line": 1}, "Deleted"},
	{"apply_patch", map[string]any{"path": "a.txt", "patch": "@@\n-two\n+zwei\n drei\n"}, "Patched 1 file"},
	{"create", map[string]any{"path": "b.txt", "content": "b\n"}, "Created"},
	{"write", map[string]any{"path": "b.txt", "content": "c\n"}, "Edited b.txt"},
	{"save", map[string]any{"paths": []any{"a.txt"}}, "Saved"},
}

// clientLists are the lists of tools that clients are offered, by the arguments of patchls mcp. Each tool is called, and left are
// the files then.
var clientLists = []struct {
	args  []string
	calls []clientCall
	left  map[string]string
}{
	{nil, nativeCalls, map[string]string{"a.txt": "zwei\ndrei\nvier\n", "b.txt": "c\n"}},
	{[]string{"--structured"}, nativeCalls, map[string]string{"a.txt": "zwei\ndrei\nvier\n", "b.txt": "c\n"}},
	{[]string{"--structured", "--review-tools"}, append(slices.Clip(nativeCalls), // without a live editor nothing is left for a review
		clientCall{"keep", map[string]any{"path": "a.txt"}, "still to be reviewed"}, clientCall{"revert", map[string]any{"path": "b.txt"}, "still to be reviewed"},
	), map[string]string{"a.txt": "zwei\ndrei\nvier\n", "b.txt": "c\n"}},
	{[]string{"--dialect=claude"}, []clientCall{{
		"str_replace_based_edit_tool", map[string]any{"command": "str_replace", "path": "a.txt", "old_str": "one", "new_str": "uno"}, "has been edited",
	}}, map[string]string{"a.txt": "uno\ntwo\n"}},
	{[]string{"--dialect=codex"}, []clientCall{{
		"apply_patch", map[string]any{"input": "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+uno\n two\n*** End Patch\n"}, "M a.txt",
	}}, map[string]string{"a.txt": "uno\ntwo\n"}},
	{[]string{"--dialect=agent-zero"}, []clientCall{{
		"text_editor", map[string]any{"action": "patch", "path": "a.txt", "old_text": "one", "new_text": "uno"}, "patched",
	}}, map[string]string{"a.txt": "uno\ntwo\n"}},
	{[]string{"--dialect=smarthole"}, []clientCall{
		{"read_file", map[string]any{"path": "a.txt"}, "2: two"},
		{"edit_file", map[string]any{"path": "a.txt", "old_text": "one", "new_text": "uno"}, "Replaced 1 occurrence"},
		{"write_file", map[string]any{"path": "b.txt", "content": "c\n"}, "Created file"},
	}, map[string]string{"a.txt": "uno\ntwo\n", "b.txt": "c\n"}},
}

// clientModel is the stand-in for the model of a client: it answers each request with the next of its calls. It fills the
// arguments as the schema that the client sends makes a model do.
type clientModel struct {
	calls   []clientCall
	mu      sync.Mutex
	wrong   []error
	answers map[int]modelapi.Answer
	ended   bool
}

func (m *clientModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	api := modelapi.Of(r.URL.Path)
	if err != nil || api == nil {
		http.Error(w, `{"error": {"message": "not found"}}`, http.StatusNotFound)
		return
	}
	asked, err := api.Read(body)
	if refusal := (*modelapi.RefusedError)(nil); errors.As(err, &refusal) {
		m.wrong = append(m.wrong, fmt.Errorf("%s is refused: %w", r.URL.Path, err))
		refusal.Write(w)
		return
	}
	if err != nil {
		m.wrong = append(m.wrong, err)
	}
	w.Header().Set("Content-Type", "text/event-stream")
	api.Write(w, m.next(asked))
}

func (m *clientModel) next(asked modelapi.Ask) modelapi.Reply {
	for i, c := range m.calls {
		id := strconv.Itoa(i)
		if a, is := asked.Answers[id]; is {
			m.answers[i] = a
			continue
		}
		at := slices.IndexFunc(asked.Tools, func(t modelapi.Tool) bool { return t.Name == c.tool })
		if at < 0 {
			m.wrong = append(m.wrong, fmt.Errorf("the model is not offered %s", c.tool))
			break
		}
		return modelapi.Reply{ID: id, Tool: asked.Tools[at], Args: filled(asked.Tools[at], c.args)}
	}
	m.ended = true
	return modelapi.Reply{Text: "done"}
}

// filled adds to the arguments of a call those that a model must give, which are null or nothing.
func filled(t modelapi.Tool, args map[string]any) map[string]any {
	if !t.All {
		return args
	}
	return filledObject(t.Schema, args)
}

func filledObject(s modelapi.Schema, args map[string]any) map[string]any {
	all := map[string]any{}
	for _, p := range s.Properties() {
		var schema modelapi.Schema
		if err := json.Unmarshal(p.Value, &schema); err != nil {
			panic(err)
		}
		value, is := args[p.Name]
		if !is {
			value = nothing(schema)
		}
		all[p.Name] = filledValue(schema, value)
	}
	return all
}

func filledValue(s modelapi.Schema, value any) any {
	switch value := value.(type) {
	case map[string]any:
		return filledObject(s, value)
	case []any:
		all := []any{}
		for _, one := range value {
			all = append(all, filledValue(s.Items(), one))
		}
		return all
	}
	return value
}

// nothing is what a model gives for an argument that it has no value for.
func nothing(s modelapi.Schema) any {
	types := s.Types()
	if slices.Contains(types, "null") {
		return nil
	}
	var description string
	if raw := s.Get("description"); raw != nil && json.Unmarshal(raw, &description) != nil {
		return nil
	}
	if value, is := saidDefault(description); is {
		return value
	}
	return zero(node{"type": types[0]})
}

// The libraries of real clients, at least one for each API of models, list all tools of every list and call each: no vendor
// refuses what they send, and no call of theirs is refused.
func TestOthersClients(t *testing.T) {
	script := otherTool(t, filepath.Join("..", "..", "clients.mjs"))
	patchls := os.Getenv("PATCHLS_TEST_PROGRAM")
	libraries, errs, code := run(t, "node", script)
	if code != 0 {
		t.Fatal(errs)
	}
	for library := range strings.FieldsSeq(libraries) {
		t.Run(library, func(t *testing.T) {
			args, roots := []string{script, library}, []string{}
			var models []*clientModel
			for _, list := range clientLists {
				root, m := t.TempDir(), &clientModel{calls: list.calls, answers: map[int]modelapi.Answer{}}
				if err := os.WriteFile(filepath.Join(root, "a.txt"), []byte("one\ntwo\n"), 0o644); err != nil {
					t.Fatal(err)
				}
				server := httptest.NewServer(m)
				t.Cleanup(server.Close)
				if models != nil {
					args = append(args, "next")
				}
				args = append(append(args, server.URL, patchls, "mcp", "--editor=headless", "--root="+root), list.args...)
				roots, models = append(roots, root), append(models, m)
			}
			_, errs, code := run(t, "node", args...)
			if code != 0 {
				t.Errorf("exit code %d: %.2000s", code, errs)
			}
			for i, list := range clientLists {
				models[i].check(t, fmt.Sprint(list.args))
				for name, want := range list.left {
					if got, err := os.ReadFile(filepath.Join(roots[i], name)); err != nil || string(got) != want {
						t.Errorf("%s: %s is %q (%v), want %q", list.args, name, got, err, want)
					}
				}
			}
		})
	}
}

// check reports what was wrong in the requests, and in the answers to the calls.
func (m *clientModel) check(t *testing.T, list string) {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, err := range m.wrong {
		t.Errorf("%s: %v", list, err)
	}
	if !m.ended {
		t.Errorf("%s: the calls did not end", list)
	}
	for i, c := range m.calls {
		if got := m.answers[i].Text; !strings.Contains(got, c.want) {
			t.Errorf("%s: %s answers %q, want %q in it", list, c.tool, got, c.want)
		}
	}
}
