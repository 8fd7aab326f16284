package agent

import (
	"bytes"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/windows"

	"github.com/patchls/patchls/internal/contention"
)

// TestADiscoveryFileIsReplacedWhileItIsRead: the writer of the file waits for a reader, and a reader for the writer.
func TestADiscoveryFileIsReplacedWhileItIsRead(t *testing.T) {
	sys := newSystem()
	dir := filepath.Join(t.TempDir(), "editors")
	if err := sys.makePrivate(dir); err != nil {
		t.Fatal(err)
	}
	d := &discovery{Entry: Entry{file: filepath.Join(dir, "1.json")}, Token: "first"}
	if err := d.write(); err != nil {
		t.Fatal(err)
	}
	// hold opens the file, and closes it after the other side has tried some times.
	hold := func(share uint32) {
		name, _ := windows.UTF16PtrFromString(d.file)
		h, err := windows.CreateFile(name, windows.GENERIC_READ, share, nil, windows.OPEN_EXISTING, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(20*contention.Pause, func() { _ = windows.CloseHandle(h) })
	}
	hold(windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE)
	d.Token = "second"
	if err := d.write(); err != nil {
		t.Errorf("it is not replaced while it is read: %v", err)
	}
	hold(0)
	if content, err := sys.readPrivate(d.file); err != nil || !bytes.Contains(content, []byte(d.Token)) {
		t.Errorf("while it is replaced it is read as %q (%v)", content, err)
	}
}
