package headless

import "go.lsp.dev/protocol"

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
