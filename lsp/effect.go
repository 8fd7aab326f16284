package lsp

import "reflect"

// Effect is what the calls of a command may do to texts and files, for whoever
// decides which calls to allow.
type Effect int

const (
	// Reads changes nothing.
	Reads Effect = iota
	// Adds changes texts, and takes nothing away from them.
	Adds
	// Replaces may take away what is there, and the same call may do more a second
	// time.
	Replaces
	// Settles may take away what is there; the same call does nothing more a second
	// time.
	Settles
)

// gives declares what a command does and answers.
func (c Command) gives(effect Effect, answer any) Command {
	c.Effect, c.answer = effect, reflect.TypeOf(answer)
	return c
}

// imitates declares what a reference tool does.
func (c Command) imitates(effect Effect) Command {
	c.Effect, c.Imitates = effect, true
	return c
}

// forEditors declares a command that is no tool of agents.
func (c Command) forEditors() Command {
	c.ForEditors = true
	return c
}
