// Package patchdoc holds the patches that stand in open documents, in files of their own or in
// Markdown, against the texts that they are about, while the user looks at them:
//
//	a document -> its patches (read.go) -> where each hunk goes (check.go)
//	   -> diagnostics, lenses, actions, hovers (show.go)
//	   -> the patch to be applied, if the user chooses so (apply.go)
//
// The document is checked anew each time that it has changed, or one of those texts. Hunks are
// placed as apply_patch places them, by lsp/patchplan; what applies the chosen patch is lsp.
package patchdoc
