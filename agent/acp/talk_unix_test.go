//go:build unix

package acp

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/internal/testkit/liveeditor"
)

// TestACPBesideAPipe: a named pipe, which blocks whoever opens it, is never opened: in the place of a file that is open, of
// one that is not, and of a discovery file.
func TestACPBesideAPipe(t *testing.T) {
	liveeditor.Home(t)
	root := liveeditor.Folder(t, map[string]string{"menu.txt": menu, "drinks.txt": "tea\n"})
	l := liveeditor.Start(t, root, headless.Options{})
	b := l.Typed("menu.txt", "typed\n")
	if _, err := l.Open(filepath.Join(root, "drinks.txt")); err != nil {
		t.Fatal(err)
	}
	pipes := []string{filepath.Join(root, "menu.txt"), filepath.Join(root, "drinks.txt"), filepath.Join(root, "pipe"), filepath.Join(liveeditor.Discovery(), "pipe.json")}
	for i, path := range pipes {
		if err := os.Remove(path); err != nil && i < 2 {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := newProxy(&agent.Finder{}, "/bin/patchls")
	defer p.find.Close()
	for _, tt := range []struct{ method, params, want string }{
		{"read", `"path":"menu.txt"`, `"content":"typed\nsoup\nbread\ntea\n"`},
		{"write", `"path":"menu.txt","content":"typed\nsoup\nbread\ngreen tea\n"`, `"result":{}`},
		{"read", `"path":"drinks.txt"`, `"content":"tea\n"`},
		{"write", `"path":"drinks.txt","content":"green tea\n"`, `"result":{}`},
		{"read", `"path":"pipe"`, ""}, // it is the client's
		{"write", `"path":"pipe","content":"tea\n"`, ""},
	} {
		answered := make(chan string)
		go func() {
			params := strings.Replace(tt.params, `"path":"`, `"sessionId":"s1","path":"`+root+"/", 1)
			answered <- string(p.answer(message{ID: []byte("1"), Method: "fs/" + tt.method + "_text_file", Params: []byte("{" + params + "}")}))
		}()
		select {
		case got := <-answered:
			if !strings.Contains(got, tt.want) || (got == "") != (tt.want == "") {
				t.Errorf("%s %s: %q, want %q", tt.method, tt.params, got, tt.want)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s %s blocks", tt.method, tt.params)
		}
	}
	if got := b.Text(); got != "typed\nsoup\nbread\ngreen tea\n" {
		t.Errorf("the buffer has %q", got)
	}
}
