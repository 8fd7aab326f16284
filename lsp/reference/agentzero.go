package reference

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/command"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/edits/place"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/lists"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/lines"
	"github.com/patchls/patchls/lsp/page"
	"github.com/patchls/patchls/lsp/schema"
	"github.com/patchls/patchls/lsp/transaction"
)

// TextEditorArgs declares the arguments of Agent Zero's text_editor.
type TextEditorArgs struct {
	Action       string           `json:"action" enum:"read,write,patch" jsonschema:"what to do"`
	Path         string           `json:"path" jsonschema:"the file; ~ is the home folder"`
	LineFrom     int              `json:"line_from,omitempty" jsonschema:"read: the first line, from 1; absent is the first"`
	LineTo       int              `json:"line_to,omitempty" jsonschema:"read: the last line; absent is line_from + 199"`
	Content      string           `json:"content,omitempty" jsonschema:"write: the whole text"`
	Edits        []textEditorEdit `json:"edits,omitempty" jsonschema:"patch: the edits; all line numbers are those of the text as this agent last saw it"`
	PatchText    string           `json:"patch_text,omitempty" jsonschema:"patch: a context patch of this file, in any format of apply_patch; hunks need no envelope"`
	OldText      string           `json:"old_text,omitempty" jsonschema:"patch: the text to replace, which must occur once"`
	NewText      string           `json:"new_text,omitempty" jsonschema:"patch: the text to put there; absent deletes"`
	OpenInCanvas bool             `json:"open_in_canvas,omitempty" jsonschema:"accepted and ignored: the editor shows its texts itself"`
	OpenCanvas   bool             `json:"open_canvas,omitempty" jsonschema:"as open_in_canvas"`
	OpenDocument bool             `json:"open_document,omitempty" jsonschema:"as open_in_canvas"`
	commands.Based
	commands.EditOptions
}

type textEditorEdit struct {
	From    int     `json:"from" jsonschema:"the first line, from 1; without to, the line to insert before"`
	To      int     `json:"to,omitempty" jsonschema:"the last line to replace or delete; absent, negative or below from inserts"`
	Content *string `json:"content,omitempty" jsonschema:"the new lines; absent deletes"`
}

// textEditorTakes lists the arguments of each action, besides those of every action and every edit.
var textEditorTakes = map[string][]string{
	"read":  {"line_from", "line_to"},
	"write": {"content", "rev"},
	"patch": {"edits", "patch_text", "old_text", "new_text", "rev"},
}

// textEditor is a call of text_editor.
type textEditor struct {
	TextEditorArgs
	file string // the path as it was sent
}

// ParseTextEditor reads a call of text_editor.
func ParseTextEditor(arguments []jsontext.Value) (*Call, error) {
	t := &textEditor{}
	c, err := t.parse(arguments)
	if e, ok := errors.AsType[*edits.Error](err); ok {
		t.worded(e, strings.TrimSuffix(e.Message, "."))
	}
	return c, err
}

func (t *textEditor) parse(arguments []jsontext.Value) (*Call, error) {
	g, err := schema.Arguments(arguments)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"open_in_canvas", "open_canvas", "open_document"} {
		delete(g, name)
	}
	if err := t.decode(g); err != nil {
		return nil, err
	}
	if err := only(g, "action", t.Action, textEditorTakes[t.Action], t.Action != "read"); err != nil {
		return nil, err
	}
	switch t.Action {
	case "read":
		return reading(t.Path, t.read, t.refused), nil
	case "write":
		return editing(commands.Write{Path: t.Path, Write: command.Write{Content: t.Content}, Based: t.Based, EditOptions: t.EditOptions}, t.written, t.refused), nil
	}
	return t.parsePatch(g)
}

// decode decodes the arguments. As Agent Zero's own tool does, it takes an action in any case of letters.
func (t *textEditor) decode(g map[string]jsontext.Value) error {
	var action string
	if json.Unmarshal(g["action"], &action) == nil {
		t.Action = strings.ToLower(strings.TrimSpace(action))
		g["action"] = jsontext.Value(strconv.Quote(t.Action))
	}
	_ = json.Unmarshal(g["path"], &t.file) // an error is reported below
	if err := schema.DecodeObject(g, &t.TextEditorArgs); err != nil {
		return err
	}
	if strings.TrimSpace(t.Path) == "" {
		return schema.Invalid("path is required")
	}
	if rest, ok := strings.CutPrefix(t.Path, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			t.Path = filepath.Join(home, rest)
		}
	}
	return nil
}

