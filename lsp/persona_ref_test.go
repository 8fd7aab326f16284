package lsp_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/patchls/patchls/internal/testkit/chance"
	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/internal/testkit/personas"
	"github.com/patchls/patchls/lsp/transaction"
)

// measuredPersonas returns the editors that were measured, which excludes the hostile one.
func measuredPersonas() []personas.Persona {
	return slices.DeleteFunc(personas.All(), func(p personas.Persona) bool { return p.Name == "hostile" })
}

// runRefCasesInPersonas runs the cases of a reference tool in editors as they were
// measured, and in the hostile one. In the measured ones the outcome is the usual one,
// but for refExceptions.
func runRefCasesInPersonas(t *testing.T, cases []refCase) {
	cases = chance.Sample(cases)
	files := make([]fileCase, len(cases))
	for n, c := range cases {
		files[n] = newFileCase(t, c.id, c)
	}
	t.Run("in hostile", func(t *testing.T) { runHostile(t, files) })
	for _, p := range measuredPersonas() {
		t.Run("in "+p.Name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := startInBubble(t, nil, p.Options(headless.Options{}))
				for n, c := range cases {
					c.runInPersona(s, p.Name, fmt.Sprintf("case-%d.txt", n))
				}
			})
		})
	}
}

// refExceptions are the cases that leave another file in some editors. A message
// that is "" is the case's own.
var refExceptions = []struct {
	ids, in string
	after   func(string) string
	message string
	why     string
}{
	{
		ids: "S1-2, S1-3, S1-12, S1-14, S1-19, A31", in: "neovim, neovim-plugin, helix, eglot",
		after: func(s string) string { return s + "\n" }, why: "saving adds a final newline",
	},
	{
		ids: "S1-15 1-2", in: "neovim, neovim-plugin",
		after: func(string) string { return "\n" }, why: "a buffer without a line has an empty one",
	},
	{
		ids: "write nothing", in: "neovim, neovim-plugin",
		after: func(string) string { return "\n" }, message: "{P} written 1 lines\n>>>\n1 \n<<<",
		why: "a buffer without a line has an empty one, and the answer shows it",
	},
}

// in returns the case with its outcome in an editor, and whether that is an exception.
func (c refCase) in(persona string) (want refCase, exception bool) {
	for _, e := range refExceptions {
		if slices.Contains(strings.Split(e.ids, ", "), c.id) && slices.Contains(strings.Split(e.in, ", "), persona) {
			c.after, c.message, c.cure = e.after(c.after), cmp.Or(e.message, c.message), e.why
			return c, true
		}
	}
	return c, false
}

// runInPersona runs the case on a file; what follows is what is saved.
func (c refCase) runInPersona(s *session, persona, name string) {
	s.t.Helper()
	writeFile(s.t, s.path(name), c.before)
	b := s.open(name)
	defer b.Close()
	opened := b.Text()
	c.read(s, b)
	raw, err := s.Execute(context.Background(), "patchls."+c.command, c.about(s.t, name))
	var got refCase
	if err != nil {
		f := failureOf(s.t, raw, err)
		got.kind, got.message = f.Kind, f.Message
		if b.Text() != opened {
			s.t.Errorf("%s failed, and %q became %q", c.id, opened, b.Text())
		}
	} else {
		var r transaction.Result
		if err := json.Unmarshal(raw, &r); err != nil {
			s.t.Fatal(err)
		}
		got.message = r.Message
		checkCase(s.t, b, opened, r)
		if err := b.Save(); err != nil {
			s.t.Fatal(err)
		}
	}
	got.after = s.disk(name)
	want, exception := c.in(persona)
	switch {
	case !got.is(want, name):
		s.t.Errorf("%s: %s %v of %q\ngives %q %s: %q\nwant %q %s: %q (%s)", c.id, c.command, c.args, c.before,
			got.after, got.kind, got.message, want.after, want.kind, want.message, want.cure)
	case exception && got.is(c, name):
		s.t.Errorf("%s is no exception in %s", c.id, persona)
	}
}

// about returns the arguments of the case, about a file.
func (c refCase) about(t *testing.T, name string) json.RawMessage {
	t.Helper()
	a := args{"path": name}
	maps.Copy(a, c.args)
	raw, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	return json.RawMessage(strings.ReplaceAll(string(raw), "untitled:case", name))
}

// is reports whether the outcome is the one that a case wants.
func (c refCase) is(want refCase, path string) bool {
	message := strings.ReplaceAll(want.message, "{P}", path)
	return c.kind == want.kind && (c.kind != "" || c.after == want.after) && (message == "" || c.message == message)
}
