package patch

import "strings"

// markerRun returns how many times the first character of a line is repeated, and
// what follows without the blanks around it.
func markerRun(l string) (n int, rest string) {
	if l == "" {
		return 0, ""
	}
	rest = strings.TrimLeft(l, l[:1])
	return len(l) - len(rest), strings.TrimSpace(rest)
}

// isMarker reports whether a line is 5 to 9 times one of the characters, and a
// word of any case.
func isMarker(l, characters string, words ...string) bool {
	if l == "" || strings.IndexByte(characters, l[0]) < 0 {
		return false
	}
	n, rest := markerRun(l)
	if n < 5 || n > 9 {
		return false
	}
	for _, w := range words {
		if strings.EqualFold(rest, w) {
			return true
		}
	}
	return false
}

func isSearchMarker(l string) bool  { return isMarker(l, "<-", "SEARCH") }
func isMiddleMarker(l string) bool  { return isMarker(l, "=", "") }
func isReplaceMarker(l string) bool { return isMarker(l, ">+", "REPLACE", "UPDATED") }

// isUsual reports whether a marker is spelt as aider or cline spell it.
func isUsual(l string) bool {
	switch l {
	case "<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE", ">>>>>>> UPDATED", "------- SEARCH", "+++++++ REPLACE":
		return true
	}
	return false
}

// nameAbove returns the name of the file of the block at line to, and its line:
// the last line of [from,to) that is neither blank nor the fence that the block
// stands in. Without one it returns "" and to.
func (r *patchReader) nameAbove(from, to int) (name string, line int) {
	fenced := false
	for i := to - 1; i >= from; i-- {
		l := strings.TrimSpace(r.lines[i])
		if run := fenceRun(l); run != "" {
			if fenced {
				break // that of the block before
			}
			fenced = true
			l = strings.TrimSpace(l[len(run):])
			if j := strings.LastIndexAny(l, " :"); j >= 0 {
				l = l[j+1:]
			}
			if !strings.ContainsAny(l, "./") {
				continue // a language
			}
		}
		if l == "" {
			continue
		}
		if name = cleanName(l); name != "" {
			return name, i
		}
		break
	}
	return "", to
}

// cleanName returns the name of a file without the Markdown around it, "" if the
// line is a sentence.
func cleanName(l string) string {
	const marks = "*` \t"
	bare := strings.TrimRight(l, marks)
	name := strings.Trim(strings.TrimLeft(l, "#"+marks), marks)
	for _, label := range []string{"File:", "Filename:", "Path:"} {
		if len(name) > len(label) && strings.EqualFold(name[:len(label)], label) {
			name = strings.Trim(name[len(label):], marks)
		}
	}
	name = strings.Trim(strings.TrimRight(name, ":"), marks)
	if strings.ContainsAny(name, " \t") && strings.HasSuffix(bare, ".") || strings.ContainsAny(name, " \t") && strings.HasSuffix(bare, ":") {
		return ""
	}
	return name
}
