package lsp

import (
	"reflect"
	"testing"

	"github.com/patchls/patchls/lsp/commands"
)

// TestLineNumbersCanBeMoved requires each command whose place is given by line numbers to be able to
// move them when the text has changed; otherwise it would edit other lines.
func TestLineNumbersCanBeMoved(t *testing.T) {
	checked := 0
	for _, c := range Commands {
		args, ok := reflect.TypeAssert[commands.Edit](c.arguments)
		if !ok {
			continue
		}
		_, moves := args.(commands.ByLines)
		byLine := args.Target().ByLine || c.Name == "edit_lines" // which has lines only with edits
		if byLine != moves {
			t.Errorf("the arguments of %s: by line %t, with a method At %t", c.Name, byLine, moves)
		}
		if byLine {
			checked++
		}
	}
	if checked == 0 {
		t.Error("no command has arguments by line")
	}
}
