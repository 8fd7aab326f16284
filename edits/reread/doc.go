// Package reread reads a command in another way if its old text stands nowhere, at any tier.
// The reading was meant if the old text then stands somewhere. The files, by how the command reads:
//
//	reread.go  it quotes the line numbers that a tool showed, or was escaped once too often
//	hunk.go    it has other blank lines in its context than the text, or leaves lines out
package reread
