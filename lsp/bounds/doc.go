// Package bounds says how much of each thing the server takes: bytes of a message, agents,
// hunks of a patch, milliseconds of a command. [All] declares each bound once, with its
// default, what it bounds and what is done above it; settings, errors and docs/commands.md
// follow from there. [Limits] are the values that count for a server at a time.
package bounds
