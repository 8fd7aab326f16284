// Package reread is for a command whose old text stands nowhere, at no tier. It reads the command
// in another way, which was meant if the text then stands somewhere:
//
//	reread.go  it quotes the line numbers that a tool showed, or was escaped once too often
//	blanks.go  it has other blank lines in its context than the text
//	elided.go  it leaves lines out
package reread
