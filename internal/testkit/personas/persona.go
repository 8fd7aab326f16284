package personas

import (
	"time"

	"go.lsp.dev/protocol"
)

// Persona is how an editor behaves as an LSP client. The zero value is the
// compliant one; each field that is set is one measured departure from it, so a
// test may turn on one alone. A Persona is only read once the editor started.
type Persona struct {
	// Name is what Named finds it by.
	Name string

	// ClientName is clientInfo.name; empty means "patchls-headless".
	ClientName string
	// Encodings are the positionEncodings offered, as in Options.
	Encodings []string
	// Capabilities, if set, changes what the compliant editor declares.
	Capabilities func(*protocol.ClientCapabilities)
	// NoPlugin: the editor knows none of the methods that are patchls' own.
	NoPlugin bool

	Sync    Sync
	Edits   EditHabits
	Files   FileHabits
	Text    TextHabits
	Refresh Refresh

	// User answers what the editor asks the user at it, after a time that it
	// gives. Nil says yes at once. It is called without locks held.
	User func(Question) (takes time.Duration, yes bool)

	// Faults are what a hostile editor does at random; Seed repeats it.
	Faults Faults
	Seed   uint64
}

// Question is what an editor asks the user before it goes on with an edit.
type Question struct {
	URI     string // of the document
	Confirm bool   // about a change that needs confirmation, else about a file that is not open
}

// Sync says when and how an editor tells of changes.
type Sync struct {
	// FromZero: didOpen has version 0, not 1.
	FromZero bool
	// Ticks: versions are Vim's changedtick, which leaves numbers out: 5, 6, 8, 10.
	Ticks bool
	// NumbersOn: didOpen has a higher version than all that the file had before it was closed.
	NumbersOn bool
	// CountsSent: the version counts the didChanges that were written, not the
	// changes, so typing that is not sent yet does not make an edit stale.
	CountsSent bool
	// Delay is by which rule a didChange is late, By its time.
	Delay Delay
	By    time.Duration
	// SavesLate is the delay of didSave, which has the text of that moment (VS Code).
	SavesLate time.Duration
	// WholeLines: a change is sent as one of the whole lines that it touches.
	WholeLines bool
	// ReloadReopens: Reload is didClose and didOpen.
	ReloadReopens bool
}

// Delay is a rule of lateness for didChange.
type Delay int

const (
	// DelayNone writes at once.
	DelayNone Delay = iota
	// DelayRate keeps Sync.By between two didChanges of a document; the first
	// waits for By without a change (Neovim).
	DelayRate
	// DelayIdle waits until the user did nothing for By (eglot).
	DelayIdle
	// DelayDebounce waits until the document did not change for By (Sublime).
	DelayDebounce
)

// EditHabits say how an editor takes a workspace/applyEdit.
type EditHabits struct {
	// Order is that of the answer and the didChange.
	Order Order

	// Stale says how an edit of another version than the buffer's is handled.
	Stale Stale
	// OlderOnly: only an older version is stale, a future one is not.
	OlderOnly bool
	// FirstOnly: only the first member of documentChanges is checked.
	FirstOnly bool
	// ZeroUnchecked, NullUnchecked and ClosedUnchecked: version 0, version null,
	// and any version of a file that is not open are not checked.
	ZeroUnchecked, NullUnchecked, ClosedUnchecked bool
	// VersionNeeded: an edit without the member version is an error.
	VersionNeeded bool

	// OneByOne: what comes before a change that fails stays done.
	OneByOne bool
	// Overlap and PastEnd say how edits that LSP does not allow are handled.
	Overlap Overlap
	PastEnd PastEnd
	// EmptyRefused: an empty list of edits is answered with no.
	EmptyRefused bool
	// NullRefused: a member that is null, other than version, is an error.
	NullRefused bool
	// ByLine: edits are made one by one on lines, as Neovim makes them.
	ByLine bool

	// Confirm is how changes that need confirmation are asked about.
	Confirm Confirm
	// No is the spelling of a no. WithoutReason and WithoutIndex leave
	// failureReason and failedChange out.
	No                          No
	WithoutReason, WithoutIndex bool
	// AlwaysYes: the answer is applied: true whatever happened.
	AlwaysYes bool
	// Synced: patchls/synced is called for each changed document, and the answer
	// waits for its answer.
	Synced bool
	// Versions: the answer says which of the document's versions the edit made, and the
	// client declares that it does.
	Versions bool
}

// Order is the order of an answer and the didChange that it is about.
type Order int

const (
	// ChangeFirst writes the didChange first, if Sync does not delay it.
	ChangeFirst Order = iota
	// AnswerFirst writes the didChange after the answer.
	AnswerFirst
	// EitherFirst is one or the other by chance (Persona.Seed).
	EitherFirst
	// AnswerBeforeEdit changes the buffer itself after the answer.
	AnswerBeforeEdit
)

// Stale is what an editor does with an edit of a version that is not current.
type Stale int

const (
	// StaleRefused answers applied: false.
	StaleRefused Stale = iota
	// StaleError answers with a JSON-RPC error.
	StaleError
	// StaleDropped does nothing, and answers applied: true.
	StaleDropped
	// StaleRebased carries the ranges from that version to the current text.
	StaleRebased
	// StaleApplied takes the ranges for those of the current text.
	StaleApplied
)

