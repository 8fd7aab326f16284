// Package review is what agents have changed and the user may still keep, revert or undo. The
// [Log] knows the edits; what they did to a text is in the history of that document, under the
// id that the log gave:
//
//	Log.Add    "e3": str_replace of a.txt by claude      history: e3 is this change
//	Log.Marks  what is left of e3 in the text now, hunk by hunk
//	Log.Find   the newest edit of a.txt, to be undone
//	Log.Parts  what keep or revert is about, by edit, file or hunk
//	Log.Lenses, Log.Actions
//	           the commands that keep or revert a mark, as an editor offers them
//
// A hunk is marked until the user has kept it, reverted it or closed the document.
package review
