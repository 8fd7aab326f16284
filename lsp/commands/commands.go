package commands

import (
	"cmp"
	"slices"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/command"
	"github.com/patchls/patchls/lsp/lines"
	"github.com/patchls/patchls/lsp/schema"
)

// StrReplace are the arguments of the command str_replace.
type StrReplace struct {
	Path       string `json:"path" jsonschema:"the file: relative to a workspace folder, absolute, or a URI"`
	OldStr     string `json:"old_str" jsonschema:"the text to replace, exactly as it is, with enough around it to be unique"`
	NewStr     string `json:"new_str,omitempty" jsonschema:"the text to put there; empty deletes"`
	ReplaceAll bool   `json:"replace_all,omitempty" jsonschema:"replace every occurrence"`
	NearLine   int    `json:"near_line,omitempty" jsonschema:"of several occurrences, take the one nearest to this line, within 10 lines; 0 is off"`
	Match      string `json:"match,omitempty" enum:"exact,lenient" jsonschema:"lenient: if there is no exact match, old_str may differ in line ends, blanks at line ends, indentation, look-alike characters, quoted line numbers or literal \\n and \\t, as long as only one place matches"`
	EditOptions
}

// SetDefaults sets the values of arguments that are not sent.
func (a *StrReplace) SetDefaults() { a.Match = MatchExact }

// SetMatch sets the value that match has if it is not sent.
func (a *StrReplace) SetMatch(match string) { a.Match = match }

// Target implements [Edit].
func (a StrReplace) Target() Target { return Target{Path: a.Path} }

// Plan implements [Edit].
func (a StrReplace) Plan(src edits.Source) (edits.Plan, error) {
	if a.NearLine < 0 {
		return edits.Plan{}, schema.Invalid(`"near_line" must be 0 (none) or a line number`)
	}
	return command.Replace{Old: a.OldStr, New: a.NewStr, All: a.ReplaceAll, NearLine: a.NearLine, Lenient: a.Match == MatchLenient}.Plan(src)
}

// The values of match.
const (
	MatchExact   = "exact"
	MatchLenient = "lenient"
)

// Insert are the arguments of the command insert.
type Insert struct {
	Path       string `json:"path" jsonschema:"the file: relative to a workspace folder, absolute, or a URI"`
	AfterLine  *int   `json:"after_line,omitempty" jsonschema:"insert after this line; 0 is the top"`
	BeforeLine int    `json:"before_line,omitempty" jsonschema:"insert before this line, from 1; 0 is off"`
	Content    string `json:"content" jsonschema:"whole lines; the last line break may be left out"`
	Based
	EditOptions
}

// Target implements [Edit].
func (a Insert) Target() Target {
	after := a.BeforeLine - 1
	if a.BeforeLine == 0 && a.AfterLine != nil {
		after = *a.AfterLine
	}
	return Target{Path: a.Path, Rev: a.Rev, ByLine: true, From: after, To: after + 1}
}

// At implements [ByLines].
func (a Insert) At(m *lines.Map) (Edit, bool) {
	if a.BeforeLine != 0 || a.AfterLine == nil {
		now, ok := m.Before(a.BeforeLine)
		a.BeforeLine = now
		return a, ok
	}
	now, ok := m.After(*a.AfterLine)
	a.AfterLine = &now
	return a, ok
}

// Plan implements [Edit].
func (a Insert) Plan(src edits.Source) (edits.Plan, error) {
	after := *cmp.Or(a.AfterLine, new(int))
	if a.BeforeLine == 0 && a.AfterLine == nil || a.BeforeLine != 0 && after != 0 { // a client may have to send both
		return edits.Plan{}, schema.Invalid(`insert takes exactly one of "after_line" and "before_line"`)
	}
	return command.Insert{After: after, Before: a.BeforeLine, Content: a.Content}.Plan(src)
}

// DeleteLines are the arguments of the command delete_lines.
type DeleteLines struct {
	Path      string `json:"path" jsonschema:"the file: relative to a workspace folder, absolute, or a URI"`
	StartLine int    `json:"start_line" jsonschema:"the first line to delete, from 1"`
	EndLine   int    `json:"end_line" jsonschema:"the last line to delete"`
	Based
	EditOptions
}

