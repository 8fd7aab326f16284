package agent

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"

	"github.com/patchls/patchls/internal/contention"
)

// otherUser stands for every other user, since Windows has no user ids. This user is os.Geteuid, which is -1.
const otherUser = 0

const openFlags = 0

// folder returns the folder where servers leave their discovery files.
func folder() (string, error) {
	local, err := os.UserCacheDir() // %LOCALAPPDATA%
	if err == nil && !filepath.IsAbs(local) {
		err = fmt.Errorf("the folder %%LOCALAPPDATA%% %q is not an absolute path", local)
	}
	return filepath.Join(local, "patchls", "editors"), err
}

// onlyMineSDDL returns, as SDDL, an access list by which this user alone may open a file or a pipe.
func onlyMineSDDL() (string, error) {
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return "", err
	}
	me := user.User.Sid.String()
	return "O:" + me + "D:P(A;OICI;FA;;;" + me + ")", nil
}

// onlyMine returns the access list of onlyMineSDDL for a new file or folder.
func onlyMine() (*windows.SecurityAttributes, error) {
	sddl, err := onlyMineSDDL()
	if err != nil {
		return nil, err
	}
	access, err := windows.SecurityDescriptorFromString(sddl)
	if err != nil {
		return nil, err
	}
	return &windows.SecurityAttributes{Length: uint32(unsafe.Sizeof(windows.SecurityAttributes{})), SecurityDescriptor: access}, nil
}

// mkdirPrivate makes a folder that this user alone can enter.
func mkdirPrivate(dir string) error {
	mine, err := onlyMine()
	if err != nil {
		return err
	}
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return err
	}
	if err := windows.CreateDirectory(name, mine); err != nil {
		return &os.PathError{Op: "mkdir", Path: dir, Err: err}
	}
	return nil
}

// createPrivate makes a file that this user alone can open. The file must not exist yet.
func createPrivate(path string) (*os.File, error) {
	mine, err := onlyMine()
	if err != nil {
		return nil, err
	}
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	h, err := windows.CreateFile(name, windows.GENERIC_WRITE, 0, mine, windows.CREATE_NEW, windows.FILE_ATTRIBUTE_NORMAL, 0)
	if err != nil {
		return nil, &os.PathError{Op: "create", Path: path, Err: err}
	}
	return os.NewFile(uintptr(h), path), nil
}

func ownerOf(path string, _ fs.FileInfo) (uid int, ok bool) {
	access, err := accessOf(path, windows.OWNER_SECURITY_INFORMATION)
	if err != nil {
		return 0, false
	}
	uid, err = userOf(access)
	return uid, err == nil
}

// accessOf returns a part of the access list of path, which another process may be replacing.
func accessOf(path string, part windows.SECURITY_INFORMATION) (access *windows.SECURITY_DESCRIPTOR, err error) {
	err = contention.Retry(isHeld, func() (err error) {
		access, err = windows.GetNamedSecurityInfo(path, windows.SE_FILE_OBJECT, part)
		return err
	})
	return access, err
}

// userOf returns the owner that a security descriptor names.
func userOf(access *windows.SECURITY_DESCRIPTOR) (uid int, err error) {
	owner, _, err := access.Owner()
	if err != nil {
		return 0, err
	}
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return 0, err
	}
	if owner.Equals(user.User.Sid) {
		return os.Geteuid(), nil
	}
	return otherUser, nil
}

// openToOthers says how the access list of path lets in others than the user and the accounts that
// may do anything on this machine; "" if it does not.
func openToOthers(path string, _ fs.FileInfo) string {
	access, err := accessOf(path, windows.DACL_SECURITY_INFORMATION)
	if err != nil {
		return err.Error()
	}
	list, _, err := access.DACL()
	if err != nil || list == nil {
		return "it has no access list"
	}
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return err.Error()
	}
	for i := range uint32(list.AceCount) {
		var ace *windows.ACCESS_ALLOWED_ACE
		if err := windows.GetAce(list, i, &ace); err != nil {
			return err.Error()
		}
		if ace.Header.AceType == windows.ACCESS_DENIED_ACE_TYPE {
			continue
		}
		who := (*windows.SID)(unsafe.Pointer(&ace.SidStart)) //nolint:gosec // so its documentation has it
		trusted := who.Equals(user.User.Sid) || who.IsWellKnown(windows.WinLocalSystemSid) || who.IsWellKnown(windows.WinBuiltinAdministratorsSid)
		if ace.Header.AceType != windows.ACCESS_ALLOWED_ACE_TYPE || !trusted {
			return "its access list has " + access.String()
		}
	}
	return ""
}

// processOf asks the process itself: an ended process keeps its id while another program has a handle to it.
// It returns no birth, since the start is exact and does not change when the clock is set.
func processOf(pid int) (start time.Time, birth string, ok bool) {
	p, err := windows.OpenProcess(windows.SYNCHRONIZE|windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return time.Time{}, "", false // another user's process cannot have left a discovery file of this user's
	}
	defer func() { _ = windows.CloseHandle(p) }()
	if event, err := windows.WaitForSingleObject(p, 0); err != nil || event != uint32(windows.WAIT_TIMEOUT) {
		return time.Time{}, "", false
	}
	var began, ended, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(p, &began, &ended, &kernel, &user); err != nil {
		return time.Time{}, "", true
	}
	return time.Unix(0, began.Nanoseconds()).UTC(), "", true
}
