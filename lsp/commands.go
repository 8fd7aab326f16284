package lsp

import (
	"slices"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp/schema"
)

//go:generate go test . -run IsUpToDate -update

// Commands is the surface of the server, in the order of docs/commands.md.
var Commands = []Command{
	reader("view", "View a text",
		"Shows lines of a text as the user has it on screen, unsaved changes included, with line numbers; or the entries of a directory, two levels deep.",
		view).gives(Reads, View{}),
	editor[strReplaceArgs]("str_replace", "Replace a text",
		"Replaces the one place where old_str stands, character for character, by new_str. A line break in old_str matches the document's own line ends. More than one place is an error that lists them all, unless near_line or replace_all says what is meant.").gives(Replaces, Result{}),
	editor[insertArgs]("insert", "Insert lines",
		"Inserts whole lines after or before a line.").gives(Adds, Result{}),
	editor[deleteLinesArgs]("delete_lines", "Delete lines",
		"Deletes whole lines.").gives(Replaces, Result{}),
	editor[editLinesArgs]("edit_lines", "Edit lines",
		"Replaces, inserts and deletes lines in several places at once. All numbers are those of the text before the call.").gives(Replaces, Result{}),
	changer("apply_patch", "Apply a patch",
		"Applies a patch, to all of its files or to none: *** Begin Patch with Add, Update and Delete File and Move to, a unified diff, SEARCH/REPLACE blocks, or bare @@ hunks with path. Every hunk must have exactly one place."+inBuffer,
		(*caller).patch).gives(Replaces, Result{}),
	editor[createArgs]("create", "Create a file",
		"Creates a text file with its content. An existing file is left alone unless overwrite is set.").gives(Settles, Result{}),
	editor[writeArgs]("write", "Write a whole text",
		"Makes a text read as content, by edits of what differs; creates the file if there is none.").gives(Settles, Result{}),
	changer("undo", "Take back an agent's edit",
		"Takes one edit of an agent back, by its edit_id, by the path of a file (its newest), or the newest of all, and leaves what was typed and edited elsewhere since. An edit of several files is taken back in all of them. Where its own text was changed since, nothing is done and both texts are shown.",
		(*caller).undo).gives(Replaces, Result{}),
	changer("save", "Save files",
		"Has the editor save files, those that agents have edited if none is named, and never others.",
		(*caller).save).gives(Settles, Result{}),
	reader("list", "List documents and edits",
		"Lists the documents that are open in the editor, and the agents' edits that can be taken back.",
		list).gives(Reads, Listing{}),
	reader("keep", "Keep what an agent changed",
		"Takes the marks off an edit of an agent, or off one hunk of it, or off all that agents have changed in a file: the user has seen it. The text stays as it is, and the edit can still be taken back.",
		keep).gives(Reads, Kept{}),
	changer("revert", "Revert what an agent changed",
		"Takes one hunk of an agent's edit back, or all of them, or all that agents have changed in a file and nobody has reviewed, and leaves what was typed and edited elsewhere since. Where that text was changed since, nothing is done and both texts are shown.",
		(*caller).revert).gives(Replaces, Result{}),
	changer(applyDocument, "Apply a patch that is in a document",
		"Applies a patch that stands in a document, as apply_patch does: a .patch or .diff file, or the patches in a Markdown document, as they are in the buffer. It is for editors, which offer it where they show the patch; rev is that of this document, whose hunks are counted."+inBuffer,
		(*caller).applyDocument).gives(Replaces, Result{}).forEditors(),
	tool[editFileArgs]("edit_file", "Edit a file, as SmartHole does",
		"The edit_file of SmartHole: replaces a text, or does one line operation (insert_after_line or insert_before_line with content, or delete_lines). Either, not both.", true,
		parseEditFile).imitates(Replaces),
	tool[readFileArgs]("read_file", "Read a file, as SmartHole does",
		"The read_file of SmartHole: shows lines as N: text, at most 2000 of them and 100 000 characters.", false,
		parseReadFile).imitates(Reads),
	tool[writeFileArgs]("write_file", "Write a file, as SmartHole does",
		"The write_file of SmartHole: makes a file read as content, with the folders that it needs.", true,
		parseWriteFile).imitates(Settles),
	tool[textEditorArgs]("text_editor", "Read, write or patch a file, as Agent Zero does",
		"The text_editor of Agent Zero. Line numbers are those of the text as this agent last saw it, its own edits included: a file must be read before its lines are edited, lines that have only moved since are found again, and lines that have changed are an error.", true,
		parseTextEditor).imitates(Replaces),
	tool[strReplaceEditorArgs]("str_replace_editor", "View, create or edit a file, as sidecar and Anthropic do",
		"The str_replace_editor of sidecar and Anthropic: view, create, str_replace, insert, and undo_edit, which takes the newest edit of the file back.", true,
		parseStrReplaceEditor).imitates(Replaces),
}

