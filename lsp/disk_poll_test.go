package lsp_test

import (
	"errors"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/patchls/patchls/lsp"
	"github.com/patchls/patchls/lsp/watch"
)

// scarce is a notifier of a system that can watch no more folders, until a request with the number from.
type scarce struct {
	from int

	mu     sync.Mutex
	asked  int
	report func(path string)
}

func (n *scarce) Add(string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.asked++; n.asked < n.from {
		return errors.New("no space left on device")
	}
	return nil
}

// wrote reports a write to path, if the folder is watched.
func (n *scarce) wrote(path string) {
	n.mu.Lock()
	report := n.report
	if n.asked < n.from {
		report = nil
	}
	n.mu.Unlock()
	if report != nil {
		report(path)
	}
}

func (n *scarce) Remove(string) error { return nil }
func (n *scarce) Close() error        { return nil }

// A folder that the system cannot watch is polled while it has unsaved documents, and the log says so once.
func TestAFolderThatCannotBeWatched(t *testing.T) {
	const never = 1 << 30
	for name, c := range map[string]struct {
		from   int  // which request to watch the folder succeeds
		starts int  // which request for a notifier succeeds
		late   bool // the user types after the program has written
	}{
		"no watch is left":                     {from: never, starts: 1},
		"no watch is left, typed later":        {from: never, starts: 1, late: true},
		"no notifier is left":                  {from: never, starts: never},
		"watched later":                        {from: 2, starts: 1},
		"a notifier later":                     {from: 1, starts: 2},
		"watched later, and written meanwhile": {from: 4, starts: 3},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				n, starts := &scarce{from: c.from}, 0 // starts is counted by one goroutine at a time
				d := startPlayerWith(t, lsp.Options{Notify: func(report func(path string)) (watch.Notifier, error) {
					if starts++; starts < c.starts {
						return nil, errors.New("too many open files")
					}
					n.mu.Lock()
					n.report = report
					n.mu.Unlock()
					return n, nil
				}}, "Neovim", `"experimental":{"patchls":{"confirm":true}}`, absorbs("merge"))
				path := filepath.Join(d.root, "a.txt")
				write := func(s string) {
					writeFile(t, path, s)
					n.wrote(path)
				}
				write("one\ntwo\nthree\n")
				b := d.opened(d.file("a.txt"), 1, "one\ntwo\nthree\n")
				d.buffer = b
				d.poll()
				if !c.late {
					d.changed(b, 2, "one\ntwo\nthree, typed\n")
				}
				write("ONE\ntwo\nthree\n")
				d.wait(10 * time.Second)
				if c.late {
					d.changed(b, 2, "one\ntwo\nthree, typed\n")
					d.wait(10 * time.Second)
				}
				d.wantSheet(b, "ONE\ntwo\nthree, typed\n")
				write("ONE and\ntwo\nthree\n")
				d.wait(10 * time.Second)
				d.wantSheet(b, "ONE and\ntwo\nthree, typed\n")
				if n := d.count("window/logMessage", "cannot be watched"); n != 1 {
					t.Errorf("the log said it %d times", n)
				}
			})
		})
	}
}

// Files that are polled together do not look like a checkout if they were written at different times.
func TestPollingOfManyFiles(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startPlayerWith(t, lsp.Options{Notify: func(func(string)) (watch.Notifier, error) { return nil, errors.New("none") }},
			"Neovim", `"experimental":{"patchls":{"confirm":true}}`, absorbs("merge"))
		var open []*sheet
		for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
			writeFile(t, filepath.Join(d.root, name), "one\ntwo\nthree\n")
			open = append(open, d.opened(d.file(name), 1, "one\ntwo\nthree\n"))
			d.poll()
			d.changed(open[len(open)-1], 2, "one\ntwo\nthree, typed\n")
		}
		d.wait(10 * time.Second)
		for i, name := range []string{"a", "b", "c", "d", "e", "f"} {
			d.buffer = open[i]
			writeFile(t, filepath.Join(d.root, name), "ONE\ntwo\nthree\n")
			d.wait(10 * time.Second)
			d.wantSheet(d.buffer, "ONE\ntwo\nthree, typed\n")
		}
	})
}
