//go:build unix

package paths

import (
	"net"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
)

// soon fails the test if f blocks.
func soon(t *testing.T, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("it blocks")
	}
}

func TestSpecialFilesAreNotOpened(t *testing.T) {
	dir := newFolder(t)
	if err := syscall.Mkfifo(dir.path("pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	dir.link(t, "link", "pipe")
	l, err := net.Listen("unix", dir.path("socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for name, says := range map[string]string{
		"pipe":   "pipe is a named pipe, not a regular file",
		"link":   "link is a named pipe",
		"socket": "socket is a socket",
	} {
		t.Run(name, func(t *testing.T) {
			p, target := dir.resolved(t, Policy{}, name)
			soon(t, func() { _, err = p.ReadClosed(target) })
			wantKind(t, err, edits.BinaryFile, says)
		})
	}
	t.Run("a device", func(t *testing.T) {
		_, err := Policy{}.ReadClosed(Target{Abs: os.DevNull, Path: os.DevNull})
		wantKind(t, err, edits.BinaryFile, "is a device")
	})
	t.Run("a pipe is no text on disk", func(t *testing.T) {
		soon(t, func() {
			_, target := dir.resolved(t, Policy{}, "pipe")
			if same, exists := SameOnDisk(target, text.New("")); same || !exists {
				t.Errorf("SameOnDisk = %v, %v, want false, true", same, exists)
			}
		})
	})
	// A pipe replaces the file right before it is opened.
	t.Run("an opening that has begun does not block", func(t *testing.T) {
		soon(t, func() {
			if _, _, err := openChecked(dir.path("pipe")); err != errIrregular {
				t.Errorf("error is %v, want %v", err, errIrregular)
			}
		})
	})
}

func TestUnreadable(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may read everything")
	}
	dir := newFolder(t)
	if err := os.Chmod(dir.add(t, "a.txt", ""), 0); err != nil {
		t.Fatal(err)
	}
	p, target := dir.resolved(t, Policy{}, "a.txt")
	_, err := p.ReadClosed(target)
	wantKind(t, err, edits.ReadOnly, "a.txt cannot be read: permission denied")
	p, target = dir.resolved(t, Policy{}, ".")
	if err := os.Chmod(dir.path("."), 0); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(dir.path("."), 0o755)
	_, err = p.List(target)
	wantKind(t, err, edits.ReadOnly, ". cannot be read: permission denied")
	_, err = p.Resolve("a.txt", nil)
	wantKind(t, err, edits.ReadOnly, "a.txt cannot be read: permission denied")
}

// No file is unreadable for root, so the error of the system is simulated.
func TestErrorsOfTheSystem(t *testing.T) {
	for _, tt := range []struct {
		err  error
		kind edits.Kind
		says string
	}{
		{syscall.EACCES, edits.ReadOnly, "a.txt cannot be read: permission denied"},
		{syscall.EIO, edits.ReadOnly, "a.txt cannot be read: input/output error"},
		{syscall.ENOENT, edits.FileNotFound, "File not found: a.txt"},
		{syscall.ENOTDIR, edits.FileNotFound, "File not found: a.txt"},
	} {
		err := Policy{}.readError(Target{Path: "a.txt", Abs: "/gone/a.txt"}, nil, &os.PathError{Op: "open", Path: "/gone/a.txt", Err: tt.err})
		wantKind(t, err, tt.kind, tt.says)
	}
}
