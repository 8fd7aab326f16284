package lsp_test

import (
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The conversation that the planted faults are put in. A line that begins with ">"
// is the server's, one with "<" is the client's.
const (
	wireHello = `<{"id":1,"method":"initialize","params":{"clientInfo":{"name":"helix"},"capabilities":{"general":{"positionEncodings":["utf-8"]},"workspace":{"diagnostics":{"refreshSupport":true}}}}}
>{"id":1,"result":{"capabilities":{"positionEncoding":"utf-8","textDocumentSync":{"change":2},"diagnosticProvider":{},"executeCommandProvider":{"commands":["patchls.view"]}}}}`
	wireOpen = `<{"method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///a","version":0,"text":"one\r\ntwo\r\n"}}}
<{"method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///a","version":4},"contentChanges":[{"range":{"start":{"line":1,"character":3},"end":{"line":1,"character":3}},"text":"é"}]}}
<{"id":2,"method":"workspace/executeCommand","params":{"command":"patchls.str_replace","arguments":[{"path":"a"}]}}`
	wireStart = wireHello + "\n" + wireOpen
)

// wireEdit is an applyEdit of file:///a with these edits.
func wireEdit(version, edits string) string {
	return fmt.Sprintf(`>{"id":1,"method":"workspace/applyEdit","params":{"edit":{"documentChanges":[{"textDocument":{"uri":"file:///a","version":%s},"edits":[%s]}]}}}`, version, edits)
}

// wireReplace is an edit of [from,to) in a line.
func wireReplace(line, from, to int, text string) string {
	return fmt.Sprintf(`{"range":{"start":{"line":%d,"character":%d},"end":{"line":%[1]d,"character":%[3]d}},"newText":%[4]q}`, line, from, to, text)
}

// wireChanges is an applyEdit with these documentChanges.
func wireChanges(changes string) string {
	return `>{"id":1,"method":"workspace/applyEdit","params":{"edit":{"documentChanges":[` + changes + `]}}}`
}

// overhear plays a conversation to a new check and returns what it found.
func overhear(talk string) string {
	w := newWireCheck()
	for line := range strings.SplitSeq(talk, "\n") {
		body := []byte(`{"jsonrpc":"2.0",` + line[2:])
		if line[0] == '>' {
			w.sent(body)
		} else {
			w.received(body)
		}
	}
	return strings.Join(w.found(), "\n")
}

// Every rule catches the fault that it is there for.
func TestWireCheckFindsPlantedFaults(t *testing.T) {
	one := wireReplace(0, 0, 3, "1")
	docA := `{"textDocument":{"uri":"file:///a","version":4},"edits":[` + one + `]}`
	docB := `{"textDocument":{"uri":"file:///b","version":null},"edits":[` + one + `]}`
	remove := `{"kind":"delete","uri":"file:///a","options":{"recursive":false}}`
	patch := `<{"id":3,"method":"patchls/execute","params":{"command":"patchls.apply_patch","arguments":[{"patch":"*** Delete File: %s"}]}}`
	initialize := func(params, result string) string {
		return `<{"id":1,"method":"initialize","params":{` + params + `}}` + "\n" + `>{"id":1,"result":{"capabilities":{"textDocumentSync":{"change":2}` + result + `}}}`
	}
	for name, test := range map[string]struct {
		hazard string
		talk   string
	}{
		"no JSON":                {noHazard, wireStart + "\n" + `>{]`},
		"an odd encoding":        {noHazard, initialize(``, `,"positionEncoding":5`)},
		"an edit without params": {"explicit-version", wireStart + "\n" + `>{"id":1,"method":"workspace/applyEdit","params":[]}`},

		"diagnostics without refresh": {"held-back-changes", initialize(``, `,"diagnosticProvider":{}`)},
		"diagnostics for Zed":         {"held-back-changes", initialize(`"clientInfo":{"name":"Zed"},"capabilities":{"workspace":{"diagnostics":{"refreshSupport":true}}}`, `,"diagnosticProvider":{}`)},
		"refresh not taken":           {"held-back-changes", initialize(``, ``) + "\n" + `>{"id":1,"method":"workspace/diagnostic/refresh"}`},

		"no version":            {"explicit-version", wireStart + "\n" + strings.Replace(wireChanges(docA), `,"version":4`, "", 1)},
		"null for an open one":  {"explicit-version", wireStart + "\n" + wireEdit("null", one)},
		"a version never had":   {"explicit-version", wireStart + "\n" + wireEdit("3", one)},
		"a number for a closed": {"explicit-version", wireStart + "\n" + wireChanges(strings.Replace(docB, "null", "1", 1))},
		"a version as a string": {"explicit-version", wireStart + "\n" + wireEdit(`"4"`, one)},
		"no documentChanges":    {"explicit-version", wireStart + "\n" + `>{"id":1,"method":"workspace/applyEdit","params":{"edit":{}}}`},
		"changes as well":       {"both-changes", wireStart + "\n" + strings.Replace(wireChanges(docA), `"edit":{`, `"edit":{"changes":{},`, 1)},
		"two documents":         {"second-document", wireStart + "\n" + wireChanges(docA+","+docB)},

		"create without options": {"create-truncates", wireStart + "\n" + wireChanges(`{"kind":"create","uri":"file:///b"}`)},
		"create that overwrites": {"create-truncates", wireStart + "\n" + wireChanges(`{"kind":"create","uri":"file:///b","options":{"overwrite":true}}`)},
		"delete unasked":         {"delete-and-rename", wireStart + "\n" + wireChanges(remove)},
		"delete of another":      {"delete-and-rename", wireStart + "\n" + fmt.Sprintf(patch, "b") + "\n" + strings.Replace(wireChanges(remove), "file:///a", "file:///other", 1)},
		"delete after the patch": {"delete-and-rename", wireStart + "\n" + fmt.Sprintf(patch, "a") + "\n" + `>{"id":3,"result":{}}` + "\n" + wireChanges(remove)},
		"no path":                {"junk-buffer", wireStart + "\n" + wireChanges(strings.Replace(docB, "file:///b", "file://", 1))},
		"untitled, not open":     {"junk-buffer", wireStart + "\n" + wireChanges(strings.Replace(docB, "file:///b", "untitled:b", 1))},
		"showDocument":           {"asks-the-user", wireStart + "\n" + `>{"id":1,"method":"window/showDocument","params":{"uri":"file:///a"}}`},

		"an encoding not offered": {"position-encoding", initialize(`"capabilities":{"general":{"positionEncodings":["utf-16"]}}`, `,"positionEncoding":"utf-8"`)},
		"an encoding, none asked": {"position-encoding", initialize(``, `,"positionEncoding":"utf-16"`)},

		"not sorted":         {"overlapping-edits", wireStart + "\n" + wireEdit("4", wireReplace(1, 0, 3, "2")+","+one)},
		"overlapping":        {"overlapping-edits", wireStart + "\n" + wireEdit("4", one+","+wireReplace(0, 2, 3, "1"))},
		"twice at one place": {"overlapping-edits", wireStart + "\n" + wireEdit("4", wireReplace(0, 1, 1, "1")+","+wireReplace(0, 1, 1, "1"))},
		"end before start":   {"overlapping-edits", wireStart + "\n" + wireEdit("4", wireReplace(0, 3, 0, "1"))},
		"nothing":            {"overlapping-edits", wireStart + "\n" + wireEdit("4", wireReplace(0, 3, 3, ""))},
		"the same text":      {"overlapping-edits", wireStart + "\n" + wireEdit("4", wireReplace(0, 0, 3, "one"))},
		"past the line":      {"overlapping-edits", wireStart + "\n" + wireEdit("4", wireReplace(0, 0, 9, "1"))},
		"past the end":       {"overlapping-edits", wireStart + "\n" + wireEdit("4", wireReplace(3, 0, 0, "1"))},
		"within a character": {"overlapping-edits", wireStart + "\n" + wireEdit("4", wireReplace(1, 4, 5, "e"))},
		"within a line end":  {"overlapping-edits", wireStart + "\n" + wireEdit("4", wireReplace(0, 4, 4, "e"))},
		"in range before":    {"overlapping-edits", wireStart + "\n" + wireEdit("0", wireReplace(1, 3, 5, "e"))},

		"one taken back":     {"one-in-flight", wireStart + "\n" + wireEdit("4", one) + "\n" + `>{"method":"$/cancelRequest","params":{"id":1}}`},
		"no edit":            {"empty-edit", wireStart + "\n" + wireEdit("4", "")},
		"no change":          {"empty-edit", wireStart + "\n" + wireChanges("")},
		"null options":       {"null-member", wireStart + "\n" + wireChanges(`{"kind":"create","uri":"file:///b","options":null}`)},
		"null in a result":   {"null-member", wireStart + "\n" + `>{"id":2,"result":{"files":[{"hunks":null}]}}`},
		"null for params":    {"null-member", wireStart + "\n" + `>{"id":1,"method":"workspace/diagnostic/refresh","params":null}`},
		"a snippet":          {"snippet", wireStart + "\n" + wireEdit("4", `{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":3}},"snippet":{"kind":"snippet","value":"$0"}}`)},
		"an annotation":      {"snippet", wireStart + "\n" + wireEdit("4", strings.Replace(one, `"newText"`, `"annotationId":"x","newText"`, 1))},
		"isRefactoring":      {"edit-metadata", wireStart + "\n" + strings.Replace(wireChanges(docA), `"edit":{`, `"metadata":{"isRefactoring":true},"edit":{`, 1)},
		"leads, no plugin":   {"edit-metadata", wireStart + "\n" + strings.Replace(wireChanges(docA), `"edit":{`, `"leads":{"file:///a":"/a"},"edit":{`, 1)},
		"a label of 2 lines": {"edit-metadata", wireStart + "\n" + strings.Replace(wireChanges(docA), `"edit":{`, `"label":"a\nb","edit":{`, 1)},
		"a long label":       {"edit-metadata", wireStart + "\n" + strings.Replace(wireChanges(docA), `"edit":{`, `"label":"`+strings.Repeat("é", maxLabel+1)+`","edit":{`, 1)},
		"a label for Neovim": {"edit-metadata", strings.Replace(wireStart, "helix", "Neovim", 1) + "\n" + strings.Replace(wireChanges(docA), `"edit":{`, `"label":"a","edit":{`, 1)},
		"two in flight":      {"one-in-flight", wireStart + "\n" + wireChanges(docA) + "\n" + strings.Replace(wireChanges(docA), `"id":1`, `"id":2`, 1)},

		"willSave":            {"blocking-request", strings.Replace(wireHello, `"change":2`, `"change":2,"willSave":true`, 1)},
		"willSaveWaitUntil":   {"blocking-request", strings.Replace(wireHello, `"change":2`, `"change":2,"willSaveWaitUntil":true`, 1)},
		"willCreate":          {"blocking-request", strings.Replace(wireHello, `"capabilities":{"positionEncoding"`, `"capabilities":{"workspace":{"fileOperations":{"willCreate":{}}},"positionEncoding"`, 1)},
		"willRename, later":   {"blocking-request", wireStart + "\n" + `>{"id":1,"method":"client/registerCapability","params":{"registrations":[{"id":"x","method":"workspace/willRenameFiles"}]}}`},
		"commands, not asked": {"global-commands", initialize(`"initializationOptions":{"advertise_commands":false}`, `,"executeCommandProvider":{"commands":["patchls.view"]}`)},
		"commands, later":     {"global-commands", wireStart + "\n" + `>{"id":1,"method":"client/registerCapability","params":{"registrations":[{"id":"x","method":"workspace/executeCommand"}]}}`},
		"full sync":           {"full-sync", strings.Replace(wireHello, `"change":2`, `"change":1`, 1)},
		"pulled diagnostics":  {"pulled-diagnostics", wireStart + "\n" + `>{"id":1,"method":"textDocument/diagnostic","params":{"textDocument":{"uri":"file:///a"}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			if found := overhear(test.talk); !strings.Contains(found, test.hazard+": ") {
				t.Errorf("want a fault of %s, found %q in\n%s", test.hazard, found, test.talk)
			}
		})
	}
}

// A correct message is no fault, however odd it looks.
func TestWireCheckFindsNoFaultWhereThereIsNone(t *testing.T) {
	one := wireReplace(0, 0, 3, "1")
	edit := wireEdit("4", one)
	lost := `<{"method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///a","version":9},"contentChanges":[{"text":5}]}}`
	for name, talk := range map[string]string{
		"several edits":         wireEdit("4", wireReplace(0, 0, 1, "O")+","+wireReplace(0, 2, 3, "E")+","+wireReplace(1, 3, 5, "e")+","+wireReplace(2, 0, 0, "3")),
		"a version before":      wireEdit("0", one),
		"a closed file":         wireChanges(`{"textDocument":{"uri":"file:///b","version":null},"edits":[` + one + `]}`),
		"closed meanwhile":      `<{"method":"textDocument/didClose","params":{"textDocument":{"uri":"file:///a"}}}` + "\n" + edit,
		"opened meanwhile":      `<{"method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///b","text":""}}}` + "\n" + wireChanges(`{"textDocument":{"uri":"file:///b","version":null},"edits":[`+one+`]}`),
		"create and edit":       wireChanges(`{"kind":"create","uri":"file:///b","options":{"ignoreIfExists":true}},{"textDocument":{"uri":"file:///b","version":null},"edits":[` + wireReplace(0, 0, 0, "x") + `]}`),
		"a text sent again":     `<{"id":9,"method":"patchls/synced","params":{"textDocument":{"uri":"file:///a","version":12,"text":"four\n"}}}` + "\n" + wireEdit("12", wireReplace(0, 3, 4, "R")),
		"a text nobody knows":   lost + "\n" + wireEdit("4", wireReplace(7, 7, 8, "x")),
		"one after the other":   edit + "\n" + `<{"id":1,"result":{"applied":true}}` + "\n" + strings.Replace(edit, `"id":1`, `"id":2`, 1),
		"a delete of the patch": `<{"id":3,"method":"workspace/executeCommand","params":{"command":"patchls.apply_patch","arguments":[{"patch":"*** Delete File: a"}]}}` + "\n" + wireChanges(`{"kind":"delete","uri":"file:///a","options":{}}`),
		"an undo":               `<{"id":3,"method":"workspace/executeCommand","params":{"command":"patchls.undo","arguments":[{}]}}` + "\n" + wireChanges(`{"kind":"delete","uri":"file:///b","options":{}}`),
		"a refresh":             `>{"id":1,"method":"workspace/diagnostic/refresh"}`,
		"a null result":         `>{"id":2,"result":null}`,
		"an error without id":   `>{"id":null,"error":{"code":-32700,"message":"no JSON"}}`,
		"a short label":         strings.Replace(edit, `"edit":{`, `"label":"patchls: é","edit":{`, 1),
	} {
		t.Run(name, func(t *testing.T) {
			if found := overhear(wireStart + "\n" + talk); found != "" {
				t.Errorf("found %s in\n%s", found, talk)
			}
		})
	}
}

// Messages are read from the stream however it is divided, and an unreadable header is
// reported once.
func TestWireFramesAreRead(t *testing.T) {
	const stream = "Content-Length: 2\r\n\r\n{}X-Other: 1\r\nContent-Length: 4\r\n\r\n\r\n\r\nContent-Length: x\r\n\r\n{}\r\n\r\n"
	for size := 1; size <= len(stream); size++ {
		var f wireFrames
		var got []string
		for piece := range slices.Chunk([]byte(stream), size) {
			f.add(piece, func(body []byte) { got = append(got, string(body)) }, func() { got = append(got, "broken") })
		}
		if want := []string{"{}", "\r\n\r\n", "broken"}; !slices.Equal(got, want) {
			t.Errorf("in pieces of %d: got %q, want %q", size, got, want)
		}
	}
}

// The server's end of the pipe shows the check what it sends, and what it takes in.
func TestWatchedPipeShowsBothWays(t *testing.T) {
	near, far := net.Pipe()
	c := &watchedConn{Conn: near, check: newWireCheck(), meta: newMetaCheck()}
	go func() {
		defer far.Close()
		_, _ = io.WriteString(far, "Content-Length: 48\r\n\r\n"+`{"id":1,"method":"patchls/execute","params":{}} `)
		_, _ = io.ReadFull(far, make([]byte, len("Length\r\n\r\n")))
	}()
	if _, err := c.Read(make([]byte, 1000)); err != nil || len(c.check.asked) != 1 {
		t.Errorf("%v, and the check knows the requests %v", err, c.check.asked)
	}
	if _, err := io.WriteString(c, "Length\r\n\r\n"); err != nil || len(c.check.found()) != 1 {
		t.Errorf("%v, and the check found %q", err, c.check.found())
	}
	near.Close()
}

// No test has a server whose messages are not checked.
func TestEveryServerIsOnAWatchedPipe(t *testing.T) {
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_bench_test.go") {
			continue // which would measure the check as well
		}
		if name == "fault_run_test.go" || name == "hostile_test.go" {
			continue // they are hostile to the server, or one has a clock of its own, so that the rules of time mean nothing, and breaks the others on purpose
		}
		if name == "seen_world_test.go" {
			continue // its editors are those of sim_world_test.go, and it starts many servers in one test
		}
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if code := string(raw); strings.Count(code, "lsp."+"Serve(") > strings.Count(code, "watchedPipe(t)") {
			t.Errorf("%s has a server of its own", name)
		}
	}
}
