// A module of its own: the peer is no dependency of patchls.
module github.com/patchls/patchls/bench/diff

go 1.26.0

require (
	github.com/aymanbagabas/go-udiff v0.4.1
	github.com/patchls/patchls v0.0.0
)

require (
	github.com/sourcegraph/go-diff v0.9.0 // indirect
	golang.org/x/text v0.43.0 // indirect
)

replace github.com/patchls/patchls => ../..
