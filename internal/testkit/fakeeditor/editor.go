// Package fakeeditor is an editor for the tests of packages that send edits to one. It has no connection:
// it takes requests as a [jsonrpc2.Conn] does, does what a script says, and changes the documents as the
// server would when it is told of that.
//
// A script has one paragraph for each request, one act a line. Requests after the last paragraph are done,
// and answered with yes. Texts are quoted as in Go; NAME is a file of the folder, a URI, or absent for the
// document of the request.
//
//	opens NAME "TEXT"        the editor opens a document; without TEXT, with the text of its file
//	closes NAME              and closes it
//	types NAME "OLD" "NEW"   the user replaces the first OLD
//	makes                    the editor makes all of the request, in one change of the document
//	makes 3 1                or these of its edits, one change of the document for each
//	makes on disk            or writes the file and opens nothing
//	saves NAME               the editor writes the text of a document to its file
//	says yes                 the answer; or: no, no "REASON", error "MESSAGE", null, nonsense, versions BEFORE AFTER,
//	                         and to a question apply, reject, reject "TEXT"
//	waits 100ms
//	writes NAME "TEXT"       another program writes a file
//	removes NAME             and removes it
//	leaves                   the connection ends
package fakeeditor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.lsp.dev/jsonrpc2"

	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/bounds"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/host"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// Editor is a fake editor. Its exported fields do not change.
type Editor struct {
	jsonrpc2.Conn // nil: Call and Notify are all that is used

	Docs   *workspace.Documents
	Folder string        // of the files
	Gone   chan struct{} // closed when the connection has ended

	t      *testing.T
	later  sync.WaitGroup // what it does after its answers
	mu     sync.Mutex
	script [][]string
	log    []string
}

// New returns an editor with the files of a folder.
func New(t *testing.T, docs *workspace.Documents, folder, script string) *Editor {
	e := &Editor{Docs: docs, Folder: folder, Gone: make(chan struct{}), t: t}
	for paragraph := range strings.SplitSeq(strings.TrimSpace(script), "\n\n") {
		if paragraph != "" {
			e.script = append(e.script, strings.Split(paragraph, "\n"))
		}
	}
	return e
}

// Host returns what a server that is connected to an editor of that kind gives its parts, with the default bounds and
// a log that goes nowhere. base ends with the server.
func Host(base context.Context, kind *editor.Editor) *host.Host {
	h, limits := &host.Host{Base: base, After: time.After, Log: slog.New(slog.DiscardHandler)}, bounds.Defaults()
	h.SetEditor(kind)
	h.SetLimits(&limits)
	return h
}

// Kind returns an editor by its name, with further words for what it can do: create, rename, delete, flush, and
// versions, save, confirm, edited for what its plugin does.
func Kind(words string) *editor.Editor {
	var p editor.Params
	name, plugin := []string{}, map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		switch word {
		case "create", "rename", "delete":
			p.Capabilities.Workspace.WorkspaceEdit.ResourceOperations = append(p.Capabilities.Workspace.WorkspaceEdit.ResourceOperations, word)
		case "flush":
			p.Capabilities.Workspace.Diagnostics.RefreshSupport = true
		case "versions", "save", "confirm", "edited":
			plugin[word] = true
		default:
			name = append(name, word)
		}
	}
	p.ClientInfo.Name, p.Capabilities.Workspace.ApplyEdit = strings.Join(name, " "), true
	p.Capabilities.Experimental, _ = json.Marshal(map[string]any{"patchls": plugin})
	return editor.New(p)
}

// Do does the acts of a script that is about no request, one a line.
func (e *Editor) Do(script string) {
	for line := range strings.SplitSeq(strings.TrimSpace(script), "\n") {
		if line != "" {
			e.act(&request{}, line)
		}
	}
}

// Log waits until all acts are done, and returns what the editor was asked, one request a line.
func (e *Editor) Log() string {
	e.wait()
	e.mu.Lock()
	defer e.mu.Unlock()
	return strings.Join(e.log, "\n")
}

// wait waits until all acts are done. The lock orders it after the start of each, as [sync.WaitGroup] wants.
func (e *Editor) wait() {
	started := func() *sync.WaitGroup {
		e.mu.Lock()
		defer e.mu.Unlock()
		return &e.later
	}
	started().Wait()
}

// State returns the documents and the files as they are, one a line.
func (e *Editor) State() string {
	var b strings.Builder
	for _, doc := range e.Docs.All() {
		fmt.Fprintf(&b, "%s is open, %q", e.name(doc.URI), doc.Text.String())
		if doc.Drift != "" {
			fmt.Fprintf(&b, ", not known: %s", doc.Drift)
		}
		b.WriteByte('\n')
	}
	files, _ := os.ReadDir(e.Folder)
	for _, f := range files {
		raw, _ := os.ReadFile(filepath.Join(e.Folder, f.Name()))
		fmt.Fprintf(&b, "%s on disk, %q\n", f.Name(), raw)
	}
	return b.String()
}

// Notify implements [jsonrpc2.Conn].
func (e *Editor) Notify(_ context.Context, method string, params any) error {
	raw, err := json.Marshal(params)
	e.note("%s %s", method, raw)
	return err
}

