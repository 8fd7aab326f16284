package lsp

import (
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/patchls/patchls/lsp/schema"
)

// Schema returns the JSON schema of the command's arguments: an object, with
// the defaults filled in.
func (c *Command) Schema() (*jsonschema.Schema, error) {
	of, err := schema.Of(c.arguments)
	if err != nil {
		return nil, fmt.Errorf("schema of %s: %w", c.Name, err)
	}
	of.Title, of.Description = c.Title, c.Doc
	return of, nil
}

// AnswerSchema returns the JSON schema of what the command answers: an object. It
// is nil for a reference tool, whose answers are not of one kind. Commands that
// answer alike share it, so it must not be changed.
func (c *Command) AnswerSchema() (*jsonschema.Schema, error) {
	if c.answer == nil {
		return nil, nil
	}
	of, err := schema.OfAnswer(c.answer)
	if err != nil {
		return nil, fmt.Errorf("schema of the answer of %s: %w", c.Name, err)
	}
	return of, nil
}

// Arguments returns the arguments of the command, in order.
func (c *Command) Arguments() ([]schema.Argument, error) {
	of, err := c.Schema()
	if err != nil {
		return nil, err
	}
	return schema.Describe(c.arguments.Type(), of), nil
}
