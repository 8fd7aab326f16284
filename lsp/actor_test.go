package lsp_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/lsp/view"
)

// enterAs connects an agent that is let in with more options, which are JSON members.
func (d *endpointWorld) enterAs(options string) *rawClient {
	d.t.Helper()
	c := d.connect()
	c.send(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"initializationOptions":{"token":%q,%s}}}`, endpointToken, options)
	if m := c.answer(`"init"`); m.Error != nil {
		d.t.Fatal(m.Error.Message)
	}
	return c
}

// callAs runs a command of an actor, and returns the kind of its error, "" for none.
func (c *rawClient) callAs(actor, command, arguments string) (result json.RawMessage, kind string) {
	c.t.Helper()
	c.send(`{"jsonrpc":"2.0","id":"call","method":"workspace/executeCommand","params":{"command":"patchls.%s","arguments":[%s],"actor":%q}}`, command, arguments, actor)
	m := c.answer(`"call"`)
	if m.Error == nil {
		return m.Result, ""
	}
	var data struct{ Kind string }
	if err := json.Unmarshal(m.Error.Data, &data); err != nil {
		c.t.Fatal(err)
	}
	return nil, data.Kind
}

// What an actor has seen is the base of the whole text that it sends, whichever connection either comes by.
func TestActors(t *testing.T) {
	const typed = "typed\n"
	shown := func(t *testing.T, c *rawClient, actor string) {
		if _, kind := c.callAs(actor, "document", `{"uri":"a.txt","shown":true}`); kind != "" {
			t.Fatal(kind)
		}
	}
	for _, tt := range []struct {
		name string
		// sees has actors see the text before and after the user types; the writer is returned.
		sees func(t *testing.T, d *endpointWorld, types func()) (writer *rawClient, actor string)
		want string // the buffer after the text seen first was written with a change of its last line
		kind string // of the error
	}{
		{"it was shown the text by a connection that has ended", func(t *testing.T, d *endpointWorld, types func()) (*rawClient, string) {
			c := d.enterAs(`"actor":"a"`)
			shown(t, c, "")
			_ = c.conn.Close()
			<-c.done
			types()
			return d.enterAs(`"actor":"a"`), ""
		}, "typed\none\nTWO\n", ""},
		{"another actor of the connection has seen more", func(t *testing.T, d *endpointWorld, types func()) (*rawClient, string) {
			c := d.enter()
			shown(t, c, "a")
			types()
			shown(t, c, "b")
			return c, "a"
		}, "typed\none\nTWO\n", ""},
		{"it has seen what was typed, and leaves it out", func(t *testing.T, d *endpointWorld, types func()) (*rawClient, string) {
			c := d.enter()
			shown(t, c, "a")
			types()
			shown(t, c, "a")
			return c, "a"
		}, "one\nTWO\n", ""},
		{"it got the text, and nobody was shown it", func(t *testing.T, d *endpointWorld, types func()) (*rawClient, string) {
			c := d.enter()
			types()
			if _, kind := c.callAs("a", "document", `{"uri":"a.txt"}`); kind != "" {
				t.Fatal(kind)
			}
			return c, "a"
		}, "typed\none\nTWO\n", ""},
		{"it was shown a part only", func(t *testing.T, d *endpointWorld, types func()) (*rawClient, string) {
			c := d.enter()
			types()
			if _, kind := c.callAs("a", "document", `{"uri":"a.txt","start_line":2,"limit":9,"shown":true}`); kind != "" {
				t.Fatal(kind)
			}
			return c, "a"
		}, "typed\none\ntwo\n", "stale"},
		{"100 others have called after it, and it sends the text once", func(t *testing.T, d *endpointWorld, types func()) (*rawClient, string) {
			c := d.enter()
			shown(t, c, "a")
			types()
			for i := range 100 {
				shown(t, c, fmt.Sprint(i))
			}
			return c, "a"
		}, "typed\none\ntwo\n", "stale"},
		{"100 others have called after it, and it sends the text twice", func(t *testing.T, d *endpointWorld, types func()) (*rawClient, string) {
			c := d.enter()
			shown(t, c, "a")
			types()
			shown(t, c, "a")
			for i := range 100 {
				shown(t, c, fmt.Sprint(i))
			}
			_, _ = c.callAs("a", "write", `{"path":"a.txt","content":"one\nTWO\n"}`)
			return c, "a" // it is taken to know the file
		}, "typed\none\nTWO\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := startEndpoint(t, map[string]string{"a.txt": "one\ntwo\n"}, headless.Options{}, nil)
			b := d.open("a.txt")
			c, actor := tt.sees(t, d, func() {
				if err := b.Insert(0, typed); err != nil {
					t.Fatal(err)
				}
				if err := d.Call(t.Context(), "patchls/synced", map[string]any{}, nil); err != nil {
					t.Fatal(err)
				}
			})
			_, kind := c.callAs(actor, "write", `{"path":"a.txt","content":"one\nTWO\n"}`)
			if kind != tt.kind || b.Text() != tt.want {
				t.Errorf("error %q, the buffer is %q, want %q", kind, b.Text(), tt.want)
			}
		})
	}
}

// An agent that does not see what its edit answers has not seen the lines around it.
func TestUnseenAnswers(t *testing.T) {
	for options, want := range map[string]string{`"unseen":true`: "typed\none\nTWO\nTHREE\n", `"unseen":false`: "one\nTWO\nTHREE\n"} {
		d := startEndpoint(t, map[string]string{"a.txt": "one\ntwo\nthree\n"}, headless.Options{}, nil)
		b := d.open("a.txt")
		c := d.enterAs(options)
		c.call("document", `{"uri":"a.txt","shown":true}`)
		if err := b.Insert(0, "typed\n"); err != nil {
			t.Fatal(err)
		}
		if err := d.Call(t.Context(), "patchls/synced", map[string]any{}, nil); err != nil {
			t.Fatal(err)
		}
		c.call("write", `{"path":"a.txt","content":"one\ntwo\nTHREE\n"}`)
		c.call("write", `{"path":"a.txt","content":"one\nTWO\nTHREE\n"}`)
		if b.Text() != want {
			t.Errorf("%s: the buffer is %q, want %q", options, b.Text(), want)
		}
	}
}

// The command document returns the lines that are asked for, byte for byte unless they are to fit a model.
func TestLinesOfADocument(t *testing.T) {
	d := startEndpoint(t, map[string]string{"a.txt": "one\r\ntwo\nthree", "empty.txt": ""}, headless.Options{}, nil)
	d.open("a.txt")
	d.open("empty.txt")
	c := d.enter()
	for _, tt := range []struct {
		args, text   string
		start, end   int
		total        int
		final, short bool
	}{
		{`"uri":"a.txt"`, "one\r\ntwo\nthree", 1, 3, 3, false, false},
		{`"uri":"a.txt","start_line":2,"limit":1`, "two\n", 2, 2, 3, false, false},
		{`"uri":"a.txt","start_line":3,"limit":9`, "three", 3, 3, 3, false, false},
		{`"uri":"a.txt","start_line":9`, "", 4, 3, 3, false, false},
		{`"uri":"a.txt","start_line":-1,"limit":-1`, "", 1, 0, 3, false, false},
		{`"uri":"a.txt","room":8`, "one\r\n", 1, 1, 3, false, false},
		{`"uri":"empty.txt"`, "", 1, 0, 0, false, false},
	} {
		var got view.Document
		if err := json.Unmarshal(c.call("document", "{"+tt.args+"}"), &got); err != nil {
			t.Fatal(err)
		}
		if got.Text != tt.text || got.StartLine != tt.start || got.EndLine != tt.end || got.TotalLines != tt.total || got.FinalNewline != tt.final || got.Cropped != tt.short {
			t.Errorf("%s: %+v", tt.args, got)
		}
	}
}

// A program that writes the whole text to disk that its agent has just sent has not written anything new.
func TestATextThatWasSentComesToBeOnDisk(t *testing.T) {
	const was, sent = "one\ntwo\n", "typ\none\nTWO\n"
	for _, tt := range []struct {
		name, disk string
		later      time.Duration
		asks       bool
		want       string
	}{
		{"at once", sent, 0, false, "typed\none\nTWO\n"},
		{"with other line ends", strings.ReplaceAll(sent, "\n", "\r\n"), 0, false, "typed\none\nTWO\n"},
		{"another text", "type\none\nTWO\n", 0, true, "typed\none\nTWO\n"},
		{"later", sent, time.Minute, true, "typed\none\nTWO\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				d, b := opens(t, was)
				d.buffer = b
				d.changed(b, 2, "typ\n"+was)
				d.reply(d.ask("view", args{"path": "a.txt"}))
				d.changed(b, 3, "typed\n"+was)
				id := d.ask("write", args{"path": "a.txt", "content": sent})
				if r := d.result(id); !r.Applied {
					t.Fatal(r.Message)
				}
				d.wait(tt.later)
				d.wrote("a.txt", tt.disk)
				d.wait(3 * time.Second)
				if asked := d.answered("reject"); (len(asked) > 0) != tt.asks {
					t.Errorf("asked %q", asked)
				}
				d.wantSheet(b, tt.want)
				if merged := d.isMerged(b); merged != (tt.name == "at once") { // saving would bring back the line ends
					t.Errorf("the file is known: %v", merged)
				}
			})
		})
	}
}
