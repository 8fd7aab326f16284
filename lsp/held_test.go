package lsp_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/patchls/patchls/internal/testkit/headless"
)

// TestLargeQuestionsAreWeighed: a few large edits are enough to exceed the bound, and when
// their agent leaves, what it held is released: the next edit is asked about.
func TestLargeQuestionsAreWeighed(t *testing.T) {
	const size, most = 9 << 20, 64 << 20
	left, given := make(chan struct{}), make(chan struct{}, 100)
	d := startEndpoint(t, nil, headless.Options{
		Settings: map[string]any{"max_held_bytes": most},
		Answer: chooses(func(ctx context.Context, _ string, _ []string) string {
			select {
			case <-left:
			case <-ctx.Done():
			}
			return ""
		}),
	}, func(after time.Duration) <-chan time.Time {
		if after == time.Second { // when memory is given back
			given <- struct{}{}
		}
		return time.After(after)
	})
	asks := func(c *rawClient, id, size int) {
		c.send(`{"jsonrpc":"2.0","id":%d,"method":"workspace/executeCommand","params":{"command":"patchls.create","arguments":[{"path":"new%d.txt","content":%q,"confirm":true}]}}`, id, id, strings.Repeat("x", size))
	}
	c := d.enter()
	for i := range 6 {
		asks(c, i, size)
	}
	select {
	case m := <-c.messages:
		if m.Error == nil || !strings.Contains(m.Error.Message, fmt.Sprintf("max_held_bytes (%d)", most)) {
			t.Errorf("answered %+v %s", m.Error, m.Result)
		}
	case <-time.After(time.Minute):
		t.Fatal("all of them are held")
	}
	_ = c.conn.Close()
	select {
	case <-given:
	case <-time.After(time.Minute):
		t.Fatal("no memory is given back")
	}
	close(left)
	next, end := d.enter(), time.Now().Add(20*time.Second)
	for id := 7; ; id++ { // its request and its question have room together once all of the others' is let go
		asks(next, id, 20<<20)
		m := next.answer(fmt.Sprint(id))
		if m.Error != nil && strings.Contains(m.Error.Message, "The user rejected") {
			return
		}
		if m.Error == nil || time.Now().After(end) {
			t.Fatalf("answered %+v", m.Error)
		}
	}
}

// TestAMessageThatDoesNotCome: an agent that has begun a large message and does not send the
// rest is closed in time, and the log says so; one whose message has come is not.
func TestAMessageThatDoesNotCome(t *testing.T) {
	late := make(chan chan time.Time, 2)
	d := startEndpoint(t, nil, headless.Options{}, func(after time.Duration) <-chan time.Time {
		if after == 10*time.Second { // write_timeout_ms
			up := make(chan time.Time, 1)
			late <- up
			return up
		}
		return time.After(after)
	})
	c := d.enter()
	for id, comes := range []bool{true, false} {
		body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"workspace/executeCommand","params":{"command":"patchls.view","arguments":[{"path":"%s"}]}}`, id, strings.Repeat("x", 1<<20))
		if !comes {
			body = body[:len(body)/2]
		}
		if _, err := fmt.Fprintf(c.conn, "Content-Length: %d\r\n\r\n%s", len(body)+id, body); err != nil {
			t.Fatal(err)
		}
		if comes {
			c.answer("0")
		}
		(<-late) <- time.Time{}
	}
	select {
	case m, open := <-c.messages:
		if open {
			t.Errorf("answered %s", m.ID)
		}
	case <-time.After(time.Minute):
		t.Fatal("it is not closed")
	}
	if log := d.log.String(); !strings.Contains(log, "did not come within write_timeout_ms (10000)") {
		t.Errorf("the log says %s", log)
	}
}

// TestAMessageIsWeighedWhenItIsAnnounced: what one agent has announced and not sent leaves no
// room for another one's, which is refused before it has come, under its id. When the first
// one leaves there is room again.
func TestAMessageIsWeighedWhenItIsAnnounced(t *testing.T) {
	const size, most = 40 << 20, 64 << 20
	d := startEndpoint(t, nil, headless.Options{Settings: map[string]any{"max_held_bytes": most}}, time.After)
	begins := func(id int) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"workspace/executeCommand","params":{"command":"patchls.view","arguments":[{"path":"%s`, id, strings.Repeat("x", 8<<10))
	}
	announce := func(c *rawClient, id int) (left int) {
		body := begins(id)
		if _, err := fmt.Fprintf(c.conn, "Content-Length: %d\r\n\r\n%s", size, body); err != nil {
			t.Fatal(err)
		}
		return size - len(body)
	}
	first, second := d.enter(), d.enter()
	announce(first, 1)
	first.send(`{}`) // is taken for more of the first, which so has begun
	late := time.After(time.Minute)
	left := announce(second, 2)
	select {
	case m := <-second.messages:
		if m.Error == nil || string(m.ID) != "2" || !strings.Contains(m.Error.Message, fmt.Sprintf("max_held_bytes (%d)", most)) {
			t.Fatalf("answered %s %+v", m.ID, m.Error)
		}
	case <-late:
		t.Fatal("both are held")
	}
	if _, err := fmt.Fprint(second.conn, strings.Repeat(" ", left)); err != nil {
		t.Fatal(err)
	}
	_ = first.conn.Close()
	for id := 10; ; id++ { // until it has left
		left := announce(second, id)
		if _, err := fmt.Fprint(second.conn, `"}]}}`+strings.Repeat(" ", left-len(`"}]}}`))); err != nil {
			t.Fatal(err)
		}
		if m := second.answer(fmt.Sprint(id)); !strings.Contains(m.Error.Message, "max_held_bytes") {
			break // the view of a file that is not there
		}
		select {
		case <-late:
			t.Fatal("what the agent held is not let go")
		default:
		}
	}
}
