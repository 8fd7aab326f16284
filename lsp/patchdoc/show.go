package patchdoc

import (
	"cmp"
	"fmt"
	"slices"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/edits/place"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/lists"
	"github.com/patchls/patchls/lsp/apply"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/schema"
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
	// maxExplained bounds the hunks without a place for which a check finds the reason, and
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
		add(0, protocol.DiagnosticSeverityInformation, edits.TooLarge, p.tooMuch)
		return all
	}
	for _, b := range p.blocks {
		if b.err != nil {
			severity := protocol.DiagnosticSeverityError
			if p.markdown && b.unnamed {
				severity = protocol.DiagnosticSeverityInformation // it may only show what a patch looks like
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
		if n := h.unplaced.Searched(); h.fault == nil && explained < maxExplained && searched+n <= maxSearched {
			searched += n
			h.fault = h.unplaced.Reason(h.hunk)
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

// sentence says what a hunk that is in place has done.
func (h *hunk) sentence() string {
	if h.action != "" {
		return "Applied already: " + h.action + "."
	}
	return fmt.Sprintf("Applied already: %s reads so at line %d.", h.path, h.Line)
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

// lineRange returns the range of a line, from 0, or of the last line if the text has fewer.
func (p *patches) lineRange(line int) protocol.Range {
	if p.text.Lines() == 0 {
		return protocol.Range{}
	}
	l, enc := p.text.Line(min(line, p.text.Lines()-1)), p.c.Editor().Encoding
	return protocol.Range{Start: apply.Position(p.text, l.Start, enc), End: apply.Position(p.text, l.End, enc)}
}

// Lenses returns the lenses of the patches in a document.
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
	k := slices.IndexFunc(p.hunks, func(h hunk) bool { return from >= h.line && from < h.end })
	if k >= 0 && p.hunks[k].block == i {
		offered = slices.Insert(offered, 0, p.applyHunk(k))
	}
	return lists.Map(offered, func(c editor.Command) editor.Action { return editor.Action{Title: c.Title, Command: c} })
}

func (p *patches) applyAll(nth int) editor.Command {
	number := 0 // the only block has none
	if len(p.blocks) > 1 {
		number = nth + 1
	}
	return p.offer("Apply to buffers", Args{Block: number})
}

// applyHunk returns a command for the patch as it is now: in another text the hunk may have another number.
func (p *patches) applyHunk(index int) editor.Command {
	return p.offer("Apply this hunk", Args{Hunk: index + 1, Rev: p.text.Hash()})
}

func (p *patches) offer(title string, args Args) editor.Command {
	args.Path = p.uri
	return editor.Command{Title: title, Command: Command, Arguments: []any{args}}
}

// Command is the name of the command that applies a patch in a document.
const Command = "apply_document"

// Args are the arguments of [Command].
type Args struct {
	Path  string `json:"path" jsonschema:"the document that contains the patch: relative to a workspace folder, absolute, or a URI"`
	Hunk  int    `json:"hunk,omitempty" jsonschema:"the hunk to apply, counted from 1 through the document, where a part without hunks counts as one; 0 is all"`
	Block int    `json:"block,omitempty" jsonschema:"of several patches in a Markdown document, the one to apply, counted from 1; 0 is all, as one patch"`
	Rev   string `json:"rev,omitempty" jsonschema:"the rev of the document that hunk and block are counted in: if it has changed, the command fails"`
	commands.EditOptions
}

// Chosen returns the patch that args choose among those in a document. snap is the document as it is now.
func (c *Checker) Chosen(snap workspace.Snapshot, args Args) (patch.Patch, error) {
	if args.Rev != "" && !text.IsHash(snap.Text.Hash(), args.Rev) {
		return patch.Patch{}, &edits.Error{Kind: edits.Stale, Path: snap.Path, Rev: snap.Text.Hash(), Message: fmt.Sprintf(
			"%s has changed since that rev, and its hunks may have other numbers; view it.", snap.Path)}
	}
	p := c.read(snap.Doc)
	if p == nil {
		p = &patches{text: snap.Text}
		_, p.markdown = holdsPatches(snap.URI, "")
	}
	if p.tooMuch != "" || len(p.blocks) == 0 {
		p.readAll()
	} else if args.Hunk > 0 {
		p.check()
	}
	sent, err := args.choose(snap.Path, p)
	if err == nil && args.Hunk > 0 {
		p.hunks[args.Hunk-1].pin(sent.Files[0].Hunks)
	}
	return sent, err
}

// choose returns the patch that the arguments choose.
func (a Args) choose(path string, c *patches) (patch.Patch, error) {
	switch {
	case len(c.blocks) == 0:
		return patch.Patch{}, schema.Invalid("there is no patch in %s", path)
	case a.Hunk < 0 || a.Block < 0:
		return patch.Patch{}, schema.Invalid(`"hunk" and "block" must be 0 (all) or a number from 1`)
	case a.Block > len(c.blocks):
		return patch.Patch{}, schema.Invalid("there is no block %d in %s, which has %s", a.Block, path, edits.Count(len(c.blocks), "block"))
	case a.Hunk > len(c.hunks):
		return patch.Patch{}, schema.Invalid("there is no hunk %d in %s, which has %s", a.Hunk, path, edits.Count(len(c.hunks), "hunk"))
	case a.Hunk > 0 && a.Block > 0 && c.hunks[a.Hunk-1].block != a.Block-1:
		return patch.Patch{}, schema.Invalid("hunk %d of %s is in block %d", a.Hunk, path, c.hunks[a.Hunk-1].block+1)
	case a.Hunk > 0:
		return c.only(c.hunks[a.Hunk-1]), nil
	}
	var all patch.Patch
	for i, p := range c.blocks {
		if a.Block > 0 && i != a.Block-1 {
			continue
		}
		if p.err != nil {
			return patch.Patch{}, p.err
		}
		all.Files = append(all.Files, p.patch.Files...)
		all.Notes = append(all.Notes, p.patch.Notes...)
	}
	return all, nil
}

// only returns a patch of just one hunk. It does not move the file, which may have been moved already.
func (p *patches) only(h hunk) patch.Patch {
	f := p.blocks[h.block].patch.Files[h.file]
	if h.hunk >= 0 {
		f.Hunks = []patch.Hunk{f.Hunks[h.hunk]}
		if f.NewPath != "" {
			f.Readings, f.NewPath = append(slices.Clip(f.Readings), []patch.Reading{{Name: f.NewPath}}), ""
		}
	}
	return patch.Patch{Files: []patch.File{f}, Notes: p.blocks[h.block].patch.Notes}
}

// pin gives the one hunk of a patch, which is h applied by itself, the line that h has among all
// hunks: without the others it might match several places.
func (h *hunk) pin(one []patch.Hunk) {
	if h.State != place.Placed || h.action != "" || len(one) != 1 || one[0].AtEnd {
		return
	}
	lines := one[0].Lines
	head := slices.IndexFunc(lines, func(l patch.Line) bool { return l.Kind != patch.KeptLine })
	quotes := slices.ContainsFunc(lines, func(l patch.Line) bool { return l.Kind != patch.AddedLine })
	if quotes && head >= 0 && h.Line > head {
		one[0].Numbered, one[0].Start = true, h.Line-head
	}
}
