package lsp

import (
	"fmt"

	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/workspace"
)

// reviewHints returns a hint behind the first line of each mark that begins on the lines
// from to to, counted from 0.
func (s *server) reviewHints(doc *workspace.Document, from, to int) []inlayHint {
	if !s.settings.Load().Review.InlayHints {
		return nil
	}
	marks, now := s.marks(doc.Key)
	var hints []inlayHint
	for _, m := range marks {
		if first, _ := m.seen(now); from <= first && first <= to {
			at := now.LineStart(first)
			if first < now.Lines() {
				at = now.Line(first).End
			}
			hints = append(hints, inlayHint{Position: position(now, at, s.encoding), Label: m.said(now), PaddingLeft: true})
		}
	}
	return hints
}

// reviewDiagnostics returns a hint for each mark.
func (s *server) reviewDiagnostics(doc *workspace.Document) []diagnostic {
	if !s.settings.Load().Review.Diagnostics {
		return nil
	}
	marks, now := s.marks(doc.Key)
	var hints []diagnostic
	for _, m := range marks {
		hints = append(hints, diagnostic{
			Range:    protocol.Range{Start: position(now, m.Start, s.encoding), End: position(now, m.End, s.encoding)},
			Severity: protocol.DiagnosticSeverityHint, Code: "review", Source: diagnosticsSource,
			Message: fmt.Sprintf("%s (%s, edit %s): keep or revert", m.said(now), m.edit.command, m.edit.id),
		})
	}
	return hints
}
