// Package rewrite makes of a whole text that an agent has written an edit of the text that the agent was given. So what the user
// has typed since stays: the server carries the lines of the edit to where they are by now, and refuses those that
// have changed.
package rewrite
