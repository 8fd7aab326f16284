package paths

import (
	"io/fs"
	"os"
	"syscall"
)

// writable reports whether the file's mode lets it be written.
func writable(_ string, info fs.FileInfo) bool { return info.Mode().Perm()&0o222 != 0 }

// inodeOf returns the inode of the file at a path.
func inodeOf(path string) inode {
	file, err := os.Open(path)
	if err != nil {
		return inode{}
	}
	defer file.Close()
	var info syscall.ByHandleFileInformation
	if syscall.GetFileInformationByHandle(syscall.Handle(file.Fd()), &info) != nil {
		return inode{}
	}
	return inode{uint64(info.VolumeSerialNumber), uint64(info.FileIndexHigh)<<32 | uint64(info.FileIndexLow), uint64(info.NumberOfLinks)}
}

// stampOf returns the stamp of what a path leads to; ok is false if that is nothing.
func stampOf(path string) (s stamp, ok bool) {
	info, err := os.Stat(path)
	if err == nil {
		s = stamp{changed: info.ModTime().UnixNano(), isDir: info.IsDir()}
	}
	return s, err == nil
}
