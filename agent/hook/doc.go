// Package hook answers the hooks of agents: what `patchls hook` does. An agent runs it before and after it uses one of its own
// tools, and goes by what it says. Claude Code and Codex CLI speak the same dialect.
//
// It says something only of a file that a live editor has open with unsaved text (file.go):
//
//   - What the agent reads becomes that text.
//   - An edit or a patch is made in the editor, by str_replace or apply_patch, and the agent's tool is refused with the reason
//     that it is made, or with what is wrong with it.
//   - Claude Code looks for the text of an Edit on disk before it asks. Of one that is not there it tells afterwards, and then the edit is made.
//   - A whole text is refused, since nothing says which text it was made of. How to write it is in the reason.
//   - A command of a shell runs, and a note says that it does not see that text.
//
// All else goes on as if nothing was asked: where no editor is there, nothing is done but to look for one. So nothing here
// decides where an edit goes, which paths may be touched, or what is protected.
package hook