// Overlap is what an editor does with edits that overlap.
type Overlap int

const (
	// OverlapRefused answers no.
	OverlapRefused Overlap = iota
	// OverlapDropped makes none of the document's edits, and answers yes.
	OverlapDropped
	// OverlapApplied makes them from the last to the first, whatever the result.
	OverlapApplied
	// OverlapJoined makes them one edit of both ranges and both texts; of two that
	// are equal it makes one.
	OverlapJoined
)

// PastEnd is what an editor does with a line that is beyond the last.
type PastEnd int

const (
	// PastEndRefused answers no.
	PastEndRefused PastEnd = iota
	// PastEndClamped takes it for the end of the text.
	PastEndClamped
	// PastEndSkipped leaves that edit out.
	PastEndSkipped
	// PastEndNewLine puts the text on a line of its own at the end.
	PastEndNewLine
)

// Confirm is how an editor takes changeAnnotations that need confirmation.
type Confirm int

const (
	// ConfirmIgnored does not ask.
	ConfirmIgnored Confirm = iota
	// ConfirmAsked asks; a no is answered with no.
	ConfirmAsked
	// ConfirmSkipped asks; what is declined is skipped, and the answer is yes.
	ConfirmSkipped
)

// No is how an editor says no.
type No int

const (
	// NoFalse is applied: false.
	NoFalse No = iota
	// NoNull is applied: null.
	NoNull
	// NoError is a JSON-RPC error, or applied: null where the user declined.
	NoError
)

// FileHabits say what an editor does with files that an edit names.
type FileHabits struct {
	// Closed is how a file is edited that is not open.
	Closed Closed
	// OpensTwice: such a file is opened by two didOpens, the second without a
	// languageId.
	OpensTwice bool
	// Asks: the user is asked before such a file is edited.
	Asks bool
	// MissingMade: an edit of a file that does not exist makes it.
	// MissingText is what its buffer holds before the edit.
	MissingMade bool
	MissingText string
	// Exists is what CreateFile does with a file that exists. AtOnce: files are made,
	// deleted and renamed on disk at once. Refused: file operations are errors.
	Exists  Exists
	AtOnce  bool
	Refused bool
	// DeletesSaved: the deletion of a file that is not on disk is an error.
	DeletesSaved bool
	// JunkUntitled: an edit of an untitled document that is not open lands in a
	// buffer that the server is never told about; the answer is yes.
	JunkUntitled bool
	// WritesHidden: a buffer without unsaved changes that is not the current one
	// is written when it is edited. The current one was opened or typed in last.
	WritesHidden bool
}

// Closed is how an editor edits a file that is not open.
type Closed int

const (
	// ClosedOpened is didOpen with the text of the disk, then didChange.
	ClosedOpened Closed = iota
	// ClosedOpenedLate is a didOpen after the answer, which has the edit in it.
	ClosedOpenedLate
	// ClosedUntold edits a buffer of which the server never hears.
	ClosedUntold
	// ClosedWritten writes the file, and opens it with what was written.
	ClosedWritten
)

// Exists is what CreateFile does with a file that exists, if options say nothing.
type Exists int

const (
	// ExistsRefused answers no.
	ExistsRefused Exists = iota
	// ExistsTruncated makes the file empty, on disk too.
	ExistsTruncated
)

// TextHabits say what an editor does to text.
type TextHabits struct {
	Ends  LineEnds
	Final FinalNewline
}

// LineEnds is how an editor keeps line ends.
type LineEnds int

const (
	// EndsKept leaves every line what it has, and takes new text as it is.
	EndsKept LineEnds = iota
	// EndsUniform gives a document one kind, the more frequent one when opened, and
	// new text the same (VS Code).
	EndsUniform
	// EndsOfFormat takes a file for CRLF if all of its lines are, else for LF, where
	// "\r" is a character; new text gets that kind (Neovim).
	EndsOfFormat
	// EndsDecoded shows a file whose lines are all CRLF as LF, in the buffer and on
	// the wire, and saves it as CRLF; new text is taken as it is (Emacs).
	EndsDecoded
	// EndsStripped is EndsDecoded without any "\r" in the buffer, in new text
	// neither (Sublime).
	EndsStripped
)

// FinalNewline is how an editor treats the newline at the end of a text.
type FinalNewline int

const (
	// FinalKept treats it as any other.
	FinalKept FinalNewline = iota
	// FinalAdded adds it when saving, with a didChange.
	FinalAdded
	// FinalOfBuffer takes it for the buffer's and not for the last line's; if it is
	// missing, saving writes one without a didChange; an empty file's text is "\n".
	FinalOfBuffer
)

// Refresh is how an editor answers workspace/diagnostic/refresh. It pulls only
// if the server has a diagnosticProvider.
type Refresh int

const (
	// RefreshAnswered pulls nothing.
	RefreshAnswered Refresh = iota
	// RefreshThenPull answers at once, and pulls then.
	RefreshThenPull
	// RefreshPullFirst pulls for all documents, then answers, without waiting for
	// their answers.
	RefreshPullFirst
	// RefreshPullWait answers when the pulls are answered.
	RefreshPullWait
)
