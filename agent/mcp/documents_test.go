package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/agent/mcp"
	"github.com/patchls/patchls/lsp/view"
)

// library is a fake editor with documents.
type library struct {
	*fake
	mu    sync.Mutex
	texts map[string]string // by URI
}

func newLibrary(texts map[string]string) *library {
	l := &library{texts: texts}
	l.fake = newFake(func(_ context.Context, call agent.Call) (any, error) {
		l.mu.Lock()
		defer l.mu.Unlock()
		if call.Command == "list" {
			r := view.Listing{Documents: []view.DocumentInfo{}, Edits: []view.EditInfo{}}
			for uri, text := range l.texts {
				r.Documents = append(r.Documents, view.DocumentInfo{URI: uri, Path: "at " + uri, Rev: "of " + text})
			}
			return r, nil
		}
		given, _ := call.Arguments.(map[string]string)
		text, ok := l.texts[given["uri"]]
		if call.Command != "document" || !ok {
			return nil, commandError("file_not_found", "No such document.")
		}
		return map[string]any{"uri": given["uri"], "text": text, "rev": "of " + text, "version": 1}, nil
	})
	return l
}

// set changes a document, or opens it; "" closes it.
func (l *library) set(uri, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.texts[uri] = text; text == "" {
		delete(l.texts, uri)
	}
	select {
	case l.changed <- struct{}{}:
	default:
	}
}

// reader is a client that hears of changes.
type reader struct {
	*testing.T
	*sdk.ClientSession
	updated, listed chan string
}

func newReader(t *testing.T, e agent.Editor) *reader {
	t.Helper()
	return newReaderOf(t, today, e)
}

func newReaderOf(t *testing.T, protocol string, e agent.Editor) *reader {
	t.Helper()
	r := &reader{T: t, updated: make(chan string, 100), listed: make(chan string, 100)}
	r.ClientSession = clientOf(t, protocol, mcp.Options{Connect: connectTo(mcp.Session{Editor: e, Name: "fake"})}, &sdk.ClientOptions{
		ResourceUpdatedHandler:     func(_ context.Context, req *sdk.ResourceUpdatedNotificationRequest) { r.updated <- req.Params.URI },
		ResourceListChangedHandler: func(context.Context, *sdk.ResourceListChangedRequest) { r.listed <- "list" },
	})
	return r
}

func (r *reader) uris() string {
	r.Helper()
	result, err := r.ListResources(context.Background(), nil)
	if err != nil {
		r.Fatal(err)
	}
	var uris []string
	for _, d := range result.Resources {
		uris = append(uris, d.URI)
		if d.Name != "at "+d.URI || d.MIMEType != "text/plain" {
			r.Errorf("resource %s", mustJSON(d))
		}
	}
	return strings.Join(uris, " ")
}

func (r *reader) hears(c chan string, want string) {
	r.Helper()
	select {
	case got := <-c:
		equal(r.T, "heard", got, want)
	case <-time.After(patience):
		r.Fatalf("heard nothing of %s", want)
	}
}

func TestResources(t *testing.T) {
	l := newLibrary(map[string]string{"file:///a.txt": "a\n", "untitled:Untitled-1": "u", "file:///%zz": "not a URI"})
	r := newReader(t, l)
	equal(t, "list", r.uris(), "file:///a.txt untitled:Untitled-1")
	read := func(uri string) string {
		result, err := r.ReadResource(context.Background(), &sdk.ReadResourceParams{URI: uri})
		if err != nil {
			return "error: " + err.Error()
		}
		return mustJSON(result.Contents)
	}
	contains(t, "read", read("file:///a.txt"), `"text":"a\n"`, `"mimeType":"text/plain"`, `"uri":"file:///a.txt"`)
	contains(t, "read what is not open", read("file:///b.txt"), "error: ", "not found")
	l.set("file:///b.txt", "b\n")
	contains(t, "read what was opened just now", read("file:///b.txt"), `"text":"b\n"`)
	equal(t, "list", r.uris(), "file:///a.txt file:///b.txt untitled:Untitled-1")
	l.set("file:///a.txt", "")
	equal(t, "list", r.uris(), "file:///b.txt untitled:Untitled-1")
	contains(t, "read what was closed", read("file:///a.txt"), "error: ", "not found")
}