// worded sets the message of e to what the original tool would say.
func (t *textEditor) worded(e *edits.Error, why string) {
	if doing := map[string]string{"read": "reading", "write": "writing", "patch": "patching"}[t.Action]; doing != "" {
		e.Message = fmt.Sprintf("error %s %s: %s", doing, edits.Printable(t.file), why)
	}
}

// The words of the tool about errors: about all, and about those of the two forms of patches that quote text.
var (
	textEditorWords = words{
		edits.FileNotFound:   "file not found{.more}",
		edits.BinaryFile:     "file appears binary, use terminal instead",
		edits.LineOutOfRange: "{short}",
	}
	replaceWords = words{
		edits.NoMatch:         "old_text not found{.more}",
		edits.MultipleMatches: "old_text matched {count} times; provide a longer exact span (it is at {at})",
		edits.NoChange:        "old_text and new_text are identical",
	}
	contextWords = words{
		edits.AnchorNotFound:   "anchor not found: {old}",
		edits.ContextNotFound:  "context not found:\n{old}{more}",
		edits.ContextAmbiguous: "context matched multiple locations; add an @@ anchor or more context:\n{old}\n(it is at {at})",
	}
)

func (t *textEditor) refused(e *edits.Error) {
	if e.Kind == edits.Stale && t.Action == "patch" && e.Message != notRead {
		e.Message = "file changed since last read - re-read to get current line numbers"
	}
	t.worded(e, textEditorWords.of(e, t.file, ""))
}

// The limits of what the tool shows, beside that of an answer. Agent Zero counts tokens, 6000 in an answer and 500 in a line:
// about as much as [page.Room] and [edits.MaxShownLine] allow.
const (
	textEditorCount = 200   // lines of a read without line_to
	textEditorEcho  = 2_400 // bytes of the answer to write, whose text the agent has just sent
)

func (t *textEditor) read(r *Reading, of text.Text, room int) error {
	from, n := max(1, t.LineFrom), of.Lines()
	to := min(cmp.Or(t.LineTo, min(from, n)+textEditorCount-1), n)
	var shown lines.Spans
	r.Message, shown = t.fenced(fmt.Sprintf("%d lines", n), of, lines.Spans{{From: from, To: to}}.Joined(), room)
	if r.StartLine, r.EndLine = from, from-1; len(shown) > 0 {
		r.EndLine = shown[0].To
	} else if n > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("No line was shown: the text has %s.", edits.Count(n, "line")))
	}
	return nil
}

func (t *textEditor) written(_ string, plan edits.Plan, now text.Text, room int) (string, lines.Spans) {
	return t.fenced(fmt.Sprintf("written %d lines", now.Lines()), now, around(now, plan.Hunks), min(room, textEditorEcho))
}

// patched returns the function that words the result of a patch of n edits.
func (t *textEditor) patched(n int) transaction.Report {
	return func(_ string, plan edits.Plan, now text.Text, room int) (string, lines.Spans) {
		return t.fenced(fmt.Sprintf("patched %d edits applied %d lines now", n, now.Lines()), now, around(now, plan.Hunks), room)
	}
}

// around returns the lines of the hunks, with one line above each of them and three below.
func around(now text.Text, hunks []edits.Hunk) lines.Spans {
	return lines.Spans(lists.Map(hunks, func(h edits.Hunk) lines.Span {
		return lines.Span{From: max(1, h.StartLine-1), To: min(now.Lines(), h.EndLine+3)}
	})).Joined()
}

