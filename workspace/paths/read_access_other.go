//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package paths

import "io/fs"

// writable reports whether the file's mode lets it be written.
func writable(_ string, info fs.FileInfo) bool { return info.Mode().Perm()&0o222 != 0 }

// namesOfFile returns how many names the file at a path has, 0 if that is not known.
func namesOfFile(string) uint64 { return 0 }
