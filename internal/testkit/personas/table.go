package personas

import (
	"slices"
	"time"

	"go.lsp.dev/protocol"
)

// All returns the editors that were measured, and a hostile one. The
// slice is the caller's.
func All() []Persona {
	return []Persona{vscode(), vscodePlugin(), neovim(), neovimPlugin(), zed(), helix(), eglot(), sublime(), kakoune(), hostileEditor()}
}

// Named returns the persona of that name; "" is the compliant one.
func Named(name string) (Persona, bool) {
	if name == "" {
		return Persona{}, true
	}
	all := All()
	i := slices.IndexFunc(all, func(p Persona) bool { return p.Name == name })
	if i < 0 {
		return Persona{}, false
	}
	return all[i], true
}

// vscode is VS Code 1.139 with vscode-languageclient 11.
func vscode() Persona {
	return Persona{
		Name: "vscode", ClientName: "Visual Studio Code", NoPlugin: true,
		Encodings: []string{"utf-16"}, Capabilities: declares{
			documentChanges: true, operations: true, failure: "textOnlyTransactional", normalizes: true, refresh: true, annotations: true,
		}.set,
		Sync: Sync{SavesLate: 100 * time.Millisecond},
		Edits: EditHabits{
			Order: AnswerFirst, NullUnchecked: true, ClosedUnchecked: true, PastEnd: PastEndClamped,
			EmptyRefused: true, Confirm: ConfirmAsked, WithoutReason: true, WithoutIndex: true,
		},
		Files:   FileHabits{AtOnce: true},
		Text:    TextHabits{Ends: EndsUniform},
		Refresh: RefreshThenPull,
	}
}

// vscodePlugin is VS Code with the extension of patchls, which applies edits itself and
// says which versions they made.
func vscodePlugin() Persona {
	p := vscode()
	p.Name, p.NoPlugin, p.Edits.Versions = "vscode-plugin", false, true
	p.Edits.NullUnchecked, p.Edits.PastEnd = false, PastEndRefused
	return p
}

// neovim is Neovim 0.12 as it comes.
func neovim() Persona {
	return Persona{
		Name: "neovim", ClientName: "Neovim", NoPlugin: true,
		Encodings:    []string{"utf-8", "utf-16", "utf-32"},
		Capabilities: declares{operations: true, refresh: true, annotations: true}.set,
		Sync: Sync{
			FromZero: true, Ticks: true, Delay: DelayRate, By: 150 * time.Millisecond, WholeLines: true, ReloadReopens: true,
		},
		Edits: EditHabits{
			Stale: StaleDropped, OlderOnly: true, FirstOnly: true, ZeroUnchecked: true, NullUnchecked: true,
			VersionNeeded: true, OneByOne: true, NullRefused: true, ByLine: true, Confirm: ConfirmSkipped, WithoutIndex: true,
		},
		Files:   FileHabits{Closed: ClosedOpenedLate, MissingMade: true, Exists: ExistsTruncated, AtOnce: true, DeletesSaved: true, JunkUntitled: true},
		Text:    TextHabits{Ends: EndsOfFormat, Final: FinalOfBuffer},
		Refresh: RefreshPullFirst,
	}
}

// neovimPlugin is Neovim with the plugin of patchls, which opens files itself, numbers their
// versions on, and checks all versions before anything is changed.
func neovimPlugin() Persona {
	p := neovim()
	p.Name, p.NoPlugin = "neovim-plugin", false
	p.Edits.Stale, p.Edits.OlderOnly, p.Edits.FirstOnly, p.Edits.ZeroUnchecked = StaleRefused, false, false, false
	p.Edits.OneByOne, p.Edits.WithoutIndex, p.Edits.Synced = false, false, true
	p.Edits.Versions, p.Sync.NumbersOn = true, true
	p.Files.Closed, p.Files.DeletesSaved = ClosedOpened, false
	return p
}

// zed is Zed as read in source.
func zed() Persona {
	return Persona{
		Name: "zed", ClientName: "Zed", NoPlugin: true,
		Encodings: []string{"utf-16"}, Capabilities: declares{documentChanges: true, operations: true, refresh: true}.set,
		Sync: Sync{FromZero: true},
		Edits: EditHabits{
			Stale: StaleRebased, NullUnchecked: true, ClosedUnchecked: true, OneByOne: true,
			Overlap: OverlapJoined, PastEnd: PastEndClamped, AlwaysYes: true,
		},
		Files:   FileHabits{AtOnce: true},
		Refresh: RefreshPullWait,
	}
}

