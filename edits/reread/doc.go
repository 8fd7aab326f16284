// Package reread reads a command as it was meant which was escaped once too often, or quotes
// the line numbers that a tool showed. Whoever asks tries these readings when the command's
// text stands nowhere as it is: that it stands there so read is what tells.
package reread
