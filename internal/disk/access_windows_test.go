package disk

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/windows"
)

// TestASaveKeepsWhatBelongsToTheFile: what an editor that replaces a file would lose.
func TestASaveKeepsWhatBelongsToTheFile(t *testing.T) {
	for name, of := range map[string]struct {
		give func(t *testing.T, path string, name *uint16) error
		what func(path string) string
		want kind
	}{
		"attributes": {
			func(_ *testing.T, _ string, name *uint16) error {
				return windows.SetFileAttributes(name, windows.FILE_ATTRIBUTE_HIDDEN|windows.FILE_ATTRIBUTE_SYSTEM)
			},
			func(path string) string {
				if info, err := os.Stat(path); err != nil || attributes(info) == 0 {
					return "" // nor does the system keep them here
				}
				return "hidden"
			}, replaces,
		},
		"the time of creation": {
			func(t *testing.T, path string, _ *uint16) error {
				f, err := os.OpenFile(path, os.O_WRONLY, 0)
				if err != nil {
					return err
				}
				defer func() { _ = f.Close() }()
				made := windows.NsecToFiletime(time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC).UnixNano())
				return windows.SetFileTime(windows.Handle(f.Fd()), &made, nil, nil)
			},
			func(path string) string {
				info, err := os.Stat(path)
				if err != nil {
					return err.Error()
				}
				made := info.Sys().(*syscall.Win32FileAttributeData).CreationTime
				if year := time.Unix(0, made.Nanoseconds()).UTC().Year(); year != 2001 {
					return "" // wine has none, but takes one of the others for it
				}
				return "2001"
			}, replaces,
		},
		"an access list of its own": {
			func(t *testing.T, path string, _ *uint16) error {
				user, err := windows.GetCurrentProcessToken().GetTokenUser()
				if err != nil {
					return err
				}
				sd, err := windows.SecurityDescriptorFromString("D:P(A;;FA;;;" + user.User.Sid.String() + ")") // others may read it before
				if err != nil {
					return err
				}
				list, _, err := sd.DACL()
				if err != nil {
					return err
				}
				return windows.SetNamedSecurityInfo(path, windows.SE_FILE_OBJECT, windows.DACL_SECURITY_INFORMATION|windows.PROTECTED_DACL_SECURITY_INFORMATION, nil, nil, list, nil)
			},
			func(path string) string { return accessOf(Disk{}, path) }, fills,
		},
		"another stream": {
			func(_ *testing.T, path string, _ *uint16) error {
				return os.WriteFile(path+":more", []byte("more"), 0o600)
			},
			func(path string) string { content, _ := os.ReadFile(path + ":more"); return string(content) }, fills,
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := writeFile(t, filepath.Join(folder(t), "a.txt"), "old\n")
			c := writes(t, path, "new\n")
			utf16, err := windows.UTF16PtrFromString(path)
			if err != nil {
				t.Fatal(err)
			}
			plain := of.what(path)
			err = of.give(t, path, utf16)
			had := of.what(path)
			if err != nil || had == plain || len(names(t, filepath.Dir(path))) != 1 {
				t.Skipf("this system does not keep it with the file: %v, %q", err, had) // wine 8 no time of creation and no streams
			}
			if _, err := (Disk{}).Commit(c); err != nil {
				t.Fatal(err)
			}
			wantFile(t, path, "new\n")
			if has := of.what(path); has != had || c.step.Kind != of.want {
				t.Errorf("it had %q, and has %q; %s, want %s", had, has, c.step.Kind, of.want)
			}
			if left := names(t, filepath.Dir(path)); len(left) != 1 {
				t.Errorf("%q are there", left)
			}
		})
	}
}
