// Package hook answers the hooks of agents: what `patchls hook` does. An agent runs this command before and after it
// uses one of its own tools, and follows the answer. Claude Code and Codex CLI use the same format.
//
// If a live editor has the file open with unsaved text,
//
//   - a read returns that text;
//   - an edit or a patch is made in the editor, by str_replace or apply_patch, and the agent's own tool is refused. The
//     reason says that the edit is made, or what is wrong with it;
//   - an Edit whose text is not on disk, and a Read of a file that is not, are refused by Claude Code before it runs a hook. The
//     hook after it makes the edit, and shows the text;
//   - a whole text is sent to the editor's server, which knows what this session was shown, and merges it (write);
//   - a shell command runs, and a note says that it does not see that text.
//
// The agent's own tool must not write a file that an editor has open as something other than text, and no file while an
// editor does not answer, which may have unsaved text. In all other cases the agent goes on as without a hook: if there is
// no editor, only the search for one was done. So nothing here decides where an edit goes, which paths may be touched, or
// what is protected.
package hook
