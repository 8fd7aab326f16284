// Package reindent carries a change over to a text that is not written as the change is.
//
// A [Transplant] applies the change from one text to another to a third text, which is the same as the first under a fold:
// characters that stay are those of the third text. [Indents] learns from the lines that match which indentation of the text
// stands for one that was sent:
//
//	sent "    if x:"   found "\tif x:"   so "        y()" becomes "\t\ty()"
//
// The files:
//
//	transplant.go  the change, character by character
//	indent.go      what the lines show of an indentation, and the rules for those that no line shows
//	layout.go      what the blanks of a line are for: a level, a statement that goes on, or a string
package reindent
