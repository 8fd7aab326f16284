package patch

import (
	"strings"

	"github.com/patchls/patchls/edits/text"
)

// split makes the lines of the patch. Only "\n" ends one; every other character
// is the content's.
func (r *patchReader) split(patch string) {
	patch = strings.TrimPrefix(patch, text.BOM)
	if one := strings.TrimSpace(patch); !strings.Contains(one, "\n") && strings.Contains(one, `\n`) {
		patch = unescapeLine.Replace(one)
		r.patch.note(noteEscaped)
	}
	r.lines = strings.Split(strings.TrimSuffix(patch, "\n"), "\n")
}

// unescapeLine undoes what JSON does to a text, for one that went through it once
// too often.
var unescapeLine = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\r\n`, "\n", `\t`, "\t", `\"`, `"`)

// skip passes over a line that is not of the patch, and looks whether it opens or
// closes something around it.
func (r *patchReader) skip() {
	l := strings.TrimSpace(r.lines[r.at])
	if l != "" && !strings.HasPrefix(l, "diff -") { // which diff -r prints above each file
		r.patch.note(noteAround)
	}
	if r.other == 0 && (beginsPatch(r.lines[r.at]) || isSearchMarker(r.lines[r.at]) || r.lines.fileBeginsAt(r.at)) {
		r.other = r.at + 1
	}
	switch run := fenceRun(l); {
	case r.closes(l):
		r.close(l)
	case run != "" && r.fence == "":
		r.fence = run
	default:
		if word := heredocWord(l); word != "" {
			r.heredoc = word
		}
	}
	r.at++
}

// skipTo passes over the lines before to.
func (r *patchReader) skipTo(to int) {
	for r.at < to {
		r.skip()
	}
}

// closing returns the first line of [from,to) that closes what is around the
// patch, or to.
func (r *patchReader) closing(from, to int) int {
	if r.fence == "" && r.heredoc == "" {
		return to
	}
	for i := from; i < to; i++ {
		if r.closes(r.lines[i]) {
			return i
		}
	}
	return to
}

// closes reports whether a line closes what is around the patch. It begins at the
// first column, as no content does.
func (r *patchReader) closes(l string) bool {
	l = strings.TrimRight(l, " \t\r")
	return r.heredoc != "" && l == r.heredoc || r.fence != "" && strings.HasPrefix(l, r.fence) && fenceRun(l) == l
}

func (r *patchReader) close(l string) {
	if l == r.heredoc {
		r.heredoc = ""
		return
	}
	r.fence = ""
}

// fenceRun returns the characters of a Markdown fence that a line begins with, ""
// if it is none.
func fenceRun(l string) string {
	if !strings.HasPrefix(l, "```") && !strings.HasPrefix(l, "~~~") {
		return ""
	}
	return l[:len(l)-len(strings.TrimLeft(l, l[:1]))]
}

// heredocWord returns the word that ends the here-document which a line of shell
// begins, as "apply_patch <<'EOF'"; "" if it begins none.
func heredocWord(l string) string {
	i := strings.LastIndex(l, "<<")
	if i < 0 {
		return ""
	}
	l = strings.TrimPrefix(l[i+2:], "-")
	if t := strings.TrimLeft(l, " "); t != "" && (t[0] == '\'' || t[0] == '"') {
		word, _, _ := strings.Cut(t[1:], t[:1])
		return word
	}
	end := 0
	for end < len(l) && IsWordByte(l[end]) {
		end++
	}
	return l[:end]
}

// IsWordByte reports whether a byte is a letter or digit of ASCII, or "_".
func IsWordByte(b byte) bool {
	return b == '_' || '0' <= b && b <= '9' || 'a' <= b|0x20 && b|0x20 <= 'z'
}
