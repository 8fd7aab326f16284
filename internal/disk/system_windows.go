package disk

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

const (
	// holds: a file that is open cannot be replaced.
	holds     = false
	openFlags = 0
)

// own locks f until it is closed. It locks a byte far behind the end of the file,
// since other programs cannot read a locked byte.
func own(f *os.File) error {
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY,
		0, 1, 0, &windows.Overlapped{OffsetHigh: 1 << 30})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrLocked
	}
	return err
}

// chownLike gives f the attributes and the time of creation of info's file, as far as they can be given.
func chownLike(f *handle, info fs.FileInfo) {
	has, ok := info.Sys().(*syscall.Win32FileAttributeData)
	if !ok {
		return
	}
	basic := struct {
		created, read, written, changed windows.Filetime // 0 leaves it as it is
		attributes, _                   uint32
	}{created: windows.Filetime(has.CreationTime), attributes: has.FileAttributes}
	_ = windows.SetFileInformationByHandle(windows.Handle(f.f.Fd()), windows.FileBasicInfo, (*byte)(unsafe.Pointer(&basic)), uint32(unsafe.Sizeof(basic))) //nolint:gosec // so its documentation has it
}

// isLike reports whether a new file has the owner, access list and attributes of an old one, which has no other
// names, and no streams other than its content.
func isLike(d Disk, spare string, by fs.FileInfo, path string, old fs.FileInfo) bool {
	return accessOf(d, spare) == accessOf(d, path) && attributes(by) == attributes(old) && isPlain(path)
}

// accessOf returns the owner and the access list of the file at path as text, or "" if they cannot be read.
func accessOf(d Disk, path string) string {
	f, err := d.open(path, os.O_RDONLY, 0)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	access, err := windows.GetSecurityInfo(windows.Handle(f.f.Fd()), windows.SE_FILE_OBJECT, windows.OWNER_SECURITY_INFORMATION|windows.DACL_SECURITY_INFORMATION)
	if err != nil {
		return ""
	}
	return access.String()
}

// attributes returns the attributes that matter to the user: hidden, compressed and the like.
func attributes(info fs.FileInfo) uint32 {
	has, ok := info.Sys().(*syscall.Win32FileAttributeData)
	if !ok {
		return 0
	}
	return has.FileAttributes &^ (windows.FILE_ATTRIBUTE_ARCHIVE | windows.FILE_ATTRIBUTE_NORMAL)
}

// isPlain reports whether the file at path has one name, and no streams other than its content. A file that cannot be
// opened counts as plain.
func isPlain(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return true
	}
	defer func() { _ = f.Close() }()
	var info windows.ByHandleFileInformation
	if windows.GetFileInformationByHandle(windows.Handle(f.Fd()), &info) == nil && info.NumberOfLinks > 1 {
		return false
	}
	var list struct {
		next uint32 // the offset of the second entry; the first one is the content's
		_    [1020]byte
	}
	err = windows.GetFileInformationByHandleEx(windows.Handle(f.Fd()), windows.FileStreamInfo, (*byte)(unsafe.Pointer(&list)), uint32(unsafe.Sizeof(list))) //nolint:gosec // so its documentation has it
	return list.next == 0 && !errors.Is(err, windows.ERROR_MORE_DATA)
}

// private is true: the folders of a user's profile are.
func private(fs.FileInfo) bool { return true }