// Target implements [Edit].
func (a DeleteLines) Target() Target {
	return Target{Path: a.Path, Rev: a.Rev, ByLine: true, From: a.StartLine, To: a.EndLine}
}

// At implements [ByLines].
func (a DeleteLines) At(m *lines.Map) (Edit, bool) {
	now, ok := m.Lines(a.StartLine, a.EndLine)
	a.StartLine, a.EndLine = now, now+a.EndLine-a.StartLine
	return a, ok
}

// Plan implements [Edit].
func (a DeleteLines) Plan(src edits.Source) (edits.Plan, error) {
	return command.DeleteLines{Start: a.StartLine, End: a.EndLine}.Plan(src)
}

// EditLines are the arguments of the command edit_lines.
type EditLines struct {
	Path  string     `json:"path" jsonschema:"the file: relative to a workspace folder, absolute, or a URI"`
	Edits []LineEdit `json:"edits" jsonschema:"the edits; no line may be in two of them"`
	Based
	EditOptions
}

// LineEdit is one of the edits of [EditLines].
type LineEdit struct {
	From    int     `json:"from" jsonschema:"the first line, from 1; without to, the line to insert before (the number of lines + 1 appends)"`
	To      int     `json:"to,omitempty" jsonschema:"the last line to replace or delete; absent or 0 inserts"`
	Content *string `json:"content,omitempty" jsonschema:"the new lines; absent deletes"`
	Expect  string  `json:"expect,omitempty" jsonschema:"the text that the lines must have now; lines that have moved are found by it; empty is off"`
}

// byText reports whether the lines are found by the text that they must have.
func (e LineEdit) byText() bool { return e.To != 0 && e.Expect != "" }

// Target implements [Edit].
func (a EditLines) Target() Target {
	t := Target{Path: a.Path, Rev: a.Rev}
	for _, e := range a.Edits {
		if e.byText() {
			continue
		}
		if !t.ByLine || e.From < t.From {
			t.From = e.From
		}
		t.ByLine, t.To = true, max(t.To, cmp.Or(e.To, e.From))
	}
	return t
}

// At implements [ByLines].
func (a EditLines) At(m *lines.Map) (Edit, bool) {
	a.Edits = slices.Clone(a.Edits)
	for i, e := range a.Edits {
		where := m.Before
		if e.To != 0 {
			where = func(from int) (int, bool) { return m.Lines(from, e.To) }
		}
		now, ok := where(e.From)
		if !ok && !e.byText() {
			return a, false
		}
		if !ok {
			continue
		}
		a.Edits[i].From = now
		if e.To != 0 {
			a.Edits[i].To = now + e.To - e.From
		}
	}
	return a, true
}

// Plan implements [Edit].
func (a EditLines) Plan(src edits.Source) (edits.Plan, error) {
	batch := command.EditLines{Edits: make([]command.LineEdit, len(a.Edits))}
	for i, e := range a.Edits {
		batch.Edits[i] = command.LineEdit(e)
	}
	return batch.Plan(src)
}

// Size implements [Sized].
func (a EditLines) Size() Size { return Size{Edits: len(a.Edits)} }

// Create are the arguments of the command create.
type Create struct {
	Path      string `json:"path" jsonschema:"the file: relative to a workspace folder, absolute, or a URI"`
	Content   string `json:"content" jsonschema:"the whole text"`
	Overwrite bool   `json:"overwrite,omitempty" jsonschema:"replace the text of an existing file"`
	Based
	EditOptions
}

// Target implements [Edit].
func (a Create) Target() Target {
	return Target{Path: a.Path, Rev: a.Rev, Create: &a.Content, MustBeNew: !a.Overwrite}
}

// Plan implements [Edit].
func (a Create) Plan(src edits.Source) (edits.Plan, error) {
	return command.Write{Content: a.Content}.Plan(src)
}

// Write are the arguments of the command write.
type Write struct {
	Path    string `json:"path" jsonschema:"the file: relative to a workspace folder, absolute, or a URI"`
	Content string `json:"content" jsonschema:"the whole text"`
	Based
	EditOptions
}

// Target implements [Edit].
func (a Write) Target() Target { return Target{Path: a.Path, Rev: a.Rev, Create: &a.Content} }

// Plan implements [Edit].
func (a Write) Plan(src edits.Source) (edits.Plan, error) {
	return command.Write{Content: a.Content}.Plan(src)
}
