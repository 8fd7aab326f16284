package patchdoc

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/place"
	"github.com/patchls/patchls/lsp/apply"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

const (
	// maxDiagnostics bounds the diagnostics of one document. More are of no use in any editor.
	maxDiagnostics = 1000
	// maxDiagnostic is how many characters of a message are shown.
	maxDiagnostic = 300
	// maxRelated bounds the places to which one diagnostic leads.
	maxRelated = 5
	// maxExplained bounds the hunks without a place of which a check finds out why, and
	// maxSearched the bytes that are searched for all of them.
	maxExplained = 64
	maxSearched  = 64 << 20
)

// diagnose makes the diagnostics of patches that were checked.
func (p *patches) diagnose() []protocol.Diagnostic {
	all := []protocol.Diagnostic{}
	add := func(line int, severity protocol.DiagnosticSeverity, code edits.Kind, message string) *protocol.Diagnostic {
		all = append(all, protocol.Diagnostic{
			Range: p.lineRange(line), Severity: severity, Code: protocol.String(code), Source: protocol.NewOptional("patchls"),
			Message: protocol.String(paths.OneLine(message, maxDiagnostic)),
		})
		return &all[len(all)-1]
	}
	if p.tooMuch != "" {
		add(0, protocol.DiagnosticSeverityInformation, paths.TooLarge, p.tooMuch)
		return all
	}
	for _, b := range p.blocks {
		if b.err != nil {
			severity := protocol.DiagnosticSeverityError
			if p.markdown && b.unnamed {
				severity = protocol.DiagnosticSeverityInformation // it only shows what one looks like
			}
			add(b.line+max(b.err.PatchLine, 1)-1, severity, b.err.Kind, b.err.Message)
		}
	}
	for _, f := range p.faults {
		add(f.line, protocol.DiagnosticSeverityError, f.err.Kind, f.err.Message)
	}
	explained, searched := 0, 0
	for i := range p.hunks {
		h := &p.hunks[i]
		if h.State == place.InPlace {
			add(h.line, protocol.DiagnosticSeverityInformation, edits.AlreadyApplied, h.sentence())
		}
		if h.unplaced == nil {
			continue
		}
		if n := h.unplaced.Searched(); explained < maxExplained && searched+n <= maxSearched {
			searched += n
			h.explain()
		}
		explained++
		if h.fault == nil {
			add(h.line, protocol.DiagnosticSeverityError, edits.ContextNotFound, fmt.Sprintf("This hunk has no place in %s.", h.path))
		} else {
			add(h.line, protocol.DiagnosticSeverityError, h.fault.Kind, h.fault.Message).RelatedInformation = p.related(h)
		}
	}
	slices.SortStableFunc(all, func(a, b protocol.Diagnostic) int { return cmp.Compare(a.Range.Start.Line, b.Range.Start.Line) })
	if more := len(all) - maxDiagnostics; more > 0 {
		all = all[:maxDiagnostics]
		add(0, protocol.DiagnosticSeverityInformation, "", fmt.Sprintf("%d more are not shown.", more)).Code = nil
	}
	return all
}

// sentence says where a hunk goes that has a place.
func (h *hunk) sentence() string {
	switch {
	case h.State == place.InPlace && h.action != "":
		return "Applied already: " + h.action + "."
	case h.State == place.InPlace:
		return fmt.Sprintf("Applied already: %s reads so at line %d.", h.path, h.Line)
	}
	return strings.ToUpper(h.action[:1]) + h.action[1:] + "."
}

// related returns the places that the fault of a hunk names, in the text that it is about.
func (p *patches) related(h *hunk) []protocol.DiagnosticRelatedInformation {
	if h.uri == "" || !p.c.Editor().Display.Related {
		return nil
	}
	var all []protocol.DiagnosticRelatedInformation
	add := func(from, to int, message string) {
		at := protocol.Range{Start: protocol.Position{Line: uint32(from - 1)}, End: protocol.Position{Line: uint32(to)}}
		all = append(all, protocol.DiagnosticRelatedInformation{Location: protocol.Location{URI: uri.URI(h.uri), Range: at}, Message: message})
	}
	for _, c := range h.fault.Candidates[:min(1, len(h.fault.Candidates))] {
		add(c.StartLine, c.EndLine, fmt.Sprintf("the closest, %d%% alike", int(c.Similarity*100)))
	}
	for _, m := range h.fault.Matches[:min(maxRelated, len(h.fault.Matches))] {
		add(m.Line, m.Line, "one of its places")
	}
	return all
}

// lineRange returns the range of a line, from 0, or of the last one if there is none such.
func (p *patches) lineRange(line int) protocol.Range {
	if p.text.Lines() == 0 {
		return protocol.Range{}
	}
	l, enc := p.text.Line(min(line, p.text.Lines()-1)), p.c.Editor().Encoding
	return protocol.Range{Start: apply.Position(p.text, l.Start, enc), End: apply.Position(p.text, l.End, enc)}
}

