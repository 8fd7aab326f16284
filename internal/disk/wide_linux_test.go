package disk

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// wide returns changes of more files than are made durable one by one: in two folders, new ones and removals too.
func wide(t *testing.T, dir string) (changes []*Change) {
	for i := range manyFiles + 2 {
		path := fmt.Sprintf("%s/%d/%d", dir, i%2, i)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		writeFile(t, path, "old\n")
		c := writes(t, path, "new\n")
		c.Remove = i%5 == 0
		changes = append(changes, c)
	}
	return append(changes, writes(t, dir+"/made/1", "new\n"))
}

// Before the first file gets its new text all new texts are durable, and so is the journal; before the journal says that all
// is done, all names are.
func TestAWideSaveIsDurable(t *testing.T) {
	dir := folder(t)
	changes := wide(t, dir)
	var calls []string
	d := Disk{Call: func(op, path string, do func() error) error {
		if filepath.Ext(path) == journalExt {
			op += " journal"
		}
		calls = append(calls, op)
		return do()
	}}
	if _, err := d.Commit(changes...); err != nil {
		t.Fatal(err)
	}
	calls = slices.DeleteFunc(calls, func(op string) bool {
		return !strings.Contains(op, "sync") && op != "exchange" && op != "rename" && op != "link"
	})
	want := "syncfs sync journal sync rename exchange link syncfs sync journal"
	if got := strings.Join(slices.Compact(calls), " "); got != want {
		t.Errorf("the calls are %s, want %s", got, want)
	}
}

// A process that dies during a wide save, at any of the calls that are tried, leaves all files old or all new, once the next one has begun.
func TestAWideSaveThatIsKilled(t *testing.T) {
	var outcomes [2]int
	for n := 0; ; n += 17 {
		dir := folder(t)
		changes := wide(t, dir)
		c := &crash{t, dir, snapshot(t, dir)}
		err := c.dies(n, changes...)
		c.next(nil).Recover()
		now := snapshot(t, dir)
		if maps.Equal(now, c.before) {
			outcomes[0]++
		} else if rows := fmt.Sprint(now); strings.Contains(rows, "old") || now[dir+"/made/1"] == "" || len(now) == len(c.before) {
			t.Errorf("killed at call %d, the save is half done: %s", n, rows)
		} else {
			outcomes[1]++
		}
		c.nothingLeft()
		if err == nil {
			break
		}
	}
	if outcomes[0] == 0 || outcomes[1] == 0 {
		t.Errorf("of the saves %d were undone and %d done; want some of each", outcomes[0], outcomes[1])
	}
}
