package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Folder is a folder where servers leave their discovery files, as an inspection
// finds it.
type Folder struct {
	Path    string
	Missing bool  // which is well: the first server makes it
	NoPlace bool  // it is missing and cannot be made, so that the next one is taken
	Fault   error // why it is not used, nil if it is
	Files   []DiscoveryFile
}

// DiscoveryFile is one that an inspection finds.
type DiscoveryFile struct {
	Path  string
	Entry Entry // if Fault is nil
	// Stale says that its process has ended. A Finder removes it.
	Stale bool
	Fault error // why it is ignored, nil if it is not
}

// Inspect returns what [Finder.Editors] would look at and what it would make of it, and
// changes nothing. The folder that a new server would take comes first, and last the one
// of the socket that PATCHLS_SOCKET names, if it is another. On Windows there are none.
func (f *Finder) Inspect() []Folder {
	if !supported {
		return nil
	}
	sys := f.sys.or()
	var folders []Folder
	for _, dir := range sys.folders() {
		folder := Folder{Path: dir, Fault: sys.checkFolder(dir)}
		if errors.Is(folder.Fault, fs.ErrNotExist) {
			err := sys.checkParent(filepath.Dir(dir))
			folder.Missing, folder.NoPlace = true, errors.Is(err, fs.ErrNotExist)
			if folder.Fault = err; folder.NoPlace {
				folder.Fault = nil
			}
		}
		if folder.Fault == nil && !folder.Missing {
			folder.Files = sys.inspect(dir)
		}
		folders = append(folders, folder)
	}
	if name := os.Getenv(socketVariable); name != "" && !slices.ContainsFunc(folders, func(in Folder) bool { return in.names(name) }) {
		if e, err := f.beside(name); err == nil {
			folders = append(folders, Folder{Path: filepath.Dir(e.file), Files: []DiscoveryFile{{Path: e.file, Entry: e}}})
		}
	}
	return folders
}

// names reports whether a server in the folder has that socket.
func (in Folder) names(socket string) bool {
	return slices.ContainsFunc(in.Files, func(file DiscoveryFile) bool { return file.Entry.Socket == socket })
}

// inspect returns the discovery files in dir, a private folder.
func (sys *system) inspect(dir string) []DiscoveryFile {
	var files []DiscoveryFile
	for _, path := range discoveryFiles(dir) {
		d, err := sys.read(path)
		file := DiscoveryFile{Path: path, Stale: errors.Is(err, errStale)}
		switch {
		case err == nil:
			file.Entry = d.Entry
		case !file.Stale:
			file.Fault = err
		}
		files = append(files, file)
	}
	return files
}

// checkParent says why no folder can be made in dir.
func (sys *system) checkParent(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	const othersWrite = 0o022
	if uid, ok := sys.owner(info); ok && uid != sys.uid && sys.uid != 0 && info.Mode().Perm()&othersWrite == 0 {
		return fmt.Errorf("no folder can be made in %s, which %w", dir, ErrOtherUser)
	}
	return nil
}

// discoveryFiles returns the paths of what calls itself a discovery file in dir, a
// private folder of the user's; what can be read of it counts.
func discoveryFiles(dir string) []string {
	names, _ := os.ReadDir(dir)
	var paths []string
	for _, name := range names {
		if filepath.Ext(name.Name()) == ".json" {
			paths = append(paths, filepath.Join(dir, name.Name()))
		}
	}
	return paths
}

// RootOf returns the deepest workspace folder of l that holds the folder dir, "" if none
// does. Symbolic links are followed.
func (l Live) RootOf(dir string) string {
	deepest, found := 0, ""
	for _, root := range l.Roots {
		if depth := depthOf([]string{root}, realPath(dir)); depth > deepest {
			deepest, found = depth, root
		}
	}
	return found
}
