// Package rewrite turns a whole text that an agent has written into an edit of the text that the agent was given. So
// what the user has typed since stays: the server moves the edit to where its lines are now, and refuses lines that
// have changed.
package rewrite
