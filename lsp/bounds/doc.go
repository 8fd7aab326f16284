// Package bounds limits how much of each thing the server accepts: bytes of a message, agents, hunks of a patch,
// milliseconds of a command. [All] declares each bound once, with its default, what it bounds and what is done above it;
// settings, errors and docs/commands.md are derived from it. [Limits] holds the values that a server uses at a time.
package bounds
