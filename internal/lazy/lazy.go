// Package lazy creates values on first use. Most runs of the program need few of these values, and every run
// would pay for all that are created before main.
package lazy

import (
	"regexp"
	"sync"
)

// Regexp returns a function that compiles expression on its first call. The function panics if expression is invalid.
func Regexp(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
