package headless

import (
	"path/filepath"
	"strings"
)

// languages maps file name extensions to LSP's language identifiers, where the
// two differ. Nothing here depends on them; a server may.
var languages = map[string]string{
	"":     "plaintext",
	"txt":  "plaintext",
	"md":   "markdown",
	"py":   "python",
	"js":   "javascript",
	"mjs":  "javascript",
	"ts":   "typescript",
	"tsx":  "typescriptreact",
	"jsx":  "javascriptreact",
	"rs":   "rust",
	"rb":   "ruby",
	"sh":   "shellscript",
	"yml":  "yaml",
	"h":    "c",
	"cc":   "cpp",
	"hpp":  "cpp",
	"cs":   "csharp",
	"htm":  "html",
	"tex":  "latex",
	"diff": "diff",
}

// languageOf returns the language identifier for a file name.
func languageOf(path string) string {
	ext := strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), ".")
	if id, ok := languages[ext]; ok {
		return id
	}
	return ext
}
