package rewrite

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"go.lsp.dev/jsonrpc2"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/command"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/chance"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/transaction"
)

// A change that is converted to edits by lines makes the agent's text again.
func TestByLines(t *testing.T) {
	seed := chance.Seed(t)
	random := rand.New(rand.NewPCG(seed, 0))
	words := []string{"a", "b", "", "}", "\t}", "a longer line", "a longer one"}
	draw := func() []string {
		lines := make([]string, random.IntN(9))
		for i := range lines {
			lines[i] = words[random.IntN(len(words))]
		}
		return lines
	}
	joined := func(lines []string, end string) string {
		if len(lines) == 0 {
			return ""
		}
		return strings.Join(lines, "\n") + end
	}
	for range 5000 {
		end := []string{"", "\n"}[random.IntN(2)]
		was := draw()
		is := append(append(append([]string{}, was[:len(was)/2]...), draw()...), was[len(was)/2:]...)
		base, now := joined(was, end), joined(is, end)
		c := Of("", Version{Text: base}, now)
		if c.endsOtherwise() || len(c.edits) == 0 {
			continue
		}
		var batch command.EditLines
		for _, l := range c.byLines() {
			batch.Edits = append(batch.Edits, command.LineEdit(l))
		}
		plan, err := batch.Plan(edits.Source{Text: c.base})
		if err != nil {
			t.Fatalf("%q to %q: %v", base, now, err)
		}
		if got := plan.Edits.Apply(c.base).String(); got != now {
			t.Fatalf("%q to %q by lines is %q: %+v", base, now, got, batch)
		}
	}
}

// standIn is an editor that returns errs in turn, and records the calls.
type standIn struct {
	errs  []error
	calls []agent.Call
}

func (e *standIn) Execute(_ context.Context, call agent.Call) (json.RawMessage, error) {
	if e.calls = append(e.calls, call); len(e.errs) == 0 {
		return json.RawMessage("{}"), nil
	}
	err := e.errs[0]
	e.errs = e.errs[1:]
	return json.RawMessage("{}"), err
}

func answered(kind edits.Kind, message string) error {
	data, err := json.Marshal(transaction.ErrorData{Kind: kind})
	if err != nil {
		panic(err)
	}
	return &jsonrpc2.Error{Message: message, Data: jsonrpc2.RawMessage(data)}
}

func TestMake(t *testing.T) {
	stale, lost := answered(edits.Stale, "those lines have changed"), fmt.Errorf("gone: %w", agent.ErrLost)
	const base = "1\n2\n3\n4\n5\n6\n7\n8\n9\n"
	for _, tt := range []struct {
		name, now string
		errs      []error
		calls     []string
		want      string // of the error; "" for none
		diff      string // a part of the diff in the error
	}{
		{"one edit", "one\n2\n3\n4\n5\n6\n7\n8\nnine\n", nil, []string{"edit_lines 2"}, "", ""},
		{"the user has made it", "one\n2\n3\n4\n5\n6\n7\n8\n9\n", []error{answered(edits.NoChange, "")}, []string{"edit_lines 1"}, "", ""},
		{"one hunk is late", "one\n2\n3\n4\n5\n6\n7\n8\nnine\n", []error{stale, nil, stale}, []string{"edit_lines 2", "edit_lines 1", "edit_lines 1"}, "1 of 2 changes of the agent not made: those lines have changed", "-9\n+nine\n"},
		{"both fit one by one", "one\n2\n3\n4\n5\n6\n7\n8\nnine\n", []error{stale}, []string{"edit_lines 2", "edit_lines 1", "edit_lines 1"}, "", ""},
		{"the only hunk is late", "1\n2\n3\n4\n5\n6\n7\n8\nnine\n", []error{stale}, []string{"edit_lines 1"}, "1 of 1 change of the agent not made: those lines have changed", "-9\n+nine\n"},
		{"refused", "one\n2\n3\n4\n5\n6\n7\n8\nnine\n", []error{answered("protected", "the file is\nprotected")}, []string{"edit_lines 2"}, "2 of 2 changes of the agent not made: the file is protected", "-1\n+one\n"},
		{"not known", "1\n", []error{lost}, []string{"edit_lines 1"}, "1 of 1 change of the agent not made: gone: " + agent.ErrLost.Error(), "-2\n-3\n"},
		{"not there", "1\n", []error{fmt.Errorf("%w: x", agent.ErrNotSent)}, []string{"edit_lines 1"}, ErrLater.Error(), ""},
		{"without its last line end", "1\n2\n3\n4\n5\n6\n7\n8\nnine", nil, []string{"apply_patch"}, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := &standIn{errs: tt.errs}
			err := Of("file:///menu.txt", Version{base, "r1"}, tt.now).MakeParts(t.Context(), e)
			if (err == nil) != (tt.want == "") || err != nil && err.Error() != tt.want {
				t.Errorf("error %v, want %q", err, tt.want)
			}
			if r, is := errors.AsType[*RefusedError](err); is && (!strings.Contains(r.Diff, tt.diff) || !strings.Contains(r.Diff, "--- /menu.txt\n")) {
				t.Errorf("it keeps %s", r.Diff)
			}
			var calls []string
			for _, c := range e.calls {
				said := c.Command
				if args, is := c.Arguments.(commands.EditLines); is {
					said = fmt.Sprintf("%s %d", c.Command, len(args.Edits))
					if args.Rev != "r1" || args.Path != "file:///menu.txt" {
						t.Errorf("it sends %+v", args)
					}
				}
				calls = append(calls, said)
			}
			if fmt.Sprint(calls) != fmt.Sprint(tt.calls) {
				t.Errorf("calls %q, want %q", calls, tt.calls)
			}
		})
	}
}

// A file is written as the editor would save it, and read back so.
func TestForm(t *testing.T) {
	for _, tt := range []struct{ disk, now, saved string }{
		{"a\n", "b\n", "b\n"},
		{"a\r\nb\r\n", "c\nd\n", "c\r\nd\r\n"},     // the editor keeps line ends apart
		{"a\r\nb\r\n", "c\r\nd\r\n", "c\r\nd\r\n"}, // or not
		{"a\r\nb\n", "c\nd\n", "c\nd\n"},
		{text.BOM + "a\n", "b\n", text.BOM + "b\n"},
		{text.BOM + "a\n", text.BOM + "b\n", text.BOM + "b\n"},
		{text.BOM + "a\r\n", "b\n", text.BOM + "b\r\n"},
		{"", "b\n", "b\n"},
	} {
		f := FormOf(tt.disk, tt.now)
		if f.Saved(tt.now) != tt.saved || f.Text(tt.saved) != tt.now {
			t.Errorf("%q on disk, %q in the editor: saved %q, read back %q", tt.disk, tt.now, f.Saved(tt.now), f.Text(tt.saved))
		}
	}
	for s, want := range map[string]bool{"": true, "café": true, "caf\xe9": false, "\xff\xfea\x00": false, "a\x00b": false} {
		if IsText(s) != want {
			t.Errorf("%q is a text: %v", s, !want)
		}
	}
}
