package reference

import (
	"encoding/json"
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/lines"
	"github.com/patchls/patchls/lsp/schema"
)

// EditFileArgs declares the arguments of SmartHole's edit_file.
type EditFileArgs struct {
	Path       string         `json:"path" jsonschema:"the file to edit"`
	OldText    *string        `json:"old_text,omitempty" jsonschema:"the text to replace; without replace_all it must be there once"`
	NewText    *string        `json:"new_text,omitempty" jsonschema:"the text to put there"`
	ReplaceAll bool           `json:"replace_all,omitempty" jsonschema:"replace every occurrence of old_text"`
	AfterLine  *int           `json:"insert_after_line,omitempty" jsonschema:"insert content after this line; 0 is the top"`
	BeforeLine *int           `json:"insert_before_line,omitempty" jsonschema:"insert content before this line, which is from 1"`
	Delete     *lineRangeArgs `json:"delete_lines,omitempty" jsonschema:"{start, end}: the first and the last line to delete, from 1"`
	Content    *string        `json:"content,omitempty" jsonschema:"the lines to insert; the last line break may be left out"`
	commands.EditOptions
}

type lineRangeArgs struct {
	Start int `json:"start" jsonschema:"the first line, from 1"`
	End   int `json:"end" jsonschema:"the last line"`
}

// editFile is a call of edit_file.
type editFile struct {
	commands.EditOptions
	file string
	edit commands.Edit // the native command that does it
	// fault is what is wrong with the arguments of the operation, which that tool looks at when
	// there is a text.
	fault error
}

// ParseEditFile finds out which one thing a call is to do. An argument that is
// null counts only if nothing else says what to do.
func ParseEditFile(arguments []json.RawMessage) (Call, error) {
	g, err := givenArguments[EditFileArgs]("edit_file", arguments)
	if err != nil {
		return nil, err
	}
	c := &editFile{}
	if c.file, err = vaultPath(g); err != nil {
		return nil, err
	}
	if c.EditOptions, err = g.options(); err != nil {
		return nil, err
	}
	has := g.has
	if !slices.ContainsFunc(editFileModes, has) {
		has = func(name string) bool { return slices.Contains(g.nulls, name) }
	}
	replace := has("old_text") || has("new_text")
	byLine := slices.DeleteFunc(slices.Clone(editFileModes[2:]), func(name string) bool { return !has(name) })
	switch deletes := slices.Contains(byLine, "delete_lines"); {
	case replace && len(byLine) > 0:
		return nil, schema.Invalid("Cannot mix search/replace parameters (old_text, new_text) with line-based parameters (insert_after_line, insert_before_line, delete_lines). Use one mode at a time")
	case !replace && len(byLine) == 0:
		return nil, schema.Invalid("Must provide either search/replace parameters (old_text, new_text) or line-based parameters (insert_after_line, insert_before_line, delete_lines)")
	case len(byLine) > 1:
		return nil, schema.Invalid("Only one line-based operation can be specified at a time (insert_after_line, insert_before_line, or delete_lines)")
	case g.has("content") && (replace || deletes):
		return nil, schema.Invalid("content has no part in this edit: it is for insert_after_line and insert_before_line")
	case g.has("replace_all") && !replace:
		return nil, schema.Invalid("replace_all has no part in this edit: it is for old_text and new_text")
	case replace:
		c.edit, c.fault = readReplace(g)
	case deletes:
		c.edit, c.fault = readDelete(g)
	default:
		c.edit, c.fault = readInsert(g, byLine[0])
	}
	return c, nil
}

// editFileModes are the arguments that say what to do.
var editFileModes = []string{"old_text", "new_text", "insert_after_line", "insert_before_line", "delete_lines"}

func readReplace(g given) (r commands.StrReplace, err error) {
	var ok bool
	if r.OldStr, ok = g.isString("old_text"); !ok {
		return r, schema.Invalid("old_text is required and must be a string")
	}
	if r.OldStr == "" {
		return r, schema.Invalid("old_text cannot be empty")
	}
	if r.NewStr, ok = g.isString("new_text"); !ok {
		return r, schema.Invalid("new_text is required and must be a string")
	}
	return r, g.into("replace_all", &r.ReplaceAll)
}