// inBuffer is said of every command that edits (hazard: unsaved-edit).
const inBuffer = " The edit is in the editor's buffer: disk, and so a shell, has it once it is saved."

// editOptions are the arguments that every editing command takes.
type editOptions struct {
	Rev    string `json:"rev,omitempty" jsonschema:"the rev of the text that line numbers are about: they are carried to the text as it is now, and if those lines were changed since, the command fails"`
	DryRun bool   `json:"dry_run,omitempty" jsonschema:"plan only: nothing is changed, and the result shows what would be"`
	Label  string `json:"label,omitempty" jsonschema:"a few words for the editor's undo menu"`
	// Confirm is not a part of a plan: see [caller.confirmed].
	Confirm bool `json:"confirm,omitempty" jsonschema:"ask the user first, who sees what would be changed; the answer has their decision, and what they say to it"`
}

func (o editOptions) options() editOptions { return o }

type strReplaceArgs struct {
	Path       string `json:"path" jsonschema:"the file: relative to a workspace folder, absolute, or a URI"`
	OldStr     string `json:"old_str" jsonschema:"the text to replace, exactly as it stands, with enough around it to be unique"`
	NewStr     string `json:"new_str,omitempty" jsonschema:"the text to put there; empty deletes"`
	ReplaceAll bool   `json:"replace_all,omitempty" jsonschema:"replace every occurrence"`
	NearLine   int    `json:"near_line,omitempty" jsonschema:"of several occurrences take the one nearest to this line, within 10 lines; 0 is none"`
	Match      string `json:"match,omitempty" enum:"exact,lenient" jsonschema:"lenient: if old_str is not there as it stands, it may differ in line ends, blanks at line ends, indentation, look-alike characters, quoted line numbers or literal \\n and \\t, as long as that leaves one place"`
	editOptions
}

// The values of match.
const (
	matchExact   = "exact"
	matchLenient = "lenient"
)

func (a *strReplaceArgs) setDefaults()            { a.Match = matchExact }
func (a *strReplaceArgs) configure(set *settings) { a.Match = set.Match }

func (a strReplaceArgs) target() target { return target{path: a.Path} }

func (a strReplaceArgs) quoted() string { return a.OldStr }

func (a strReplaceArgs) plan(src edits.Source) (edits.Plan, error) {
	if a.NearLine < 0 {
		return edits.Plan{}, schema.Invalid(`"near_line" must be 0 (none) or a line number`)
	}
	return edits.Replace{Old: a.OldStr, New: a.NewStr, All: a.ReplaceAll, NearLine: a.NearLine, Lenient: a.Match == matchLenient}.Plan(src)
}

type insertArgs struct {
	Path       string `json:"path" jsonschema:"the file: relative to a workspace folder, absolute, or a URI"`
	AfterLine  *int   `json:"after_line,omitempty" jsonschema:"insert after this line; 0 is the top"`
	BeforeLine *int   `json:"before_line,omitempty" jsonschema:"insert before this line, which is from 1"`
	Content    string `json:"content" jsonschema:"whole lines; the last line break may be left out"`
	editOptions
}

func (a insertArgs) target() target {
	t := target{path: a.Path, byLine: true}
	if a.AfterLine != nil {
		t.from, t.to = *a.AfterLine, *a.AfterLine+1
	}
	if a.BeforeLine != nil {
		t.from, t.to = *a.BeforeLine-1, *a.BeforeLine
	}
	return t
}

func (a insertArgs) at(lines *lineMap) (editArguments, bool) {
	var ok bool
	if a.AfterLine != nil {
		a.AfterLine, ok = carriedLine(*a.AfterLine, lines.after)
		return a, ok
	}
	a.BeforeLine, ok = carriedLine(*a.BeforeLine, lines.before)
	return a, ok
}

