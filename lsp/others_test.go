package lsp_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/patchls/patchls/internal/testkit/headless"
)

// asksOthers are the other editors: while they are asked, does is done.
type asksOthers struct {
	does  func() error
	asked *[]string
}

func (asksOthers) Close() {}

func (o asksOthers) MayWrite(_ context.Context, path string) error {
	*o.asked = append(*o.asked, filepath.Base(path))
	return o.does()
}

// Other editors are asked before any command makes a file, also one that makes no other change.
func TestOtherEditorsAreAskedBeforeAFileIsMade(t *testing.T) {
	for command, a := range map[string]args{
		"create":      {"path": "new.txt", "content": "new\n"},
		"write":       {"path": "new.txt", "content": "new\n"},
		"apply_patch": addsFiles("new.txt"),
	} {
		var asked []string
		others := asksOthers{func() error { return errors.New("another editor has unsaved text of it") }, &asked}
		s := startBeside(t, others, nil, headless.Options{})
		f := s.fail(command, a)
		if _, err := os.Stat(s.path("new.txt")); err == nil {
			t.Errorf("%s has made the file", command)
		}
		if f.Kind != "rejected_by_editor" || len(asked) != 1 || asked[0] != "new.txt" {
			t.Errorf("%s: %+v, asked about %q", command, f, asked)
		}
	}
}
