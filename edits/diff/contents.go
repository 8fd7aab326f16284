package diff

import (
	"strings"

	"github.com/patchls/patchls/edits/text"
)

// Contents yields the lines of t without their line ends.
func Contents(t text.Text) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		var open strings.Builder // a line that began in a run before
		at := 0
		for run := range t.Runs() {
			if at == 0 {
				at, run = len(run), strings.TrimPrefix(run, text.BOM)
			}
			for run != "" {
				line := FirstLine(run)
				run = run[len(line):]
				if open.Len() > 0 || !EndsLine(line) {
					open.WriteString(line)
					if !EndsLine(line) {
						break
					}
					line = open.String()
					open.Reset()
				}
				if !yield(line[:len(line)-len(text.Terminator(line))]) {
					return
				}
			}
		}
		if open.Len() > 0 {
			yield(open.String())
		}
	}
}

// UnixLines returns s with each "\r\n" as "\n".
func UnixLines(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }
