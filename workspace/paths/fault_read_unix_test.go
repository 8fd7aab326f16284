//go:build unix

package paths

import (
	"os"
	"strings"
	"syscall"
	"testing"
)

// TestFaultReadClosed: while a file is constantly replaced by other texts, by an empty
// one, a pipe, a folder and links to outside, a reader gets either one of the texts whole
// or an error. It gets nothing from outside, and never waits for the other end of a pipe.
func TestFaultReadClosed(t *testing.T) {
	dir := newFolder(t)
	texts := []string{strings.Repeat("one\n", 9000), "two\n", ""}
	path := dir.add(t, "work/d/a.txt", texts[0])
	dir.add(t, "secret/a.txt", "secret")
	next := dir.path("work/next")
	put := func(made error) error {
		if made != nil {
			return made
		}
		_ = os.RemoveAll(path) // a folder is not replaced
		return os.Rename(next, path)
	}
	swaps := []func() error{
		func() error { return put(os.WriteFile(next, []byte(texts[0]), 0o644)) },
		func() error { return put(os.WriteFile(next, []byte(texts[1]), 0o644)) },
		func() error { return put(os.WriteFile(next, nil, 0o644)) },
		func() error { return put(syscall.Mkfifo(next, 0o644)) },
		func() error { return put(os.Mkdir(next, 0o755)) },
		func() error { return put(os.Symlink(dir.path("secret/a.txt"), next)) },
		func() error { return os.RemoveAll(path) },
	}
	policy, target := folder(dir.path("work")).resolved(t, Policy{}, "d/a.txt")
	const reads = 3000
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for i := 0; ; i++ {
			if err := swaps[i%len(swaps)](); err != nil {
				t.Errorf("swap %d: %v", i%len(swaps), err)
				return
			}
			select {
			case <-stop:
				return
			default:
			}
		}
	}()
	whole, refused := 0, 0
	for range reads {
		f, err := policy.ReadClosed(target)
		switch got := f.Text.String(); {
		case err != nil:
			refused++
		case got == texts[0] || got == texts[1] || got == texts[2]:
			whole++
		default:
			t.Fatalf("read %d bytes, beginning with %.20q", len(got), got)
		}
	}
	close(stop)
	<-stopped
	t.Logf("%d reads while the file was replaced: %d whole, %d refused, lost 0", reads, whole, refused)
}
