package lsp_test

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/lsp/transaction"
	"github.com/patchls/patchls/lsp/view"
)

// faultEdit is what a command does to one line: of which document, and the words of the
// old line and the new that stand nowhere else.
type faultEdit struct {
	name     string
	old, new string // "" for a line that comes or goes
	not      string // what its answer says, if that is that it was not made
}

// made records that a command succeeded.
func (r *faultRun) made(name string, result transaction.Result, changes []*faultEdit) {
	if !result.Verified || r.editor == nil {
		return
	}
	r.mu.Lock()
	had := maps.Clone(r.had)
	r.mu.Unlock()
	for _, f := range result.Files {
		if f.Rev == r.began[f.Path] && slices.ContainsFunc(changes, func(c *faultEdit) bool { return c.name == f.Path }) {
			r.fail("%s is verified with rev %s, which %s had before", name, f.Rev, f.Path)
		}
		b, open := r.editor.Buffer(f.Path)
		if open && f.Open && f.Rev != text.New(b.Text()).Hash() && !had[f.Rev] {
			r.fail("%s is verified with rev %s, and %s has %q", name, f.Rev, f.Path, b.Text())
		}
	}
}

// refused records an error.
func (r *faultRun) refused(name string, m message, changes []*faultEdit) {
	says := func(words string) bool { return strings.Contains(m.Error.Message, words) }
	for _, words := range saysNothing {
		if says(words) && !says("may still") && !slices.ContainsFunc(saysPartly, says) {
			for _, c := range changes {
				c.not = m.Error.Message
			}
		}
	}
	if r.wrong == nil || !r.wrong() {
		r.fail("%s: %s %s", name, m.Error.Message, m.Error.Data)
	}
}

// judge holds the texts of the editor to what was done to them.
func (r *faultRun) judge() {
	if r.editor == nil {
		return
	}
	r.keyboard.Lock() // no word is half there
	defer r.keyboard.Unlock()
	for name, content := range faultTexts {
		b, open := r.editor.Buffer(name)
		if !open {
			continue
		}
		now := b.Text()
		for _, word := range r.typed[name] {
			if n := strings.Count(now, word); n != 1 {
				r.fail("what the user typed, %s, is %d times in %s: %q", word, n, name, now)
			}
		}
		for line := range strings.Lines(content) {
			if line = strings.TrimSuffix(line, "\n"); strings.Count(now, line) != 1 && !r.mayBeGone(name, line, now) {
				r.fail("the line %q is %d times in %s: %q", line, strings.Count(now, line), name, now)
			}
		}
		for _, e := range r.edits {
			if n := strings.Count(now, e.new); e.name == name && e.new != "" && (n > 1 || n == 1 && e.not != "") {
				r.fail("%q is %d times in %s, of which was said %q: %q", e.new, n, name, e.not, now)
			}
		}
	}
}

// mayBeGone reports whether some command took out the line as it was to.
func (r *faultRun) mayBeGone(name, line, now string) bool {
	if strings.Contains(now, line) {
		return false // it is there more than once
	}
	for _, e := range r.edits {
		if e.name == name && e.old == line && e.not == "" && (e.new == "" || strings.Contains(now, e.new)) {
			return true
		}
	}
	return false
}

// serves checks that the server goes on after the fault, and that its texts are the
// editor's, or that it knows that they are not.
func (r *faultRun) serves() {
	r.asked = r.clock.end()
	if r.line != nil {
		r.line.heal()
	}
	if lives := r.wire.heal(); !lives || r.editor == nil || r.endpoint == nil {
		return
	}
	r.patient = true
	if !r.synced() {
		return
	}
	r.enter(nil) // the first one may have been turned away
	for name := range faultTexts {
		b, open := r.editor.Buffer(name)
		if !open {
			continue
		}
		for again := true; again; { // an edit that comes late may be made meanwhile
			has := b.Text()
			if !r.synced() || !r.shows(name, b, has) {
				return
			}
			again = has != b.Text()
		}
	}
	b, err := r.editor.Open("spare.txt")
	if err != nil {
		r.fail("%v", err)
		return
	}
	if result, ok := r.command("str_replace", args{"path": "spare.txt", "old_str": "one", "new_str": "two"}); !ok || !result.Verified || b.Text() != "two\n" {
		r.fail("another document cannot be edited: %+v, %q", result, b.Text())
	}
}

// synced waits until the server has taken in all that the editor has sent.
func (r *faultRun) synced() bool {
	done := make(chan error, 1)
	go func() { done <- r.editor.Call(context.Background(), "patchls/synced", nil, nil) }()
	err, ok := await(r, done)
	if !ok || err != nil {
		r.fail("the editor gets no answers: %v", err)
		return false
	}
	return true
}

// shows checks that the server has a text of the editor's, unless that has changed
// meanwhile. It is false if the server does not answer.
func (r *faultRun) shows(name string, b *headless.Buffer, has string) bool {
	r.agent.send("workspace/executeCommand", args{"command": "patchls.view", "arguments": []any{args{"path": name}}})
	m, ok := r.answer()
	var shown view.View
	switch {
	case !ok:
		r.fail("view of %s has no answer", name)
	case m.Error != nil && strings.Contains(m.Error.Message, "out of step"):
	case m.Error != nil:
		r.fail("view: %s", m.Error.Message)
	default:
		if unmarshal(m.Result, &shown); shown.Rev != text.New(has).Hash() && has == b.Text() {
			r.fail("the server has another text of %s: %q, and the editor %q", name, shown.Text, has)
		}
	}
	return ok
}
