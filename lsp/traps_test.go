package lsp_test

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/patchls/patchls/lsp"
)

// What the modules for JSON-RPC and LSP do when left to themselves, and this server must
// not (decisions: own-dispatcher, own-document-types).

const doc = "untitled:doc"

func TestUndecodableRangeNeverReplacesTheDocument(t *testing.T) {
	for name, change := range map[string]string{
		"float character":        `[{"range":{"start":{"line":0,"character":5.5},"end":{"line":0,"character":6}},"text":"X"}]`,
		"negative line":          `[{"range":{"start":{"line":-1,"character":0},"end":{"line":0,"character":0}},"text":"X"}]`,
		"line above 32 bits":     `[{"range":{"start":{"line":4294967296,"character":0},"end":{"line":4294967296,"character":0}},"text":"X"}]`,
		"negative rangeLength":   `[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}},"rangeLength":-1,"text":"X"}]`,
		"end missing":            `[{"range":{"start":{"line":0,"character":0}},"text":"X"}]`,
		"character missing":      `[{"range":{"start":{"line":0},"end":{"line":0}},"text":"X"}]`,
		"end before start":       `[{"range":{"start":{"line":1,"character":0},"end":{"line":0,"character":0}},"text":"X"}]`,
		"no text":                `[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}}}]`,
		"changes are no list":    `{"text":"X"}`,
		"range is a string":      `[{"range":"all","text":"X"}]`,
		"second one is broken":   `[{"text":"one\n"},{"range":[],"text":"X"}]`,
		"length without a range": `[{"rangeLength":3,"text":"X"}]`,
	} {
		t.Run(name, func(t *testing.T) {
			c := startInitialized(t, t.TempDir())
			c.open(doc, "one\ntwo\n")
			c.change(doc, change)
			c.wantError(c.view(doc), -32803) // out of step: no text is better than a wrong one
			c.open(doc, "one\n")
			c.wantText(doc, "     1\tone")
		})
	}
}

func TestNullRangeIsTheWholeDocument(t *testing.T) {
	c := startInitialized(t, t.TempDir())
	c.open(doc, "one\ntwo\n")
	c.change(doc, `[{"range":null,"text":"three\n"}]`)
	c.wantText(doc, "     1\tthree")
}

