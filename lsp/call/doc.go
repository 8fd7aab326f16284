// Package call describes one call of a command for the log, from its arrival to its answer:
// who called what, which edit it made, and how often the editor was asked to make that
// edit. A context carries the call to the code that logs.
package call
