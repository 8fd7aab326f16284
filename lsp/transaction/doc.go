// Package transaction makes the edits of one command, all of them or none, and reports the result.
//
//	Session.Edit       one text: str_replace, lines, whole texts
//	Session.ApplyPatch several files
//	Session.TakeBack   edits that were made before: undo and revert
//
// All three take the same steps:
//
//	Begin     starts the command's time limit
//	Wait      waits until all earlier commands for any of the same texts are done; TakeBack
//	          waits again once it knows the texts
//	plan      plans on the newest text, and asks the user if the command or the file requires it
//	run       has the editor make the changes one by one, and plans a change again if its text has changed
//	record    enters each change that was made in the history of its document, under the id of the edit
//	rollback  takes back what the histories have under that id, if one of the changes fails
//	finish    enters the edit in the log of edits; an undo enters nothing, and what it took back leaves the histories
//	Result    the answer
package transaction
