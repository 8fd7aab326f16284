package lsp_test

import (
	"testing"

	"github.com/patchls/patchls/lsp"
)

// What a command declares about its effects must be consistent: agents are allowed or
// refused on the strength of it.
func TestEffects(t *testing.T) {
	for i := range lsp.Commands {
		c := &lsp.Commands[i]
		answer, err := c.AnswerSchema()
		if err != nil {
			t.Error(err)
			continue
		}
		if answer != nil && answer.Type != "object" {
			t.Errorf("%s: the answer is %q, not an object", c.Name, answer.Type)
		}
	}
}
