// Package rpc is the server's connection to its client: what the server asks and tells it.
package rpc
