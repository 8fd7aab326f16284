package lsp

import "github.com/patchls/patchls/workspace"

func (s *server) patchLenses(*workspace.Document) []lens { return nil }

// patchActions returns the actions for the lines from to to, counted from 0.
func (s *server) patchActions(_ *workspace.Document, _, _ int) []codeAction { return nil }

// patchHover returns what is known of the hunk on a line, counted from 0, in Markdown;
// "" if there is none.
func (s *server) patchHover(*workspace.Document, int) string { return "" }
