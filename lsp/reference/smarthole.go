package reference

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/command"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/lists"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/lines"
	"github.com/patchls/patchls/lsp/schema"
	"github.com/patchls/patchls/lsp/transaction"
	"github.com/patchls/patchls/workspace"
)

// EditFileArgs declares the arguments of SmartHole's edit_file.
type EditFileArgs struct {
	Path       string         `json:"path" jsonschema:"the file to edit"`
	OldText    string         `json:"old_text,omitempty" jsonschema:"the text to replace; without replace_all it must occur once"`
	NewText    string         `json:"new_text,omitempty" jsonschema:"the text to put there"`
	ReplaceAll bool           `json:"replace_all,omitempty" jsonschema:"replace every occurrence of old_text"`
	AfterLine  *int           `json:"insert_after_line,omitempty" jsonschema:"insert content after this line; 0 is the top"`
	BeforeLine int            `json:"insert_before_line,omitempty" jsonschema:"insert content before this line, from 1; 0 is off"`
	Delete     *lineRangeArgs `json:"delete_lines,omitempty" jsonschema:"{start, end}: the first and the last line to delete, from 1"`
	Content    string         `json:"content,omitempty" jsonschema:"the lines to insert; the last line break may be left out"`
	commands.Based
	commands.EditOptions
}

type lineRangeArgs struct {
	Start int `json:"start,omitempty" jsonschema:"the first line, from 1"`
	End   int `json:"end,omitempty" jsonschema:"the last line"`
}

// ParseEditFile reads a call of edit_file, which must ask for just one operation.
func ParseEditFile(arguments []jsontext.Value) (*Call, error) {
	var a EditFileArgs
	g, err := vaultArguments(arguments, &a, &a.Path)
	if err != nil {
		return nil, err
	}
	replace, deletes := a.OldText+a.NewText != "", a.Delete != nil && *a.Delete != lineRangeArgs{}
	if a.AfterLine != nil && *a.AfterLine == 0 && (replace || deletes || a.BeforeLine != 0) {
		a.AfterLine = nil // some clients send every argument, and 0 for those that are not set
	}
	byLine := lists.Count([]bool{a.AfterLine != nil, a.BeforeLine != 0, deletes}, func(has bool) bool { return has })
	replace = replace || byLine == 0 && (g["old_text"] != nil || g["new_text"] != nil)
	switch {
	case replace && byLine > 0:
		return nil, schema.Invalid("Cannot mix search/replace parameters (old_text, new_text) with line-based parameters (insert_after_line, insert_before_line, delete_lines). Use one mode at a time")
	case !replace && byLine == 0:
		return nil, schema.Invalid("Must provide either search/replace parameters (old_text, new_text) or line-based parameters (insert_after_line, insert_before_line, delete_lines)")
	case replace && a.Rev != "":
		return nil, schema.Invalid("rev is the text of the line numbers, and has no part in a replacement of old_text")
	case byLine > 1:
		return nil, schema.Invalid("Only one line-based operation can be specified at a time (insert_after_line, insert_before_line, or delete_lines)")
	case a.Content != "" && (replace || deletes):
		return nil, schema.Invalid("content has no part in this edit: it is for insert_after_line and insert_before_line")
	case a.ReplaceAll && !replace:
		return nil, schema.Invalid("replace_all has no part in this edit: it is for old_text and new_text")
	case replace && g["new_text"] == nil:
		return nil, schema.Invalid("new_text is required and must be a string")
	case !replace && !deletes && g["content"] == nil:
		return nil, schema.Invalid("content is required for insert operations")
	}
	var native commands.Edit
	var did string
	switch {
	case replace: // the native command refuses an empty old_text
		native = commands.StrReplace{Path: a.Path, OldStr: a.OldText, NewStr: a.NewText, ReplaceAll: a.ReplaceAll, EditOptions: a.EditOptions}
	case deletes:
		native = commands.DeleteLines{Path: a.Path, DeleteLines: command.DeleteLines{StartLine: a.Delete.Start, EndLine: a.Delete.End}, Based: a.Based, EditOptions: a.EditOptions}
		did = fmt.Sprintf("Deleted lines %d-%d (%s)", a.Delete.Start, a.Delete.End, edits.Count(a.Delete.End-a.Delete.Start+1, "line"))
	default:
		native = commands.Insert{Path: a.Path, Insert: command.Insert{AfterLine: a.AfterLine, BeforeLine: a.BeforeLine, Content: a.Content}, Based: a.Based, EditOptions: a.EditOptions}
		where, line := "before", a.BeforeLine
		if a.AfterLine != nil {
			where, line = "after", *a.AfterLine
		}
		n := strings.Count(strings.TrimSuffix(a.Content, "\n"), "\n") + 1
		did = fmt.Sprintf("Inserted %s %s line %d", edits.Count(n, "line"), where, line)
	}
	report := func(_ string, plan edits.Plan, _ text.Text, _ int) (string, lines.Spans) {
		if replace {
			return fmt.Sprintf(`Replaced %s in "%s".`, edits.Count(plan.Places, "occurrence"), edits.Printable(a.Path)), nil
		}
		return fmt.Sprintf(`%s in "%s".`, did, edits.Printable(a.Path)), nil
	}
	return inVault(true, editing(native, report, func(e *edits.Error) {
		if e.Kind == edits.InvalidParams && replace && a.OldText == "" {
			e.Message = "old_text is required and cannot be empty."
		}
		e.Message = editFileNames.Replace(e.Message)
		vaultError(e, a.Path, a.OldText)
	})), nil
}

