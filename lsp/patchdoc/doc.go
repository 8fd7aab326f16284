// Package patchdoc holds the patches that stand in open documents, in files of their own or in
// Markdown, against the texts that they are about, while the user looks at them:
//
//	a document -> its patches -> where each hunk goes (read.go)
//	   -> diagnostics, lenses, actions (show.go)
//	   -> the patch to be applied, if the user chooses so (apply.go)
//
// All documents are checked when any document or file has changed, and again [checkPause] later if
// more has; what the user asks for in between is found out then. Nothing of a check is kept but the
// diagnostics that the editor has. Hunks are placed as apply_patch places them, by lsp/patchplan;
// what applies the chosen patch is lsp.
package patchdoc
