// Package watch brings what other programs write to files into the editor's buffers of them.
//
// An agent that knows nothing of patchls writes the file of a document in which the user has
// typed. Then there are three texts: what the editor opened or saved last, the buffer, and the
// file. They are merged (edits/merge), and what the other program has changed goes into the buffer
// as one edit: compared with the editor's text, undone and reviewed as any agent's. Where both have
// changed the same lines, or the file looks like one that is no agent's work, the user is asked
// first, and nothing is done until they answer.
//
// The file is read when the system or the editor tells that it was written, and is merged once two
// readings are the same, since programs write in pieces: the second one is later where the file may be cut
// off, or the user would be asked. A buffer without unsaved text is left to the editor, which reads the file
// anew; if the user types before that, the file is merged. What was read anew is recorded as an edit of
// the other program.
package watch
