package lsp_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/patchls/patchls/edits/chance"
	"github.com/patchls/patchls/lsp"
)

// viewed is an entry as a viewer of traces shows it.
type viewed struct {
	head string // "Sending request 'initialize - (1)'."
	body any
}

var (
	headLine = regexp.MustCompile(`^\[Trace - ([^\]]+)\] (.*)$`)
	bodyLine = regexp.MustCompile(`(Params|Result): (.*)`)
	heads    = regexp.MustCompile(`^(Sending|Received) (request '[^']+ - \([0-9a-zA-Z-]+\)'\.|notification '[^']+'\.)$` +
		`|^Sending response '[^']+ - \([0-9a-zA-Z-]+\)'\. Processing request took \d+ms$` +
		`|^Received response '[^']+ - \([0-9a-zA-Z-]+\)' in \d+ms\.( Request failed\.)?$`)
)

// view reads a trace by the rules of Microsoft's language-server-protocol-inspector: two
// empty lines end an entry, which begins at the last "[Trace" before them. Where that one
// would throw, it is an error.
func view(trace string) (all []viewed, err error) {
	end := "\n\n\n"
	if strings.Contains(trace, "\r\n") {
		end = "\r\n\r\n\r\n"
	}
	for one := range strings.SplitSeq(trace, end) {
		at := strings.LastIndex(one, "[Trace")
		if at < 0 {
			continue
		}
		lines := strings.SplitN(one[at:], "\n", 2)
		head := headLine.FindStringSubmatch(lines[0])
		if head == nil {
			continue
		}
		if len(lines) == 1 {
			return nil, fmt.Errorf("nothing after %q", lines[0])
		}
		body := bodyLine.FindStringSubmatch(lines[1])
		if body == nil {
			continue
		}
		if !heads.MatchString(head[2]) {
			return nil, fmt.Errorf("%q says nothing to a viewer", head[2])
		}
		v := viewed{head: head[2]}
		if err := json.Unmarshal([]byte(strings.TrimPrefix(lines[1], body[1]+": ")), &v.body); err != nil {
			return nil, fmt.Errorf("%q: %w", lines[1], err)
		}
		all = append(all, v)
	}
	return all, nil
}

// headMember reads what a head says: who, which kind, method and id.
var headMember = regexp.MustCompile(`^\[Trace - [^\]]+\] (Sending|Received) (request|notification|response) '([^']*?)(?: - \(([^)]*)\))?'`)

// bytesOf has back what passed, by the rules of docs/agents.md.
func bytesOf(t *testing.T, trace string) map[string]string {
	t.Helper()
	passed, forms := map[string]string{}, map[string]string{}
	whole := false // the entry that follows is of bytes that are there
	lines := strings.Split(trace, "\n")
	for i, line := range lines {
		if f := strings.SplitN(line, " ", 4); f[0] == "#" {
			by := f[2]
			what, quoted, _ := strings.Cut(f[3], ` "`)
			b, err := strconv.Unquote(`"` + quoted)
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			if what == "bytes" {
				passed[by] += b
				whole = true
			} else {
				forms[by+strings.TrimPrefix(what, "form of a")] = b
			}
			continue
		}
		m := headMember.FindStringSubmatch(line)
		switch {
		case line == "":
			whole = false
		case m != nil && !whole:
			by := map[string]string{"Sending": "client", "Received": "server"}[m[1]]
			_, body, _ := strings.Cut(lines[i+1], ": ")
			head, rest, _ := strings.Cut(forms[by+" "+m[2]], "\r\n\r\n")
			fill := strings.NewReplacer("{id}", m[4], "{method}", m[3], "{body}", body)
			rest = fill.Replace(rest)
			passed[by] += strings.Replace(head, "{length}", strconv.Itoa(len(rest)), 1) + "\r\n\r\n" + rest
		}
	}
	return passed
}

// inPieces is a connection whose peer says what is given, piece by piece.
type inPieces struct {
	pieces [][]byte
	sent   bytes.Buffer
	fails  error // of writing
}

