// Command patchls is the language server, and the command line to it.
package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	signal.Ignore(syscall.SIGPIPE) // a reader that left must not keep the demo from tidying up
	os.Exit(run(standardStreams(), os.Args[1:]))
}
