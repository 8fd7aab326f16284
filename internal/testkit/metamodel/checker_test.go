package metamodel_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchls/patchls/internal/testkit/metamodel"
)

// full is the meta-model as it is kept beside the repository.
var full = filepath.Join("..", "..", metamodel.Place)

func model(t *testing.T) *metamodel.Model {
	t.Helper()
	m, err := metamodel.Load(full)
	if errors.Is(err, metamodel.ErrAbsent) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// talk feeds a conversation, a message in each line, "<" from the client and ">" from
// the server, and returns what is found.
func talk(m *metamodel.Model, lines string) string {
	c := m.NewChecker()
	var found []string
	for line := range strings.Lines(lines) {
		line = strings.TrimSpace(line)
		if client, is := strings.CutPrefix(line, "<"); is {
			c.Received([]byte(client))
		} else if server, is := strings.CutPrefix(line, ">"); is {
			found = append(found, c.Sent([]byte(server))...)
		}
	}
	return strings.Join(found, "\n")
}

const (
	applyEdit = `>{"jsonrpc":"2.0","id":1,"method":"workspace/applyEdit","params":{"label":"patchls","edit":{"documentChanges":[
		{"textDocument":{"uri":"file:///a","version":4},"edits":[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":3}},"newText":"x"}]}]}}}`
	hello = `<{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}
	>{"jsonrpc":"2.0","id":0,"result":{"capabilities":{"positionEncoding":"utf-16","textDocumentSync":{"openClose":true,"change":2,"save":{"includeText":true}},"experimental":{"patchls":{"edited":true}}},"serverInfo":{"name":"patchls"}}}
	`
)

func oneLine(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\n\t\t", ""), "\t", "")
}

// Planted faults are found, each with its message.
func TestViolationsAreFound(t *testing.T) {
	m := model(t)
	edit := oneLine(applyEdit)
	for name, test := range map[string]struct{ talk, want string }{
		"unknown method":            {`>{"jsonrpc":"2.0","method":"textDocument/invented","params":{}}`, "there is no such method"},
		"the client's method":       {`>{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"a:b","languageId":"x","version":1,"text":""}}}`, "for the client to send"},
		"a request as notification": {`>{"jsonrpc":"2.0","method":"workspace/diagnostic/refresh"}`, "has no id"},
		"a notification as request": {`>{"jsonrpc":"2.0","id":3,"method":"window/logMessage","params":{"type":3,"message":"x"}}`, "is a notification, and has an id"},
		"no params":                 {`>{"jsonrpc":"2.0","method":"window/logMessage"}`, "needs params"},
		"params of none":            {`>{"jsonrpc":"2.0","id":3,"method":"workspace/diagnostic/refresh","params":{}}`, "takes no params"},
		"a member is missing":       {`>{"jsonrpc":"2.0","method":"window/logMessage","params":{"type":3}}`, `needs "message"`},
		"a member too many":         {strings.Replace(edit, `"label"`, `"title"`, 1), `has no "title"`},
		"a member deep inside":      {strings.Replace(edit, `"newText":"x"`, `"newText":"x","text":"x"`, 1), `has no "text"`},
		"a wrong type deep inside":  {strings.Replace(edit, `"line":0`, `"line":"0"`, 1), `line: is "0", not uinteger`},
		"null for absent":           {strings.Replace(edit, `"label":"patchls"`, `"label":null`, 1), `label: is null, not string`},
		"a negative line":           {strings.Replace(edit, `"line":0`, `"line":-1`, 1), `line: is -1, not uinteger`},
		"a fraction":                {strings.Replace(edit, `"line":0`, `"line":0.5`, 1), `line: is 0.5, not uinteger`},
		"no version at all":         {strings.Replace(edit, `,"version":4`, ``, 1), `needs "version"`},
		"no URI":                    {strings.Replace(edit, `file:///a`, `/a`, 1), `not DocumentUri`},
		"outside an enumeration":    {`>{"jsonrpc":"2.0","method":"window/logMessage","params":{"type":9,"message":"x"}}`, "type: is 9, not one of"},
		"one of the alternatives":   {hello + `>{"jsonrpc":"2.0","id":0,"result":{}}`, "nothing was asked with the id 0"},
		"a result of another type":  {`<{"id":0,"method":"initialize"}` + "\n" + `>{"jsonrpc":"2.0","id":0,"result":{"capabilities":{"textDocumentSync":{"change":7}}}}`, "textDocumentSync"},
		"a result and an error":     {`<{"id":0,"method":"shutdown"}` + "\n" + `>{"jsonrpc":"2.0","id":0,"result":null,"error":{"code":1,"message":"x"}}`, "either a result or an error"},
		"an error without message":  {`<{"id":0,"method":"shutdown"}` + "\n" + `>{"jsonrpc":"2.0","id":0,"error":{"code":1}}`, `needs "message"`},
		"an id twice":               {edit + "\n" + edit, "that of a workspace/applyEdit without an answer"},
		"no version of JSON-RPC":    {`>{"id":1,"method":"workspace/diagnostic/refresh"}`, `jsonrpc: is null, not "2.0"`},
		"a member of the message":   {`>{"jsonrpc":"2.0","id":1,"method":"workspace/diagnostic/refresh","extra":1}`, `a message has no "extra"`},
		"options of a registration": {`>{"jsonrpc":"2.0","id":1,"method":"client/registerCapability","params":{"registrations":[{"id":"x","method":"workspace/didChangeWatchedFiles","registerOptions":{"globs":[]}}]}}`, `has no "globs"`},
		"a method to register":      {`>{"jsonrpc":"2.0","id":1,"method":"client/registerCapability","params":{"registrations":[{"id":"x","method":"workspace/invented"}]}}`, `there is no method "workspace/invented"`},
		"a progress":                {`>{"jsonrpc":"2.0","method":"$/progress","params":{"token":1,"value":{"kind":"begin"}}}`, `needs "title"`},
		"a method of ours":          {`>{"jsonrpc":"2.0","id":1,"method":"patchls/save","params":{"paths":[]}}`, `has no "paths"`},
		"no JSON":                   {`>{`, "no JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			if found := talk(m, test.talk); !strings.Contains(found, test.want) {
				t.Errorf("found %q, want %q in it", found, test.want)
			}
		})
	}
}

