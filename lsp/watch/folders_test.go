package watch_test

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/patchls/patchls/lsp/host"
	"github.com/patchls/patchls/lsp/watch"
	"github.com/patchls/patchls/workspace/paths"
)

// system is a notifier that watches no folder in refused, and writes down what it was asked.
type system struct {
	mu      sync.Mutex
	refused map[string]error
	asked   []string
}

// note writes down what was done. It returns how a folder is refused, nil if it is not.
func (s *system) note(verb, folder string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, strings.TrimSpace(verb+" "+folder))
	return s.refused[folder]
}

func (s *system) Add(folder string) error {
	return s.note("add", filepath.Base(folder))
}

func (s *system) Remove(folder string) error {
	_ = s.note("remove", filepath.Base(folder))
	return errors.New("it is not there any more")
}

func (s *system) Close() error {
	return s.note("close", "")
}

// TestFolders opens and closes documents, and compares what the system was asked, which folders were polled, and what was logged.
func TestFolders(t *testing.T) {
	full := errors.New("too many are watched")
	for _, tt := range []struct {
		name    string
		refused map[string]error
		start   error  // of the first start
		none    bool   // there is no notifier
		acts    string // "+a/x" opens x in the folder a, "-a/x" closes it, "." lets four seconds pass, "ok" refuses nothing any more, "end" ends
		want    string
		warned  bool
	}{
		{name: "one document", acts: "+a/x -a/x", want: "add a, then x, remove a"},
		{name: "two documents of a folder", acts: "+a/x +a/y -a/x", want: "add a, then x, add a, then y, add a"},
		{name: "two folders", acts: "+a/x +b/x -a/x", want: "add a, then x, add b, then x, remove a"},
		{name: "a folder that cannot be watched", refused: map[string]error{"b": full}, acts: "+a/x +b/x .", want: "add a, then x, add b, then x, add b, poll b", warned: true},
		{name: "a folder that can be watched later", refused: map[string]error{"b": full}, acts: "+b/x . ok . .", want: "add b, then x, add b, poll b, add b, poll b", warned: true},
		{name: "a folder that is not there yet", refused: map[string]error{"b": fs.ErrNotExist}, acts: "+b/x .", want: "add b, then x, add b, poll b"},
		{name: "a folder that cannot be watched, closed", refused: map[string]error{"b": full}, acts: "+b/x -b/x . .", want: "add b, then x, remove b", warned: true},
		{name: "the system does not start at first", start: full, acts: "+a/x .", want: "then x, add a, poll a", warned: true},
		{name: "there is no notifier", none: true, acts: "+a/x -a/x .", want: "then x"},
		{name: "after the end", acts: "+a/x end +b/x -a/x", want: "add a, then x, close, then x"},
		{name: "the end before the beginning", acts: "end", want: ""},
		{name: "a document that is no file", acts: "+untitled:x -untitled:x", want: ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, end := context.WithCancel(t.Context())
				defer end()
				root := t.TempDir()
				s := &system{refused: tt.refused}
				var log strings.Builder
				f := &watch.Folders{
					Host: &host.Host{Base: ctx, After: time.After, Log: slog.New(slog.NewTextHandler(&log, nil))},
					Start: func() (watch.Notifier, error) {
						err := tt.start
						if tt.start = nil; err != nil || tt.none {
							return nil, err
						}
						return s, nil
					},
					Poll: func(folders []string) {
						slices.Sort(folders)
						var names []string
						for _, folder := range folders {
							names = append(names, filepath.Base(folder))
						}
						_ = s.note("poll", strings.Join(names, " "))
					},
				}
				for act := range strings.FieldsSeq(tt.acts) {
					key := paths.Key(act[1:])
					if !strings.HasPrefix(act[1:], "untitled:") {
						key = paths.FileKey(filepath.Join(root, filepath.FromSlash(act[1:])))
					}
					switch {
					case act[0] == '+':
						f.Open(key, func() { _ = s.note("then", filepath.Base(act)) })
					case act[0] == '-':
						f.Close(key)
					case act == ".":
						<-time.After(4 * time.Second)
					case act == "ok":
						s.mu.Lock()
						s.refused = nil
						s.mu.Unlock()
					case act == "end":
						f.End()
					}
					synctest.Wait()
				}
				s.mu.Lock()
				defer s.mu.Unlock()
				if got := strings.Join(s.asked, ", "); got != tt.want {
					t.Errorf("%s: it did %q, want %q", tt.acts, got, tt.want)
				}
				if warned := strings.Contains(log.String(), "level=WARN"); warned != tt.warned {
					t.Errorf("warned %t, want %t: %s", warned, tt.warned, log.String())
				}
			})
		})
	}
}
