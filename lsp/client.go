package lsp

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"go.lsp.dev/uri"

	"github.com/patchls/patchls/edits/text"
)

// initializeParams is what the server reads of InitializeParams. It is decoded
// leniently: a capability that is odd elsewhere must not keep a client out.
type initializeParams struct {
	ProcessID  *int `json:"processId"`
	ClientInfo struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	} `json:"clientInfo"`
	RootPath         string            `json:"rootPath"`
	RootURI          string            `json:"rootUri"`
	WorkspaceFolders []workspaceFolder `json:"workspaceFolders"`
	Capabilities     struct {
		General struct {
			PositionEncodings []string `json:"positionEncodings"`
		} `json:"general"`
		Workspace struct {
			ApplyEdit     bool `json:"applyEdit"`
			Configuration bool `json:"configuration"`
			WorkspaceEdit struct {
				ResourceOperations    []string `json:"resourceOperations"`
				NormalizesLineEndings bool     `json:"normalizesLineEndings"`
			} `json:"workspaceEdit"`
			Diagnostics struct {
				RefreshSupport bool `json:"refreshSupport"`
			} `json:"diagnostics"`
			CodeLens struct {
				RefreshSupport bool `json:"refreshSupport"`
			} `json:"codeLens"`
			TextDocumentContent   *struct{} `json:"textDocumentContent"`
			DidChangeWatchedFiles struct {
				DynamicRegistration bool `json:"dynamicRegistration"`
			} `json:"didChangeWatchedFiles"`
		} `json:"workspace"`
		TextDocument json.RawMessage `json:"textDocument"`
		Window       json.RawMessage `json:"window"`
		Experimental json.RawMessage `json:"experimental"`
	} `json:"capabilities"`
	InitializationOptions json.RawMessage `json:"initializationOptions"`
}

type workspaceFolder struct {
	URI string `json:"uri"`
}

// roots returns the folders' paths: those of workspaceFolders, else of what
// LSP had before them.
func (p *initializeParams) roots() []string {
	var roots []string
	for _, f := range p.WorkspaceFolders {
		if path, ok := folderPath(f.URI); ok {
			roots = append(roots, path)
		}
	}
	if len(roots) > 0 {
		return roots
	}
	if path, ok := folderPath(p.RootURI); ok {
		return []string{path}
	}
	if p.RootPath != "" {
		return []string{p.RootPath}
	}
	return nil
}

func folderPath(raw string) (string, bool) {
	u, err := uri.Parse(raw)
	if err != nil || !strings.HasPrefix(raw, "file:") {
		return "", false
	}
	return u.FsPath(), true
}

func newClient(p initializeParams) *client {
	operations := p.Capabilities.Workspace.WorkspaceEdit.ResourceOperations
	c := &client{
		name: p.ClientInfo.Name, version: p.ClientInfo.Version,
		applyEdit:     p.Capabilities.Workspace.ApplyEdit,
		configuration: p.Capabilities.Workspace.Configuration,
		refreshes:     p.Capabilities.Workspace.Diagnostics.RefreshSupport,
		watches:       p.Capabilities.Workspace.DidChangeWatchedFiles.DynamicRegistration,
		createFiles:   slices.Contains(operations, "create"),
		renameFiles:   slices.Contains(operations, "rename"),
		deleteFiles:   slices.Contains(operations, "delete"),
		plugin:        readPlugin(p.Capabilities.Experimental),
		shows:         readShows(p.Capabilities.TextDocument),
		traits:        traitsOf(p.ClientInfo.Name),

		normalizesLineEnds: p.Capabilities.Workspace.WorkspaceEdit.NormalizesLineEndings || traitsOf(p.ClientInfo.Name).keepsNewline,
	}
	if c.plugin != (plugin{}) { // which checks every version, and says which the edit was
		c.traits.zeroUnchecked, c.traits.holdsBack = false, false
	}
	c.shows.lensRefresh = p.Capabilities.Workspace.CodeLens.RefreshSupport
	c.shows.ownDocuments = p.Capabilities.Workspace.TextDocumentContent != nil && showsDocuments(p.Capabilities.Window)
	for _, name := range p.Capabilities.General.PositionEncodings {
		if enc, ok := text.ParseEncoding(name); ok {
			c.encoding, c.encodingListed = enc, true
			break
		}
	}
	return c
}

