// Package lazy makes a value when it is needed first. Most runs of the program need few of them, and each
// starts with all that is made before main.
package lazy

import (
	"regexp"
	"sync"
)

// Regexp returns what compiles an expression the first time, and gives it then. It panics if the expression is wrong.
func Regexp(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