// helix is Helix 25.07.
func helix() Persona {
	return Persona{
		Name: "helix", ClientName: "helix", NoPlugin: true,
		Encodings:    []string{"utf-8", "utf-32", "utf-16"},
		Capabilities: declares{documentChanges: true, operations: true, failure: "abort"}.set,
		Sync:         Sync{FromZero: true},
		Edits: EditHabits{
			Order: EitherFirst, NullUnchecked: true, ClosedUnchecked: true, OneByOne: true,
			Overlap: OverlapDropped, PastEnd: PastEndSkipped,
		},
		Files: FileHabits{MissingMade: true, MissingText: "\n", Exists: ExistsTruncated, AtOnce: true},
		Text:  TextHabits{Final: FinalAdded},
	}
}

// eglot is eglot 1.17 in Emacs 30.
func eglot() Persona {
	return Persona{
		Name: "eglot", ClientName: "Eglot", NoPlugin: true,
		Encodings:    []string{"utf-32", "utf-8", "utf-16"},
		Capabilities: declares{documentChanges: true, refresh: true}.set,
		Sync:         Sync{FromZero: true, CountsSent: true, Delay: DelayIdle, By: 500 * time.Millisecond},
		Edits: EditHabits{
			Order: AnswerFirst, Stale: StaleError, NullUnchecked: true, ClosedUnchecked: true, OneByOne: true,
			Overlap: OverlapApplied, PastEnd: PastEndClamped, No: NoError,
		},
		Files:   FileHabits{Closed: ClosedOpenedLate, OpensTwice: true, Asks: true, MissingMade: true, Refused: true},
		Text:    TextHabits{Ends: EndsDecoded, Final: FinalAdded},
		Refresh: RefreshPullFirst,
	}
}

// sublime is Sublime's LSP package as read in source.
func sublime() Persona {
	return Persona{
		Name: "sublime", ClientName: "Sublime Text LSP", NoPlugin: true,
		Encodings:    []string{"utf-16"},
		Capabilities: declares{documentChanges: true, operations: true, failure: "abort", normalizes: true, refresh: true}.set,
		Sync:         Sync{FromZero: true, Delay: DelayDebounce, By: 300 * time.Millisecond},
		Edits: EditHabits{
			NullUnchecked: true, ClosedUnchecked: true, VersionNeeded: true, OneByOne: true,
			Overlap: OverlapApplied, PastEnd: PastEndNewLine,
		},
		Files:   FileHabits{AtOnce: true},
		Text:    TextHabits{Ends: EndsStripped},
		Refresh: RefreshPullFirst,
	}
}

// kakoune is kakoune-lsp as read in source.
func kakoune() Persona {
	return Persona{
		Name: "kakoune", ClientName: "kak-lsp", NoPlugin: true,
		Encodings:    []string{"utf-8", "utf-16"},
		Capabilities: declares{documentChanges: true, operations: true, failure: "abort"}.set,
		Edits: EditHabits{
			Order: AnswerBeforeEdit, Stale: StaleApplied, NullUnchecked: true, ClosedUnchecked: true, OneByOne: true,
			Overlap: OverlapApplied, PastEnd: PastEndClamped, AlwaysYes: true,
		},
		Files: FileHabits{Closed: ClosedWritten, Exists: ExistsTruncated, AtOnce: true, WritesHidden: true},
	}
}

// hostileEditor is the compliant editor with every fault now and then.
func hostileEditor() Persona {
	return Persona{
		Name: "hostile", ClientName: "hostile", Seed: 1,
		Faults: Faults{
			Ignored: 0.01, Silent: 0.02, SlowEdit: 0.05, SlowAnswer: 0.05, SlowBy: time.Second,
			SaysNo: 0.05, SaysYes: 0.05,
			VersionJumps: 0.05, VersionRepeats: 0.03, VersionFalls: 0.03, Lost: 0.02, Reopens: 0.03,
		},
	}
}

// declares is what an editor says in its capabilities, where editors differ.
type declares struct {
	documentChanges bool
	operations      bool // create, rename and delete
	failure         protocol.FailureHandlingKind
	normalizes      bool // normalizesLineEndings
	refresh         bool // workspace.diagnostics.refreshSupport
	annotations     bool
}

// set changes the compliant editor's capabilities to those.
func (d declares) set(c *protocol.ClientCapabilities) {
	yes := true
	edit := &protocol.WorkspaceEditClientCapabilities{FailureHandling: d.failure}
	if d.documentChanges {
		edit.DocumentChanges = &yes
	}
	if d.operations {
		edit.ResourceOperations = c.Workspace.WorkspaceEdit.ResourceOperations
	}
	if d.normalizes {
		edit.NormalizesLineEndings = &yes
	}
	if d.annotations {
		edit.ChangeAnnotationSupport = &protocol.ChangeAnnotationsSupportOptions{}
	}
	c.Workspace.WorkspaceEdit = edit
	if d.refresh {
		c.Workspace.Diagnostics = &protocol.DiagnosticWorkspaceClientCapabilities{RefreshSupport: &yes}
		c.TextDocument.Diagnostic = &protocol.DiagnosticClientCapabilities{}
	}
}