// showsDocuments reads another one.
func showsDocuments(window json.RawMessage) bool {
	var w struct {
		ShowDocument struct {
			Support bool `json:"support"`
		} `json:"showDocument"`
	}
	return json.Unmarshal(window, &w) == nil && w.ShowDocument.Support
}

// traits are what is known of an editor by its name and not by a capability. The hazards
// are in docs/editor-hazards.md.
type traits struct {
	// settle is how long the editor may take from its answer to the didChange (hazard:
	// late-didchange).
	settle time.Duration
	// createsByEdit: an edit of a file that is not there makes it, and CreateFile
	// would truncate one that is (hazard: create-truncates).
	createsByEdit bool
	// noLabel: a label would only get in the user's way (hazard: edit-metadata).
	noLabel bool
	// renameSaves: what is unsaved is saved when the file is renamed (hazard: delete-and-rename).
	renameSaves bool
	// keepsNewline: the newline at the end of a text belongs to the buffer, and no
	// edit adds it or takes it away (hazards: final-newline, empty-buffer).
	keepsNewline bool
	// holdsBack: it may have told of only a part of what the user did at once, as of the
	// first change of a join, or of nothing yet. So an edit would land in the middle of it, or
	// could not be told from the rest of it (hazard: held-back-changes).
	holdsBack bool
	// zeroUnchecked: version 0, which a document has before its first change, makes no
	// edit stale (hazard: version-zero). Version 1 does, since the version after a change is
	// larger.
	zeroUnchecked bool
	// exact: an edit is made in the version that it is for, or not at all, and a no means
	// that nothing was made (hazard: unchecked-version).
	exact bool
	// drops: it says yes to an edit for a version that is gone, and does not make it (hazard:
	// applied-true).
	drops bool
	// decodes: it opens a CRLF file as LF, and takes a "\r" that is sent as a
	// character of the line (hazard: line-ends).
	decodes bool
	// newlineInNew: what it opens and is not there begins as a lone newline (hazard:
	// empty-buffer).
	newlineInNew bool
	// lengths: the rangeLength of a change is how long the range is in the editor's text, so
	// another length here says that the texts differ (hazard: silent-desync).
	lengths bool
	// previews: while it shows what a command that is being typed would do, it makes
	// edits and tells of none of them, although it is asked (hazard: previewed-command).
	previews bool
	// deletesSaved: of a file that is not on disk yet the deletion is an error (hazard:
	// delete-and-rename).
	deletesSaved bool
	// announces: it tells of every file that it edits, so its silence is a no (hazard:
	// unannounced-file).
	announces bool
}

// maxSettle is how long an unknown editor has to tell of an edit (hazard: late-didchange).
const maxSettle = 1200 * time.Millisecond

var editors = map[string]traits{
	"visual studio code": {settle: 400 * time.Millisecond, exact: true, lengths: true},
	"code-server":        {settle: 400 * time.Millisecond, exact: true, lengths: true},
	"neovim":             {settle: 400 * time.Millisecond, createsByEdit: true, noLabel: true, keepsNewline: true, zeroUnchecked: true, holdsBack: true, exact: true, drops: true, lengths: true, previews: true, deletesSaved: true},
	"eglot":              {settle: maxSettle, createsByEdit: true, holdsBack: true, decodes: true},
	"emacs":              {settle: 400 * time.Millisecond, createsByEdit: true, renameSaves: true, decodes: true},
	"helix":              {settle: 400 * time.Millisecond, exact: true, createsByEdit: true, newlineInNew: true},
	"zed":                {settle: 400 * time.Millisecond},
	"coc.nvim":           {settle: 400 * time.Millisecond},
	"vim":                {settle: maxSettle, decodes: true},
	"vim-lsp":            {settle: maxSettle, decodes: true},
	"sublime text lsp":   {settle: 400 * time.Millisecond, exact: true},
	"kak-lsp":            {settle: 400 * time.Millisecond},
	"patchls-headless":   {settle: maxSettle, exact: true, drops: true, announces: true},
}

func traitsOf(name string) traits {
	if t, ok := editors[strings.ToLower(name)]; ok {
		return t
	}
	return traits{settle: maxSettle}
}
