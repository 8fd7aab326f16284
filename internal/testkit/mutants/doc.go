// Mutants reports how many faults the tests find. It puts faults of the kind that one makes into the product, one at a
// time, at places drawn by a seed, and runs the tests that are nearest to each: those of its own package first, then
// those of the packages that use it. The files of the repository stay as they are: the go command is given the changed
// file as an overlay.
//
//	go run ./internal/testkit/mutants -n 20 -seed 7
//
// A fault that no test finds is either a missing test, or changes nothing that anyone can see; which of the two, a
// reader has to decide. Exit status 1 says that some were not found.
package main
