// Package words turns the answers and errors of a server into text for a model. All agents of this module use it, so
// that a model reads the same words whichever way its call came.
package words
