package lsp

import (
	"fmt"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/command"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// What is offered on a patch.
const (
	titleApplyAll  = "Apply to buffers"
	titleApplyHunk = "Apply this hunk"
	titleCheck     = "Check"
)

// looked returns what is known of the patches in an open document, with its lock, which
// unlock gives up; nil if it holds none.
func (s *server) looked(doc *workspace.Document) (d *patchDoc, unlock func()) {
	d = s.patchDocs.get(doc.Key)
	if d == nil {
		return nil, nil
	}
	d.mu.Lock()
	done := false
	defer func() {
		if !done {
			d.mu.Unlock()
		}
	}()
	if d.lookNow() == nil {
		return nil, nil
	}
	done = true
	return d, d.mu.Unlock
}

func (s *server) patchLenses(doc *workspace.Document) []lens {
	d, unlock := s.looked(doc)
	if d == nil {
		return nil
	}
	defer unlock()
	var lenses []lens
	add := func(line int, c uiCommand) { lenses = append(lenses, lens{d.lineRange(line), c}) }
	if d.held.tooMuch != "" && !d.markdown {
		add(0, d.applyAll(0))
	}
	for i, p := range d.held.patches {
		if p.err != nil {
			continue
		}
		add(p.line, d.applyAll(i))
		add(p.line, d.checkAll(i))
		from, to := d.held.hunksOf(i)
		for k := from; k < to; k++ {
			add(d.held.hunks[k].line, d.applyHunk(k))
		}
	}
	return lenses
}

// patchActions returns the actions for the lines from to to, counted from 0.
func (s *server) patchActions(doc *workspace.Document, from, to int) []codeAction {
	d, unlock := s.looked(doc)
	if d == nil {
		return nil
	}
	defer unlock()
	var actions []codeAction
	add := func(c uiCommand) { actions = append(actions, codeAction{Title: c.Title, Command: c}) }
	for i, p := range d.held.patches {
		if p.err != nil || from >= p.end || to < p.line {
			continue
		}
		if k := d.held.at(from); k >= 0 && d.held.hunks[k].patch == i {
			add(d.applyHunk(k))
		}
		add(d.applyAll(i))
		add(d.checkAll(i))
		break
	}
	return actions
}

func (d *patchDoc) applyAll(patch int) uiCommand {
	return d.offer(titleApplyAll, applyDocumentArgs{Block: d.block(patch)})
}

func (d *patchDoc) checkAll(patch int) uiCommand {
	return d.offer(titleCheck, applyDocumentArgs{Block: d.block(patch), EditOptions: commands.EditOptions{DryRun: true}})
}

// applyHunk is for the patch as it is now: numbers may be others in another one.
func (d *patchDoc) applyHunk(index int) uiCommand {
	return d.offer(titleApplyHunk, applyDocumentArgs{Hunk: index + 1, EditOptions: commands.EditOptions{Rev: d.state.Text.Hash()}})
}

func (d *patchDoc) offer(title string, args applyDocumentArgs) uiCommand {
	args.Path = d.state.URI
	return uiCommand{Title: title, Command: prefix + applyDocument, Arguments: []any{args}}
}

// block returns the number of a patch, 0 where there are no others.
func (d *patchDoc) block(patch int) int {
	if len(d.held.patches) <= 1 {
		return 0
	}
	return patch + 1
}

// patchHover returns what is known of the hunk on a line, counted from 0, in Markdown;
// "" if there is none.
func (s *server) patchHover(doc *workspace.Document, line int) string {
	d, unlock := s.looked(doc)
	if d == nil {
		return ""
	}
	defer unlock()
	i := d.held.at(line)
	if i < 0 {
		return ""
	}
	f := &d.found[i]
	if f.lost && (f.fault == nil || f.old) {
		f.explain()
	}
	switch {
	case f.fault != nil:
		return faultHover(f.fault)
	case f.State == command.Unplaced:
		return "It is not known where this hunk goes, since the part of the patch above fails."
	case f.State == command.InPlace || f.does != "":
		return markdownText(f.said())
	}
	return f.goes()
}

// goes says in Markdown where a hunk goes.
func (f *foundHunk) goes() string {
	text := fmt.Sprintf("Goes to %s, found by the tier *%s*.", codeSpan(fmt.Sprintf("%s:%d", paths.OneLine(f.path, maxPath), f.Line)), f.Tier)
	if f.Note != "" {
		text += " The hunk " + markdownText(f.Note) + "."
	}
	return text
}

// faultHover words why a hunk has no place, with the text that comes nearest.
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
	return markdownEscapes.Replace(paths.OneLine(s, maxShownMessage))
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
