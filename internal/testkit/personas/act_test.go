package personas

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/acts"
	"github.com/patchls/patchls/internal/testkit/fakeserver"
	"github.com/patchls/patchls/internal/testkit/headless"
)

// recorded is an act as a real editor reported it: see testdata/acts.
type recorded struct {
	name, by     string
	before, keys string
	told         map[string][]toldMessage // of "act", "undo" and "redo"
}

// toldMessage is one didChange of a recording.
type toldMessage struct {
	MS      int
	Version int32
	Changes []struct{ Range, Text string }
}

var sectionOf = regexp.MustCompile(`(?m)^-- ([a-z ]+) --\n`)

func recordings(t *testing.T, editor string) map[string]recorded {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "testdata", "acts", editor, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings of %s: %v", editor, err)
	}
	all := map[string]recorded{}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		names, bodies := sectionOf.FindAllStringSubmatch(string(raw), -1), sectionOf.Split(string(raw), -1)
		section := map[string]string{}
		for i, name := range names {
			section[name[1]] = bodies[i+1]
		}
		r := recorded{
			name: strings.TrimSuffix(filepath.Base(file), ".txtar"), by: strings.TrimSpace(bodies[0]),
			before: section["before"], keys: strings.TrimSpace(section["keys"]), told: map[string][]toldMessage{},
		}
		for _, part := range []string{"act", "undo", "redo"} {
			for line := range strings.Lines(section[part]) {
				var m toldMessage
				if err := json.Unmarshal([]byte(line), &m); err != nil {
					t.Fatalf("%s: %v in %s", file, err, line)
				}
				r.told[part] = append(r.told[part], m)
			}
		}
		all[r.name] = r
	}
	return all
}

// changesIn returns the didChange that a message is.
func changesIn(raw []byte) []toldMessage {
	var m struct {
		Method string
		Params struct {
			TextDocument   struct{ Version int32 }
			ContentChanges []headless.ContentChange
		}
	}
	if json.Unmarshal(raw, &m) != nil || m.Method != "textDocument/didChange" {
		return nil
	}
	told := toldMessage{Version: m.Params.TextDocument.Version}
	for _, c := range m.Params.ContentChanges {
		from, to := c.Range.Start, c.Range.End
		told.Changes = append(told.Changes, struct{ Range, Text string }{fmt.Sprintf("%d:%d-%d:%d", from.Line, from.Character, to.Line, to.Character), c.Text})
	}
	return []toldMessage{told}
}

// textsOf returns what a text was after each change of the messages.
func textsOf(t *testing.T, s string, messages []toldMessage) []string {
	t.Helper()
	var all []string
	for _, m := range messages {
		for _, c := range m.Changes {
			var from, to text.Position
			if _, err := fmt.Sscanf(c.Range, "%d:%d-%d:%d", &from.Line, &from.Character, &to.Line, &to.Character); err != nil {
				t.Fatalf("%q: %v", c.Range, err)
			}
			now := text.New(s)
			if s = now.Replace(now.Offset(from, text.UTF8), now.Offset(to, text.UTF8), c.Text).String(); s != now.String() {
				all = append(all, s)
			}
		}
	}
	return all
}

func sortedDown(rows []string) []string {
	slices.Sort(rows)
	slices.Reverse(rows)
	return rows
}

func turned(rows []string) []string {
	slices.Reverse(rows)
	return rows
}

func eachRow(change func(string) string) func([]string) []string {
	return func(rows []string) []string {
		for i := range rows {
			rows[i] = change(rows[i])
		}
		return rows
	}
}

func unindented(row string) string { return strings.TrimPrefix(row, "  ") }

