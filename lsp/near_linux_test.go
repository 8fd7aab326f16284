package lsp_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/internal/testkit/headless"
)

// TestNothingIsSearchedForWhatIsNotShown: the search for the nearest paths reads the folders of a workspace. It is made for an
// error that names them, for a few files of a patch at most, and not where a file is missing that is about to be made.
func TestNothingIsSearchedForWhatIsNotShown(t *testing.T) {
	parts := func(form string) string {
		var patch strings.Builder
		for i := range 40 {
			fmt.Fprintf(&patch, form, i)
		}
		return "*** Begin Patch\n" + patch.String() + "*** End Patch\n"
	}
	const update, add = "*** Update File: new/%d.txt\n@@\n-old\n+new\n", "*** Add File: new/%d.txt\n+new\n"
	moves := strings.ReplaceAll(parts("*** Update File: old/%[1]d.txt\n*** Move to: is/%[1]d.txt\n@@\n-old\n+new\n"), "is/", "a/")
	for name, tt := range map[string]struct {
		command string
		args    args
		kind    edits.Kind // of the error
		want    int        // searches
	}{
		"view":              {"view", args{"path": "b.txt"}, edits.FileNotFound, 1},
		"str_replace":       {"str_replace", args{"path": "b.txt", "old_str": "a", "new_str": "b"}, edits.FileNotFound, 1},
		"create":            {"create", args{"path": "b.txt", "content": "b"}, "", 0},
		"write":             {"write", args{"path": "b.txt", "content": "b"}, "", 0},
		"text_editor":       {"text_editor", args{"action": "write", "path": "b.txt", "content": "b"}, "", 0},
		"write_file":        {"write_file", args{"path": "b.txt", "content": "b"}, "", 0},
		"document":          {"document", args{"uri": "b.txt"}, edits.FileNotFound, 0},
		"files are added":   {"apply_patch", args{"patch": parts(add)}, "", 0},
		"one is in the way": {"apply_patch", args{"patch": parts(add) + "*** Begin Patch\n*** Add File: a.txt\n+new\n*** End Patch\n"}, edits.AlreadyExists, 0},
		"files are missing": {"apply_patch", args{"patch": parts(update)}, edits.FileNotFound, 6},
		"files are gone":    {"apply_patch", args{"patch": parts("*** Delete File: new/%d.txt\n")}, edits.FileNotFound, 6},
		"files are moved":   {"apply_patch", args{"patch": moves}, edits.FileNotFound, 6},
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, map[string]string{"a.txt": "a\n", "sub/deep/quite_another_name.md": "c\n"}, headless.Options{})
			searches := searches(t, s.path("sub/deep"))
			_, err := s.Execute(t.Context(), "patchls."+tt.command, tt.args)
			if (err != nil) != (tt.kind != "") || err != nil && !strings.Contains(fmt.Sprint(failureOf(t, nil, err)), string(tt.kind)) {
				t.Errorf("got %v, want %q", err, tt.kind)
			}
			if got := searches(); got != tt.want {
				t.Errorf("%d searches, want %d", got, tt.want)
			}
		})
	}
}

// searches returns a function that says how many times a folder was read.
func searches(t *testing.T, folder string) func() int {
	t.Helper()
	fd, err := syscall.InotifyInit1(syscall.IN_CLOEXEC | syscall.IN_NONBLOCK)
	if err != nil {
		t.Fatal(err)
	}
	queue := os.NewFile(uintptr(fd), "inotify")
	t.Cleanup(func() { _ = queue.Close() })
	if _, err := syscall.InotifyAddWatch(fd, folder, syscall.IN_OPEN|syscall.IN_CLOSE_NOWRITE|syscall.IN_ONLYDIR); err != nil {
		t.Fatal(err)
	}
	return func() (n int) {
		buf := make([]byte, 64<<10)
		for {
			got, err := syscall.Read(fd, buf)
			if errors.Is(err, syscall.EAGAIN) {
				return n
			}
			if err != nil {
				t.Fatal(err)
			}
			for event := buf[:got]; len(event) >= syscall.SizeofInotifyEvent; {
				if binary.NativeEndian.Uint32(event[4:])&syscall.IN_OPEN != 0 { // the closing keeps two of them apart
					n++
				}
				event = event[syscall.SizeofInotifyEvent+binary.NativeEndian.Uint32(event[12:]):]
			}
		}
	}
}
