// Package disk saves files: what a save writes is there whole or not at all, over several
// files, also after a crash.
//
// A save is noted in a journal before it is made. What fails half-way is put back; what a
// process did not live to end, the next process that saves puts back, by the same code. What another
// program has written is not overwritten, unless one insists, and not taken back.
//
// What never lives here: buffers, LSP, URIs. It knows paths and bytes, and when to save
// is others' to say.
package disk
