// Package proposal has what a command would change, or has changed, as people look at it: its
// files with their texts before and after, and a diff.
//
//	Proposal   what an edit comes to
//	Asker      asks the user about one, by the editor's plugin or by a message
//	Documents  the documents by which an editor shows one, named patchls-diff:/ID/SIDE/PATH
package proposal
