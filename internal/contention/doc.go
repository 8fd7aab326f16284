// Package contention makes calls to the system again that fail since another program has the
// file open, as only Windows knows it: a virus scanner or an indexer has done with a file in
// milliseconds.
//
// [Retry] makes a call until it does not fail so, for two seconds at most. [Sharing] and
// [Denied] say which failures may be of that kind.
//
// What never lives here: what a file is for, and what is told where it stays held.
package contention
