package lsp

import (
	"github.com/patchls/patchls/edits/patch"
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
	{Name: "view", Title: "View a text", Effect: Reads, answer: view.View{}, handler: reads(view.Show),
		Doc: "Shows lines of a text with their numbers, as the user sees it, unsaved changes included; or the entries of a directory, two levels deep."},
	{Name: "str_replace", Title: "Replace a text", Effect: Replaces, answer: transaction.Result{}, handler: editsText[commands.StrReplace](),
		Doc: "Replaces old_str by new_str. old_str must match exactly and in only one place; a line break in it matches the document's own line ends. Several matches are an error that lists them, unless near_line or replace_all is set." + inBuffer},
	{Name: "insert", Title: "Insert lines", Effect: Adds, answer: transaction.Result{}, handler: editsText[commands.Insert](),
		Doc: "Inserts whole lines after or before a line." + inBuffer},
	{Name: "delete_lines", Title: "Delete lines", Effect: Replaces, answer: transaction.Result{}, handler: editsText[commands.DeleteLines](),
		Doc: "Deletes whole lines." + inBuffer},
	{Name: "edit_lines", Title: "Edit lines", Effect: Replaces, answer: transaction.Result{}, handler: editsText[commands.EditLines](),
		Doc: "Replaces, inserts and deletes lines in several places at once. All line numbers are those before the call." + inBuffer},
	{Name: "apply_patch", Title: "Apply a patch", Effect: Replaces, answer: transaction.Result{}, handler: changes((*transaction.Session).Patch),
		Doc: "Applies a patch to all of its files or to none: " + patch.OneOf(func(d patch.Dialect) string { return d.Name + d.Can }) + " with path. Every hunk must match exactly one place." + inBuffer},
	{Name: "create", Title: "Create a file", Effect: Settles, answer: transaction.Result{}, handler: editsText[commands.Create](),
		Doc: "Creates a text file with its content. Fails if the file exists, unless overwrite is set." + inBuffer},
	{Name: "write", Title: "Write a whole text", Effect: Settles, answer: transaction.Result{}, handler: editsText[commands.Write](),
		Doc: "Sets the whole text of a file, by edits of only what differs. What others have changed since you saw it stays, or the command fails. Creates the file if there is none." + inBuffer},
	{Name: "undo", Title: "Undo an agent's edit", Effect: Replaces, answer: transaction.Result{}, handler: changes((*transaction.Session).Undo),
		Doc: "Undoes one edit of an agent: the one with edit_id, the newest one of the file path, or the newest of all. Keeps what was typed and edited elsewhere since. Undoes an edit of several files in all of them. If the text of the edit has changed since, does nothing and shows both texts."},
	{Name: "save", Title: "Save files", Effect: Settles, answer: transaction.Result{}, handler: changes((*transaction.Session).Save),
		Doc: "Has the editor save the files in paths, or without paths those that agents have edited. Saves no other files."},
	{Name: "list", Title: "List documents and edits", Effect: Reads, answer: view.Listing{}, handler: reads(view.List),
		Doc: "Lists the documents that are open in the editor, and the agents' edits that can be undone."},
	{Name: "keep", Title: "Keep what an agent changed", Effect: Reviews, answer: review.KeepResult{}, handler: reads(keep),
		Doc: "Ends the review of an agent's edit, of one hunk of it, or of all that agents have changed in a file, and removes the marks. The text stays as it is, and the edit can still be undone."},
	{Name: "revert", Title: "Revert what an agent changed", Effect: Replaces, answer: transaction.Result{}, handler: handles(revert),
		Doc: "Reverts one hunk of an agent's edit, or all of them, or all that agents have changed in a file and the user has not reviewed. Keeps what was typed and edited elsewhere since. If the text of a hunk has changed since, does nothing and shows both texts."},
	{Name: patchdoc.Command, Title: "Apply a patch that is in a document", Effect: Replaces, answer: transaction.Result{}, ForEditors: true, handler: handles(applyDocument),
		Doc: "Applies a patch that is in a document, as apply_patch does: a .patch or .diff file, or the patches in a Markdown document, as they are in the buffer. It is for editors, which offer it where they show the patch. rev and hunk are those of this document." + inBuffer},
	{Name: "edit_file", Title: "Edit a file, as SmartHole does", Effect: Replaces, handler: imitates[reference.EditFileArgs](reference.ParseEditFile),
		Doc: "SmartHole's edit_file: replaces a text, or does one line operation (insert_after_line or insert_before_line with content, or delete_lines), not both." + inBuffer},
	{Name: "read_file", Title: "Read a file, as SmartHole does", Effect: Reads, handler: imitates[reference.ReadFileArgs](reference.ParseReadFile),
		Doc: "SmartHole's read_file: shows lines as N: text, as many as fit an answer."},
	{Name: "write_file", Title: "Write a file, as SmartHole does", Effect: Settles, handler: imitates[reference.WriteFileArgs](reference.ParseWriteFile),
		Doc: "SmartHole's write_file: sets the whole text of a file, and makes the folders that it needs." + inBuffer},
	{Name: "text_editor", Title: "Read, write or patch a file, as Agent Zero does", Effect: Replaces, handler: imitates[reference.TextEditorArgs](reference.ParseTextEditor),
		Doc: "Agent Zero's text_editor. Line numbers are those of the text as this agent last saw it, its own edits included. A file must be read before its lines are edited. Lines that have only moved since are found again; lines that have changed are an error." + inBuffer},
	{Name: "str_replace_editor", Title: "View, create or edit a file, as sidecar and Anthropic do", Effect: Replaces, handler: imitates[reference.StrReplaceEditorArgs](reference.ParseStrReplaceEditor),
		Doc: "The str_replace_editor of sidecar and Anthropic: view, create, str_replace, insert, and undo_edit, which undoes the newest edit of the file." + inBuffer},
}

// inBuffer ends the Doc of commands that edit (hazard: unsaved-edit).
const inBuffer = " The disk, and so a shell, has the edit only after a save."

// endpointCommands are meant for the agents' endpoint: the client is not told of them.
var endpointCommands = []Command{
	{Name: "document", Title: "Get a text", Doc: "Returns the whole text of an open document, without line numbers.", handler: reads(view.Get)},
}
