// Package rpc is a connection of the server, to the editor or to an agent.
//
//	Stream      messages, each within its bound; it answers invalid requests
//	Dispatcher  passes each message to its [Route], in the order of the wire; a request continues
//	            on its own goroutine, and can be cancelled
//	Client      sends requests and notifications to the other end
//
// What a peer makes the server hold is bounded: unanswered requests by their number and, with [Budget], by their bytes.
package rpc