// What is as it should be is no violation.
func TestGoodMessagesAreLeftAlone(t *testing.T) {
	m := model(t)
	for name, lines := range map[string]string{
		"a session":       hello + oneLine(applyEdit) + "\n" + `<{"jsonrpc":"2.0","id":1,"result":{"applied":true}}` + "\n" + oneLine(applyEdit),
		"a closed file":   strings.Replace(oneLine(applyEdit), `"version":4`, `"version":null`, 1),
		"a create":        `>{"jsonrpc":"2.0","id":1,"method":"workspace/applyEdit","params":{"edit":{"documentChanges":[{"kind":"create","uri":"file:///b","options":{"ignoreIfExists":true}}]}}}`,
		"a registration":  `>{"jsonrpc":"2.0","id":1,"method":"client/registerCapability","params":{"registrations":[{"id":"x","method":"workspace/didChangeWatchedFiles","registerOptions":{"watchers":[{"globPattern":"**/*"}]}}]}}`,
		"a progress":      `>{"jsonrpc":"2.0","method":"$/progress","params":{"token":"1","value":{"kind":"begin","title":"x","percentage":3}}}`,
		"an error":        `<{"id":"s","method":"workspace/executeCommand"}` + "\n" + `>{"jsonrpc":"2.0","id":"s","error":{"code":-32803,"message":"x","data":{"kind":"no_match"}}}`,
		"an empty report": `<{"id":5,"method":"textDocument/diagnostic"}` + "\n" + `>{"jsonrpc":"2.0","id":5,"result":{"kind":"full","items":[]}}`,
		"methods of ours": `>{"jsonrpc":"2.0","method":"patchls/listening","params":{"agents":[]}}` + "\n" +
			`>{"jsonrpc":"2.0","method":"patchls/edited","params":{"edit_id":"e1","agent":"a","command":"insert","undone":false,"files":[{"uri":"file:///a"}]}}`,
		"an error without id": `>{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no JSON"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			if found := talk(m, lines); found != "" {
				t.Errorf("found %s", found)
			}
		})
	}
}
