package lsp

import (
	"encoding/json"
	"fmt"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/schema"
)

// writeFileArgs declares the arguments of SmartHole's write_file.
type writeFileArgs struct {
	Path    string `json:"path" jsonschema:"the file to write; missing folders are made"`
	Content string `json:"content" jsonschema:"the whole text"`
	editOptions
}

// writeFile is a call of write_file.
type writeFile struct {
	file, content string
	opts          editOptions
}

func parseWriteFile(arguments []json.RawMessage) (toolCall, error) {
	g, err := givenArguments[writeFileArgs]("write_file", arguments)
	if err != nil {
		return nil, err
	}
	c := &writeFile{}
	if c.file, err = vaultPath(g); err != nil {
		return nil, err
	}
	var ok bool
	if c.content, ok = g.isString("content"); !ok {
		return nil, schema.Invalid("content is required and must be a string")
	}
	c.opts, err = g.options()
	return c, err
}

func (c *writeFile) options() editOptions { return c.opts }

func (c *writeFile) target() target { return target{path: c.file, create: &c.content, vault: true} }

func (c *writeFile) plan(src edits.Source) (edits.Plan, error) {
	return edits.Write{Content: c.content}.Plan(src)
}

func (c *writeFile) said(j *job, _ text.Text) string {
	verb := "Overwrote"
	if j.kind == changeCreate {
		verb = "Created"
	}
	size := fmt.Sprintf("%d bytes", len(c.content))
	if n := len(c.content); n >= 1<<10 {
		size = fmt.Sprintf("%.1f KB", float64(n)/(1<<10))
	}
	return fmt.Sprintf(`%s file "%s" (%s).`, verb, c.file, size)
}

func (c *writeFile) refused(e *edits.Error) *edits.Error { return vaultError(e, c.file) }
