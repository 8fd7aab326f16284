// Package review keeps track of the changes of agents that the user may still keep, revert or undo. The [Log] lists the
// edits. What an edit did to a text is in the history of that document, under the id that the log assigned:
//
//	Log.Add    "e3": str_replace of a.txt by claude      history: e3 is this change
//	Log.Marks  what is left of e3 in the current text, hunk by hunk
//	Log.Find   the newest edit of a.txt, to be undone
//	Log.Parts  the parts to keep or revert, by edit, file or hunk
//	Log.Lenses, Log.Actions
//	           the commands that keep or revert a mark, as an editor offers them
//
// What others take back of an agent's edits is in the agent's [Conversation] until its next answer.
//
// A hunk is marked until the user has kept it, reverted it or closed the document.
package review
