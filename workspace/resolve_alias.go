package workspace

import "os"

// OpenAs returns which of the open documents is the file that t names, under
// whatever other name: through a symbolic or hard link, or in other case on a
// volume that ignores case. [Policy.Resolve] tries only the names that it can
// guess; an edit of a file that is open under another one would otherwise miss
// the text on screen. It reads the disk once per open document.
func (t Target) OpenAs(open []Key) (Key, bool) {
	file, err := os.Stat(t.Abs)
	if err != nil {
		return "", false
	}
	for _, k := range open {
		abs, _ := k.FilePath() // "" is no file to Stat either
		if other, err := os.Stat(abs); err == nil && os.SameFile(file, other) {
			return k, true
		}
	}
	return "", false
}
