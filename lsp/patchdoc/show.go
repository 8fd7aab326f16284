package patchdoc

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/place"
	"github.com/patchls/patchls/lsp/apply"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/workspace/paths"
)

// diagnostic is LSP's Diagnostic.
type diagnostic struct {
	Range    protocol.Range              `json:"range"`
	Severity protocol.DiagnosticSeverity `json:"severity"`
	Code     string                      `json:"code,omitempty"`
	Source   string                      `json:"source"`
	Message  string                      `json:"message"`
	Related  []relatedInformation        `json:"relatedInformation,omitempty"`
}

// relatedInformation is LSP's DiagnosticRelatedInformation.
type relatedInformation struct {
	Location struct {
		URI   string         `json:"uri"`
		Range protocol.Range `json:"range"`
	} `json:"location"`
	Message string `json:"message"`
}

// diagnosticsSource is the name that editors show as the source of diagnostics.
const diagnosticsSource = "patchls"

// publishParams are LSP's PublishDiagnosticsParams.
type publishParams struct {
	URI         string       `json:"uri"`
	Version     *int32       `json:"version,omitempty"`
	Diagnostics []diagnostic `json:"diagnostics"`
}

const (
	// maxDiagnostics bounds the diagnostics of one document. More are of no use in any editor.
	maxDiagnostics = 1000
	// maxDiagnostic is how many characters of a message are shown.
	maxDiagnostic = 300
	// maxRelated bounds the places to which one diagnostic leads.
	maxRelated = 5
)

