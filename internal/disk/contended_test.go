package disk

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// TestNoSaveIsLost: of those who save one file at a time each adds a line to what it has read. What was told as saved
// is there at the end, once.
func TestNoSaveIsLost(t *testing.T) {
	path := filepath.Join(folder(t), "a.txt")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	each := 25
	if testing.Short() {
		each = 5
	}
	var all sync.WaitGroup
	for _, who := range []string{"a", "b", "c", "d"} {
		all.Go(func() {
			for saved := 0; saved < each; {
				f, err := Disk{}.Read(path)
				if err != nil {
					continue // it is being replaced
				}
				_, err = Disk{}.Commit(&Change{Path: path, Content: []byte(f.Text + who + "\n"), Old: f.Stamp})
				_, changed := errors.AsType[*ChangedError](err)
				switch {
				case err == nil:
					saved++
				case !changed && !errors.Is(err, ErrLocked):
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	f, err := Disk{}.Read(path)
	for _, who := range []string{"a", "b", "c", "d"} {
		if n := strings.Count(f.Text, who+"\n"); n != each {
			t.Errorf("%d of %d saves of %s are there (%v)", n, each, who, err)
		}
	}
}