func TestOddNotificationsDoNotEndTheConnection(t *testing.T) {
	for _, m := range []string{
		`{"jsonrpc":"2.0","method":"initialized"}`,
		`{"jsonrpc":"2.0","method":"initialized","params":null}`,
		`{"jsonrpc":"2.0","method":"$/unknown","params":{"a":1}}`,
		`{"jsonrpc":"2.0","method":"unknown/thing"}`,
		`{"jsonrpc":"2.0","method":"textDocument/didChange"}`,
		`{"jsonrpc":"2.0","method":"textDocument/didChange","params":null}`,
		`{"jsonrpc":"2.0","method":"textDocument/didChange","params":[1,2]}`,
		`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file://","text":""}}}`,
		`{"jsonrpc":"2.0","method":"textDocument/didClose","params":{"textDocument":{"uri":"untitled:never"}}}`,
		`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1.5}}`,
		`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":99999999999}}`,
		`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":null}}`,
		`{"jsonrpc":"2.0","method":"$/cancelRequest","params":null}`,
		`{"jsonrpc":"2.0","method":"$/setTrace","params":{"value":"shout"}}`,
		`{"jsonrpc":"2.0","method":"workspace/didChangeWorkspaceFolders","params":{"event":7}}`,
		`{"jsonrpc":"2.0","id":99,"result":{"nobody":"asked"}}`,
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"you are broken"}}`,
	} {
		t.Run(m, func(t *testing.T) {
			c := startInitialized(t, t.TempDir())
			c.send("%s", m)
			c.wantAlive()
		})
	}
}

func TestMalformedMessagesAreAnswered(t *testing.T) {
	for _, test := range []struct {
		body string
		code int
	}{
		{`{"jsonrpc":"2.0","id":1,"method":`, -32700},
		{`not json`, -32700},
		{"\xff\xfe", -32700},
		{`{"jsonrpc":"1.0","id":1,"method":"patchls/synced"}`, -32600},
		{`{"jsonrpc":"2.0","id":1.5,"method":"patchls/synced"}`, -32600},
		{`{"jsonrpc":"2.0","id":99999999999999999999,"method":"patchls/synced"}`, -32600},
		{`{"jsonrpc":"2.0","id":1,"method":7}`, -32600},
		{`[{"jsonrpc":"2.0","id":1,"method":"patchls/synced"}]`, -32600},
	} {
		t.Run(test.body, func(t *testing.T) {
			c := startInitialized(t, t.TempDir())
			c.send("%s", test.body)
			c.wantError(c.answer("null"), test.code)
			c.wantAlive()
		})
	}
}

func TestHugeIdsAreAnsweredAsTheyAre(t *testing.T) {
	c := startInitialized(t, t.TempDir())
	c.send(`{"jsonrpc":"2.0","id":9007199254740993,"method":"patchls/synced"}`)
	c.answer("9007199254740993")
	c.send(`{"jsonrpc":"2.0","id":-1,"method":"patchls/synced"}`)
	c.answer("-1")
}

func TestUnknownMethod(t *testing.T) {
	c := startInitialized(t, t.TempDir())
	c.send(`{"jsonrpc":"2.0","id":1,"method":"textDocument/rename"}`)
	c.wantError(c.answer("1"), -32601)
}

func TestNotificationsKeepTheirOrderUnderLoad(t *testing.T) {
	c := startInitialized(t, t.TempDir())
	c.open(doc, "")
	var want strings.Builder
	for i := range 1500 {
		digit := fmt.Sprint(i % 10)
		want.WriteString(digit)
		c.change(doc, fmt.Sprintf(`[{"range":{"start":{"line":0,"character":%d},"end":{"line":0,"character":%d}},"text":"%s"}]`, i, i, digit))
		if i%3 == 0 { // calls leave the reading goroutine in between
			c.send(`{"jsonrpc":"2.0","id":%d,"method":"patchls/synced"}`, i)
		}
	}
	c.wantText(doc, "     1\t"+want.String())
}

func TestExitWhileACallIsOpen(t *testing.T) {
	c := startInitialized(t, t.TempDir())
	c.open(doc, "one\n")
	c.strReplace(1, "one", "two")
	c.request("workspace/applyEdit") // and never answered
	c.send(`{"jsonrpc":"2.0","method":"exit"}`)
	if err := <-c.done; err != lsp.ErrNoShutdown {
		t.Errorf("Serve gave %v", err)
	}
}

// The client writes requests and reads nothing until all are written: if the reading
// goroutine wrote the replies, it would block for ever.
func TestRepliesLargerThanThePipe(t *testing.T) {
	c := startReading(t, lsp.Options{}, 0)
	c.initialize(t.TempDir())
	c.open(doc, strings.Repeat("a line of some length\n", 2000))
	for i := range 20 {
		c.send(`{"jsonrpc":"2.0","id":%d,"method":"workspace/executeCommand","params":{"command":"patchls.view","arguments":[{"path":%q}]}}`, i, doc)
	}
	for range 20 {
		if m := <-c.messages; m.Error != nil {
			t.Fatal(m.Error.Message)
		}
	}
}

func TestAHeaderTakesNoMemory(t *testing.T) {
	heap := func() int64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapSys)
	}
	const most = 64 << 20
	t.Run("above the bound it is refused", func(t *testing.T) {
		c := startInitialized(t, t.TempDir())
		before := heap()
		c.bytes("Content-Length: %d\r\n\r\n", 1<<30)
		m := c.answer("null")
		c.wantError(m, -32600)
		if !strings.Contains(m.Error.Message, "max_message_bytes (536870912)") {
			t.Errorf("the error does not name the bound: %s", m.Error.Message)
		}
		if grown := heap() - before; grown > most {
			t.Errorf("%d bytes were taken", grown)
		}
	})
	t.Run("below it memory is taken as bytes come", func(t *testing.T) {
		c := startInitialized(t, t.TempDir())
		before := heap()
		c.bytes("Content-Length: %d\r\n\r\n%s", 500<<20, strings.Repeat(" ", 2<<20))
		if grown := heap() - before; grown > most {
			t.Errorf("%d bytes were taken", grown)
		}
	})
	t.Run("what is refused is skipped", func(t *testing.T) {
		c := startRaw(t, lsp.Options{Bounds: map[string]int64{"max_message_bytes": 64 << 10}})
		c.send("%s", strings.Repeat("x", 64<<10+1))
		c.wantError(c.answer("null"), -32600)
		c.send(`{"jsonrpc":"2.0","id":1,"method":"shutdown"}`)
		c.wantError(c.answer("1"), -32002)
	})
}

func TestBrokenHeaderEndsTheConnection(t *testing.T) {
	for _, header := range []string{
		"Content-Length: -1\r\n\r\n",
		"Content-Length: x\r\n\r\n",
		"Content-Type: json\r\n\r\n",
		"GET / HTTP/1.1\r\n\r\n",
		"Content-Length: 99999999999999999999\r\n\r\n",
		"X: " + strings.Repeat("a", 9<<10) + "\r\n\r\n",
	} {
		t.Run(header[:15], func(t *testing.T) {
			c := startInitialized(t, t.TempDir())
			_, _ = fmt.Fprint(c.conn, header) // the server may hang up before all of it is written
			if err := <-c.done; err != lsp.ErrNoShutdown {
				t.Errorf("Serve gave %v", err)
			}
		})
	}
}

// panicOnce panics the first time that it is used.
type panicOnce struct {
	slog.Handler
	done *atomic.Bool
}

func (p panicOnce) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelWarn }

func (p panicOnce) Handle(context.Context, slog.Record) error {
	if p.done.CompareAndSwap(false, true) {
		panic("in a notification")
	}
	return nil
}

func TestPanicInAHandler(t *testing.T) {
	t.Run("of a request", func(t *testing.T) {
		c := startRaw(t, lsp.Options{After: func(time.Duration) <-chan time.Time { panic("in a request") }})
		c.initialize(t.TempDir())
		c.open(doc, "one\n")
		c.strReplace(7, "one", "two")
		m := c.answer("7")
		c.wantError(m, -32603)
		if !strings.Contains(m.Error.Message, "in a request") {
			t.Errorf("message %q", m.Error.Message)
		}
		c.wantText(doc, "     1\tone")
		c.strReplace(8, "one", "two") // the queue was given back
		c.wantError(c.answer("8"), -32603)
	})
	t.Run("of a notification", func(t *testing.T) {
		var done atomic.Bool
		c := startRaw(t, lsp.Options{Log: slog.New(panicOnce{slog.DiscardHandler, &done})})
		c.initialize(t.TempDir())
		c.send(`{"jsonrpc":"2.0","method":"workspace/didChangeConfiguration","params":{"settings":{"patchls":{"unknown":1}}}}`)
		c.wantAlive()
		if !done.Load() {
			t.Error("nothing panicked")
		}
	})
}
