package disk

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

var saves = flag.Int("saves", 40, "how many saves TestNoSaveIsLost makes")

const saverEnv = "PATCHLS_TEST_SAVER" // what a process of TestNoSaveIsLost adds

// TestNoSaveIsLost: two processes save the same file concurrently, and each appends lines to what
// it read. At the end every line that was reported as saved is in the file exactly once.
func TestNoSaveIsLost(t *testing.T) {
	each := *saves / 2
	if who := os.Getenv(saverEnv); who != "" {
		saveTimes(t, os.Getenv(saverEnv+"_FILE"), who+"\n", each)
		return
	}
	path := writeFile(t, filepath.Join(folder(t), "a.txt"), "")
	var all sync.WaitGroup
	for _, who := range []string{"a", "b"} {
		all.Go(func() {
			saver := exec.Command(os.Args[0], append(os.Args[1:], "-test.run=^TestNoSaveIsLost$")...)
			saver.Env = append(os.Environ(), saverEnv+"="+who, saverEnv+"_FILE="+path)
			if out, err := saver.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	all.Wait()
	f, err := Disk{}.Read(path)
	for _, who := range []string{"a", "b"} {
		if n := strings.Count(f.Text, who+"\n"); n != each {
			t.Errorf("%d of %d saves of %s are there (%v)", n, each, who, err)
		}
	}
	if left := names(t, filepath.Dir(path)); len(left) != 1 {
		t.Errorf("%q are there", left)
	}
}

// saveTimes appends a line the given number of times, retrying each until it is saved.
// Three times in four it waits for its turn, as the embedded editor does.
func saveTimes(t *testing.T, path, line string, times int) {
	t.Helper()
	for saved := 0; saved < times; {
		done := func() {}
		if saved%4 > 0 {
			done = Disk{}.Turn(t.Context())
		}
		f, err := Disk{}.Read(path)
		if err == nil {
			_, err = Disk{}.Commit(&Change{Path: path, Content: []byte(f.Text + line), Old: f.Stamp})
		}
		done()
		_, changed := errors.AsType[*ChangedError](err)
		switch {
		case err == nil:
			saved++
		case !changed && !errors.Is(err, ErrLocked) && !errors.Is(err, fs.ErrNotExist):
			t.Fatal(err)
		}
	}
}
