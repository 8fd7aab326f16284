package lsp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// The two whose bytes pass.
const (
	byClient = "client"
	byServer = "server"
)

// other is who answers.
func other(by string) string {
	if by == byClient {
		return byServer
	}
	return byClient
}

// mostAwaited bounds the requests whose answers a trace waits for.
const mostAwaited = 10_000

// asked is a request whose answer has not passed yet.
type asked struct {
	method string
	at     time.Time
}

// tracer writes a trace. It is not safe for concurrent use.
type tracer struct {
	w      io.Writer
	now    func() time.Time
	err    error // of the writing; then nothing is written any more
	frames map[string]*frames
	forms  map[string]string // the frame as it was given last, by who sent it and the kind of message
	asked  map[string]asked  // by who asked, and the id
}

func newTracer(w io.Writer, now func() time.Time) *tracer {
	return &tracer{
		w: w, now: now, frames: map[string]*frames{byClient: {}, byServer: {}},
		forms: map[string]string{}, asked: map[string]asked{},
	}
}

func (t *tracer) add(by string, p []byte) {
	t.frames[by].add(p, func(b []byte, body int) { t.found(by, b, body) })
}

// cut writes what has come of a message that is not whole.
func (t *tracer) cut(by string) {
	t.frames[by].cut(func(b []byte, body int) { t.found(by, b, body) })
}

// found writes a message, or bytes that are none.
func (t *tracer) found(by string, b []byte, body int) {
	var m *passing
	if body >= 0 {
		m = readPassing(b[body:])
	}
	if m == nil {
		t.remark(by, "bytes", b)
		return
	}
	form, whole := m.form(b[:body], len(b)-body)
	switch kind := by + " " + m.kind(); {
	case !whole:
		t.write(t.line(by, "bytes", b))
	case t.forms[kind] != form:
		t.forms[kind] = form
		t.write(t.line(by, "form of a "+m.kind(), []byte(form)))
	}
	t.write(t.headline(by, m), m.label()+": ", m.shown(), "\n\n\n")
}

// remark writes a line that is about no message.
func (t *tracer) remark(by, what string, b []byte) { t.write(t.line(by, what, b), "\n\n") }

func (t *tracer) line(by, what string, b []byte) string {
	quoted := strings.ReplaceAll(strconv.Quote(string(b)), entryStart, `\x5bTrace`)
	return fmt.Sprintf("# %s %s %s %s\n", t.stamp(), by, what, quoted)
}

func (t *tracer) stamp() string { return t.now().UTC().Format("2006-01-02T15:04:05.000000Z") }

func (t *tracer) write(parts ...string) {
	if t.err == nil {
		_, t.err = io.WriteString(t.w, strings.Join(parts, ""))
	}
}

// entryStart begins an entry. A viewer takes it for one wherever it stands.
const entryStart = "[Trace"

// headline returns the first line of an entry.
func (t *tracer) headline(by string, m *passing) string {
	does := "Sending"
	if by == byServer {
		does = "Received"
	}
	id := cmp.Or(wordless.ReplaceAllString(m.id, "-"), "-")
	method := unquotable.ReplaceAllString(m.method, "?")
	line := fmt.Sprintf("[Trace - %s] %s %s '%s", t.stamp(), does, m.kind(), method)
	switch m.kind() {
	case "notification":
		return line + "'.\n"
	case "request":
		if len(t.asked) >= mostAwaited {
			clear(t.asked)
		}
		t.asked[by+m.rawID] = asked{method, t.now()}
		return line + " - (" + id + ")'.\n"
	}
	key := other(by) + m.rawID
	of, known := t.asked[key]
	delete(t.asked, key)
	if !known {
		of = asked{"unknown", t.now()}
	}
	took := t.now().Sub(of.at).Milliseconds()
	line += of.method + " - (" + id + ")'"
	if by == byClient {
		return fmt.Sprintf("%s. Processing request took %dms\n", line, took)
	}
	if m.member == "error" {
		return fmt.Sprintf("%s in %dms. Request failed.\n", line, took)
	}
	return fmt.Sprintf("%s in %dms.\n", line, took)
}

// What viewers understand in ids and in methods.
var (
	wordless   = regexp.MustCompile(`[^0-9a-zA-Z-]`)
	unquotable = regexp.MustCompile(`[^0-9a-zA-Z_$/.-]`)
)

// shown returns what an entry shows of the message: its params or result as they were
// sent, if that is one line in which a viewer sees no second entry.
func (m *passing) shown() string {
	switch {
	case m.member == "":
		return "null"
	case m.isPlain():
		return string(m.payload)
	}
	var b bytes.Buffer
	_ = json.Compact(&b, m.payload) // it is valid
	return strings.ReplaceAll(b.String(), entryStart, `\u005bTrace`)
}
