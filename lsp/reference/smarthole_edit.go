package reference

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/command"
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

// editFile is a call of edit_file. What its one operation needs is looked at
// when there is a text, as that tool does.
type editFile struct {
	given
	file string
	opts commands.EditOptions
	// op is the argument that says what to do: old_text for a replacement.
	op string
}

// ParseEditFile finds out which one thing a call is to do. An argument that is
// null counts only if nothing else says what to do.
func ParseEditFile(arguments []json.RawMessage) (Call, error) {
	g, err := givenArguments[EditFileArgs]("edit_file", arguments)
	if err != nil {
		return nil, err
	}
	c := &editFile{given: g}
	if c.file, err = vaultPath(g); err != nil {
		return nil, err
	}
	if c.opts, err = g.options(); err != nil {
		return nil, err
	}
	has := g.has
	if !slices.ContainsFunc(editFileModes, has) {
		has = func(name string) bool { return slices.Contains(g.nulls, name) }
	}
	replace := has("old_text") || has("new_text")
	var byLine []string
	for _, name := range editFileModes[2:] {
		if has(name) {
			byLine = append(byLine, name)
		}
	}
	switch {
	case replace && len(byLine) > 0:
		return nil, schema.Invalid("Cannot mix search/replace parameters (old_text, new_text) with line-based parameters (insert_after_line, insert_before_line, delete_lines). Use one mode at a time")
	case replace:
		c.op = "old_text"
	case len(byLine) == 0:
		return nil, schema.Invalid("Must provide either search/replace parameters (old_text, new_text) or line-based parameters (insert_after_line, insert_before_line, delete_lines)")
	case len(byLine) > 1:
		return nil, schema.Invalid("Only one line-based operation can be specified at a time (insert_after_line, insert_before_line, or delete_lines)")
	default:
		c.op = byLine[0]
	}
	err = c.checkIdle()
	return c, err
}

// editFileModes are the arguments that say what to do.
var editFileModes = []string{"old_text", "new_text", "insert_after_line", "insert_before_line", "delete_lines"}

// checkIdle refuses arguments that have no part in the operation.
func (c *editFile) checkIdle() error {
	switch {
	case c.has("content") && (c.op == "old_text" || c.op == "delete_lines"):
		return schema.Invalid("content has no part in this edit: it is for insert_after_line and insert_before_line")
	case c.has("replace_all") && c.op != "old_text":
		return schema.Invalid("replace_all has no part in this edit: it is for old_text and new_text")
	}
	return nil
}

func (c *editFile) Options() commands.EditOptions { return c.opts }

func (c *editFile) Target() commands.Target {
	t := vaultTarget(c.file, nil)
	t.ByLine = c.op != "old_text"
	return t
}

func (c *editFile) At(m *lines.Map) (commands.Edit, bool) {
	now := *c
	now.values = maps.Clone(c.values)
	var ok bool
	switch c.op {
	case "delete_lines":
		var r lineRangeArgs
		if c.into("delete_lines", &r) != nil {
			return c, false
		}
		start, found := m.Lines(r.Start, r.End)
		now.values[c.op], ok = json.RawMessage(fmt.Sprintf(`{"start":%d,"end":%d}`, start, start+r.End-r.Start)), found
	default:
		where := m.After
		if c.op == "insert_before_line" {
			where = m.Before
		}
		at, _ := schema.WholeNumber(c.values[c.op])
		line, found := where(int(at))
		now.values[c.op], ok = json.RawMessage(fmt.Sprint(line)), found
	}
	return &now, ok
}

func (c *editFile) Plan(src edits.Source) (edits.Plan, error) {
	switch c.op {
	case "old_text":
		return c.replace(src)
	case "delete_lines":
		return c.deleteLines(src)
	}
	at, ok := schema.WholeNumber(c.values[c.op])
	p := command.Insert{After: int(at)}
	switch {
	case c.op == "insert_after_line" && (!ok || at < 0):
		return edits.Plan{}, schema.Invalid("insert_after_line must be a non-negative integer")
	case c.op == "insert_before_line":
		if !ok || at < 1 {
			return edits.Plan{}, schema.Invalid("insert_before_line must be a positive integer (1-indexed)")
		}
		p = command.Insert{Before: int(at)}
	}
	if p.Content, ok = c.isString("content"); !ok {
		return edits.Plan{}, schema.Invalid("content is required for insert operations")
	}
	return p.Plan(src)
}