func (c *inPieces) Read(p []byte) (int, error) {
	if len(c.pieces) == 0 {
		return 0, io.EOF
	}
	n := copy(p, c.pieces[0])
	if c.pieces[0] = c.pieces[0][n:]; len(c.pieces[0]) == 0 {
		c.pieces = c.pieces[1:]
	}
	return n, nil
}

func (c *inPieces) Write(p []byte) (int, error) {
	if c.fails != nil {
		return len(p) / 2, c.fails
	}
	return c.sent.Write(p)
}

func (c *inPieces) Close() error { return nil }

// traced returns the trace of what the client says in pieces and the server then sends.
func traced(t *testing.T, pieces [][]byte, sends string) string {
	t.Helper()
	var trace bytes.Buffer
	tee := lsp.Tee(&inPieces{pieces: pieces}, &trace, func() time.Time { return time.Unix(0, 0) }, slog.New(slog.DiscardHandler))
	if _, err := io.ReadAll(tee); err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(tee, sends)
	_ = tee.Close()
	return trace.String()
}

func asFrame(body string) string { return string(framed([]byte(body))) }

// A viewer shows what was said, in its order.
func TestATraceIsReadByViewers(t *testing.T) {
	said := asFrame(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"a":[1]}}`) +
		asFrame(`{"jsonrpc":"2.0","method":"initialized"}`) +
		asFrame(`{"params":{"text":"[Trace - x] y\n\n\n[Trace"},"method":"textDocument/didOpen"}`) +
		"junk\r\n" + asFrame(`{"id":"a b","method":"it's","params":[`+"\r\n\n\n"+`]}`) +
		asFrame(`[Trace - x] y`) + asFrame(`{"id":7,"result":null}`)
	sends := asFrame(`{"jsonrpc":"2.0","result":{"b":2},"id":0}`) + asFrame(`{"id":7,"method":"workspace/applyEdit"}`) +
		asFrame(`{"id":"a b","error":{"code":1,"message":"Params: no"}}`)
	trace := traced(t, [][]byte{[]byte(said)}, sends)
	got, err := view(trace)
	want := []viewed{
		{"Sending request 'initialize - (0)'.", map[string]any{"a": []any{1.0}}},
		{"Sending notification 'initialized'.", nil},
		{"Sending notification 'textDocument/didOpen'.", map[string]any{"text": "[Trace - x] y\n\n\n[Trace"}},
		{"Sending request 'it?s - (a-b)'.", []any{}},
		{"Sending response 'unknown - (7)'. Processing request took 0ms", nil},
		{"Received response 'initialize - (0)' in 0ms.", map[string]any{"b": 2.0}},
		{"Received request 'workspace/applyEdit - (7)'.", nil},
		{"Received response 'it?s - (a-b)' in 0ms. Request failed.", map[string]any{"code": 1.0, "message": "Params: no"}},
	}
	if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v\ngot  %v\nwant %v\n%s", err, got, want, trace)
	}
}

// All bytes can be had back from a trace, whose entries are the same in whatever pieces
// they came.
func TestATraceHasAllBytes(t *testing.T) {
	seed := chance.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	parts := []string{
		asFrame(`{"jsonrpc":"2.0","id":1,"method":"a/b","params":{"x":"é\u005b"}}`), asFrame(`{"id":1,"jsonrpc":"2.0","method":"a/b","params":[]}`),
		asFrame("{\"method\":\"$/c\",\"params\":{\"[Trace\":\"\xff\"}}"), asFrame("{\"method\":\"$/d\",\"params\":{\"\xff\":1}}"), asFrame(`{"jsonrpc":"2.0","method":"n"}`),
		asFrame(`{"jsonrpc":"2.0","id":"q","result":{"a":1}}`), asFrame(`{"jsonrpc":"2.0","id":"q","error":{}}`), asFrame(` { "id" : 2 , "method" : "s" } `),
		asFrame(`{"id":1,"id":2,"method":"twice"}`), asFrame(`{"id":1,"method":"","params":1}`), asFrame(`{"id":"","method":"m"}`), asFrame(`{"{id}":"{body}","id":1,"method":"m","params":1}`),
		asFrame(`{"method":"m","params":1,"result":2}`), asFrame(`{"x":1}`), asFrame(`[]`), asFrame(`{`), asFrame(""), asFrame("\x00\xff\r\n\n"),
		"Content-Length: 0012\r\nContent-Type: 12\r\n\r\n" + `{"method":1}`, "content-length:14\n\n" + `{"method":"n"}`,
		"junk", "\r\n", "[Trace - x] Sending request 'a - (1)'.\n", "Content-Length: x\r\n\r\n", "Content-Length: 9", "Content-Length: 3000000000\r\n\r\n", strings.Repeat("j", 9000),
	}
	for range 500 {
		var said strings.Builder
		for range r.IntN(8) {
			said.WriteString(parts[r.IntN(len(parts))])
		}
		var pieces [][]byte
		for rest := said.String(); rest != ""; {
			n := 1 + r.IntN(min(len(rest), 1+r.IntN(60)))
			if len(rest) > 5000 {
				n = 1 + r.IntN(len(rest))
			}
			pieces, rest = append(pieces, []byte(rest[:n])), rest[n:]
		}
		sends := asFrame(`{"jsonrpc":"2.0","result":[],"id":1}`) + parts[r.IntN(len(parts))]
		trace := traced(t, pieces, sends)
		entries, err := view(trace)
		if err != nil {
			t.Fatalf("seed %d: %v in\n%.4000s", seed, err, trace)
		}
		once, err := view(traced(t, [][]byte{[]byte(said.String())}, sends))
		if err != nil || fmt.Sprint(entries) != fmt.Sprint(once) {
			t.Fatalf("seed %d: %v: in pieces there are\n%v\nin one\n%v", seed, err, entries, once)
		}
		got := bytesOf(t, trace)
		if got["client"] != said.String() || got["server"] != sends {
			t.Fatalf("seed %d: of\n%.2000q\nthere is\n%.2000q\nand of\n%.2000q\n%.2000q, in\n%.4000s", seed, said.String(), got["client"], sends, got["server"], trace)
		}
	}
}

// full is a disk on which there is room for some writes.
type full struct{ room int }

var errFull = errors.New("no space left on device")

func (f *full) Write(p []byte) (int, error) {
	if f.room--; f.room < 0 {
		return 0, errFull
	}
	return len(p), nil
}

// A trace that cannot be written ends, which the log says once, and nothing else does.
// (Here the log is what is tested.)
func TestATraceOnAFullDiskEnds(t *testing.T) {
	var log strings.Builder
	said := strings.Repeat(asFrame(`{"method":"n"}`), 5)
	c := &inPieces{pieces: [][]byte{[]byte(said[:40]), []byte(said[40:])}}
	tee := lsp.Tee(c, &full{2}, time.Now, slog.New(slog.NewTextHandler(&log, nil)))
	got, err := io.ReadAll(tee)
	_, werr := io.WriteString(tee, "sent")
	if string(got) != said || err != nil || werr != nil || c.sent.String() != "sent" || tee.Close() != nil {
		t.Errorf("%q, %v, %v, %q", got, err, werr, c.sent.String())
	}
	if strings.Count(log.String(), "\n") != 1 || !strings.Contains(log.String(), `level=ERROR msg="the trace ends here" error="no space left on device"`) {
		t.Errorf("the log says %s", log.String())
	}
}

// What was not sent is in the trace, with that remark.
func TestATraceSaysWhatWasNotSent(t *testing.T) {
	var trace bytes.Buffer
	tee := lsp.Tee(&inPieces{fails: io.ErrClosedPipe}, &trace, time.Now, slog.New(slog.DiscardHandler))
	_, err := io.WriteString(tee, asFrame(`{"method":"n"}`))
	if !errors.Is(err, io.ErrClosedPipe) || !strings.Contains(trace.String(), `server unsent "the last 18 bytes: io: read/write on closed pipe"`) {
		t.Errorf("%v\n%s", err, trace.String())
	}
}
