package paths

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

// Guarded are files that make an editor or another tool start programs, or that limit what agents may do.
// They take effect as soon as they are saved, or a folder, a shell or the program is opened, without a build
// or a test. Commands may read them; an edit of such a file is made only if the user agrees.
type Guarded struct {
	// Names are names of files and folders, or slash-separated runs of names. A "*" stands for any characters of
	// a name. A folder stands for all that is in it. So of a folder that has much else, such as documents
	// or whole worktrees, only the parts from which programs start are named.
	Names []string
	Why   string
}

// guardedText is the list of them, by the program that acts on them. Each line has names, " | ", and why.
//
//go:embed guarded.txt
var guardedText string

// GuardedFiles returns all guarded files.
var GuardedFiles = sync.OnceValue(func() (all []Guarded) {
	for line := range strings.Lines(guardedText) {
		names, why, _ := strings.Cut(line, " | ")
		all = append(all, Guarded{strings.Fields(names), strings.TrimSpace(why)})
	}
	return all
})

// guardedName is a name of GuardedFiles, in its parts.
type guardedName struct {
	parts []string
	of    *Guarded
}

// guardedNames are all names of GuardedFiles, by the first byte of what may have such a name. Each of a path's parts is
// compared with them, and a patch may have ten thousand paths.
var guardedNames = sync.OnceValue(func() *[256][]guardedName {
	var by [256][]guardedName
	for _, g := range GuardedFiles() {
		for _, name := range g.Names {
			parts := strings.Split(name, "/")
			for b := range by {
				if mayBe(string([]byte{byte(b)}), parts[0]) {
					by[b] = append(by[b], guardedName{parts, &g})
				}
			}
		}
	}
	return &by
})

// guarded returns one of GuardedFiles that a path matches, or nil if there is none.
func guarded(abs string, roots []Root) *Guarded {
	for _, path := range namesOf(abs, roots) {
		parts := plainParts(path)
		for i, part := range parts {
			if part == "" {
				continue
			}
			for _, name := range guardedNames()[part[0]] {
				if end := i + len(name.parts); end <= len(parts) && slices.EqualFunc(parts[i:end], name.parts, sameName) {
					return name.of
				}
			}
		}
	}
	return nil
}
