// Package call is one call of a command, as the log knows it from its arrival to its answer:
// who called what, which edit came of it, and how often the editor was asked to make it.
// A context carries it to whatever logs.
package call