// editFileNames replaces the names of native arguments by those of edit_file.
var editFileNames = strings.NewReplacer("old_str", "old_text", "new_str", "new_text",
	"after_line", "insert_after_line", "before_line", "insert_before_line", "start_line", "delete_lines.start", "end_line", "delete_lines.end")

// WriteFileArgs declares the arguments of SmartHole's write_file.
type WriteFileArgs struct {
	Path string `json:"path" jsonschema:"the file to write; missing folders are made"`
	command.Write
	commands.Based
	commands.EditOptions
}

// ParseWriteFile reads a call of write_file.
func ParseWriteFile(arguments []jsontext.Value) (*Call, error) {
	var a WriteFileArgs
	if _, err := vaultArguments(arguments, &a, &a.Path); err != nil {
		return nil, err
	}
	report := func(change string, _ edits.Plan, _ text.Text, _ int) (string, lines.Spans) {
		verb := map[bool]string{true: "Created", false: "Overwrote"}[change == editor.Create]
		size := fmt.Sprintf("%d bytes", len(a.Content))
		if n := len(a.Content); n >= 1<<10 {
			size = fmt.Sprintf("%.1f KB", float64(n)/(1<<10))
		}
		return fmt.Sprintf(`%s file "%s" (%s).`, verb, edits.Printable(a.Path), size), nil
	}
	return inVault(false, editing(commands.Write(a), report, func(e *edits.Error) { vaultError(e, a.Path, "") })), nil
}

// ReadFileArgs declares the arguments of SmartHole's read_file.
type ReadFileArgs struct {
	Path      string `json:"path" jsonschema:"the file to read"`
	StartLine int    `json:"start_line,omitempty" jsonschema:"the first line, from 1; absent is the first"`
	EndLine   int    `json:"end_line,omitempty" jsonschema:"the last line; absent is the last"`
}

// ParseReadFile reads a call of read_file.
func ParseReadFile(arguments []jsontext.Value) (*Call, error) {
	var a ReadFileArgs
	if _, err := vaultArguments(arguments, &a, &a.Path); err != nil {
		return nil, err
	}
	return inVault(true, reading(a.Path, a.show, func(e *edits.Error) { vaultError(e, a.Path, "") })), nil
}

