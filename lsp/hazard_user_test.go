package lsp_test

import (
	"context"
	"testing"
	"time"

	"github.com/patchls/patchls/internal/testkit/headless"
)

// The user may be typing where the agent edits. With or without a plugin the server
// guarantees that an edit touches only what differs, so typed text and the cursor stay
// where they are.
//
// Fails if diff.Rewrite leaves the text around in an edit, or if Dispatcher.Handle returns an
// error for a notification that has no route.
func TestHazardInsertMode(t *testing.T) {
	s := start(t, map[string]string{"a.txt": "func f() {\n\tfor {\n\t}\n}\n"}, headless.Options{})
	b := s.open("a.txt")
	if err := b.SetCursor(len("func f() {\n\tfor ")); err != nil {
		t.Fatal(err)
	}
	edits := []args{
		{"old_str": "func f() {\n\tfor i{", "new_str": "// Doc.\nfunc g() {\n\tfor i{"},
		{"old_str": "\tfor i := {\n\t}", "new_str": "\tfor i := {\n\t\tstep()\n\t}"},
		{"old_str": "\tfor i := range {", "new_str": "\tx()\n\tfor i := range {"},
	}
	for i, typed := range []string{"i", " := ", "range "} {
		if err := s.Notify(context.Background(), "unknown/notification", map[string]any{"mode": "insert", "idle_ms": 0, "uri": b.URI()}); err != nil {
			t.Fatal(err)
		}
		if err := b.Type(typed); err != nil {
			t.Fatal(err)
		}
		edits[i]["path"] = "a.txt"
		s.edit("str_replace", edits[i])
	}
	if err := b.Type("9 "); err != nil {
		t.Fatal(err)
	}
	if want := "// Doc.\nfunc g() {\n\tx()\n\tfor i := range 9 {\n\t\tstep()\n\t}\n}\n"; b.Text() != want {
		t.Errorf("the buffer is %q, want %q", b.Text(), want)
	}
}

// Other servers hear of an edit as well, and until then their diagnostics are of the
// text before. The server asks for none, and if the text already has the edit it makes
// no client ask for any.
//
// Fails if Engine.Apply asks anything of the client but to apply the edit, as long as the client
// is on time and does not hold changes back.
func TestHazardPulledDiagnostics(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startPlayer(t, "helix", refreshes)
		b := d.opened(doc, 1, "one\n")
		for i := range 3 {
			id := d.replace(doc, "one", "one more, one")
			m := d.applyEdit()
			text := d.land(b.text, m)
			if i == 0 {
				d.say(m, yes)
				pass(150 * time.Millisecond)
			}
			d.changed(b, b.version+1, text)
			if i > 0 {
				d.say(m, yes)
			}
			d.result(id)
			d.changed(b, b.version+1, "one\n")
		}
		d.poll()
		for _, m := range d.sent {
			if m.Method != "" && m.Method != "workspace/applyEdit" && m.Method != "window/logMessage" {
				t.Errorf("the server sent %s %s", m.Method, m.Params)
			}
		}
	})
}
