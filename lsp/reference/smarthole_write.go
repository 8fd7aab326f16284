package reference

import (
	"encoding/json"
	"fmt"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/schema"
)

// WriteFileArgs declares the arguments of SmartHole's write_file.
type WriteFileArgs struct {
	Path    string `json:"path" jsonschema:"the file to write; missing folders are made"`
	Content string `json:"content" jsonschema:"the whole text"`
	commands.EditOptions
}

// writeFile is a call of write_file.
type writeFile struct{ commands.Write }

// ParseWriteFile reads a call of write_file.
func ParseWriteFile(arguments []json.RawMessage) (Call, error) {
	g, err := givenArguments[WriteFileArgs]("write_file", arguments)
	if err != nil {
		return nil, err
	}
	c := &writeFile{}
	if c.Path, err = vaultPath(g); err != nil {
		return nil, err
	}
	var ok bool
	if c.Content, ok = g.isString("content"); !ok {
		return nil, schema.Invalid("content is required and must be a string")
	}
	c.EditOptions, err = g.options()
	return c, err
}

func (c *writeFile) Target() commands.Target { return vaultTarget(c.Path, &c.Content) }

func (c *writeFile) Said(change string, _ edits.Plan, _ text.Text) string {
	verb := "Overwrote"
	if change == editor.Create {
		verb = "Created"
	}
	size := fmt.Sprintf("%d bytes", len(c.Content))
	if n := len(c.Content); n >= 1<<10 {
		size = fmt.Sprintf("%.1f KB", float64(n)/(1<<10))
	}
	return fmt.Sprintf(`%s file "%s" (%s).`, verb, c.Path, size)
}

func (c *writeFile) Refused(e *edits.Error) *edits.Error { return vaultError(e, c.Path) }
