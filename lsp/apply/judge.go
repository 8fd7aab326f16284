package apply

import "github.com/patchls/patchls/edits/changeset"

// A verdict is the outcome of an edit, judged by its document and the editor's answer.
type verdict int

const (
	verdictRejected          verdict = iota // the editor said no, and the text is as it was
	verdictPresent                          // the text shows the edit
	verdictUnopened                         // the editor has not opened the file, so disk decides
	verdictClosed                           // the editor said yes, and the document is closed
	verdictRejectedAndClosed                // the editor said no, and the document is closed
	verdictDoubtful                         // the text shows the edit, or the user's own change
	verdictMisplaced                        // the edit is in the wrong place
	verdictUnclear                          // the text is neither the old one nor the planned one
	verdictPreviewing                       // the editor may have made the edit without reporting it
	verdictNotShown                         // the edit may be held back, so a retry might make it twice
	verdictDropped                          // the edit was for an outdated version, and does not come later
	verdictIgnored                          // the text does not show the edit, which may still come
	verdictOutdated                         // the editor said no, and the text has changed since
	verdictReopened                         // the editor said no, and the document was reopened with new versions
)

// statement is what the editor has said about an edit, and how far it can be believed.
type statement struct {
	applied    bool // the answer was yes
	ofDocument bool // the document was open before, and not just opened for the edit
	versioned  bool // the answer says which versions of the document the edit was
	flushed    bool // the editor has sent all that it held back
	previews   bool // the editor may preview a command and report nothing (editor.Quirks)
}

// evidence is what a document shows of an edit, all at one moment.
type evidence struct {
	sighting       changeset.Sighting // by the text alone
	outcome        Outcome            // of an edit that is present
	open           bool
	closed         bool // the document was closed, for a time at least
	renumbered     bool // the document was reopened with another version
	desynced       bool // the editor's changes no longer show what its text is
	changed        bool // the text has changed in any way
	exact          bool // the editor makes the edit in the version that it is for, or not at all
	mayDrop        bool // a yes may be about an edit that was not made
	doubtful       bool
	misplaced      bool
	partial        bool // a part of the edit is there; the editor or the user made it
	traces         bool // after a no, the text got new text of the edit, by no undo
	partialForSure bool // and only the editor can have made it
}

// mayKeepQuiet reports whether the editor, which said s, has reported no change yet and may report the edit much later.
// Besides the editors with such a quirk ([editor.Quirks]), Neovim 0.7 restarts its delay with every key, as long as the user
// types, and Vim reports nothing before the user goes on.
func (e evidence) mayKeepQuiet(s statement) bool {
	return (!e.exact || s.previews) && !e.changed && s.ofDocument
}

// explainsRejection reports whether the document shows why the editor refused the edit: its text has changed, or it has
// other versions. While it is closed nothing is known yet: it may be opened with any text.
func (e evidence) explainsRejection() bool {
	return (e.open || !e.closed) && (e.changed || e.renumbered)
}

// verdict returns the verdict on an edit about which the editor said s.
func (e evidence) verdict(s statement) verdict {
	switch {
	case s.applied && !s.ofDocument && !e.open:
		return verdictUnopened
	case s.applied && !e.open:
		return verdictClosed
	case s.ofDocument && !e.open:
		return verdictRejectedAndClosed
	case e.doubtful:
		return verdictDoubtful
	case e.sighting == changeset.Present:
		return verdictPresent
	case e.misplaced:
		return verdictMisplaced
	case s.applied && (e.sighting == changeset.Unclear || e.partialForSure), // after a no, the user typed it,
		s.applied && e.exact && e.changed && !e.mayDrop,       // the editor made it, and not as it was sent
		!s.applied && !s.versioned && (e.partial || e.traces): // or the editor had made it when it failed
		return verdictUnclear
	case s.applied && s.flushed && s.previews && e.mayKeepQuiet(s):
		// The editor has sent all that it holds back, and sent nothing. So the edit was not stale,
		// which is the other reason for a yes without a change. A retry would make the edit twice.
		return verdictPreviewing
	case s.applied && !s.flushed && !e.exact:
		return verdictNotShown
	case s.applied && e.exact && e.changed:
		return verdictDropped
	case s.applied:
		return verdictIgnored
	case e.changed:
		return verdictOutdated
	case e.closed:
		return verdictReopened
	}
	return verdictRejected
}