// Call implements [jsonrpc2.Conn].
func (e *Editor) Call(ctx context.Context, method string, params, result any) (id jsonrpc2.ID, err error) {
	r := &request{method: method}
	if err := r.read(params); err != nil {
		e.t.Error(err)
		return id, err
	}
	if method == methodRefresh {
		return id, nil
	}
	e.note("%s", r.describe(e.name))
	select {
	case a := <-e.start(r):
		if raw, ok := result.(*jsonrpc2.RawMessage); ok {
			*raw = jsonrpc2.RawMessage(a.raw)
			return id, a.err
		}
		return id, errors.Join(a.err, json.Unmarshal([]byte(a.raw), result))
	case <-e.Gone:
		return id, errors.New("the connection has ended")
	case <-ctx.Done():
		return id, ctx.Err()
	}
}

// start has the editor do what it does with a request. The channel gets the answer, if there is one.
func (e *Editor) start(r *request) <-chan answer {
	e.mu.Lock()
	defer e.mu.Unlock()
	answered := make(chan answer, 1)
	script := e.next(r)
	e.later.Go(func() {
		for _, line := range script {
			if said, ok := strings.CutPrefix(line, "says "); ok {
				answered <- r.answer(said)
				continue
			}
			e.act(r, line)
		}
	})
	return answered
}

// next returns what the editor does with a request. The caller holds e.mu.
func (e *Editor) next(r *request) []string {
	if len(e.script) == 0 {
		switch r.method {
		case methodSave:
			return []string{"saves", "says yes"}
		case methodConfirm:
			return []string{"says apply"}
		}
		return []string{"makes", "says yes"}
	}
	first := e.script[0]
	e.script = e.script[1:]
	return first
}

func (e *Editor) note(format string, args ...any) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.log = append(e.log, strings.ReplaceAll(fmt.Sprintf(format, args...), paths.FileURI(e.Folder)+"/", ""))
}

// act does one act.
func (e *Editor) act(r *request, line string) {
	verb, rest, _ := strings.Cut(line, " ")
	name, quoted := r.uri(), []string{}
	for rest != "" {
		word, err := strconv.QuotedPrefix(rest)
		if err != nil {
			name, rest, _ = strings.Cut(rest, " ")
			continue
		}
		s, _ := strconv.Unquote(word)
		quoted, rest = append(quoted, s), strings.TrimLeft(rest[len(word):], " ")
	}
	words := strings.Fields(line)[1:]
	uri, abs := e.where(name)
	var err error
	switch {
	case verb == "opens":
		err = e.open(uri, abs, quoted)
	case verb == "closes":
		e.Docs.Close(e.key(uri))
	case verb == "types" && len(quoted) == 2:
		err = e.types(uri, quoted[0], quoted[1])
	case verb == "makes" && len(words) > 0 && words[0] == "on":
		err = e.makeOnDisk(r)
	case verb == "makes":
		err = e.make(r, words)
	case verb == "saves":
		err = e.save(uri, abs)
	case verb == "waits":
		var d time.Duration
		if d, err = time.ParseDuration(words[0]); err == nil {
			<-time.After(d)
		}
	case verb == "writes" && len(quoted) == 1:
		err = os.WriteFile(abs, []byte(quoted[0]), 0o600)
	case verb == "removes":
		err = os.Remove(abs)
	case verb == "leaves":
		close(e.Gone)
	default:
		err = errors.New("no such act")
	}
	if err != nil {
		e.t.Errorf("%s: %v", line, err)
	}
}

// where returns the URI and the path of a name.
func (e *Editor) where(name string) (uri, abs string) {
	if path, ok := e.key(name).FilePath(); ok {
		return name, path
	}
	if strings.Contains(name, ":") {
		return name, ""
	}
	abs = filepath.Join(e.Folder, name)
	return paths.FileURI(abs), abs
}

func (e *Editor) key(uri string) paths.Key {
	key, _ := paths.KeyOf(uri)
	return key
}

// name returns the name of a file or document.
func (e *Editor) name(uri string) string {
	return strings.TrimPrefix(uri, paths.FileURI(e.Folder)+"/")
}

func (e *Editor) open(uri, abs string, quoted []string) error {
	content := strings.Join(quoted, "")
	if len(quoted) == 0 && abs != "" {
		raw, err := os.ReadFile(abs)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		content = string(raw)
	}
	key, t := e.key(uri), text.New(content)
	ours, strange := e.Docs.Ours(key, t)
	e.Docs.Put(&workspace.Document{Key: key, URI: uri, Opened: paths.NewOpened(key, ours, strange), Version: 1, Text: t, Disk: t})
	return nil
}

func (e *Editor) types(uri, from, to string) error {
	doc := e.Docs.Get(e.key(uri))
	if doc == nil {
		return errors.New("it is not open")
	}
	at := strings.Index(doc.Text.String(), from)
	if at < 0 {
		return fmt.Errorf("it has no %q: %q", from, doc.Text.String())
	}
	r := workspace.Range{Start: doc.Text.Position(at, text.UTF16), End: doc.Text.Position(at+len(from), text.UTF16)}
	e.Docs.Change(doc.Key, doc.Version+1, []workspace.Change{{Range: r, Text: to}}, text.UTF16)
	return nil
}

func (e *Editor) save(uri, abs string) error {
	doc := e.Docs.Get(e.key(uri))
	if doc == nil {
		return errors.New("it is not open")
	}
	err := os.WriteFile(abs, []byte(doc.Text.String()), 0o600)
	doc.Opened.Saved(doc.Key)
	e.Docs.Put(doc.Saved(doc.Text))
	return err
}
