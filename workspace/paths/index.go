package paths

import "slices"

// Find returns the index of the key that names the same document as k: the same key, or a name of the same file by
// symbolic links, as a hard link or in other case. It returns -1 if there is none. It looks at the disk once per key.
func Find(k Key, keys []Key) int {
	if i := slices.Index(keys, k); i >= 0 {
		return i
	}
	var x Index
	if _, isFile := k.FilePath(); isFile {
		x.Add(keys...)
	}
	return x.Find(k)
}

// Index finds keys that name the same document, as [Find] does, in a time that does not depend on how many it has. It
// remembers what was at each when it was added. The zero Index is empty. It is not safe for concurrent use.
type Index struct {
	Keys  []Key       // in the order in which they were added
	at    map[any]int // the first in Keys of each [Key], of each file, and of each place, see lookAt
	names []string    // of the files
}

// Add adds keys that the index does not have.
func (x *Index) Add(keys ...Key) {
	if x.at == nil {
		x.at = map[any]int{}
	}
	for _, k := range keys {
		if _, has := x.at[k]; has {
			continue
		}
		n := len(x.Keys)
		x.at[k], x.Keys = n, append(x.Keys, k)
		if abs, isFile := k.FilePath(); isFile {
			x.names = append(x.names, abs)
			is := lookAt(k, abs)
			if _, has := x.at[is]; !has && is != nil {
				x.at[is] = n
			}
		}
	}
}

// Find returns the index in Keys of the key that names the same document as k; -1 if there is none.
func (x *Index) Find(k Key) int {
	n, has := x.at[k]
	if abs, isFile := k.FilePath(); !has && isFile && len(x.names) > 0 && !OnOtherMachine(abs, x.names) {
		n, has = x.at[lookAt(k, abs)]
	}
	if !has {
		return -1
	}
	return n
}

// lookAt returns what is the same for all names of the file at abs, the path of k: the file, or where the name leads if there
// is none, which is the file that saving makes; nil if that is not known.
func lookAt(k Key, abs string) any {
	file := inodeOf(abs)
	if file.names = 0; file != (inode{}) {
		return file
	}
	if leads := leadsNow(k); leads != "" {
		return leads
	}
	return nil
}
