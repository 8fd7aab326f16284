package headless

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/patchls/patchls/edits/text"
)

// handshake performs initialize and initialized.
func (c *connection) handshake(ctx context.Context) error {
	params, err := c.initializeParams()
	if err != nil {
		return err
	}
	var raw json.RawMessage
	if err := c.Call(ctx, "initialize", params, &raw); err != nil {
		return err
	}
	var result protocol.InitializeResult
	if err := protocol.Unmarshal(raw, &result); err != nil {
		return fmt.Errorf("the server's answer: %w", err)
	}
	c.server = result.Capabilities
	if c.encoding, err = c.chosenEncoding(string(result.Capabilities.PositionEncoding)); err != nil {
		return err
	}
	return c.Notify(ctx, "initialized", struct{}{})
}

// chosenEncoding holds the server to what was offered, as VS Code does. UTF-16
// is always on offer (LSP 3.17, general.positionEncodings).
func (c *connection) chosenEncoding(name string) (text.Encoding, error) {
	if name == "" || name == "utf-16" {
		return text.UTF16, nil
	}
	enc, ok := text.ParseEncoding(name)
	if !ok || !slices.Contains(c.opts.Encodings, name) {
		return 0, fmt.Errorf("the server chose the position encoding %q, which was not offered", name)
	}
	return enc, nil
}

func (c *connection) initializeParams() (json.RawMessage, error) {
	pid := int32(os.Getpid())
	p := &protocol.InitializeParams{
		ProcessID:    &pid,
		ClientInfo:   c.opts.Client,
		Capabilities: capabilities(c.opts.Encodings),
		Trace:        protocol.TraceValueOff,
	}
	folders, err := workspaceFolders(c.opts.Roots)
	if err != nil {
		return nil, err
	}
	p.WorkspaceFolders = protocol.NullNullable[[]protocol.WorkspaceFolder]()
	if len(folders) > 0 {
		p.WorkspaceFolders = protocol.NewNullable(folders)
		p.RootURI = &folders[0].URI
	}
	if c.opts.Settings != nil {
		raw, err := json.Marshal(c.opts.Settings)
		if err != nil {
			return nil, fmt.Errorf("settings: %w", err)
		}
		p.InitializationOptions = raw
	}
	if c.opts.Capabilities != nil {
		c.opts.Capabilities(&p.Capabilities)
	}
	return protocol.Marshal(p)
}

func workspaceFolders(roots []string) ([]protocol.WorkspaceFolder, error) {
	var folders []protocol.WorkspaceFolder
	for _, root := range roots {
		u, err := uriOf(filepath.Clean(root))
		if err != nil {
			return nil, err
		}
		folders = append(folders, protocol.WorkspaceFolder{URI: uri.URI(u), Name: filepath.Base(root)})
	}
	return folders, nil
}

// capabilities are those that the editor has. failureHandling is transactional
// because files are created, renamed and deleted when they are saved, not
// before: nothing of an applyEdit can fail once it is checked.
func capabilities(encodings []string) protocol.ClientCapabilities {
	yes, no := true, false
	c := protocol.ClientCapabilities{
		Workspace: &protocol.WorkspaceClientCapabilities{
			ApplyEdit: &yes,
			WorkspaceEdit: &protocol.WorkspaceEditClientCapabilities{
				DocumentChanges: &yes,
				ResourceOperations: []protocol.ResourceOperationKind{
					protocol.ResourceOperationKindCreate, protocol.ResourceOperationKindRename, protocol.ResourceOperationKindDelete,
				},
				FailureHandling:       protocol.FailureHandlingKindTransactional,
				NormalizesLineEndings: &no,
			},
			ExecuteCommand:   &protocol.ExecuteCommandClientCapabilities{},
			WorkspaceFolders: &yes,
			Configuration:    &yes,
		},
		TextDocument: &protocol.TextDocumentClientCapabilities{
			Synchronization: &protocol.TextDocumentSyncClientCapabilities{DidSave: &yes},
		},
		Experimental: protocol.LSPAny(`{"patchls":{"save":true}}`),
	}
	if len(encodings) > 0 {
		c.General = &protocol.GeneralClientCapabilities{}
		for _, name := range encodings {
			c.General.PositionEncodings = append(c.General.PositionEncodings, protocol.PositionEncodingKind(name))
		}
	}
	return c
}
