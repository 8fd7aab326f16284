package headless

import (
	"time"

	"go.lsp.dev/protocol"
)

// Persona is how an editor behaves as an LSP client. The zero value is the
// compliant one; each field that is set is one measured departure from it, so a
// test may turn on one alone. A Persona is only read once the editor started.
type Persona struct {
	// Name is what PersonaNamed finds it by.
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

	// Person answers what the editor asks the person at it, after a time that it
	// gives. Nil says yes at once. It is called without locks held.
	Person func(Question) (takes time.Duration, yes bool)

	// Faults are what a hostile editor does at random; Seed repeats it.
	Faults Faults
	Seed   uint64
}

// Question is what an editor asks the person before it goes on with an edit.
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
	// CountsSent: the version counts the didChanges that were written, not the
	// changes, so typing that is not sent yet does not make an edit stale.
	CountsSent bool
	// Delay is by which rule a didChange is late, By its time.
	Delay Delay
	By    time.Duration
	// WholeLines: a change is sent as one of the whole lines that it touches.
	WholeLines bool
	// ReloadReopens: Reload is didClose and didOpen.
	ReloadReopens bool
	// CommandsFlush: workspace/executeCommand writes what is pending first. It is
	// off in all personas, since the commands of tests stand for agents, whose
	// requests do not pass through the editor.
	CommandsFlush bool
}

// Delay is a rule of lateness for didChange.
type Delay int

const (
	// DelayNone writes at once.
	DelayNone Delay = iota
	// DelayRate keeps Sync.By between two didChanges of a document; the first
	// waits for By without a change (Neovim).
	DelayRate
	// DelayIdle waits until the person did nothing for By (eglot).
	DelayIdle
	// DelayDebounce waits until the document did not change for By (Sublime).
	DelayDebounce
)
