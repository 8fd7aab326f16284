// Package apply has an editor make one change of one document, and establishes what became
// of it.
package apply
