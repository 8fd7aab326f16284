package reference

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/lines"
	"github.com/patchls/patchls/lsp/page"
	"github.com/patchls/patchls/lsp/schema"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
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
	Start int `json:"start" jsonschema:"the first line, from 1"`
	End   int `json:"end" jsonschema:"the last line"`
}

// ParseEditFile reads a call of edit_file, which must ask for just one operation.
func ParseEditFile(arguments []jsontext.Value) (*Call, error) {
	var a EditFileArgs
	g, err := vaultArguments(arguments, &a, &a.Path)
	if err != nil {
		return nil, err
	}
	replace, byLine, deletes := a.OldText+a.NewText != "", 0, a.Delete != nil && *a.Delete != lineRangeArgs{}
	if a.AfterLine != nil && *a.AfterLine == 0 && (replace || deletes || a.BeforeLine != 0) {
		a.AfterLine = nil // some clients send every argument, and 0 for those that are not set
	}
	for _, has := range []bool{a.AfterLine != nil, a.BeforeLine != 0, deletes} {
		if has {
			byLine++
		}
	}
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
	e := &Edit{find: inVault(a.Path, true)}
	old := a.OldText // the native command refuses an empty one
	switch {
	case replace:
		e.Edit = commands.StrReplace{Path: a.Path, OldStr: old, NewStr: a.NewText, ReplaceAll: a.ReplaceAll, EditOptions: a.EditOptions}
		e.Report = func(_ string, plan edits.Plan, _ text.Text) (string, lines.Spans) {
			return fmt.Sprintf(`Replaced %s in "%s".`, edits.Count(plan.Places, "occurrence"), edits.Printable(a.Path)), nil
		}
	case deletes:
		e.Edit = commands.DeleteLines{Path: a.Path, StartLine: a.Delete.Start, EndLine: a.Delete.End, Based: a.Based, EditOptions: a.EditOptions}
		e.Report = func(string, edits.Plan, text.Text) (string, lines.Spans) {
			return fmt.Sprintf(`Deleted lines %d-%d (%s) in "%s".`, a.Delete.Start, a.Delete.End, edits.Count(a.Delete.End-a.Delete.Start+1, "line"), edits.Printable(a.Path)), nil
		}
	default:
		e.Edit = commands.Insert{Path: a.Path, AfterLine: a.AfterLine, BeforeLine: a.BeforeLine, Content: a.Content, Based: a.Based, EditOptions: a.EditOptions}
		where, line := "before", a.BeforeLine
		if a.AfterLine != nil {
			where, line = "after", *a.AfterLine
		}
		n := strings.Count(strings.TrimSuffix(a.Content, "\n"), "\n") + 1
		e.Report = func(string, edits.Plan, text.Text) (string, lines.Spans) {
			return fmt.Sprintf(`Inserted %s %s line %d in "%s".`, edits.Count(n, "line"), where, line, edits.Printable(a.Path)), nil
		}
	}
	return &Call{Edit: e, refused: func(e *edits.Error) {
		if e.Kind == edits.InvalidParams && replace && old == "" {
			e.Message = "old_text is required and cannot be empty."
		}
		e.Message = editFileNames.Replace(e.Message)
		vaultError(e, a.Path, old)
	}}, nil
}

// editFileNames replaces the names of native arguments by those of edit_file.
var editFileNames = strings.NewReplacer("old_str", "old_text", "new_str", "new_text",
	"after_line", "insert_after_line", "before_line", "insert_before_line", "start_line", "delete_lines.start", "end_line", "delete_lines.end")

// WriteFileArgs declares the arguments of SmartHole's write_file.
type WriteFileArgs struct {
	Path    string `json:"path" jsonschema:"the file to write; missing folders are made"`
	Content string `json:"content" jsonschema:"the whole text"`
	commands.Based
	commands.EditOptions
}

// ParseWriteFile reads a call of write_file.
func ParseWriteFile(arguments []jsontext.Value) (*Call, error) {
	var a WriteFileArgs
	if _, err := vaultArguments(arguments, &a, &a.Path); err != nil {
		return nil, err
	}
	said := func(change string, _ edits.Plan, _ text.Text) (string, lines.Spans) {
		verb := "Overwrote"
		if change == editor.Create {
			verb = "Created"
		}
		size := fmt.Sprintf("%d bytes", len(a.Content))
		if n := len(a.Content); n >= 1<<10 {
			size = fmt.Sprintf("%.1f KB", float64(n)/(1<<10))
		}
		return fmt.Sprintf(`%s file "%s" (%s).`, verb, edits.Printable(a.Path), size), nil
	}
	return &Call{
		Edit:    &Edit{Edit: commands.Write(a), Report: said, find: inVault(a.Path, false)},
		refused: func(e *edits.Error) { vaultError(e, a.Path, "") },
	}, nil
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
	return &Call{Read: a.read, refused: func(e *edits.Error) { vaultError(e, a.Path, "") }}, nil
}

