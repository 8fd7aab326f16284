//go:build unix

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/patchls/patchls/internal/testkit/liveeditor"
)

// shownAs are the parts of an output that differ between runs, and what the pages show instead.
var shownAs = []struct {
	is    *regexp.Regexp
	shown string
}{
	{patchRelease, "patchls v0.1.0, go1.26.8"},
	{regexp.MustCompile(`answers in \S+ ms`), "answers in 0.3 ms"},
	{regexp.MustCompile(`took=\S+`), "took=3.2ms"},
	{regexp.MustCompile(`call=\d+-\d+ agent=patchls (.*) edit=e\d+-\w{4}`), "call=4711-12 agent=claude $1 edit=e7-k3fq"},
}

// TestPagesOfALiveEditor compares the outputs that the pages show for a live editor with those of the command line.
func TestPagesOfALiveEditor(t *testing.T) {
	root := liveeditor.Folder(t, map[string]string{"menu.txt": menu, "a.txt": "", "b.txt": ""})
	log := filepath.Join(t.TempDir(), "log")
	server, home, e := startListening(t, root, "--log-file", log)
	t.Cleanup(func() { _ = e.Close() })
	for _, name := range []string{"HOME", "LOCALAPPDATA", "XDG_RUNTIME_DIR"} {
		t.Setenv(name, home)
	}
	t.Setenv("PATCHLS_SOCKET", "")
	l := liveeditor.Of(t, root, e)
	l.OpenSaved("a.txt")
	l.OpenSaved("b.txt")
	l.Typed("menu.txt", "typed\n")
	pid := strconv.Itoa(server.Process.Pid)
	show := func(out string) string {
		out = strings.NewReplacer(pid+"\t", "4711    ", "pid "+pid, "pid 4711", "patchls-headless\t", "Neovim 0.12.4   ", "patchls-headless", "Neovim 0.12.4",
			root, "/home/ada/menu", home, "/home/ada", runtime.GOOS+"/"+runtime.GOARCH, "linux/amd64").Replace(out)
		for _, s := range shownAs {
			out = s.is.ReplaceAllString(out, s.shown)
		}
		return out
	}
	says := func(args ...string) string {
		_, out, errs := commandLine(t, "", args...)
		return show(out + errs)
	}
	editors := "$ patchls editors\n" + says("editors")
	for _, page := range []string{"editors.md", "cli.md", "agents/editor.md"} {
		wantShown(t, page, editors)
	}
	wantShown(t, "agents/editor.md", "$ patchls doctor\n"+says("doctor", "--root", root))
	result := says("call", "str_replace", `{"path":"menu.txt","old_str":"bread","new_str":"rye"}`, "--root", root, "--json")
	wantMembers(t, "build/results.md", result)
	found, err := os.ReadFile(filepath.Join(liveeditor.Discovery(), pid+".json"))
	if err != nil {
		t.Fatal(err)
	}
	wantMembers(t, "build/socket.md", string(found))
	greet(t, found, root)

	if err := os.Chmod(liveeditor.Discovery(), 0o755); err != nil {
		t.Fatal(err)
	}
	_, faults, _ := strings.Cut(says("doctor", "--root", root), "[fix]")
	wantShown(t, "agents/editor.md", "[fix]"+strings.Join(strings.SplitAfter(faults, "\n")[:2], ""))
	answered := regexp.MustCompile(`level=INFO msg=answered .*command=patchls.str_replace.*\n`).FindString(liveeditor.OnDisk(t, log))
	wantShown(t, "agents/editor.md", show(answered))
}

// TestPagesOfTheEmbeddedEditor: a page quotes the notes of answers of the embedded editor.
func TestPagesOfTheEmbeddedEditor(t *testing.T) {
	page := strings.Join(strings.Fields(liveeditor.OnDisk(t, "../../docs/agents/editor.md")), " ")
	for _, said := range []string{noLiveEditor, strings.TrimSuffix(editedByEmbedded, ".")} {
		if !strings.Contains(page, said) {
			t.Errorf("agents/editor.md does not quote %q", said)
		}
	}
}

// wantShown fails unless a page shows an output, indented by four blanks.
func wantShown(t *testing.T, page, out string) {
	t.Helper()
	var block strings.Builder
	for line := range strings.Lines(out) {
		if line != "\n" {
			line = "    " + line
		}
		block.WriteString(line)
	}
	if out == "" || !strings.Contains(liveeditor.OnDisk(t, "../../docs/"+page), "\n"+block.String()) {
		t.Errorf("docs/%s should have\n%s", page, block.String())
	}
}

var jsonBlock = regexp.MustCompile("(?s)```json\n(.*?)```\n")

// wantMembers fails unless the first JSON of a page has the members of an object, in order, and perhaps more that
// the object leaves out.
func wantMembers(t *testing.T, page, object string) {
	t.Helper()
	shown := members(t, jsonBlock.FindStringSubmatch(liveeditor.OnDisk(t, "../../docs/"+page))[1])
	next := 0
	for _, name := range members(t, object) {
		for next < len(shown) && shown[next] != name {
			next++
		}
		if next == len(shown) {
			t.Errorf("docs/%s shows the members %q; those of the program have %q at another place\n%s", page, shown, name, object)
			return
		}
	}
}

// members returns the names of the members of an object and of the objects nested in it.
func members(t *testing.T, object string) (names []string) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(object))
	var inside []bool // for each open { and [: whether it is a {
	name := true      // the next string is one, if it is in an object
	for {
		token, err := d.Token()
		if err == io.EOF {
			return names
		}
		if err != nil {
			t.Fatalf("%v in %s", err, object)
		}
		in := len(inside) > 0 && inside[len(inside)-1]
		switch token {
		case json.Delim('{'), json.Delim('['):
			inside, name = append(inside, token == json.Delim('{')), true
		case json.Delim('}'), json.Delim(']'):
			inside, name = inside[:len(inside)-1], true
		default:
			if in && name {
				names = append(names, token.(string))
			}
			name = !in || !name
		}
	}
}

// greet sends the first message that the page shows, and wants the answer that it describes.
func greet(t *testing.T, found []byte, root string) {
	t.Helper()
	var is struct{ Socket, Token string }
	if err := json.Unmarshal(found, &is); err != nil {
		t.Fatal(err)
	}
	message := jsonBlock.FindAllStringSubmatch(liveeditor.OnDisk(t, "../../docs/build/socket.md"), -1)[1][1]
	message = strings.NewReplacer(`"…"`, strconv.Quote(is.Token), "/home/ada/menu", root).Replace(message)
	conn, err := net.Dial("unix", is.Socket)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := fmt.Fprintf(conn, "Content-Length: %d\r\n\r\n%s", len(message), message); err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(conn)
	head, err := r.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	length, err := strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(head, "Content-Length:")))
	if err != nil {
		t.Fatalf("%v in %q", err, head)
	}
	answer := make([]byte, len("\r\n")+length)
	if _, err := io.ReadFull(r, answer); err != nil {
		t.Fatal(err)
	}
	for _, has := range []string{`"executeCommandProvider":{"commands":["`, `"experimental":{"patchls":{`, `"client":{"name":"`, `"active":`, `"saves":`} {
		if !strings.Contains(string(answer), has) {
			t.Errorf("the answer lacks %s: %s", has, answer)
		}
	}
}