func (a ReadFileArgs) show(r *Reading, t text.Text, room int) error {
	n := t.Lines()
	start, end := max(1, a.StartLine), min(n, cmp.Or(a.EndLine, n))
	switch {
	case n == 0 && start == 1: // nothing to show is no error
	case start > n:
		return edits.Errorf(edits.LineOutOfRange, "start_line (%d) exceeds total lines (%d) in file.", start, n)
	case end < start:
		return edits.Errorf(edits.InvalidRange, "end_line (%d) must be greater than or equal to start_line (%d).", end, start)
	}
	r.Message = strings.Join(r.rows(start, end, end, room, func(line int) (row, note string) {
		l := t.Line(line - 1)
		return fmt.Sprintf("%d: %s", line, t.Slice(l.Start, l.End)), ""
	}), "\n")
	ranged := a.StartLine != 0 || a.EndLine != 0
	switch {
	case r.EndLine < end:
		asked := ""
		if ranged {
			asked = fmt.Sprintf(" of requested range %d-%d", start, end)
		}
		r.Message += fmt.Sprintf("\n\n[... truncated, showing lines %d-%d%s, total lines in file: %d]", start, r.EndLine, asked, n)
	case ranged:
		r.Message += fmt.Sprintf("\n\n[Showing lines %d-%d of %d total]", start, r.EndLine, n)
	}
	return nil
}

// vaultArguments decodes the arguments of one of SmartHole's tools, the path among them.
func vaultArguments(arguments []jsontext.Value, dst any, file *string) (map[string]jsontext.Value, error) {
	g, err := schema.Decode(arguments, dst)
	if err != nil {
		return nil, err
	}
	if *file = strings.TrimSpace(*file); *file == "" {
		return nil, schema.Invalid("path is required and must be a non-empty string")
	}
	return g, nil
}

// vaultFolders are the folders at the top of a vault that SmartHole's tools may not access.
// Our tools may not access folders of these names anywhere, just as they may not access .git.
var vaultFolders = []string{".obsidian", ".smarthole", ".git"}

// inVault has a call find and protect files as SmartHole's tools do. anyCase: a name may differ from the file's in case.
func inVault(anyCase bool, c *Call) *Call {
	run := c.run
	c.run = func(ctx context.Context, s *transaction.Session, turn *workspace.Turn, name string) (any, error) {
		vault := *s
		vault.Workspace = func() *workspace.Workspace {
			w := s.Workspace()
			w.AnyCase, w.Policy.Protected = anyCase, append(slices.Clip(w.Policy.Protected), vaultFolders...)
			return w
		}
		return run(ctx, &vault, turn, name)
	}
	return c
}

// vaultWords are what SmartHole's tools say of errors.
var vaultWords = words{
	edits.NoMatch: "Text '{old}' not found in {name}{.more}",
	edits.MultipleMatches: "Text '{old}' occurs {count} times in \"{path}\", at {at}; " +
		"add text around it to old_text so that it is unique, or set replace_all.",
	edits.FileNotFound:   `File not found: "{path}"{.more}`,
	edits.LineOutOfRange: "{short}",
}

// vaultError rewords an error about the file at given, in which old was looked for, as SmartHole's tools do.
func vaultError(e *edits.Error, given, old string) {
	if !strings.HasPrefix(e.Message, "Multiple files ") { // these are the tool's own words
		e.Message = vaultWords.of(e, given, echo(old))
	}
	if e.Kind != edits.Protected {
		return
	}
	for part := range strings.SplitSeq(path.Clean(strings.ReplaceAll(given, `\`, "/")), "/") {
		if i := slices.IndexFunc(vaultFolders, func(name string) bool { return strings.EqualFold(part, name) }); i >= 0 {
			e.Message = fmt.Sprintf("Access denied: Cannot access files in '%s/' directory (protected system folder)", vaultFolders[i])
			return
		}
	}
}
