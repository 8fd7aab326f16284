package editor

import (
	"encoding/json"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/lazy"
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

// Display is what an editor can show in a document.
type Display struct {
	ActionLiterals bool // code actions that are more than commands
	GeneratedTag   bool // shows that an action is about what a model wrote (LSP 3.18)
	LensRefresh    bool // asks for code lenses again when it is told to
	Diagnostics    bool // takes diagnostics from notifications
	Versions       bool // ignores diagnostics of an outdated version
	Related        bool // shows the related places of diagnostics
}

// readDisplay reads the editor's capabilities for text documents, all of which are optional.
func readDisplay(textDocument json.RawMessage) Display {
	var t struct {
		CodeAction struct {
			Literals *struct{} `json:"codeActionLiteralSupport"`
			Tags     struct {
				Values []protocol.CodeActionTag `json:"valueSet"`
			} `json:"tagSupport"`
		} `json:"codeAction"`
		Publish *struct {
			Versions bool `json:"versionSupport"`
			Related  bool `json:"relatedInformation"`
		} `json:"publishDiagnostics"`
	}
	if json.Unmarshal(textDocument, &t) != nil {
		return Display{}
	}
	out := Display{
		ActionLiterals: t.CodeAction.Literals != nil,
		GeneratedTag:   slices.Contains(t.CodeAction.Tags.Values, protocol.CodeActionTagLLMGenerated),
		Diagnostics:    t.Publish != nil,
	}
	if t.Publish != nil {
		out.Versions, out.Related = t.Publish.Versions, t.Publish.Related
	}
	return out
}

// Plugin is what a plugin of the editor declares that it can do, or wants to be notified of
// (docs/build/editor.md). The zero value stands for an editor without a plugin.
type Plugin struct {
	Save      bool `json:"save"`      // patchls/save
	Listening bool `json:"listening"` // patchls/listening
	Edited    bool `json:"edited"`    // patchls/edited
	Written   bool `json:"written"`   // patchls/written
	Confirm   bool `json:"confirm"`   // patchls/confirm
	Diff      bool `json:"diff"`      // has a command patchls.showDiff
	Versions  bool `json:"versions"`  // the answer to an applyEdit has versions
	// Window names the editor's process or window, also to servers that are started later:
	// letters, digits, "-" and "_", 64 at most. Any other value is taken as "".
	Window string `json:"window"`
}

// windowName matches a name that can stand in a variable and a discovery file as it is.
var windowName = lazy.Regexp(`^[\w-]{0,64}$`)

// readPlugin reads the editor's experimental capabilities.
func readPlugin(experimental json.RawMessage) Plugin {
	var e struct {
		Patchls Plugin `json:"patchls"`
	}
	if json.Unmarshal(experimental, &e) != nil {
		return Plugin{}
	}
	if !windowName().MatchString(e.Patchls.Window) {
		e.Patchls.Window = ""
	}
	return e.Patchls
}

// Offered returns what a plugin may look for in the answer to initialize, to know that the server is
// not too old for it. It is nil unless the plugin declares one of listening, edited, confirm and diff.
func (p Plugin) Offered() protocol.LSPAny {
	if p == (Plugin{Save: p.Save, Versions: p.Versions, Window: p.Window}) {
		return nil
	}
	return protocol.LSPAny(`{"patchls":{"edited":true,"listening":true,"confirm":true,"diff":true}}`)
}

// Lens is LSP's CodeLens, with its command.
type Lens struct {
	Range   protocol.Range `json:"range"`
	Command Command        `json:"command"`
}

// Command is LSP's Command: a title that, when it is chosen, runs a command of this
// server, or does nothing where Command is "".
type Command struct {
	Title     string `json:"title"`
	Command   string `json:"command"`
	Arguments []any  `json:"arguments,omitempty"`
}

// Action is LSP's CodeAction, with a command and no edit: every change of a text is made by a command, and is verified.
type Action struct {
	Title   string                   `json:"title"`
	Kind    protocol.CodeActionKind  `json:"kind"`
	Tags    []protocol.CodeActionTag `json:"tags,omitempty"`
	Command Command                  `json:"command"`
}

// The operations on a file that an editor is asked for, as results name them.
const (
	Update = "update"
	Create = "create"
	Delete = "delete"
	Rename = "rename"
)
