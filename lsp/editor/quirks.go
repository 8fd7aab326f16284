package editor

import (
	"strings"
	"time"
)

// Quirks are the properties of an editor that are known by its name and not by a capability. The
// hazards are in docs/editor-hazards.md.
type Quirks struct {
	// Settle is how long the editor may take from its answer to the didChange (hazard: late-didchange).
	Settle time.Duration
	// CreatesByEdit: an edit of a file that does not exist creates it, and CreateFile would
	// truncate an existing file (hazard: create-truncates).
	CreatesByEdit bool
	// NoLabel: a label would only get in the user's way (hazard: edit-metadata).
	NoLabel bool
	// RenameKeeps: when the editor renames a file, its unsaved text stays unsaved. Other editors
	// save it (hazard: delete-and-rename).
	RenameKeeps bool
	// KeepsNewline: the newline at the end of a text belongs to the buffer, and no
	// edit adds it or takes it away (hazards: final-newline, empty-buffer).
	KeepsNewline bool
	// HoldsBack: the editor may have reported only a part of one act of the user, such as the
	// first change of a join, or nothing yet. So an edit would land in the middle of the act,
	// or could not be told from the rest of it (hazard: held-back-changes).
	HoldsBack bool
	// ZeroUnchecked: version 0, which a document has before its first change, makes no edit stale (hazard: version-zero).
	// Version 1 does, since the version after a change is larger.
	ZeroUnchecked bool
	// Exact: the editor makes an edit in the version that it is for, or not at all (hazard: unchecked-version).
	Exact bool
	// Drops: the editor says yes to an edit for an outdated version, and does not make it (hazard: applied-true).
	Drops bool
	// Decodes: the editor opens a CRLF file as LF, and takes a "\r" in an edit as a character
	// of the line (hazard: line-ends).
	Decodes bool
	// NewlineInNew: a buffer of a file that does not exist begins as a lone newline (hazard: empty-buffer).
	NewlineInNew bool
	// Lengths: the rangeLength of a change is the length of the range in the editor's text, so a
	// length that differs from the server's shows that the texts differ (hazard: silent-desync).
	Lengths bool
	// Previews: while the editor previews a command that is being typed, it makes edits and
	// reports none of them, even when it is asked (hazard: previewed-command).
	Previews bool
	// DeletesSaved: deleting a file that is not on disk yet is an error (hazard: delete-and-rename).
	DeletesSaved bool
	// SavesAtOnce: the editor reports a save before the user types on, so the reported text is
	// the saved text (hazard: save-with-typing).
	SavesAtOnce bool
	// Writes: the editor writes a file that is closed or hidden when it edits it (hazard: writes-to-disk).
	Writes bool
	// Announces: the editor reports every file that it edits, so its silence is a no (hazard: unannounced-file).
	Announces bool
}

// maxSettle is how long an unknown editor has to report an edit (hazard: late-didchange).
const maxSettle = 1200 * time.Millisecond

var quirks = map[string]Quirks{
	"visual studio code": {Settle: 400 * time.Millisecond, Exact: true, Lengths: true, RenameKeeps: true},
	"code-server":        {Settle: 400 * time.Millisecond, Exact: true, Lengths: true, RenameKeeps: true},
	"neovim":             {Settle: 400 * time.Millisecond, CreatesByEdit: true, NoLabel: true, KeepsNewline: true, ZeroUnchecked: true, HoldsBack: true, Exact: true, Drops: true, Lengths: true, Previews: true, DeletesSaved: true, SavesAtOnce: true},
	"eglot":              {Settle: maxSettle, CreatesByEdit: true, HoldsBack: true, Decodes: true},
	"emacs":              {Settle: 400 * time.Millisecond, CreatesByEdit: true, Decodes: true},
	"helix":              {Settle: 400 * time.Millisecond, Exact: true, CreatesByEdit: true, NewlineInNew: true, RenameKeeps: true},
	"zed":                {Settle: 400 * time.Millisecond},
	"coc.nvim":           {Settle: 400 * time.Millisecond},
	"vim":                {Settle: maxSettle, Decodes: true},
	"vim-lsp":            {Settle: maxSettle, Decodes: true},
	"sublime text lsp":   {Settle: 400 * time.Millisecond, Exact: true, HoldsBack: true},
	"kak-lsp":            {Settle: 400 * time.Millisecond, Writes: true},
	"patchls-headless":   {Settle: maxSettle, Exact: true, Drops: true, Announces: true, RenameKeeps: true},
}

func quirksOf(name string) Quirks {
	if t, ok := quirks[strings.ToLower(name)]; ok {
		return t
	}
	return Quirks{Settle: maxSettle}
}
