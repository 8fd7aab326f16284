package commands

import (
	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/command"
)

// Create are the arguments of the command create.
type Create struct {
	Path      string `json:"path" jsonschema:"the file: relative to a workspace folder, absolute, or a URI"`
	Content   string `json:"content" jsonschema:"the whole text"`
	Overwrite bool   `json:"overwrite,omitempty" jsonschema:"replace the text of a file that is there"`
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
