// Package transaction makes the edits of one command, all of them or none, and says what became
// of them.
//
//	Session.Edit       one text: str_replace, lines, whole texts
//	Session.ApplyPatch several files
//	Session.TakeBack   edits that were made before: undo and revert
//
// All three go the same way:
//
//	Begin     begins the command's time
//	Wait      waits until what came before, and is about one of the same texts, is done
//	plan      on the newest text; the user is asked, if the command or the file wants it
//	run       has the editor make one change after the other, and plans again where the text has moved on
//	rollback  takes back what was made, if one of them fails
//	record    enters the edit in the histories of its documents and in the log of edits
//	Result    the answer
package transaction