// fenced returns said of the file, a warning of what is not shown, and the rows of as many of the lines show as have room, in
// the original tool's layout. It puts "..." where lines are left out between them. It also returns which lines it shows.
func (t *textEditor) fenced(said string, of text.Text, show lines.Spans, room int) (message string, shown lines.Spans) {
	width, trimmed := 0, 0 // the first line for which there is no room
	if n := len(show); n > 0 {
		width = len(fmt.Sprint(show[n-1].To))
	}
	var rows, cropped, warnings []string
	for i, s := range show {
		if i > 0 && trimmed == 0 {
			rows = append(rows, "...")
		}
		for line := s.From; line <= s.To && trimmed == 0; line++ {
			content, whole := edits.ShownLine(of, line)
			row := fmt.Sprintf("%*d %s", width, line, content)
			if _, room = page.Fit(row+"\n", room); room < 0 && len(rows) > 0 {
				trimmed = line
				break
			}
			rows, shown = append(rows, row), append(shown, lines.Span{From: line, To: line})
			if !whole {
				cropped = append(cropped, fmt.Sprint(line))
			}
		}
	}
	if len(cropped) > 0 {
		warnings = append(warnings, fmt.Sprintf("long lines %s cropped - use terminal for precise manipulation", strings.Join(cropped, " ")))
	}
	if trimmed > 0 {
		warnings = append(warnings, fmt.Sprintf("output trimmed at line %d due to token limit - use line_from/line_to for remaining", trimmed))
	}
	head := edits.Printable(t.file) + " " + said
	if len(warnings) > 0 {
		head += "\nwarning: " + strings.Join(warnings, "; ")
	}
	return fmt.Sprintf("%s\n>>>\n%s\n<<<", head, strings.Join(rows, "\n")), shown.Joined()
}

// parseLines reads a patch by line numbers, which refer to the text as this agent last saw it.
func (t *textEditor) parseLines() (*Call, error) {
	if len(t.Edits) == 0 {
		return nil, edits.Errorf(edits.InvalidParams, "edits array is required")
	}
	native := readLines{commands.EditLines{Path: t.Path, Based: t.Based, EditOptions: t.EditOptions}}
	for i, e := range t.Edits {
		if e.To < e.From {
			e.To = 0
		}
		switch {
		case e.From < 1:
			return nil, edits.Errorf(edits.InvalidParams, "edits[%d].from must be >= 1", i)
		case e.To == 0 && e.Content == nil:
			return nil, edits.Errorf(edits.InvalidParams, "edits[%d] has neither a line to replace (to) nor content", i)
		}
		native.Edits = append(native.Edits, command.LineEdit{From: e.From, To: e.To, Content: e.Content})
	}
	return editing(native, t.patched(len(native.Edits)), t.refused), nil
}

// readLines edits lines that the agent must have read.
type readLines struct{ commands.EditLines }

// Target implements [commands.Edit].
func (r readLines) Target() commands.Target {
	t := r.EditLines.Target()
	t.Unread = notRead
	return t
}

// notRead is the error of an edit of a text that the agent has not read.
const notRead = "read file before patching - line numbers unknown"

// parsePatch determines which form a patch has, and reads it.
func (t *textEditor) parsePatch(g map[string]jsontext.Value) (*Call, error) {
	numbers, context, replace := len(t.Edits) > 0, t.PatchText != "", t.OldText+t.NewText != ""
	if !numbers && !context && !replace { // beside another form, one that is empty is not set
		numbers, context, replace = g["edits"] != nil, g["patch_text"] != nil, g["old_text"] != nil || g["new_text"] != nil
	}
	switch {
	case !numbers && !context && !replace:
		return nil, edits.Errorf(edits.InvalidParams, "edits, patch_text, or old_text/new_text is required for patch")
	case numbers && context || numbers && replace || context && replace:
		return nil, edits.Errorf(edits.InvalidParams, "provide exactly one patch form: edits, patch_text, or old_text/new_text")
	case t.Rev != "" && !numbers:
		return nil, edits.Errorf(edits.InvalidParams, "rev is the text of the line numbers in edits, and has no part in the other forms")
	case context:
		return t.parseContext(t.PatchText)
	case numbers:
		return t.parseLines()
	case t.OldText == "":
		return nil, edits.Errorf(edits.InvalidParams, "old_text is required for exact replace")
	}
	r := commands.StrReplace{Path: t.Path, OldStr: t.OldText, NewStr: t.NewText, EditOptions: t.EditOptions}
	return editing(r, t.patched(1), func(e *edits.Error) {
		e.Message = editFileNames.Replace(e.Message)
		e.Message = replaceWords.of(e, t.file, "")
		t.refused(e)
	}), nil
}

// contextPatch is the patch in patch_text: hunks of one file, with or without an
// envelope. Unlike the original tool, it accepts every dialect of apply_patch.
type contextPatch struct {
	path string
	commands.EditOptions
	file  patch.File
	notes []string
	bytes int // the size of the patch
}

