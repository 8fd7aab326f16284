package commands

import (
	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/command"
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

// Create are the arguments of the command create.
type Create struct {
	Path      string `json:"path" jsonschema:"the file: relative to a workspace folder, absolute, or a URI"`
	Content   string `json:"content" jsonschema:"the whole text"`
	Overwrite bool   `json:"overwrite,omitempty" jsonschema:"replace the text of an existing file"`
	EditOptions
}

// Target implements [Edit].
func (a Create) Target() Target {
	return Target{Path: a.Path, Create: &a.Content, MustBeNew: !a.Overwrite}
}

// Plan implements [Edit].
func (a Create) Plan(src edits.Source) (edits.Plan, error) {
	return command.Write{Content: a.Content}.Plan(src)
}

// Write are the arguments of the command write.
type Write struct {
	Path    string `json:"path" jsonschema:"the file: relative to a workspace folder, absolute, or a URI"`
	Content string `json:"content" jsonschema:"the whole text"`
	EditOptions
}

// Target implements [Edit].
func (a Write) Target() Target { return Target{Path: a.Path, Create: &a.Content} }

// Plan implements [Edit].
func (a Write) Plan(src edits.Source) (edits.Plan, error) {
	return command.Write{Content: a.Content}.Plan(src)
}