func readInsert(g given, op string) (in commands.Insert, err error) {
	n, ok := schema.WholeNumber(g.values[op])
	at := int(n)
	if op == "insert_after_line" {
		if in.AfterLine = &at; !ok || at < 0 {
			return in, schema.Invalid("insert_after_line must be a non-negative integer")
		}
	} else if in.BeforeLine = &at; !ok || at < 1 {
		return in, schema.Invalid("insert_before_line must be a positive integer (1-indexed)")
	}
	if in.Content, ok = g.isString("content"); !ok {
		return in, schema.Invalid("content is required for insert operations")
	}
	return in, nil
}

func readDelete(g given) (d commands.DeleteLines, err error) {
	in := given{command: g.command}
	if raw := g.values["delete_lines"]; raw != nil && json.Unmarshal(raw, &in.values) != nil {
		return d, schema.Invalid("delete_lines must be an object {start, end} of positive integers (1-indexed)")
	}
	if in, err = in.checked("delete_lines.", schema.Members(reflect.TypeFor[lineRangeArgs]())); err != nil {
		return d, err
	}
	for name, dst := range map[string]*int{"start": &d.StartLine, "end": &d.EndLine} {
		if n, ok := schema.WholeNumber(in.values[name]); ok {
			*dst = int(n)
		}
	}
	switch {
	case d.StartLine < 1:
		return d, schema.Invalid("delete_lines.start must be a positive integer (1-indexed)")
	case d.EndLine < 1:
		return d, schema.Invalid("delete_lines.end must be a positive integer (1-indexed)")
	case d.EndLine < d.StartLine:
		return d, &edits.Error{Kind: edits.InvalidRange, Message: "delete_lines.end must be >= delete_lines.start."}
	}
	return d, nil
}

func (c *editFile) Target() commands.Target {
	t := vaultTarget(c.file, nil)
	_, t.ByLine = c.edit.(commands.ByLines)
	return t
}

func (c *editFile) At(m *lines.Map) (commands.Edit, bool) {
	now := *c
	var ok bool
	now.edit, ok = carried(c.edit, m)
	return &now, ok
}

func (c *editFile) Plan(src edits.Source) (edits.Plan, error) {
	if c.fault != nil {
		return edits.Plan{}, c.fault
	}
	return c.edit.Plan(src)
}

func (c *editFile) Said(_ string, plan edits.Plan, _ text.Text) string {
	switch e := c.edit.(type) {
	case commands.DeleteLines:
		return fmt.Sprintf(`Deleted lines %d-%d (%s) in "%s".`, e.StartLine, e.EndLine, edits.Count(e.EndLine-e.StartLine+1, "line"), c.file)
	case commands.Insert:
		where, line := "after", e.AfterLine
		if line == nil {
			where, line = "before", e.BeforeLine
		}
		n := strings.Count(strings.TrimSuffix(e.Content, "\n"), "\n") + 1
		return fmt.Sprintf(`Inserted %s %s line %d in "%s".`, edits.Count(n, "line"), where, *line, c.file)
	}
	return fmt.Sprintf(`Replaced %s in "%s".`, edits.Count(plan.Places, "occurrence"), c.file)
}

func (c *editFile) Refused(e *edits.Error) *edits.Error {
	r, _ := c.edit.(commands.StrReplace)
	switch e.Kind {
	case edits.NoMatch:
		e.Message = further(fmt.Sprintf("Text '%s' not found in %s", echo(r.OldStr), path.Base(c.file)), nearest(e))
	case edits.MultipleMatches:
		e.Message = fmt.Sprintf("Text '%s' occurs %d times in \"%s\", at %s; add text around it to old_text so that it is unique, or set replace_all.",
			echo(r.OldStr), occurrences(e), c.file, atLines(e))
	default:
		e.Message = textNames.Replace(e.Message)
	}
	return vaultError(e, c.file)
}