func (t *textEditor) parseContext(written string) (*Call, error) {
	trimmed := strings.TrimSpace(written)
	first, _, _ := strings.Cut(strings.TrimLeft(written, "\r\n"), "\n")
	last := trimmed[strings.LastIndexByte(trimmed, '\n')+1:]
	switch {
	case trimmed == "":
		return nil, edits.Errorf(edits.InvalidParams, "patch_text must not be empty")
	case strings.HasPrefix(first, "*** Begin Patch") && !strings.HasPrefix(strings.TrimSpace(last), "*** End Patch"):
		return nil, edits.Errorf(edits.PatchSyntax, "patch_text missing *** End Patch")
	case first != "" && strings.ContainsAny(first[:1], "+- ") && !strings.HasPrefix(first, "--- ") && !strings.HasPrefix(first, "+++ "):
		// The patch has hunks alone, and the first hunk lacks its "@@".
		written = "@@\n" + strings.Trim(written, "\r\n")
	}
	p, err := patch.Parse(written)
	if err != nil {
		return nil, err
	}
	native := &contextPatch{path: t.Path, EditOptions: t.EditOptions, notes: p.Notes, bytes: len(written)}
	if native.file.Hunks, err = t.hunksOf(p.Files); err != nil {
		return nil, err
	}
	return editing(native, t.patched(len(native.file.Hunks)), func(e *edits.Error) { t.refusedContext(e, native.file.Hunks) }), nil
}

// hunksOf returns the hunks of the one file that a patch updates.
func (t *textEditor) hunksOf(files []patch.File) (hunks []patch.Hunk, err error) {
	for _, f := range files {
		switch {
		case f.Op != patch.UpdateFile:
			return nil, edits.Errorf(edits.PatchSyntax, "patch_text supports update hunks only")
		case f.NewPath != "":
			return nil, edits.Errorf(edits.PatchSyntax, "patch_text does not support file moves")
		case f.Path != files[0].Path:
			return nil, edits.Errorf(edits.PatchSyntax, "patch_text may update only one file per operation")
		case f.Path != "" && !sameFileName(f.Path, t.file):
			return nil, edits.Errorf(edits.PatchSyntax, "patch_text is about %s, and path is %s", edits.Printable(echo(f.Path)), edits.Printable(echo(t.file)))
		}
		hunks = append(hunks, f.Hunks...)
	}
	for _, h := range hunks {
		switch {
		case len(h.Lines) == 0 || slices.Equal(h.Old(), h.New()):
			return nil, edits.Errorf(edits.PatchSyntax, "patch hunk does not change content")
		case len(h.Old()) == 0 && len(h.Anchors) == 0 && !h.AtEnd && !h.Numbered:
			return nil, edits.Errorf(edits.PatchSyntax, "insert-only patch hunk needs an @@ anchor")
		}
	}
	if len(hunks) == 0 {
		return nil, edits.Errorf(edits.PatchSyntax, "patch_text must contain at least one update hunk")
	}
	return hunks, nil
}

// sameFileName reports whether two paths may name the same file: whether one is the end of the other.
func sameFileName(a, b string) bool {
	a, b = path.Clean(strings.ReplaceAll(a, `\`, "/")), path.Clean(strings.ReplaceAll(b, `\`, "/"))
	return a == b || strings.HasSuffix(a, "/"+b) || strings.HasSuffix(b, "/"+strings.TrimPrefix(a, "/"))
}

func (c *contextPatch) Target() commands.Target { return commands.Target{Path: c.path} }

func (c *contextPatch) Plan(src edits.Source) (edits.Plan, error) {
	p, err := place.Plan(c.file, src, place.Options{})
	p.Notes = append(slices.Clone(c.notes), p.Notes...)
	return p, err
}

func (c *contextPatch) Size() commands.Size {
	return commands.Size{Patch: c.bytes, Hunks: len(c.file.Hunks)}
}

func (t *textEditor) refusedContext(e *edits.Error, hunks []patch.Hunk) {
	old := ""
	switch {
	case e.Hunk == 0:
	case e.Kind == edits.AnchorNotFound:
		old = echo(strings.Join(hunks[e.Hunk-1].Anchors, " > "))
	default:
		all := hunks[e.Hunk-1].Old()
		old = strings.Join(lists.Map(all[:min(len(all), 5)], echo), "\n")
	}
	e.Message = contextWords.of(e, t.file, old)
	t.refused(e)
}
