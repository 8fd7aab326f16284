package command_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/command"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/edits/place"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/chance"
)

// TestExactPlansDoNotCopy checks that commands on a long edited document use memory that
// does not depend on its length.
func TestExactPlansDoNotCopy(t *testing.T) {
	lines := strings.Split(strings.TrimSuffix(chance.NumberedLines(100_000), "\n"), "\n")
	for name, end := range map[string]string{"LF": "\n", "CRLF": "\r\n"} {
		buf := text.NewBuffer(text.New(strings.Join(lines, end) + end))
		buf.Replace(1000, 1001, "~")
		src := edits.Source{Path: "a", Text: buf.Snapshot()}
		src.Text.LineHashes() // made once, and then kept
		h := patch.Hunk{Line: 1}
		for _, l := range lines[7000:7003] {
			h.Lines = append(h.Lines, patch.Line{Kind: patch.KeptLine, Text: l})
		}
		h.Lines = append(h.Lines, patch.Line{Kind: patch.AddedLine, Text: "new"})
		for _, c := range []struct {
			name string
			plan func() (edits.Plan, error)
		}{
			{"str_replace", func() (edits.Plan, error) {
				return command.Replace{Old: lines[70_000] + "\n" + lines[70_001], New: "x\ny", Lenient: true}.Plan(src)
			}},
			{"insert", func() (edits.Plan, error) { return command.Insert{AfterLine: new(5000), Content: "x"}.Plan(src) }},
			{"delete_lines", func() (edits.Plan, error) { return command.DeleteLines{StartLine: 500, EndLine: 510}.Plan(src) }},
			{"patch", func() (edits.Plan, error) {
				return place.Plan(patch.File{Path: "a", Hunks: []patch.Hunk{h}}, src, place.Options{})
			}},
		} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			p, err := c.plan()
			runtime.ReadMemStats(&after)
			if err != nil || len(p.Edits) == 0 {
				t.Fatalf("%s, %s: %v", c.name, name, err)
			}
			if got := after.TotalAlloc - before.TotalAlloc; got > 64<<10 {
				t.Errorf("%s, %s: %d bytes allocated on a document of %d", c.name, name, got, src.Text.Len())
			}
		}
	}
}
