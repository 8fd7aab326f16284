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

// clientCalls are one call of each native tool, in an order in which each finds what it needs.
var clientCalls = []clientCall{
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

// clientModel is the stand-in for the model of a client: it answers each request with the next of [clientCalls]. It fills the
// arguments as the schema that the client sends makes a model do.
type clientModel struct {
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
	for i, c := range clientCalls {
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

// The libraries of real clients, at least one for each API of models, list all tools and call each: no vendor refuses what
// they send, and no call of theirs is refused.
func TestOthersClients(t *testing.T) {
	script := otherTool(t, filepath.Join("..", "..", "clients.mjs"))
	patchls := os.Getenv("PATCHLS_TEST_PROGRAM")
	libraries, errs, code := run(t, "node", script)
	if code != 0 {
		t.Fatal(errs)
	}
	for library := range strings.FieldsSeq(libraries) {
		t.Run(library, func(t *testing.T) {
			root := t.TempDir()
			if err := os.WriteFile(filepath.Join(root, "a.txt"), []byte("one\ntwo\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			m := &clientModel{answers: map[int]modelapi.Answer{}}
			server := httptest.NewServer(m)
			defer server.Close()
			_, errs, code := run(t, "node", script, library, server.URL, patchls, "mcp", "--editor=headless", "--root="+root)
			m.mu.Lock()
			defer m.mu.Unlock()
			for _, err := range m.wrong {
				t.Error(err)
			}
			if code != 0 || !m.ended {
				t.Fatalf("exit code %d: %.2000s", code, errs)
			}
			for i, c := range clientCalls {
				if got := m.answers[i].Text; !strings.Contains(got, c.want) {
					t.Errorf("%s answers %q, want %q in it", c.tool, got, c.want)
				}
			}
			for name, want := range map[string]string{"a.txt": "zwei\ndrei\nvier\n", "b.txt": "c\n"} {
				if got, err := os.ReadFile(filepath.Join(root, name)); err != nil || string(got) != want {
					t.Errorf("%s is %q (%v), want %q", name, got, err, want)
				}
			}
		})
	}
}
