package lines

import (
	"strings"
	"testing"

	"github.com/patchls/patchls/edits/text"
)

// Of two agents that share a ledger, one has seen what the answer to its own whole text showed it, and the other has
// viewed the text later. A text of the first does not replace what the other alone has seen.
func TestAnswerToAWholeTextIsNotTheViewOfAnother(t *testing.T) {
	var l Ledger
	l.Share()
	rows := strings.Fields("a b c d e f g h")
	show := func(now string, from, to int) Meeting {
		return Meeting{Text: text.New(now), Shown: Spans{{from, to}}, Whole: true}
	}
	content := func(rows ...string) string { return strings.Join(rows, "\n") + "\n" }
	first := content(rows...)
	l.Showed("/a", show(first, 1, 8))

	rows[0] = "A"
	sent := content(rows...)
	now := "A\nuser\n" + strings.TrimPrefix(sent, "A\n")
	l.Wrote("/a", sent, show(now, 1, 4)) // the answer shows the user's line

	now = strings.Replace(now, "h", "by another", 1)
	l.Showed("/a", show(now, 1, 9)) // to the other agent

	p, _ := l.Page("/a")
	again := strings.Replace("A\nuser\n"+strings.TrimPrefix(sent, "A\n"), "\ne\n", "\nE\n", 1)
	if got := p.BaseOf(again).Merge(text.New(now), again); len(got.Lost) == 0 && !strings.Contains(got.Text, "by another") {
		t.Errorf("the merge is %q, and nothing is said to be lost", got.Text)
	}
}
