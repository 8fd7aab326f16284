package patch

import (
	"strings"

	"github.com/sourcegraph/go-diff/diff"
)

// go-diff reads what has a grammar: the names and the ranges of headers. Bodies
// are not for it: it trusts no count, so that a deleted line "-- x" above an added
// "++ y" ends a file, and it swallows lines that it does not know.
var keepCR = diff.ParseOptions{KeepCR: true}

// headerRange is what "@@ -1,3 +1,4 @@" says.
type headerRange struct {
	valid      bool // the numbers are in range
	start      int
	olds, news int // counts of lines
}

// parseHeaderRange reads a line that begins with "@@", and says whether there are
// numbers in it. What follows them is passed over: it is for the reader's eye.
func parseHeaderRange(l string) (headerRange, bool) {
	old, rest := cutWord(l[len("@@"):])
	put, _ := cutWord(rest)
	if !isRange(old, '-') || !isRange(put, '+') {
		return headerRange{}, false
	}
	hunks, err := diff.ParseHunksOptions([]byte("@@ "+old+" "+put+" @@\n"), keepCR)
	if err != nil || len(hunks) != 1 {
		return headerRange{}, true
	}
	h := hunks[0]
	if h.OrigStartLine < 0 || h.OrigLines < 0 || h.NewStartLine < 0 || h.NewLines < 0 {
		return headerRange{}, true
	}
	return headerRange{true, int(h.OrigStartLine), int(h.OrigLines), int(h.NewLines)}, true
}

// cutWord returns the first word of s, and what follows it.
func cutWord(s string) (word, rest string) {
	s = strings.TrimLeft(s, " \t")
	i := strings.IndexAny(s, " \t\r")
	if i < 0 {
		i = len(s)
	}
	return s[:i], s[i:]
}

// isRange reports whether s is sign and numbers, as "-1,3"; they may be negative.
func isRange(s string, sign byte) bool {
	return len(s) > 1 && s[0] == sign && strings.Trim(s[1:], "-,0123456789") == "" && strings.ContainsAny(s, "0123456789")
}

// headerNames returns the names in the lines "--- x" and "+++ y", unquoted and
// without what follows a tab.
func headerNames(old, put string) (oldName, newName string) {
	old, _, oldTab := strings.Cut(old, "\t")
	put, _, newTab := strings.Cut(put, "\t")
	f, err := diff.ParseFileDiffOptions([]byte(old+"\n"+put+"\n"), keepCR)
	if err != nil {
		return "", ""
	}
	return f.OrigName + blanksOf(old, oldTab), f.NewName + blanksOf(put, newTab)
}

// blanksOf returns the blanks at the end of a name, which go-diff trims. They are
// the name's if a tab ends it: git puts one after every name with a blank.
func blanksOf(line string, tab bool) string {
	if !tab {
		return ""
	}
	return line[len(strings.TrimRight(line, " ")):]
}

// gitNames returns the names in "diff --git x y", "" if blanks in them leave open
// where the second one begins. The header that it is read with is one in which
// both files are there.
func gitNames(l string) (oldName, newName string) {
	f, err := diff.ParseFileDiffOptions([]byte(l+"\nold mode 100644\nnew mode 100755\n"), keepCR)
	if err != nil {
		return "", ""
	}
	return f.OrigName, f.NewName
}
