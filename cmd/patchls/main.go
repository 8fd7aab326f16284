// Command patchls is the language server and its command line.
package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	signal.Ignore(syscall.SIGPIPE) // a reader that exits early must not keep the demo from cleaning up
	os.Exit(run(standardStreams(), os.Args[1:]))
}
