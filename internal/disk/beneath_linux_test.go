package disk

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// watch has the system tell whatever is made, changed or removed in dir. It does not tell
// what is opened and read: any process may list the temporary folder.
func watch(t *testing.T, dir string) (fd int) {
	t.Helper()
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		t.Skip("there is no inotify here: ", err)
	}
	t.Cleanup(func() { _ = unix.Close(fd) })
	if _, err := unix.InotifyAddWatch(fd, dir, unix.IN_ATTRIB|unix.IN_CLOSE_WRITE|unix.IN_CREATE|unix.IN_DELETE|unix.IN_MODIFY|unix.IN_MOVE); err != nil {
		t.Skip("there is no inotify here: ", err)
	}
	return fd
}

// seen returns what was done in the folder that is watched.
func seen(t *testing.T, fd int) (events []string) {
	t.Helper()
	buffer := make([]byte, 1<<20)
	n, err := unix.Read(fd, buffer)
	if errors.Is(err, unix.EAGAIN) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	for at := 0; at < n; {
		e := (*unix.InotifyEvent)(unsafe.Pointer(&buffer[at]))
		at += unix.SizeofInotifyEvent
		name := unix.ByteSliceToString(buffer[at : at+int(e.Len)])
		at += int(e.Len)
		events = append(events, fmt.Sprintf("%#x %s", e.Mask, name))
	}
	return events
}

// TestSwappedFolders constantly swaps a folder of the root, or the root, with a link that leads outside, while
// files in the folder are read, created, written and removed. Nothing outside may be read or changed.
func TestSwappedFolders(t *testing.T) {
	t.Run("d", func(t *testing.T) { swapped(t, "/d") })
	t.Run("root", func(t *testing.T) { swapped(t, "") })
}

// swapped swaps a folder of the root; the root if it is "".
func swapped(t *testing.T, name string) {
	t.Helper()
	base := folder(t)
	ws := base + "/ws"
	top := t.TempDir()
	out := top + "/d"
	for _, dir := range []string{ws + "/d", ws + "/d/sub", out + "/sub"} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 3 { // equal texts, so that stamps do not tell the files apart
		writeFile(t, filepath.Join(ws, "d", strconv.Itoa(i)), "one\n")
		writeFile(t, filepath.Join(out, strconv.Itoa(i)), "one\n")
	}
	writeFile(t, filepath.Join(ws, "d", "read"), "inside\n")
	writeFile(t, filepath.Join(out, "read"), "outside\n")
	if err := os.Symlink(top+name, base+"/link"); err != nil {
		t.Fatal(err)
	}
	above, in, sub := watch(t, top), watch(t, out), watch(t, out+"/sub")

	var swaps atomic.Int64
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				if unix.Renameat2(unix.AT_FDCWD, ws+name, unix.AT_FDCWD, base+"/link", unix.RENAME_EXCHANGE) == nil {
					swaps.Add(1)
				}
			}
		}
	}()
	d := Disk{Root: ws}
	saved := 0
	for n := 0; n < 100 || n < 10_000 && (swaps.Load() < 10_000 || saved == 0); n++ {
		saved += meddled(d, ws, n)
		if f, err := d.Read(ws + "/d/read"); err == nil && f.Text != "inside\n" {
			t.Errorf("it read %q", f.Text)
		}
		if _, err := d.Commit(&Change{Path: ws + "/d/read", Content: []byte("inside\n"), Old: StampOf([]byte("outside\n"))}); err == nil {
			t.Error("a file outside was taken for the old one")
		}
	}
	close(stop)
	<-stopped
	if events := slices.Concat(seen(t, above), seen(t, in), seen(t, sub)); len(events) > 0 {
		t.Errorf("outside the root: %q", events[:min(len(events), 20)])
	}
	if saved == 0 {
		t.Error("nothing was saved inside")
	}
	t.Logf("%d swaps, %d saves", swaps.Load(), saved)
}

// meddled tries the n-th save of each kind, and returns how many succeeded.
func meddled(d Disk, ws string, n int) (saved int) {
	dir := ws + "/d/"
	old := dir + strconv.Itoa(n%3)
	stamp := StampOf([]byte("one\n"))
	_, _ = d.Read(old)
	for _, c := range []*Change{
		{Path: old, Content: []byte("one\n"), Old: stamp},
		{Path: fmt.Sprintf("%snew%d", dir, n), Content: []byte("new\n")},
		{Path: fmt.Sprintf("%ssub/deep%d/new", dir, n), Content: []byte("new\n")},
		{Path: fmt.Sprintf("%snew%d", dir, n-1), Remove: true, Old: StampOf([]byte("new\n"))},
	} {
		if _, err := d.Commit(c); err == nil {
			saved++
		}
	}
	return saved
}
