package paths

import (
	"fmt"
	"os"
	"runtime"
	"testing"

	"github.com/patchls/patchls/edits"
)

// TestLinksOfProcesses: a name is outside if it passes through a link that leads elsewhere in each process, even if it leads
// inside in this one, also where files outside are allowed or the document is open, and if the link is put there later.
func TestLinksOfProcesses(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems have no such links")
	}
	dir := newFolder(t)
	work := folder(dir.path("work"))
	work.add(t, "a.txt", "a\n")
	work.add(t, "d/a.txt", "a\n")
	t.Chdir(string(work))
	f, err := os.Open(string(work))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	fd := f.Fd()
	for link, to := range map[string]string{
		"cwd": "/proc/self/cwd", "chain": "cwd", "up": "/proc/self/cwd/d/..", "root": "/proc/self/root" + string(work), "fd": fmt.Sprintf("/proc/self/fd/%d", fd),
		"dev": fmt.Sprintf("/dev/fd/%d", fd), "thread": "/proc/thread-self/cwd", "number": fmt.Sprintf("/proc/%d/cwd", os.Getpid()),
		"dots": fmt.Sprintf("../../../../../../../../proc/self/fd/%d", fd), "out": "$/../hop", "task": fmt.Sprintf("/proc/self/task/%d/cwd", os.Getpid()),
	} {
		work.link(t, link, to)
	}
	dir.link(t, "hop", "/proc/self/cwd")
	work.link(t, "proc", "/proc/self")
	names := []string{"cwd/a.txt", "cwd/new.txt", "cwd", "chain/a.txt", "up/a.txt", "root/a.txt", "fd/a.txt", "dev/a.txt", "thread/a.txt", "number/a.txt", "dots/a.txt", "out/a.txt", "task/a.txt", "proc/cwd/a.txt", "proc/environ", "/proc/self/cwd/a.txt"}
	for _, name := range names {
		for _, outside := range []bool{false, true} {
			p := Policy{Roots: Pin(string(work)), AllowOutside: outside}
			_, err := p.Resolve(name, nil)
			if !edits.IsKind(err, edits.OutsideWorkspace) {
				t.Errorf("%s, allowed %t: %v", name, outside, err)
			}
		}
		if name[0] == '/' {
			continue
		}
		p, key := Policy{Roots: Pin(string(work))}, FileKey(work.path(name))
		o := NewOpened(key, nil, false)
		for _, op := range []Operation{Access, Compare, Merge, Save} {
			if _, err := p.Reach(p.Target(key, nil), o, op); !edits.IsKind(err, edits.OutsideWorkspace) {
				t.Errorf("%s, open, operation %d: %v", name, op, err)
			}
		}
	}
	p, key := Policy{Roots: Pin(string(work))}, FileKey(work.path("d/a.txt"))
	at, err := p.Reach(p.Target(key, nil), nil, Access)
	if err != nil {
		t.Fatal(err)
	}
	o := NewOpened(key, nil, false)
	_ = os.Rename(work.path("d"), work.path("e"))
	work.link(t, "d", "/proc/self/cwd")
	for _, was := range []*Opened{nil, o} {
		if _, err := p.Reach(at, was, Access); !edits.IsKind(err, edits.OutsideWorkspace) {
			t.Errorf("a link that is put there later: %v", err)
		}
	}
}
