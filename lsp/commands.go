package lsp

import (
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/patchdoc"
	"github.com/patchls/patchls/lsp/reference"
	"github.com/patchls/patchls/lsp/review"
	"github.com/patchls/patchls/lsp/transaction"
	"github.com/patchls/patchls/lsp/view"
)

//go:generate go test . -run IsUpToDate -update

// Commands is the surface of the server, in the order of docs/commands.md.
var Commands = []Command{
	{Name: "view", Title: "View a text", Effect: Reads, answer: view.View{}, handler: shows(view.Show),
		Doc: "Shows lines of a text as the user has it on screen, unsaved changes included, with line numbers; or the entries of a directory, two levels deep."},
	{Name: "str_replace", Title: "Replace a text", Effect: Replaces, answer: transaction.Result{}, handler: editsText[commands.StrReplace](),
		Doc: "Replaces the one place where old_str stands, character for character, by new_str. A line break in old_str matches the document's own line ends. More than one place is an error that lists them all, unless near_line or replace_all says what is meant." + inBuffer},
	{Name: "insert", Title: "Insert lines", Effect: Adds, answer: transaction.Result{}, handler: editsText[commands.Insert](),
		Doc: "Inserts whole lines after or before a line." + inBuffer},
	{Name: "delete_lines", Title: "Delete lines", Effect: Replaces, answer: transaction.Result{}, handler: editsText[commands.DeleteLines](),
		Doc: "Deletes whole lines." + inBuffer},
	{Name: "edit_lines", Title: "Edit lines", Effect: Replaces, answer: transaction.Result{}, handler: editsText[commands.EditLines](),
		Doc: "Replaces, inserts and deletes lines in several places at once. All numbers are those of the text before the call." + inBuffer},
	{Name: "apply_patch", Title: "Apply a patch", Effect: Replaces, answer: transaction.Result{}, handler: changesIn((*transaction.Session).Patch),
		Doc: "Applies a patch, to all of its files or to none: *** Begin Patch with Add, Update and Delete File and Move to, a unified diff, SEARCH/REPLACE blocks, or bare @@ hunks with path. Every hunk must have exactly one place." + inBuffer},
	{Name: "create", Title: "Create a file", Effect: Settles, answer: transaction.Result{}, handler: editsText[commands.Create](),
		Doc: "Creates a text file with its content. An existing file is left alone unless overwrite is set." + inBuffer},
	{Name: "write", Title: "Write a whole text", Effect: Settles, answer: transaction.Result{}, handler: editsText[commands.Write](),
		Doc: "Makes a text read as content, by edits of what differs; creates the file if there is none." + inBuffer},
	{Name: "undo", Title: "Take back an agent's edit", Effect: Replaces, answer: transaction.Result{}, handler: changesIn((*transaction.Session).Undo),
		Doc: "Takes one edit of an agent back, by its edit_id, by the path of a file (its newest), or the newest of all, and leaves what was typed and edited elsewhere since. An edit of several files is taken back in all of them. Where its own text was changed since, nothing is done and both texts are shown."},
	{Name: "save", Title: "Save files", Effect: Settles, answer: transaction.Result{}, handler: changesIn((*transaction.Session).Save),
		Doc: "Has the editor save files, those that agents have edited if none is named, and never others."},
	{Name: "list", Title: "List documents and edits", Effect: Reads, answer: view.Listing{}, handler: shows(view.List),
		Doc: "Lists the documents that are open in the editor, and the agents' edits that can be taken back."},
	{Name: "keep", Title: "Keep what an agent changed", Effect: Reviews, answer: review.Kept{}, handler: reads(keep),
		Doc: "Takes the marks off an edit of an agent, or off one hunk of it, or off all that agents have changed in a file: the user has seen it. The text stays as it is, and the edit can still be taken back."},
	{Name: "revert", Title: "Revert what an agent changed", Effect: Replaces, answer: transaction.Result{}, handler: changes((*caller).revert),
		Doc: "Takes one hunk of an agent's edit back, or all of them, or all that agents have changed in a file and the user has not reviewed, and leaves what was typed and edited elsewhere since. Where that text was changed since, nothing is done and both texts are shown."},
	{Name: patchdoc.Command, Title: "Apply a patch that is in a document", Effect: Replaces, answer: transaction.Result{}, ForEditors: true, handler: changes((*caller).applyDocument),
		Doc: "Applies a patch that stands in a document, as apply_patch does: a .patch or .diff file, or the patches in a Markdown document, as they are in the buffer. It is for editors, which offer it where they show the patch; rev is that of this document, whose hunks are counted." + inBuffer},
	{Name: "edit_file", Title: "Edit a file, as SmartHole does", Effect: Replaces, handler: imitates[reference.EditFileArgs](reference.ParseEditFile),
		Doc: "The edit_file of SmartHole: replaces a text, or does one line operation (insert_after_line or insert_before_line with content, or delete_lines). Either, not both." + inBuffer},
	{Name: "read_file", Title: "Read a file, as SmartHole does", Effect: Reads, handler: imitates[reference.ReadFileArgs](reference.ParseReadFile),
		Doc: "The read_file of SmartHole: shows lines as N: text, at most 2,000 of them and 100,000 characters."},
	{Name: "write_file", Title: "Write a file, as SmartHole does", Effect: Settles, handler: imitates[reference.WriteFileArgs](reference.ParseWriteFile),
		Doc: "The write_file of SmartHole: makes a file read as content, with the folders that it needs." + inBuffer},
	{Name: "text_editor", Title: "Read, write or patch a file, as Agent Zero does", Effect: Replaces, handler: imitates[reference.TextEditorArgs](reference.ParseTextEditor),
		Doc: "The text_editor of Agent Zero. Line numbers are those of the text as this agent last saw it, its own edits included: a file must be read before its lines are edited, lines that have only moved since are found again, and lines that have changed are an error." + inBuffer},
	{Name: "str_replace_editor", Title: "View, create or edit a file, as sidecar and Anthropic do", Effect: Replaces, handler: imitates[reference.StrReplaceEditorArgs](reference.ParseStrReplaceEditor),
		Doc: "The str_replace_editor of sidecar and Anthropic: view, create, str_replace, insert, and undo_edit, which takes the newest edit of the file back." + inBuffer},
}

// inBuffer is said of every command that edits (hazard: unsaved-edit).
const inBuffer = " The edit is in the editor's buffer: disk, and so a shell, has it once it is saved."

// endpointCommands are for the agents' endpoint alone: they are not advertised.
var endpointCommands = []Command{
	{Name: "document", Title: "Get a text", Doc: "Returns the whole text of an open document, without line numbers.", handler: shows(view.Get)},
}