// diagnose makes the diagnostics of a document from what was found.
func (d *document) diagnose() []diagnostic {
	var all []diagnostic
	add := func(line int, severity protocol.DiagnosticSeverity, code edits.Kind, message, uri string, e *edits.Error) {
		all = append(all, diagnostic{
			Range: d.lineRange(line), Severity: severity, Code: string(code), Source: diagnosticsSource,
			Message: paths.OneLine(message, maxDiagnostic), Related: d.related(uri, e),
		})
	}
	if d.contents.tooMuch != "" {
		add(0, protocol.DiagnosticSeverityInformation, paths.TooLarge, d.contents.tooMuch, "", nil)
		return all
	}
	for _, p := range d.contents.blocks {
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
		line := d.contents.hunks[i].line
		switch {
		case f.State == place.InPlace:
			add(line, protocol.DiagnosticSeverityInformation, edits.AlreadyApplied, f.sentence(), "", nil)
		case !f.isUnplaced():
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

// sentence says where a hunk goes that has a place.
func (f *status) sentence() string {
	switch {
	case f.State == place.InPlace && f.action != "":
		return "Applied already: " + f.action + "."
	case f.State == place.InPlace:
		return fmt.Sprintf("Applied already: %s reads so at line %d.", f.path, f.Line)
	case f.action != "":
		return strings.ToUpper(f.action[:1]) + f.action[1:] + "."
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
func (d *document) related(uri string, e *edits.Error) []relatedInformation {
	if e == nil || uri == "" || !d.c.Editor().Display.Related {
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
func (d *document) lineRange(line int) protocol.Range {
	t := d.doc.Text
	if t.Lines() == 0 {
		return protocol.Range{}
	}
	l := t.Line(min(line, t.Lines()-1))
	return protocol.Range{Start: apply.Position(t, l.Start, d.c.Editor().Encoding), End: apply.Position(t, l.End, d.c.Editor().Encoding)}
}

// What is offered on a patch.
const (
	titleApplyAll  = "Apply to buffers"
	titleApplyHunk = "Apply this hunk"
	titleCheck     = "Check"
)

// Lenses returns what is shown over the patches of a document.
func (c *Checker) Lenses(key paths.Key) (lenses []editor.Lens) {
	c.with(key, func(d *document) { lenses = d.lenses() })
	return lenses
}

func (d *document) lenses() []editor.Lens {
	var lenses []editor.Lens
	add := func(line int, c editor.Command) {
		lenses = append(lenses, editor.Lens{Range: d.lineRange(line), Command: c})
	}
	if d.contents.tooMuch != "" && !d.markdown {
		add(0, d.applyAll(0))
	}
	for i, p := range d.contents.blocks {
		if p.err != nil {
			continue
		}
		add(p.line, d.applyAll(i))
		add(p.line, d.checkAll(i))
		for k, h := range d.contents.hunks {
			if h.block == i {
				add(h.line, d.applyHunk(k))
			}
		}
	}
	return lenses
}

// Actions returns the actions for the lines from to to of a document, counted from 0.
func (c *Checker) Actions(key paths.Key, from, to int) (actions []editor.Action) {
	c.with(key, func(d *document) { actions = d.actions(from, to) })
	return actions
}

func (d *document) actions(from, to int) []editor.Action {
	i := slices.IndexFunc(d.contents.blocks, func(p block) bool { return p.err == nil && from < p.end && to >= p.line })
	if i < 0 {
		return nil
	}
	var actions []editor.Action
	add := func(c editor.Command) { actions = append(actions, editor.Action{Title: c.Title, Command: c}) }
	if k := d.contents.hunkAt(from); k >= 0 && d.contents.hunks[k].block == i {
		add(d.applyHunk(k))
	}
	add(d.applyAll(i))
	add(d.checkAll(i))
	return actions
}

func (d *document) applyAll(patch int) editor.Command {
	return d.offer(titleApplyAll, Args{Block: d.block(patch)})
}

func (d *document) checkAll(patch int) editor.Command {
	return d.offer(titleCheck, Args{Block: d.block(patch), EditOptions: commands.EditOptions{DryRun: true}})
}

// applyHunk is for the patch as it is now: numbers may be others in another one.
func (d *document) applyHunk(index int) editor.Command {
	return d.offer(titleApplyHunk, Args{Hunk: index + 1, EditOptions: commands.EditOptions{Rev: d.doc.Text.Hash()}})
}

func (d *document) offer(title string, args Args) editor.Command {
	args.Path = d.doc.URI
	return editor.Command{Title: title, Command: Command, Arguments: []any{args}}
}

// block returns the number of a patch, 0 where there are no others.
func (d *document) block(patch int) int {
	if len(d.contents.blocks) <= 1 {
		return 0
	}
	return patch + 1
}

// Hover returns what is known of the hunk on a line of a document, counted from 0, in Markdown;
// "" if there is none.
func (c *Checker) Hover(key paths.Key, line int) (text string) {
	c.with(key, func(d *document) { text = d.hover(line) })
	return text
}

func (d *document) hover(line int) string {
	i := d.contents.hunkAt(line)
	if i < 0 {
		return ""
	}
	f := &d.found[i]
	if f.isUnplaced() && f.fault == nil {
		f.explain()
	}
	switch {
	case f.fault != nil:
		return faultHover(f.fault)
	case f.State == place.Unplaced:
		return "It is not known where this hunk goes, since the part of the patch above fails."
	case f.State == place.InPlace || f.action != "":
		return markdownText(f.sentence())
	}
	return f.goes()
}

// goes says in Markdown where a hunk goes.
func (f *status) goes() string {
	text := fmt.Sprintf("Goes to %s, found by the tier *%s*.", codeSpan(fmt.Sprintf("%s:%d", paths.OneLine(f.path, paths.MaxShownPath), f.Line)), f.Tier)
	if f.Note != "" {
		text += " The hunk " + markdownText(f.Note) + "."
	}
	return text
}

// faultHover says why a hunk has no place, and shows the text that comes nearest.
func faultHover(e *edits.Error) string {
	text := markdownText(withoutAdvice(e))
	if len(e.Candidates) == 0 {
		return text
	}
	c := e.Candidates[0]
	fence := "```"
	for strings.Contains(c.Text, fence) {
		fence += "`"
	}
	return fmt.Sprintf("%s\n\n%s reads:\n\n%s\n%s\n%s", text, edits.LineRange(c.StartLine, c.EndLine), fence, c.Text, fence)
}

// markdownText returns text, of which names and messages are a part, as one line of
// Markdown.
func markdownText(s string) string {
	return markdownEscapes.Replace(paths.OneLine(s, paths.MaxShownMessage))
}

var markdownEscapes = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "<", `\<`, "#", `\#`, "&", `\&`, "~", `\~`, "|", `\|`)

// codeSpan returns a line as code in Markdown, in more backticks than it has itself.
func codeSpan(s string) string {
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if len(fence) > 1 {
		s = " " + s + " "
	}
	return fence + s + fence
}
