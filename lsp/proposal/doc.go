// Package proposal shows the user an edit that a command would make, or has made: its files with
// their texts before and after, and a diff.
//
//	Proposal   an edit, as the user sees it
//	Asker      asks the user about one, by the editor's plugin or by a message
//	Documents  the documents by which an editor shows one, named patchls-diff:/ID/SIDE/PATH
package proposal