func (a ReadFileArgs) read(s Session) (*Reading, error) {
	snap, err := s.read(inVault(a.Path, true))
	if err != nil {
		return nil, err
	}
	n := snap.Text.Lines()
	start, end := max(1, a.StartLine), min(n, cmp.Or(a.EndLine, n))
	switch {
	case n == 0 && start == 1:
		return s.reading(snap, 1, 0, a.footer("", 1, 0, 0, 0)), nil
	case start > n:
		return nil, workspace.About(edits.Errorf(edits.LineOutOfRange, "start_line (%d) exceeds total lines (%d) in file.", start, n), snap)
	case end < start:
		return nil, workspace.About(edits.Errorf(edits.InvalidRange, "end_line (%d) must be greater than or equal to start_line (%d).", end, start), snap)
	}
	rows, notes := page.Rows(start, end, s.Room, func(line int) (row, note string) {
		l := snap.Text.Line(line - 1)
		return fmt.Sprintf("%d: %s", line, snap.Text.Slice(l.Start, l.End)), ""
	})
	shown := start + len(rows) - 1
	if shown < end {
		notes = append(notes, onlyShown(start, shown, n))
	}
	return s.reading(snap, start, shown, a.footer(strings.Join(rows, "\n"), start, shown, end, n), notes...), nil
}

// footer returns the rows of the lines from start to shown with the original tool's
// note below them. The lines from start to end were asked for.
func (a ReadFileArgs) footer(rows string, start, shown, end, total int) string {
	ranged := a.StartLine != 0 || a.EndLine != 0
	switch {
	case shown < end:
		asked := ""
		if ranged {
			asked = fmt.Sprintf(" of requested range %d-%d", start, end)
		}
		return fmt.Sprintf("%s\n\n[... truncated, showing lines %d-%d%s, total lines in file: %d]", rows, start, shown, asked, total)
	case ranged:
		return fmt.Sprintf("%s\n\n[Showing lines %d-%d of %d total]", rows, start, end, total)
	}
	return rows
}

// vaultArguments decodes the arguments of one of SmartHole's tools, the path among them.
func vaultArguments(arguments []jsontext.Value, dst any, file *string) (argumentMap, error) {
	g, err := decoded(arguments, dst)
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

// inVault returns a function that finds the file that a path of SmartHole's tools names. If the
// file must exist, the path may differ from its name in case, as long as only one file matches.
func inVault(given string, exists bool) func(w *workspace.Workspace) (paths.Target, error) {
	return func(w *workspace.Workspace) (paths.Target, error) {
		w.Policy.Protected = append(slices.Clip(w.Policy.Protected), vaultFolders...)
		place, err := w.Resolve(given)
		if err != nil || !exists || place.Abs == "" || w.IsOpen(place.Key) {
			return place, err
		}
		if there, _ := place.Exists(); there {
			return place, nil
		}
		same := slices.DeleteFunc(w.Policy.Nearest(place, 3), func(near string) bool { return !strings.EqualFold(near, place.Path) })
		switch len(same) {
		case 0:
			return place, nil
		case 1:
			return w.Resolve(same[0])
		}
		return place, &edits.Error{Kind: edits.FileNotFound, Path: place.Path, Message: fmt.Sprintf(
			severalFiles+" match %q with different casing. Please specify the exact path. They are %s.", given, strings.Join(same, ", "))}
	}
}

// vaultWords are what SmartHole's tools say of errors.
var vaultWords = words{
	edits.NoMatch: "Text '{old}' not found in {name}{.more}",
	edits.MultipleMatches: "Text '{old}' occurs {count} times in \"{path}\", at {at}; " +
		"add text around it to old_text so that it is unique, or set replace_all.",
	edits.FileNotFound:   `File not found: "{path}"{.more}`,
	edits.LineOutOfRange: "{short}",
}

// severalFiles begins the error for a path that fits several files.
const severalFiles = "Multiple files"

// vaultError rewords an error about the file at given, in which old was looked for, as SmartHole's tools do.
func vaultError(e *edits.Error, given, old string) {
	if !strings.HasPrefix(e.Message, severalFiles) {
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
