// Package proposal shows the user an edit that a command would make or has made: its files with
// their texts before and after, and a diff.
//
//	Proposal   an edit, as the user sees it
//	Asker      asks the user about a proposal, through the editor's plugin or with a message
//	Agreement  what the user has agreed to; it says whether they have to be asked about a new plan
//	Documents  the documents in which an editor shows an edit, named patchls-diff:/ID/SIDE/PATH
package proposal
