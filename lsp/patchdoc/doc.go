// Package patchdoc checks the patches in open documents, in files of their own or in Markdown,
// against the texts that they change, while the user looks at them:
//
//	a document -> its patches -> where each hunk goes (read.go)
//	   -> diagnostics, lenses, actions (show.go)
//	   -> the patch to be applied, if the user chooses so (show.go)
//
// All documents are checked when any document or file has changed, and again [checkPause] later if more has changed; lenses
// and actions are computed when the user asks. A check keeps nothing but the diagnostics that the editor has. lsp/patchplan
// places hunks as apply_patch does, and package lsp applies the chosen patch.
package patchdoc
