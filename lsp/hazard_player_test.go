package lsp_test

import (
	"encoding/json"
	"slices"
	"testing/synctest"
	"time"

	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/transaction"
)

// read reads one message of the server.
func (d *player) read() {
	d.t.Helper()
	m, ok := <-d.messages
	if !ok {
		d.t.Fatal("the connection ended")
	}
	d.take(m)
}

// poll reads what the server has sent, once nothing more comes of itself.
func (d *player) poll() {
	d.t.Helper()
	for {
		synctest.Wait()
		select {
		case m := <-d.messages:
			d.take(m)
		default:
			return
		}
	}
}

func (d *player) take(m message) {
	d.t.Helper()
	d.sent = append(d.sent, m)
	switch m.Method {
	case "":
		var id int
		if json.Unmarshal(m.ID, &id) == nil {
			d.answers[id] = m
		}
	case "workspace/applyEdit":
		if d.buffer == nil {
			d.edits = append(d.edits, m)
			return
		}
		if v := d.version(m); v != nil && *v != max(d.buffer.version, 1) && *v != d.buffer.version {
			d.say(m, `{"applied":false}`)
			return
		}
		d.changed(d.buffer, d.buffer.version+1, d.land(d.buffer.text, m))
		d.say(m, yes)
	case "workspace/diagnostic/refresh":
		if d.refresh != nil {
			d.refresh(m)
		}
	}
}

// applyEdit returns the next applyEdit. It must come before any answer to the last
// command.
func (d *player) applyEdit() message {
	d.t.Helper()
	for len(d.edits) == 0 {
		if m, over := d.answers[d.serial]; over {
			d.t.Fatalf("the command was answered before it sent an edit: %+v %s", m.Error, m.Result)
		}
		d.read()
	}
	m := d.edits[0]
	d.edits = d.edits[1:]
	return m
}

// reply returns the answer to a command.
func (d *player) reply(id int) message {
	d.t.Helper()
	for {
		if m, ok := d.answers[id]; ok {
			return m
		}
		d.read()
	}
}

// result returns the result of a command, which must be one that is verified.
func (d *player) result(id int) transaction.Result {
	d.t.Helper()
	m := d.reply(id)
	var r transaction.Result
	if m.Error != nil {
		d.t.Fatalf("command %d failed: %s %s", id, m.Error.Message, m.Error.Data)
	}
	if err := json.Unmarshal(m.Result, &r); err != nil {
		d.t.Fatal(err)
	}
	if !r.Applied || !r.Verified {
		d.t.Errorf("command %d is not verified: %+v", id, r)
	}
	return r
}

// failure returns the error of a command, which must be of one of these kinds.
func (d *player) failure(id int, kinds ...string) failure {
	d.t.Helper()
	m := d.reply(id)
	if m.Error == nil {
		d.t.Fatalf("command %d should fail with one of %q: %s", id, kinds, m.Result)
	}
	f := failure{Message: m.Error.Message}
	if len(m.Error.Data) > 0 {
		if err := json.Unmarshal(m.Error.Data, &f.ErrorData); err != nil {
			d.t.Fatal(err)
		}
	}
	if !slices.Contains(kinds, string(f.Kind)) {
		d.t.Errorf("command %d failed with %s, want one of %q: %s", id, f.Kind, kinds, f.Message)
	}
	return f
}

// took checks how long the last command has taken until now.
func (d *player) took(want time.Duration) {
	d.t.Helper()
	if took := time.Since(d.began); took != want {
		d.t.Errorf("it took %v, want %v", took, want)
	}
}

// wantNoEdit checks that the server has sent no applyEdit.
func (d *player) wantNoEdit() {
	d.t.Helper()
	for _, m := range d.sent {
		if m.Method == "workspace/applyEdit" {
			d.t.Errorf("the server sent %s", m.Params)
		}
	}
}

// land returns s after the text edits of an applyEdit, at their positions, whatever
// the text was that they are meant for.
func (d *player) land(s string, m message) string {
	d.t.Helper()
	now := text.New(s)
	for _, e := range slices.Backward(d.textEdits(m)) {
		at := func(p wirePosition) int {
			return now.Offset(text.Position{Line: int(p.Line), Character: int(p.Character)}, text.UTF8)
		}
		now = now.Replace(at(e.Range.Start), at(e.Range.End), e.NewText)
	}
	return now.String()
}

// version returns the version that an applyEdit is for, nil for none.
func (d *player) version(m message) *int {
	d.t.Helper()
	var p struct {
		Edit struct {
			DocumentChanges []struct{ TextDocument struct{ Version *int } }
		}
	}
	if err := json.Unmarshal(m.Params, &p); err != nil {
		d.t.Fatal(err)
	}
	return p.Edit.DocumentChanges[0].TextDocument.Version
}

// textEdits returns the text edits of an applyEdit.
func (d *player) textEdits(m message) []wireTextEdit {
	d.t.Helper()
	var p struct {
		Edit struct {
			DocumentChanges []struct{ Edits []wireTextEdit }
		}
	}
	if err := json.Unmarshal(m.Params, &p); err != nil {
		d.t.Fatal(err)
	}
	var list []wireTextEdit
	for _, change := range p.Edit.DocumentChanges {
		list = append(list, change.Edits...)
	}
	return list
}

// wantSheet checks a document's text.
func (d *player) wantSheet(b *sheet, want string) {
	d.t.Helper()
	if b.text != want {
		d.t.Errorf("the editor has %q, want %q", b.text, want)
	}
}

// hash returns the rev of a text.
func hash(s string) string { return text.New(s).Hash() }
