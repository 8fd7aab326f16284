// Package watch brings what other programs write to files into the editor's buffers of them.
//
// An agent that knows nothing of patchls writes the file of a document in which the user has typed. Then there are three
// texts: what the editor opened or saved last, the buffer, and the file. They are merged (edits/merge), and what the other
// program has changed goes into the buffer as one edit: compared with the editor's text, undone and reviewed like any
// agent's. If both have changed the same lines, or the file does not look like an agent's work, the user is asked first, and
// nothing is done until they answer.
//
// The file is read when the system or the editor reports that it was written. It is merged once two readings are the same,
// since programs write in pieces. The second reading comes later if the file may be cut off, or the user would be asked. A
// buffer without unsaved text is left to the editor, which reloads the file; if the user types before that, the file is
// merged. What the editor has reloaded is recorded as an edit of the other program.
package watch
