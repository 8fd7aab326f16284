package lsp

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/command"
	"github.com/patchls/patchls/lsp/apply"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

const (
	// maxDiagnostics bounds what is said of one document: editors show no more to any use.
	maxDiagnostics = 1000
	// maxDiagnostic is how many characters of a message are shown.
	maxDiagnostic = 300
	// maxRelated is to how many places a diagnostic leads.
	maxRelated = 5
)

// patchDiagnostics returns what is to be said of the patches that a document holds. It is
// not ok if that state of it was not looked at.
func (s *server) patchDiagnostics(doc *workspace.Document) (all []diagnostic, ok bool) {
	d := s.patchDocs.get(doc.Key)
	if d == nil {
		return nil, true
	}
	said := d.said.Load()
	if said == nil || said.text != doc.Text {
		return nil, false
	}
	return said.all, true
}

// say makes the diagnostics of a document from what was found.
func (d *patchDoc) say() []diagnostic {
	var all []diagnostic
	add := func(line int, severity protocol.DiagnosticSeverity, code edits.Kind, message, uri string, e *edits.Error) {
		all = append(all, diagnostic{
			Range: d.lineRange(line), Severity: severity, Code: string(code), Source: diagnosticsSource,
			Message: paths.OneLine(message, maxDiagnostic), Related: d.related(uri, e),
		})
	}
	if d.held.tooMuch != "" {
		add(0, protocol.DiagnosticSeverityInformation, paths.TooLarge, d.held.tooMuch, "", nil)
		return all
	}
	for _, p := range d.held.patches {
		if p.err != nil {
			severity := protocol.DiagnosticSeverityError
			if d.markdown && p.unnamed {
				severity = protocol.DiagnosticSeverityInformation // it only shows what one looks like
			}
			add(p.line+max(p.err.PatchLine, 1)-1, severity, p.err.Kind, withoutLine(p.err), "", nil)
		}
	}
	for _, f := range d.faults {
		add(f.line, protocol.DiagnosticSeverityError, f.err.Kind, f.err.Message, "", nil)
	}
	for i, f := range d.found {
		line := d.held.hunks[i].line
		switch {
		case f.State == command.InPlace:
			add(line, protocol.DiagnosticSeverityInformation, edits.AlreadyApplied, f.said(), "", nil)
		case !f.lost:
		case f.fault == nil:
			add(line, protocol.DiagnosticSeverityError, edits.ContextNotFound, fmt.Sprintf("This hunk has no place in %s.", f.path), "", nil)
		default:
			add(line, protocol.DiagnosticSeverityError, f.fault.Kind, withoutAdvice(f.fault), f.uri, f.fault)
		}
	}
	slices.SortStableFunc(all, func(a, b diagnostic) int { return cmp.Compare(a.Range.Start.Line, b.Range.Start.Line) })
	if more := len(all) - maxDiagnostics; more > 0 {
		all = all[:maxDiagnostics]
		add(0, protocol.DiagnosticSeverityInformation, "", fmt.Sprintf("%d more are not shown.", more), "", nil)
	}
	return all
}

// said words what became of a hunk that has a place.
func (f *foundHunk) said() string {
	switch {
	case f.State == command.InPlace && f.does != "":
		return "Applied already: " + f.does + "."
	case f.State == command.InPlace:
		return fmt.Sprintf("Applied already: %s reads so at line %d.", f.path, f.Line)
	case f.does != "":
		return strings.ToUpper(f.does[:1]) + f.does[1:] + "."
	}
	return fmt.Sprintf("Goes to %s:%d.", f.path, f.Line)
}

// withoutLine returns the message without the line of the patch: it is shown there.
func withoutLine(e *edits.Error) string {
	message := strings.TrimPrefix(e.Message, fmt.Sprintf("Line %d of the patch: ", e.PatchLine))
	if at := strings.Index(message, " (line "); at > 0 && strings.HasPrefix(message, "Hunk ") {
		if before, after, ok := strings.Cut(message, " of the patch)"); ok && at < len(before) {
			message = message[:at] + after
		}
	}
	return message
}

// withoutAdvice is withoutLine without the last sentence of an error that shows what
// comes near: it says what an agent should do.
func withoutAdvice(e *edits.Error) string {
	message := withoutLine(e)
	if last := strings.LastIndex(message, ". "); last >= 0 && len(e.Candidates) > 0 && e.Candidates[0].FirstDifference != nil {
		return message[:last+1]
	}
	return message
}

// related returns the places that an error names, in the text that it is about.
func (d *patchDoc) related(uri string, e *edits.Error) []relatedInformation {
	if e == nil || uri == "" || !d.s.client.Load().Display.Related {
		return nil
	}
	var all []relatedInformation
	add := func(from, to int, message string) {
		var r relatedInformation
		r.Location.URI, r.Message = uri, message
		r.Location.Range.Start.Line, r.Location.Range.End.Line = uint32(from-1), uint32(to)
		all = append(all, r)
	}
	for _, c := range e.Candidates[:min(1, len(e.Candidates))] {
		add(c.StartLine, c.EndLine, fmt.Sprintf("the closest, %d%% alike", int(c.Similarity*100)))
	}
	for _, m := range e.Matches[:min(maxRelated, len(e.Matches))] {
		add(m.Line, m.Line, "one of its places")
	}
	return all
}

// lineRange returns the range of a line, from 0, or of the last one if there is none such.
func (d *patchDoc) lineRange(line int) protocol.Range {
	t := d.state.Text
	if t.Lines() == 0 {
		return protocol.Range{}
	}
	l := t.Line(min(line, t.Lines()-1))
	return protocol.Range{Start: apply.Position(t, l.Start, d.s.encoding), End: apply.Position(t, l.End, d.s.encoding)}
}