func (a insertArgs) plan(src edits.Source) (edits.Plan, error) {
	switch {
	case (a.AfterLine == nil) == (a.BeforeLine == nil):
		return edits.Plan{}, schema.Invalid(`insert takes exactly one of "after_line" and "before_line"`)
	case a.AfterLine != nil:
		return edits.Insert{After: *a.AfterLine, Content: a.Content}.Plan(src)
	case *a.BeforeLine < 1:
		return edits.Plan{}, schema.Invalid(`"before_line" must be 1 or more: lines are counted from 1`)
	}
	return edits.Insert{Before: *a.BeforeLine, Content: a.Content}.Plan(src)
}

type deleteLinesArgs struct {
	Path      string `json:"path" jsonschema:"the file: relative to a workspace folder, absolute, or a URI"`
	StartLine int    `json:"start_line" jsonschema:"the first line to delete, from 1"`
	EndLine   int    `json:"end_line" jsonschema:"the last line to delete"`
	editOptions
}

func (a deleteLinesArgs) target() target {
	return target{path: a.Path, byLine: true, from: a.StartLine, to: a.EndLine}
}

func (a deleteLinesArgs) at(lines *lineMap) (editArguments, bool) {
	now, ok := lines.lines(a.StartLine, a.EndLine)
	a.StartLine, a.EndLine = now, now+a.EndLine-a.StartLine
	return a, ok
}

func (a deleteLinesArgs) plan(src edits.Source) (edits.Plan, error) {
	return edits.DeleteLines{Start: a.StartLine, End: a.EndLine}.Plan(src)
}

type editLinesArgs struct {
	Path  string         `json:"path" jsonschema:"the file: relative to a workspace folder, absolute, or a URI"`
	Edits []lineEditArgs `json:"edits" jsonschema:"the edits; no line may be in two of them"`
	editOptions
}

type lineEditArgs struct {
	From    int     `json:"from" jsonschema:"the first line, from 1; without to, the line to insert before (the number of lines + 1 appends)"`
	To      *int    `json:"to,omitempty" jsonschema:"the last line to replace or delete; absent inserts"`
	Content *string `json:"content,omitempty" jsonschema:"the new lines; absent deletes"`
	Expect  *string `json:"expect,omitempty" jsonschema:"the text that the lines must have now; if they have moved they are looked for"`
}

func (a editLinesArgs) target() target {
	t := target{path: a.Path}
	for _, e := range a.Edits {
		if e.Expect != nil { // found by its text
			continue
		}
		last := e.From
		if e.To != nil {
			last = *e.To
		}
		if !t.byLine || e.From < t.from {
			t.from = e.From
		}
		t.byLine, t.to = true, max(t.to, last)
	}
	return t
}

func (a editLinesArgs) at(lines *lineMap) (editArguments, bool) {
	a.Edits = slices.Clone(a.Edits)
	for i, e := range a.Edits {
		where := lines.before
		if e.To != nil {
			where = func(from int) (int, bool) { return lines.lines(from, *e.To) }
		}
		now, ok := where(e.From)
		if !ok && e.Expect == nil { // what is expected is looked for
			return a, false
		}
		if !ok {
			continue
		}
		a.Edits[i].From = now
		if e.To != nil {
			to := now + *e.To - e.From
			a.Edits[i].To = &to
		}
	}
	return a, true
}

func (a editLinesArgs) plan(src edits.Source) (edits.Plan, error) {
	batch := edits.EditLines{Edits: make([]edits.LineEdit, len(a.Edits))}
	for i, e := range a.Edits {
		batch.Edits[i] = edits.LineEdit(e)
	}
	return batch.Plan(src)
}

type createArgs struct {
	Path      string `json:"path" jsonschema:"the file: relative to a workspace folder, absolute, or a URI"`
	Content   string `json:"content" jsonschema:"the whole text"`
	Overwrite bool   `json:"overwrite,omitempty" jsonschema:"replace the text of a file that is there"`
	editOptions
}

func (a createArgs) target() target {
	return target{path: a.Path, create: &a.Content, mustBeNew: !a.Overwrite}
}

func (a createArgs) plan(src edits.Source) (edits.Plan, error) {
	return edits.Write{Content: a.Content}.Plan(src)
}

type writeArgs struct {
	Path    string `json:"path" jsonschema:"the file: relative to a workspace folder, absolute, or a URI"`
	Content string `json:"content" jsonschema:"the whole text"`
	editOptions
}

func (a writeArgs) target() target { return target{path: a.Path, create: &a.Content} }

func (a writeArgs) plan(src edits.Source) (edits.Plan, error) {
	return edits.Write{Content: a.Content}.Plan(src)
}
