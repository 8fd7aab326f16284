package headless

// EditHabits say how an editor takes a workspace/applyEdit.
type EditHabits struct {
	// Order is that of the answer and the didChange.
	Order Order

	// Stale is what comes of an edit of another version than the buffer's.
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
	// Overlap and PastEnd are what comes of edits that LSP does not allow.
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
	// OverlapApplied makes them from the last to the first, with what comes of it.
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
	// NoError is a JSON-RPC error, or applied: null where the person declined.
	NoError
)
