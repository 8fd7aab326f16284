package editor

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits/text"
)

// Params is what InitializeParams says about the editor. It is decoded leniently: an odd
// capability elsewhere must not keep a client out.
type Params struct {
	ClientInfo struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	} `json:"clientInfo"`
	Capabilities struct {
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
			DidChangeWatchedFiles struct {
				DynamicRegistration bool `json:"dynamicRegistration"`
			} `json:"didChangeWatchedFiles"`
		} `json:"workspace"`
		TextDocument json.RawMessage `json:"textDocument"`
		Experimental json.RawMessage `json:"experimental"`
	} `json:"capabilities"`
}

// New returns the editor that p describes.
func New(p Params) *Editor {
	operations := p.Capabilities.Workspace.WorkspaceEdit.ResourceOperations
	c := &Editor{
		Name: p.ClientInfo.Name, Version: p.ClientInfo.Version,
		ApplyEdit:     p.Capabilities.Workspace.ApplyEdit,
		Configuration: p.Capabilities.Workspace.Configuration,
		refreshes:     p.Capabilities.Workspace.Diagnostics.RefreshSupport,
		WatchesFiles:  p.Capabilities.Workspace.DidChangeWatchedFiles.DynamicRegistration,
		CreateFiles:   slices.Contains(operations, "create"),
		RenameFiles:   slices.Contains(operations, "rename"),
		DeleteFiles:   slices.Contains(operations, "delete"),
		Plugin:        readPlugin(p.Capabilities.Experimental),
		Display:       readDisplay(p.Capabilities.TextDocument),
		Quirks:        quirksOf(p.ClientInfo.Name),

		NormalizesLineEnds: p.Capabilities.Workspace.WorkspaceEdit.NormalizesLineEndings || quirksOf(p.ClientInfo.Name).KeepsNewline,
	}
	if c.Plugin != (Plugin{}) { // a plugin checks every version, says which the edit was, and saves only when it is asked
		c.Quirks.ZeroUnchecked, c.Quirks.HoldsBack, c.Quirks.RenameKeeps = false, false, true
	}
	c.Display.LensRefresh = p.Capabilities.Workspace.CodeLens.RefreshSupport
	for _, name := range p.Capabilities.General.PositionEncodings {
		if enc, ok := text.ParseEncoding(name); ok {
			c.Encoding, c.EncodingListed = enc, true
			break
		}
	}
	return c
}

// Editor is what initialize said about the editor, digested once. It does not change, so it
// is safe for concurrent use. The zero value is an editor that can do nothing.
type Editor struct {
	Name, Version string        // as it calls itself; both may be ""
	Encoding      text.Encoding // of the positions in its messages
	// EncodingListed: the editor listed encodings, so the server must name the one that it uses.
	EncodingListed bool
	ApplyEdit      bool // has workspace/applyEdit
	CreateFiles    bool // has the resource operation create,
	RenameFiles    bool // rename,
	DeleteFiles    bool // and delete
	Configuration  bool // can be asked for its settings
	Plugin         Plugin
	refreshes      bool // asks for diagnostics again when it is told to
	WatchesFiles   bool // reports files that change on disk
	// NormalizesLineEnds: the editor gives inserted text the line ends of its buffer.
	NormalizesLineEnds bool
	Quirks             Quirks
	Display            Display
}

// CanFlush reports whether the editor can be made to send what it holds back.
// Zed must not be: it would wait for the server while the server waits for it.
func (c *Editor) CanFlush() bool { return c.refreshes && !strings.EqualFold(c.Name, "zed") }
