package commands

import (
	"cmp"
	"slices"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/command"
	"github.com/patchls/patchls/lsp/lines"
	"github.com/patchls/patchls/lsp/schema"
	"github.com/patchls/patchls/workspace/paths"
)

// StrReplace are the arguments of the command str_replace.
type StrReplace struct {
	Path       string `json:"path" jsonschema:"relative to a workspace folder, absolute, or a URI"`
	OldStr     string `json:"old_str" jsonschema:"the text to replace, with enough around it to be unique"`
	NewStr     string `json:"new_str,omitempty" jsonschema:"the text to put there; empty deletes"`
	ReplaceAll bool   `json:"replace_all,omitempty" jsonschema:"replace every occurrence"`
	NearLine   int    `json:"near_line,omitempty" jsonschema:"of several occurrences, take the one nearest to this line, within 10 lines; 0 is off"`
	Match      string `json:"match,omitempty" enum:"exact,lenient" jsonschema:"lenient: if there is no exact match, old_str may differ in line ends, blanks at line ends, indentation, look-alike characters, quoted line numbers or literal \\n and \\t, if only one place matches"`
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
	Path string `json:"path" jsonschema:"relative to a workspace folder, absolute, or a URI"`
	command.Insert
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
		return unlessMade(a, m, now-1, a.Content), ok
	}
	now, ok := m.After(*a.AfterLine)
	a.AfterLine = &now
	return unlessMade(a, m, now, a.Content), ok
}

// repeatedInsert are arguments that insert lines which were inserted there since the text that their numbers are of.
type repeatedInsert struct {
	ByLines
	line int // at which they stand
}

// unlessMade returns a, which inserts content below line at, or an edit that fails if that is done.
func unlessMade(a ByLines, m *lines.Map, at int, content string) Edit {
	if line := m.Inserted(at, content); line > 0 {
		return repeatedInsert{a, line}
	}
	return a
}

// Plan implements [Edit].
func (a repeatedInsert) Plan(src edits.Source) (edits.Plan, error) {
	return edits.Plan{}, edits.Errorf(edits.AlreadyApplied, "Already applied: what is to be inserted was inserted since the text that the number is of, and stands in %s at line %d; nothing was changed. To insert it again, send the number that the line has now.", src.Path, a.line)
}

// DeleteLines are the arguments of the command delete_lines.
type DeleteLines struct {
	Path string `json:"path" jsonschema:"relative to a workspace folder, absolute, or a URI"`
	command.DeleteLines
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

// EditLines are the arguments of the command edit_lines.
type EditLines struct {
	Path string `json:"path" jsonschema:"relative to a workspace folder, absolute, or a URI"`
	command.EditLines
	Based
	EditOptions
}

// Target implements [Edit].
func (a EditLines) Target() Target {
	t := Target{Path: a.Path, Rev: a.Rev, ByLine: a.Rev != ""}
	for _, e := range a.Edits {
		if e.ByText() {
			continue
		}
		if t.To == 0 || e.From < t.From {
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
		if e.ByText() {
			continue // the plan finds them
		}
		where := m.Before
		if e.To != 0 {
			where = func(from int) (int, bool) { return m.Lines(from, e.To) }
		}
		now, ok := where(e.From)
		if !ok {
			return a, false
		}
		a.Edits[i].From = now
		if e.To != 0 {
			a.Edits[i].To = now + e.To - e.From
		} else if e.Content != nil && m.Inserted(now-1, *e.Content) > 0 {
			return unlessMade(a, m, now-1, *e.Content), true
		}
	}
	return a, true
}

// Size implements [Sized].
func (a EditLines) Size() Size { return Size{Edits: len(a.Edits)} }

// Create are the arguments of the command create.
type Create struct {
	Path string `json:"path" jsonschema:"relative to a workspace folder, absolute, or a URI"`
	command.Write
	Overwrite bool `json:"overwrite,omitempty" jsonschema:"replace the text of an existing file"`
	Based
	EditOptions
}

// Target implements [Edit].
func (a Create) Target() Target {
	return Target{Path: a.Path, Rev: a.Rev, Create: &a.Content, MustBeNew: !a.Overwrite}
}

// Write are the arguments of the command write.
type Write struct {
	Path string `json:"path" jsonschema:"relative to a workspace folder, absolute, or a URI"`
	command.Write
	Based
	EditOptions
}

// Target implements [Edit].
func (a Write) Target() Target { return Target{Path: a.Path, Rev: a.Rev, Create: &a.Content} }

// Prefix makes the names of commands unique among those of an editor.
const Prefix = "patchls."

// Based is the argument of commands that are based on a text which their caller has seen: they name lines of
// it by number, or send it as a whole.
type Based struct {
	Rev string `json:"rev,omitempty" jsonschema:"the rev of the text that this is based on, seen whole"`
}

// EditOptions are the arguments that every editing command takes.
type EditOptions struct {
	DryRun bool   `json:"dry_run,omitempty" jsonschema:"only show what would change"`
	Label  string `json:"label,omitempty" jsonschema:"for the editor's undo menu"`
	Save   bool   `json:"save,omitempty" jsonschema:"then save the files that had no unsaved text before"`
	// Confirm is not a part of a plan: the command is planned, and the user asked, before it.
	Confirm bool `json:"confirm,omitempty" jsonschema:"ask the user first; the answer has what they say"`
}

// Options returns o, so that arguments that embed EditOptions have this method.
func (o EditOptions) Options() EditOptions { return o }

// Edit are the arguments of a command that edits one text. They do not change.
type Edit interface {
	Options() EditOptions
	Target() Target
	// Plan returns the edits of src. It is called again with the newest text whenever an edit did not land.
	Plan(src edits.Source) (edits.Plan, error)
}

// Target says which text a command is about.
type Target struct {
	Path  string       // as it was sent
	Place paths.Target // the file, if it need not be found

	Rev      string // of the text that the command is based on; "" for what the caller was shown last
	ByLine   bool   // the place is given by line numbers
	From, To int    // those lines, from 1
	Unread   string // if set, the error for lines that the agent was not shown

	Create *string // the text that the command makes if there is no such file
	// MustBeNew: it is an error if the file exists.
	MustBeNew bool
}

// ByLines are arguments whose place is given by line numbers.
type ByLines interface {
	Edit
	// At returns the arguments with the numbers that their lines have now; ok is false if one
	// of the lines no longer exists unchanged.
	At(m *lines.Map) (now Edit, ok bool)
}

// Sized is implemented by arguments whose size is limited.
type Sized interface{ Size() Size }

// Size is how large arguments are. A member that they do not have is 0.
type Size struct {
	Patch int // bytes of a patch
	Hunks int // of a patch
	Edits int // in a list
}
