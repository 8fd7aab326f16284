package paths

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

// Identity returns one key for all names of a file, whether it is open or not:
// that under which commands about it take turns.
func (t Target) Identity() Key {
	if t.Abs == "" {
		return t.Key
	}
	real, err := realPath(t.Abs)
	if err != nil {
		return t.Key
	}
	return FileKey(real)
}
