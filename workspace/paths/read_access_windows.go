package paths

import (
	"io/fs"
	"os"
	"syscall"
)

// writable reports whether the file's mode lets it be written.
func writable(_ string, info fs.FileInfo) bool { return info.Mode().Perm()&0o222 != 0 }

// namesOfFile returns how many names the file at a path has, 0 if that is not known.
func namesOfFile(path string) uint64 {
	file, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer file.Close()
	var info syscall.ByHandleFileInformation
	if syscall.GetFileInformationByHandle(syscall.Handle(file.Fd()), &info) != nil {
		return 0
	}
	return uint64(info.NumberOfLinks)
}

// stampOf returns the stamp of what a path leads to; ok is false if that is nothing.
func stampOf(path string) (s stamp, ok bool) {
	info, err := os.Stat(path)
	if err == nil {
		s = stamp{changed: info.ModTime().UnixNano(), isDir: info.IsDir()}
	}
	return s, err == nil
}
