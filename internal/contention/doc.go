// Package contention repeats system calls that fail because another program has the file open, which happens only on
// Windows, or locked. A virus scanner or an indexer is done with a file in milliseconds.
//
// [Retry] repeats such a call for two seconds at most. [Sharing] and [Denied] report which
// failures another program may cause that has the file open.
//
// What never lives here: what a file is for, and what is reported if it stays held.
package contention
