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
		if !ok || !args.Target().ByLine {
			continue
		}
		checked++
		if _, ok := args.(commands.ByLines); !ok {
			t.Errorf("the arguments of %s are by line, and have no method At", c.Name)
		}
	}
	if checked == 0 {
		t.Error("no command has arguments by line")
	}
}
