// Command patchls is the language server, and the command line to it.
package main

import "os"

func main() { os.Exit(run(standardStreams(), os.Args[1:])) }
