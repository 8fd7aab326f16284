package lsp_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchls/patchls/workspace/paths"
)

// A document that is too large still counts as open: its file, though small enough, is never
// edited as a closed file is.
func TestWhatIsTooLargeIsOpen(t *testing.T) {
	for name, open := range map[string]func(w *boundWorld, uri string){
		"a large one": func(w *boundWorld, uri string) { w.open(uri, strings.Repeat("one\n", 100)) },
		"one that has grown": func(w *boundWorld, uri string) {
			w.open(uri, "one\n")
			w.change(uri, fmt.Sprintf(`[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}},"text":%q}]`, strings.Repeat("x", 200)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := startBounded(t, "max_document_bytes", 100)
			writeFile(t, filepath.Join(w.root, "a.txt"), "one\n")
			uri := paths.FileURI(w.root + "/a.txt")
			open(w, uri)
			for i, command := range []string{"str_replace", "view", "write", "create", "delete_lines", "save", "apply_patch"} {
				w.execute(i, command, map[string]string{
					"str_replace": `{"path":"a.txt","old_str":"one","new_str":"two"}`, "view": `{"path":"a.txt"}`,
					"write": `{"path":"a.txt","content":"two"}`, "create": `{"path":"a.txt","content":"two","overwrite":true}`,
					"delete_lines": `{"path":"a.txt","start_line":1,"end_line":1}`, "save": `{"paths":["a.txt"]}`,
					"apply_patch": `{"patch":"*** Begin Patch\n*** Delete File: a.txt\n*** End Patch\n"}`,
				}[command])
				for m := range w.messages {
					if m.Method == "workspace/applyEdit" {
						t.Fatalf("%s: it edits %s", command, m.Params)
					}
					if m.Method == "" && string(m.ID) == fmt.Sprint(i) {
						w.wantKind(m, "too_large")
						if !strings.Contains(said(m), "max_document_bytes (100)") {
							t.Errorf("%s: %s", command, said(m))
						}
						break
					}
				}
			}
			w.change(uri, `[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}},"text":"?"}]`)
			w.wantKind(w.view(uri), "too_large")
			w.change(uri, `[{"text":"on\n"},{"range":{"start":{"line":0,"character":2},"end":{"line":0,"character":2}},"text":"e"}]`)
			w.wantText(uri, "     1\tone")
			w.send(`{"jsonrpc":"2.0","method":"textDocument/didClose","params":{"textDocument":{"uri":%q}}}`, uri)
			w.wantText(uri, "     1\tone")
		})
	}
}

// Once such a document is closed, its file is a file like any other.
func TestWhatIsTooLargeIsClosed(t *testing.T) {
	w := startBounded(t, "max_document_bytes", 100)
	writeFile(t, filepath.Join(w.root, "a.txt"), "one\n")
	uri := paths.FileURI(w.root + "/a.txt")
	w.open(uri, strings.Repeat("x", 101))
	w.send(`{"jsonrpc":"2.0","method":"textDocument/didClose","params":{"textDocument":{"uri":%q}}}`, uri)
	w.wantText(uri, "     1\tone")
}

// Each request of a flood is answered, with a result or a refusal.
func TestAFloodOfRequestsIsAnswered(t *testing.T) {
	w := startBounded(t, "max_requests", 3)
	const sent = 200
	go func() {
		for i := range sent {
			body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"nothing"}`, i)
			if _, err := fmt.Fprintf(w.conn, "Content-Length: %d\r\n\r\n%s", len(body), body); err != nil {
				return
			}
		}
	}()
	answered := map[string]bool{}
	for m := range w.messages {
		if m.Method == "" {
			if answered[string(m.ID)] = true; m.Error == nil {
				t.Errorf("%+v", m)
			}
			if len(answered) == sent {
				return
			}
		}
	}
	t.Errorf("%d of %d requests were answered", len(answered), sent)
}
