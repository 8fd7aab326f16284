package rpc

import (
	"fmt"
	"runtime/debug"
)

// FaultError is a panic, turned into an error where it happened.
type FaultError struct {
	Method string
	Value  any
	Stack  []byte
	Call   string // of the command that it ended, as the log has it
}

func (f *FaultError) Error() string {
	return fmt.Sprintf("internal error in %s: %v", f.Method, f.Value)
}

// Fenced calls f; a panic in it becomes a [FaultError].
func Fenced[T any](method string, f func() (T, error)) (result T, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &FaultError{Method: method, Value: v, Stack: debug.Stack()}
		}
	}()
	return f()
}
