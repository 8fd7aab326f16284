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
	reader("view", "View a text",
		"Shows lines of a text as the user has it on screen, unsaved changes included, with line numbers; or the entries of a directory, two levels deep.",
		reads(view.Show)).gives(Reads, view.View{}),
	textChanger[commands.StrReplace]("str_replace", "Replace a text",
		"Replaces the one place where old_str stands, character for character, by new_str. A line break in old_str matches the document's own line ends. More than one place is an error that lists them all, unless near_line or replace_all says what is meant.").gives(Replaces, transaction.Result{}),
	textChanger[commands.Insert]("insert", "Insert lines",
		"Inserts whole lines after or before a line.").gives(Adds, transaction.Result{}),
	textChanger[commands.DeleteLines]("delete_lines", "Delete lines",
		"Deletes whole lines.").gives(Replaces, transaction.Result{}),
	textChanger[commands.EditLines]("edit_lines", "Edit lines",
		"Replaces, inserts and deletes lines in several places at once. All numbers are those of the text before the call.").gives(Replaces, transaction.Result{}),
	changer("apply_patch", "Apply a patch",
		"Applies a patch, to all of its files or to none: *** Begin Patch with Add, Update and Delete File and Move to, a unified diff, SEARCH/REPLACE blocks, or bare @@ hunks with path. Every hunk must have exactly one place."+inBuffer,
		inSession((*transaction.Session).Patch)).gives(Replaces, transaction.Result{}),
	textChanger[commands.Create]("create", "Create a file",
		"Creates a text file with its content. An existing file is left alone unless overwrite is set.").gives(Settles, transaction.Result{}),
	textChanger[commands.Write]("write", "Write a whole text",
		"Makes a text read as content, by edits of what differs; creates the file if there is none.").gives(Settles, transaction.Result{}),
	changer("undo", "Take back an agent's edit",
		"Takes one edit of an agent back, by its edit_id, by the path of a file (its newest), or the newest of all, and leaves what was typed and edited elsewhere since. An edit of several files is taken back in all of them. Where its own text was changed since, nothing is done and both texts are shown.",
		inSession((*transaction.Session).Undo)).gives(Replaces, transaction.Result{}),
	changer("save", "Save files",
		"Has the editor save files, those that agents have edited if none is named, and never others.",
		(*caller).save).gives(Settles, transaction.Result{}),
	reader("list", "List documents and edits",
		"Lists the documents that are open in the editor, and the agents' edits that can be taken back.",
		reads(view.List)).gives(Reads, view.Listing{}),
	reader("keep", "Keep what an agent changed",
		"Takes the marks off an edit of an agent, or off one hunk of it, or off all that agents have changed in a file: the user has seen it. The text stays as it is, and the edit can still be taken back.",
		keep).gives(Reviews, review.Kept{}),
	changer("revert", "Revert what an agent changed",
		"Takes one hunk of an agent's edit back, or all of them, or all that agents have changed in a file and nobody has reviewed, and leaves what was typed and edited elsewhere since. Where that text was changed since, nothing is done and both texts are shown.",
		(*caller).revert).gives(Replaces, transaction.Result{}),
	changer(patchdoc.Command, "Apply a patch that is in a document",
		"Applies a patch that stands in a document, as apply_patch does: a .patch or .diff file, or the patches in a Markdown document, as they are in the buffer. It is for editors, which offer it where they show the patch; rev is that of this document, whose hunks are counted."+inBuffer,
		(*caller).applyDocument).gives(Replaces, transaction.Result{}).forEditors(),
	tool[reference.EditFileArgs]("edit_file", "Edit a file, as SmartHole does",
		"The edit_file of SmartHole: replaces a text, or does one line operation (insert_after_line or insert_before_line with content, or delete_lines). Either, not both.", true,
		reference.ParseEditFile).imitates(Replaces),
	tool[reference.ReadFileArgs]("read_file", "Read a file, as SmartHole does",
		"The read_file of SmartHole: shows lines as N: text, at most 2000 of them and 100 000 characters.", false,
		reference.ParseReadFile).imitates(Reads),
	tool[reference.WriteFileArgs]("write_file", "Write a file, as SmartHole does",
		"The write_file of SmartHole: makes a file read as content, with the folders that it needs.", true,
		reference.ParseWriteFile).imitates(Settles),
	tool[reference.TextEditorArgs]("text_editor", "Read, write or patch a file, as Agent Zero does",
		"The text_editor of Agent Zero. Line numbers are those of the text as this agent last saw it, its own edits included: a file must be read before its lines are edited, lines that have only moved since are found again, and lines that have changed are an error.", true,
		reference.ParseTextEditor).imitates(Replaces),
	tool[reference.StrReplaceEditorArgs]("str_replace_editor", "View, create or edit a file, as sidecar and Anthropic do",
		"The str_replace_editor of sidecar and Anthropic: view, create, str_replace, insert, and undo_edit, which takes the newest edit of the file back.", true,
		reference.ParseStrReplaceEditor).imitates(Replaces),
}

// inBuffer is said of every command that edits (hazard: unsaved-edit).
const inBuffer = " The edit is in the editor's buffer: disk, and so a shell, has it once it is saved."

// endpointCommands are what endpoints need of the server and nobody else does: they are not
// advertised.
var endpointCommands = []Command{
	reader("document", "Get a text", "Returns the whole text of an open document, without line numbers.", reads(view.Get)),
}
