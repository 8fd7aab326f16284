package editor

import "go.lsp.dev/protocol"

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
