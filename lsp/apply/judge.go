package apply

import "github.com/patchls/patchls/edits/changeset"

// A verdict is what became of an edit, by its document and the editor's answer.
type verdict int

const (
	verdictRejected          verdict = iota // and the text is as it was
	verdictPresent                          // the text shows the edit
	verdictUnopened                         // a file that the editor has not opened, so disk decides
	verdictClosed                           // after a yes
	verdictRejectedAndClosed                // after a no
	verdictDoubtful                         // the text shows the edit, or the user's own change
	verdictMisplaced                        // the edit is in the wrong place
	verdictUnclear                          // the text is neither the old one nor the planned one
	verdictPreviewing                       // the edit may be made, and not told of
	verdictNotShown                         // the edit may be held back, so asking again might make it twice
	verdictDropped                          // it was for a version that is gone, and does not come later
	verdictIgnored                          // the text does not show it, and it may still come
	verdictOutdated                         // a no, since the user typed
	verdictReopened                         // a no, since versions have begun anew
)

// statement is what the editor has said of an edit, and how far it can be believed.
type statement struct {
	applied    bool // its answer
	ofDocument bool // it has the document open, and did not open it for the edit
	versioned  bool // it says which versions of the document the edit was
	flushed    bool // it has sent all that it held back
	previews   bool // it may show what a command would do, and tell of nothing (editor.Quirks)
}

// evidence is what a document shows of an edit, all of it at one moment.
type evidence struct {
	sighting       changeset.Sighting // by the text alone
	outcome        Outcome            // of an edit that is present
	open           bool
	closed         bool // it was, for a time at least
	renumbered     bool // by that: it has other versions since it is open again
	desynced       bool // what the editor shows cannot be taken for its text any more
	changed        bool // in whatever way
	exact          bool // the editor makes the edit in the version that it is for, or not at all
	doubtful       bool
	misplaced      bool
	partial        bool // a part of the edit is there; the editor or the user made it
	partialForSure bool // and only the editor can have made it
}

// mayKeepQuiet reports whether the editor, which said s, is one that may make an edit and tell of
// it much later, and has told of nothing yet. Besides the editors with such a quirk
// ([editor.Quirks]), Neovim 0.7 begins its delay anew with every key, as long as the user types,
// and Vim tells of nothing before the user goes on.
func (e evidence) mayKeepQuiet(s statement) bool {
	return (!e.exact || s.previews) && !e.changed && s.ofDocument
}

// explainsRejection reports whether what became of the document says why the editor refused the
// edit: its text has changed, or it has other versions. While it is closed nothing is known yet:
// it may be opened with any text.
func (e evidence) explainsRejection() bool {
	return (e.open || !e.closed) && (e.changed || e.renumbered)
}

// verdict returns the verdict on an edit, about which the editor said s.
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
	case s.applied && (e.sighting == changeset.Unclear || e.partialForSure), // behind a no it is what the user typed,
		!s.applied && !s.versioned && e.partial: // or what the editor had made when it failed
		return verdictUnclear
	case s.applied && s.flushed && s.previews && e.mayKeepQuiet(s):
		// It has sent all that it holds back, and that was nothing: so the edit was not stale, which
		// is the other reason for a yes that nothing follows. Asked again it would make it twice.
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