// vimActs are the acts of the recordings, by name.
var vimActs = map[string]func(s string) acts.Act{
	"join":             func(s string) acts.Act { return acts.VimJoin(s, 1, 3) },
	"join-three":       func(s string) acts.Act { return acts.VimJoin(s, 0, 3) },
	"join-blank":       func(s string) acts.Act { return acts.VimJoin(s, 2, 4) },
	"join-all":         func(s string) acts.Act { return acts.VimJoin(s, 0, 8) },
	"reflow":           func(s string) acts.Act { return acts.VimReflow(s, 0, 3, 16) },
	"reflow-long":      func(s string) acts.Act { return acts.VimReflow(s, 4, 8, 16) },
	"move-down":        func(s string) acts.Act { return acts.VimMove(s, 1, 2, 5) },
	"move-up":          func(s string) acts.Act { return acts.VimMove(s, 5, 6, 1) },
	"delete-line":      func(s string) acts.Act { return acts.VimDelete(s, 1, 2) },
	"delete-lines":     func(s string) acts.Act { return acts.VimDelete(s, 1, 4) },
	"delete-last-line": func(s string) acts.Act { return acts.VimDelete(s, 7, 8) },
	"copy":             func(s string) acts.Act { return acts.VimPut(s, 2, "beta two") },
	"copy-up":          func(s string) acts.Act { return acts.VimPut(s, 1, "beta two") },
	"paste-over":       func(s string) acts.Act { return acts.VimPutOver(s, 4, 5, "beta two") },
	"open-below":       func(s string) acts.Act { return acts.VimOpen(s, 2, "xy") },
	"open-above":       func(s string) acts.Act { return acts.VimOpen(s, 1, "xy") },
	"outdent":          func(s string) acts.Act { return acts.VimChange(s, 2, 3, eachRow(unindented)) },
	"format":           func(s string) acts.Act { return acts.VimChange(s, 0, 3, eachRow(unindented)) },
	"indent": func(s string) acts.Act {
		return acts.VimChange(s, 1, 2, eachRow(func(r string) string { return "  " + r }))
	},
	"indent-lines": func(s string) acts.Act {
		return acts.VimChange(s, 0, 3, eachRow(func(r string) string { return "  " + r }))
	},
	"upper-case":     func(s string) acts.Act { return acts.VimChange(s, 4, 8, eachRow(strings.ToUpper)) },
	"sort":           func(s string) acts.Act { return acts.VimChange(s, 4, 8, sortedDown) },
	"filter":         func(s string) acts.Act { return acts.VimFilter(s, 4, 7, turned) },
	"substitute":     func(s string) acts.Act { return acts.VimSubstitute(s, 1, 2, "w", "W") },
	"substitute-all": func(s string) acts.Act { return acts.VimSubstitute(s, 0, 8, "e", "E") },
	"block-insert":   func(s string) acts.Act { return acts.VimBlock(s, 4, 7, 0, "xy") },
	"global-delete":  func(s string) acts.Act { return acts.VimGlobalDelete(s, "e") },
}

// TestActsAreToldAsRecorded: an act of the simulated user gives the texts that the real
// Neovim gave, one after the other, and so do its undo and redo.
func TestActsAreToldAsRecorded(t *testing.T) {
	for _, editor := range []string{"neovim-0.12.4", "neovim-0.7.2"} {
		all := recordings(t, editor)
		for _, name := range slices.Sorted(maps.Keys(vimActs)) {
			r, ok := all[name]
			if !ok {
				t.Errorf("%s has no recording of %s", editor, name)
				continue
			}
			t.Run(editor+" "+name, func(t *testing.T) {
				inBubble(t, func(t *testing.T) { holdAct(t, r, vimActs[name]) })
			})
		}
	}
}

func holdAct(t *testing.T, r recorded, act func(string) acts.Act) {
	t.Helper()
	p := named(t, "neovim")
	p.Sync.Delay = DelayNone // each change is told by itself
	var told []toldMessage
	e, _ := start(t, p, headless.Options{Encodings: []string{"utf-16"}, Trace: func(_ string, raw []byte) { told = append(told, changesIn(raw)...) }}, func(s *fakeserver.Server) { s.Jumps = true })
	b := openText(t, e, "untitled:1", r.before)
	was := r.before
	for _, part := range []string{"act", "undo", "redo"} {
		told = nil
		switch part {
		case "act":
			a := act(was)
			if err := Act(e, b, a); err != nil {
				t.Fatal(err)
			}
		case "undo":
			b.Undo()
		default:
			b.Redo()
		}
		pass(time.Second)
		want, got := textsOf(t, was, r.told[part]), textsOf(t, was, told)
		if !slices.Equal(got, want) {
			t.Errorf("%s (%s), %s: told %q\nwas recorded %q", r.keys, r.by, part, got, want)
		}
		if was = b.Text(); len(want) == 0 || was != want[len(want)-1] {
			t.Errorf("%s, %s: the text is %q", r.keys, part, was)
		}
	}
}
