// Package reread reads a command as it was meant which stands nowhere as it was sent. That it
// stands there so read is what tells:
//
//	reread.go  it quotes the line numbers that a tool showed, or was escaped once too often
//	blanks.go  it has other blank lines in its context than the text
//	elided.go  it leaves lines out
package reread