// Lenses returns what is shown over the patches of a document.
func (c *Checker) Lenses(doc *workspace.Document) []editor.Lens {
	p := c.read(doc)
	if p == nil {
		return nil
	}
	var lenses []editor.Lens
	add := func(line int, c editor.Command) {
		lenses = append(lenses, editor.Lens{Range: p.lineRange(line), Command: c})
	}
	if p.tooMuch != "" && !p.markdown {
		add(0, p.applyAll(0))
	}
	for i, b := range p.blocks {
		if b.err != nil {
			continue
		}
		add(b.line, p.applyAll(i))
		for k, h := range p.hunks {
			if h.block == i {
				add(h.line, p.applyHunk(k))
			}
		}
	}
	return lenses
}

// Actions returns the actions for the lines from to to of a document, counted from 0.
func (c *Checker) Actions(doc *workspace.Document, from, to int) []editor.Action {
	p := c.read(doc)
	if p == nil {
		return nil
	}
	i := slices.IndexFunc(p.blocks, func(b block) bool { return b.err == nil && from < b.end && to >= b.line })
	if i < 0 {
		return nil
	}
	offered := []editor.Command{p.applyAll(i)}
	if k := p.hunkAt(from); k >= 0 && p.hunks[k].block == i {
		offered = slices.Insert(offered, 0, p.applyHunk(k))
	}
	actions := make([]editor.Action, len(offered))
	for i, c := range offered {
		actions[i] = editor.Action{Title: c.Title, Command: c}
	}
	return actions
}

func (p *patches) applyAll(nth int) editor.Command {
	return p.offer("Apply to buffers", Args{Block: p.number(nth)})
}

// applyHunk is for the patch as it is now: numbers may be others in another one.
func (p *patches) applyHunk(index int) editor.Command {
	return p.offer("Apply this hunk", Args{Hunk: index + 1, EditOptions: commands.EditOptions{Rev: p.text.Hash()}})
}

func (p *patches) offer(title string, args Args) editor.Command {
	args.Path = p.uri
	return editor.Command{Title: title, Command: Command, Arguments: []any{args}}
}

// number returns the number of a block, 0 where there are no others.
func (p *patches) number(nth int) int {
	if len(p.blocks) <= 1 {
		return 0
	}
	return nth + 1
}

// Hover returns what is known of the hunk on a line of a document, counted from 0, in Markdown;
// "" if there is none.
func (c *Checker) Hover(doc *workspace.Document, line int) string {
	p := c.read(doc)
	if p == nil || p.hunkAt(line) < 0 {
		return ""
	}
	h := &p.check().hunks[p.hunkAt(line)]
	h.explain()
	switch {
	case h.fault != nil:
		return faultHover(h.fault)
	case h.State == place.Unplaced:
		return "It is not known where this hunk goes, since the part of the patch above fails."
	case h.State == place.InPlace || h.action != "":
		return markdownText(h.sentence())
	}
	return h.goes()
}

// goes says in Markdown where a hunk goes.
func (h *hunk) goes() string {
	text := fmt.Sprintf("Goes to %s, found by the tier *%s*.", codeSpan(fmt.Sprintf("%s:%d", paths.OneLine(h.path, paths.MaxShownPath), h.Line)), h.Tier)
	if h.Note != "" {
		text += " The hunk " + markdownText(h.Note) + "."
	}
	return text
}

// faultHover says why a hunk has no place, and shows the text that comes nearest.
func faultHover(e *edits.Error) string {
	text := markdownText(e.Message)
	if len(e.Candidates) == 0 {
		return text
	}
	c := e.Candidates[0]
	fence := fenceOf(c.Text, "```")
	return fmt.Sprintf("%s\n\n%s reads:\n\n%s\n%s\n%s", text, edits.LineRange(c.StartLine, c.EndLine), fence, c.Text, fence)
}

// fenceOf returns a row of backticks, least or longer, that is not in s.
func fenceOf(s, least string) string {
	for strings.Contains(s, least) {
		least += "`"
	}
	return least
}

// markdownText returns text, of which names and messages are a part, as one line of
// Markdown.
func markdownText(s string) string {
	return markdownEscapes.Replace(paths.OneLine(s, paths.MaxShownMessage))
}

var markdownEscapes = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "<", `\<`, "#", `\#`, "&", `\&`, "~", `\~`, "|", `\|`)

// codeSpan returns a line as code in Markdown, in more backticks than it has itself.
func codeSpan(s string) string {
	fence := fenceOf(s, "`")
	if len(fence) > 1 {
		s = " " + s + " "
	}
	return fence + s + fence
}
