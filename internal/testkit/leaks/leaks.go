// Package leaks says which goroutines may still run when tests have ended.
package leaks

import "go.uber.org/goleak"

// IgnoreLibraries ignores the goroutine that go-winio, on Windows, starts for all pipes and never ends.
var IgnoreLibraries = goleak.IgnoreAnyFunction("github.com/Microsoft/go-winio.ioCompletionProcessor")
