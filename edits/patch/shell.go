package patch

import (
	"strings"

	"github.com/patchls/patchls/internal/lazy"
)

// Invocation returns the patch that a shell command passes to apply_patch in a here-document, and the folder to which
// the command goes first; "" is none. ok is false if the command does more than that, or another thing.
func Invocation(command string) (patch, folder string, ok bool) {
	folder, command = inFolder(command)
	m := invocation().FindStringSubmatch(command)
	if len(m) == 0 || m[1] != m[3] || strings.Count(m[2], "*** Begin Patch\n") > 1 {
		return "", "", false
	}
	return m[2], folder, true
}

// invocation matches a command that passes a patch to apply_patch; groups 1 and 3 are the words around the patch.
var invocation = lazy.Regexp(`(?s)^\s*apply_patch\s*<<\s*['"]?(\w+)['"]?\n(\*\*\* Begin Patch\n.*\n\*\*\* End Patch)\n(\w+)\s*$`)

// inFolder returns the folder to which the shell goes before a command, and that command. The folder is "" if there is
// none, or the shell may not take its name literally.
func inFolder(command string) (folder, rest string) {
	if m := cd().FindStringSubmatch(command); m != nil {
		return strings.Trim(m[1], `'"`), command[len(m[0]):]
	}
	return "", command
}

var cd = lazy.Regexp(`^\s*cd[ \t]+('[\pL\pN_./][^']*'|"[\pL\pN_./][\pL\pN_./+@=,: -]*"|[\pL\pN_./][\pL\pN_./+@=,:-]*)[ \t]*&&[ \t]*`)

// heredocWord returns the word that ends the here-document which a line of shell
// begins, such as "apply_patch <<'EOF'"; "" if it begins none.
func heredocWord(l string) string {
	if !strings.Contains(l, "<<") {
		return ""
	}
	if m := heredoc().FindStringSubmatch(l); m != nil {
		return m[1] + m[2]
	}
	return ""
}

// heredoc finds the word after the last "<<" of a line.
var heredoc = lazy.Regexp(`.*<<-?(?: *['"]([^'"]+)|(\w+))`)
