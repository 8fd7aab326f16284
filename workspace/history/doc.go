// Package history keeps what happened to the text of a document: which changes were made, which of them are an agent's edit,
// and which revisions they lie between. From that it says what has changed since a revision, where an edit stands now, and
// by which change an edit is undone, in any order:
//
//	h := history.New(t)
//	from := h.Seq()
//	to := h.Record(c, after)                  // the text is now after
//	err := h.Attribute(from, to, "e1", ...)   // what was recorded is edit e1
//	back, seq, err := h.Undo("e1")            // the change that undoes it now
//
// It knows texts and changes, and nothing of files, editors or agents.
package history
