package main

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// asAnotherUser has a test, which root cannot run, run in a process that has become a user with no rights. It reports
// true in that process, where the test goes on. Where there can be no such process, the test is skipped.
func asAnotherUser(t *testing.T) bool {
	t.Helper()
	const nobody, become = 65534, "PATCHLS_TEST_BECOME_NOBODY"
	if os.Getenv(become) != "" {
		if err := syscall.Setresuid(nobody, nobody, nobody); err != nil { // all threads, and root's capabilities go
			t.Skip(err)
		}
		return true
	}
	dir, err := os.MkdirTemp("", "patchls-nobody") //nolint:usetesting // the folder above that of t.TempDir is for root alone
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chown(dir, nobody, nobody); err != nil {
		t.Skip(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.v", "-test.count=1", "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), become+"=1", "TMPDIR="+dir, "HOME="+dir)
	out, err := cmd.CombinedOutput()
	switch said := string(out); {
	case strings.Contains(said, "--- PASS: "+t.Name()):
	case strings.Contains(said, "--- FAIL: "+t.Name()):
		t.Errorf("%v: %s", err, said)
	default:
		t.Skipf("no other user can run it: %v: %s", err, said)
	}
	return false
}