// The contents of an empty document are not left out.
func TestReadEmpty(t *testing.T) {
	w := newWorld(t, "", "a.txt", "")
	w.did("write", `{"path":"a.txt","content":"x"}`)
	w.did("write", `{"path":"a.txt","content":""}`)
	b, _ := w.editor.Buffer("a.txt")
	result, err := w.ReadResource(context.Background(), &sdk.ReadResourceParams{URI: b.URI()})
	if err != nil || len(result.Contents) != 1 || result.Contents[0].Blob == nil {
		t.Errorf("%s, %v", mustJSON(result), err)
	}
}

func TestSubscribe(t *testing.T) {
	const a, b, c = "file:///a.txt", "file:///b.txt", "file:///c.txt"
	l := newLibrary(map[string]string{a: "a", b: "b"})
	r := newReader(t, l)
	if err := r.Subscribe(context.Background(), &sdk.SubscribeParams{URI: a}); err != nil {
		t.Fatal(err)
	}
	l.set(b, "not subscribed to")
	l.set(a, "changed")
	r.hears(r.updated, a)
	equal(t, "list", r.uris(), a+" "+b)
	for len(r.listed) > 0 {
		<-r.listed
	}
	l.set(c, "opened")
	r.hears(r.listed, "list")
	l.set(a, "")
	r.hears(r.updated, a)
	r.hears(r.listed, "list")
	if len(r.updated) > 0 {
		t.Errorf("heard of %s", <-r.updated)
	}
}

// A client of the next protocol listens to a document, and to the list, without
// ever asking for it.
func TestListen(t *testing.T) {
	const a, b = "file:///a.txt", "file:///b.txt"
	l := newLibrary(map[string]string{a: "a"})
	r := newReaderOf(t, next, l)
	r.hears(r.listed, "list")
	l.set(b, "b")
	r.hears(r.listed, "list")
	if err := r.Subscribe(context.Background(), &sdk.SubscribeParams{URI: a}); err != nil {
		t.Fatal(err)
	}
	for i := 0; ; i++ { // nothing tells that the server listens by now
		l.set(a, fmt.Sprint("changed ", i))
		select {
		case uri := <-r.updated:
			equal(t, "heard", uri, a)
			return
		case <-time.After(50 * time.Millisecond):
		case <-t.Context().Done():
		}
		if i > 200 {
			t.Fatal("heard nothing")
		}
	}
}

// After a call that edits the documents are looked at, whether or not the editor
// tells of changes.
func TestUpdatedByOwnEdit(t *testing.T) {
	w := newWorld(t, "", "a.txt", "one\n")
	r := newReader(t, w.editor)
	call(t, r.ClientSession, "str_replace", `{"path":"a.txt","old_str":"one","new_str":"two"}`)
	b, _ := w.editor.Buffer("a.txt")
	if err := r.Subscribe(context.Background(), &sdk.SubscribeParams{URI: b.URI()}); err != nil {
		t.Fatal(err)
	}
	call(t, r.ClientSession, "str_replace", `{"path":"a.txt","old_str":"two","new_str":"three"}`)
	r.hears(r.updated, b.URI())
}

func TestSubscribeToWhatIsClosed(t *testing.T) {
	r := newReader(t, newLibrary(map[string]string{}))
	if err := r.Subscribe(context.Background(), &sdk.SubscribeParams{URI: "file:///a.txt"}); err == nil || !strings.Contains(err.Error(), "not found") {
		t.Errorf("error %v", err)
	}
}

// The documents of the next editor are looked at when the first one is gone.
func TestNextEditor(t *testing.T) {
	first, second := newLibrary(map[string]string{"file:///a.txt": "a"}), newLibrary(map[string]string{"file:///b.txt": "b"})
	var mu sync.Mutex
	now, name := first, "first"
	heard := make(chan string, 100)
	c := client(t, mcp.Options{Connect: func(context.Context, string) (mcp.Session, error) {
		mu.Lock()
		defer mu.Unlock()
		if now == nil {
			return mcp.Session{}, errors.New("no editor")
		}
		return mcp.Session{Editor: now, Name: name}, nil
	}}, &sdk.ClientOptions{ResourceListChangedHandler: func(context.Context, *sdk.ResourceListChangedRequest) { heard <- "list" }})
	r := &reader{T: t, ClientSession: c, listed: heard}
	equal(t, "list", r.uris(), "file:///a.txt")
	r.hears(heard, "list") // of what it has just read
	mu.Lock()
	now, name = second, "second"
	mu.Unlock()
	close(first.changed)
	r.hears(heard, "list")
	equal(t, "list", r.uris(), "file:///b.txt")
}
