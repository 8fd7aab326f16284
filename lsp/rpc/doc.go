// Package rpc is a connection of the server, to the editor or to an agent.
//
//	Stream      messages, each within its bound; it answers those that are no valid request
//	Dispatcher  gives each message to its [Route], in the order of the wire; a request goes on
//	            on a goroutine of its own, and can be cancelled
//	Client      the other end, as one that is asked and told
//
// What a peer holds of the server is bounded: unanswered requests by their number and, with
// [Held], by their bytes.
package rpc
