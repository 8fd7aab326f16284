package main

import (
	"errors"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/windows"

	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/internal/testkit/liveeditor"
)

// TestAShareOutsideIsNotLookedAt: opening a share would send the user's credentials to a host that a prompt names. A pipe
// stands in for the share, because a pipe notices that it was opened.
func TestAShareOutsideIsNotLookedAt(t *testing.T) {
	liveeditor.Home(t)
	root := liveeditor.Folder(t, map[string]string{"a.txt": "one\n"})
	liveeditor.Start(t, root, headless.Options{}).Typed("a.txt", "typed\n")
	path, wasLookedAt := witness(t, "blind")
	if _, err := os.Lstat(path); !wasLookedAt() {
		t.Fatalf("the test is blind: %v", err)
	}
	write := func(path string) string {
		return liveeditor.Question(t, root, "PreToolUse", "Write", map[string]any{"tool_input": map[string]any{"file_path": path}})
	}
	for name, args := range map[string][]string{
		"server": {"call", "view", "path=PATH", "--root", root},
		"finder": {"call", "view", "path=PATH", "--root", t.TempDir()}, // it asks the editor whether that has it open
		"hook":   {"hook", "claude"},
	} {
		t.Run(name, func(t *testing.T) {
			path, wasLookedAt := witness(t, name)
			for i := range args {
				args[i] = strings.ReplaceAll(args[i], "PATH", path)
			}
			_, out, errs := commandLine(t, write(path), args...)
			if wasLookedAt() {
				t.Errorf("it was looked at: %s%s", out, errs)
			}
			if name != "hook" && !strings.Contains(errs, "outside") {
				t.Errorf("got %s%s", out, errs)
			}
		})
	}
}

// witness makes a pipe, and reports whether it was opened.
func witness(t *testing.T, name string) (path string, wasLookedAt func() bool) {
	t.Helper()
	path = `\\.\pipe\patchls-witness-` + name
	utf16, err := windows.UTF16PtrFromString(path)
	if err != nil {
		t.Fatal(err)
	}
	pipe, err := windows.CreateNamedPipe(utf16, windows.PIPE_ACCESS_DUPLEX|windows.FILE_FLAG_OVERLAPPED, 0, 1, 0, 0, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = windows.CloseHandle(pipe) })
	return path, func() bool {
		h, err := windows.CreateFile(utf16, windows.GENERIC_READ, 0, nil, windows.OPEN_EXISTING, 0, 0)
		if err == nil {
			_ = windows.CloseHandle(h)
		}
		return errors.Is(err, windows.ERROR_PIPE_BUSY)
	}
}
