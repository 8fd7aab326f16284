// Package command plans the commands that edit a text:
//
//	Replace{Old: "x = 1", New: "x = 2"}.Plan(source) -> edits.Plan, or an *edits.Error
//
// [Replace], [Insert], [DeleteLines], [EditLines] and [Write] are commands about one text. Their tags are what schemas and
// docs/commands.md say of the arguments. If the text differs from what was sent, [match.Tiers] are tried in order. Places that
// only come near are shown in the error.
package command