func (c *editFile) replace(src edits.Source) (edits.Plan, error) {
	var r command.Replace
	var ok bool
	if r.Old, ok = c.isString("old_text"); !ok {
		return edits.Plan{}, schema.Invalid("old_text is required and must be a string")
	}
	if r.Old == "" {
		return edits.Plan{}, schema.Invalid("old_text cannot be empty")
	}
	if r.New, ok = c.isString("new_text"); !ok {
		return edits.Plan{}, schema.Invalid("new_text is required and must be a string")
	}
	if err := c.into("replace_all", &r.All); err != nil {
		return edits.Plan{}, err
	}
	return r.Plan(src)
}

func (c *editFile) deleteLines(src edits.Source) (edits.Plan, error) {
	r, err := c.lineRange()
	if err != nil {
		return edits.Plan{}, err
	}
	return command.DeleteLines(r).Plan(src)
}

// lineRange reads delete_lines.
func (c *editFile) lineRange() (r struct{ Start, End int }, err error) {
	in := given{command: c.command}
	if raw := c.values["delete_lines"]; raw != nil && json.Unmarshal(raw, &in.values) != nil {
		return r, schema.Invalid("delete_lines must be an object {start, end} of positive integers (1-indexed)")
	}
	if in, err = in.checked("delete_lines.", schema.Members(reflect.TypeFor[lineRangeArgs]())); err != nil {
		return r, err
	}
	for name, dst := range map[string]*int{"start": &r.Start, "end": &r.End} {
		if n, ok := schema.WholeNumber(in.values[name]); ok {
			*dst = int(n)
		}
	}
	switch {
	case r.Start < 1:
		return r, schema.Invalid("delete_lines.start must be a positive integer (1-indexed)")
	case r.End < 1:
		return r, schema.Invalid("delete_lines.end must be a positive integer (1-indexed)")
	case r.End < r.Start:
		return r, &edits.Error{Kind: edits.InvalidRange, Message: "delete_lines.end must be >= delete_lines.start."}
	}
	return r, nil
}

func (c *editFile) Said(_ string, plan edits.Plan, _ text.Text) string {
	switch c.op {
	case "old_text":
		return fmt.Sprintf(`Replaced %s in "%s".`, edits.Count(plan.Places, "occurrence"), c.file)
	case "delete_lines":
		r, _ := c.lineRange() // it was planned with
		return fmt.Sprintf(`Deleted lines %d-%d (%s) in "%s".`, r.Start, r.End, edits.Count(r.End-r.Start+1, "line"), c.file)
	}
	line, _ := schema.WholeNumber(c.values[c.op])
	content, _ := c.isString("content")
	n := strings.Count(strings.TrimSuffix(content, "\n"), "\n") + 1
	where := strings.TrimSuffix(strings.TrimPrefix(c.op, "insert_"), "_line")
	return fmt.Sprintf(`Inserted %s %s line %d in "%s".`, edits.Count(n, "line"), where, line, c.file)
}

func (c *editFile) Refused(e *edits.Error) *edits.Error {
	old, _ := c.isString("old_text")
	switch e.Kind {
	case edits.NoMatch:
		e.Message = fmt.Sprintf("Text '%s' not found in %s", echo(old), path.Base(c.file))
		if near := nearest(e); near != "" {
			e.Message += "." + near
		}
	case edits.MultipleMatches:
		e.Message = fmt.Sprintf("Text '%s' occurs %d times in \"%s\", at %s; add text around it to old_text so that it is unique, or set replace_all.",
			echo(old), occurrences(e), c.file, atLines(e))
	default:
		e.Message = textNames.Replace(e.Message)
	}
	return vaultError(e, c.file)
}
