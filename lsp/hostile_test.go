package lsp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/patchls/patchls/internal/testkit/hostile"
	"github.com/patchls/patchls/lsp"
)

const hostileCorpus = "../testdata/corpus"

// hastened is a clock by which delays are over soon: no peer at the other end needs
// them.
func hastened(d time.Duration) <-chan time.Time { return time.After(d / 1000) }

// hostileSchemas returns the schemas of the commands' arguments, by command name.
func hostileSchemas() (names []string, schemas map[string]hostile.Schema) {
	raw, err := os.ReadFile("../docs/commands.schema.json")
	var file struct {
		Defs map[string]hostile.Schema `json:"$defs"`
	}
	if err == nil {
		err = json.Unmarshal(raw, &file)
	}
	if err != nil {
		panic(err)
	}
	for i := range lsp.Commands {
		names = append(names, lsp.Commands[i].Name)
	}
	return names, file.Defs
}

// hostileCalls returns what draws commands about files of those names.
func hostileCalls(words hostile.Words) func(d *hostile.Dice) string {
	names, schemas := hostileSchemas()
	return func(d *hostile.Dice) string {
		name := "patchls." + hostile.Pick(d, names)
		return fmt.Sprintf(`{"command":%q,"arguments":[%s]}`, name, schemas[name].Arguments(d, words))
	}
}

func hostileWords(paths ...string) hostile.Words {
	lines := []string{"one", "two", "three", "line of text", ""}
	return hostile.Words{
		Paths:   append([]string{"sub/new.txt", "none.txt", "sub", "", "../outside.txt", "untitled:doc"}, paths...),
		Texts:   []string{"one", "two\n", "three\nfour", "", "line of text\n", "x", "\r\n", "😀", "… ...", "create", "view", "str_replace"},
		Patches: func(d *hostile.Dice) string { return hostile.Patch(d, paths, lines) },
	}
}

// hostileEditors are editors that do anything, each with a server of its own.
func hostileEditors(root string) hostile.Game {
	world := hostile.World{
		Root: root, URIs: []string{"untitled:doc", "file://" + root + "/a.txt", "file://" + root + "/b.txt", "file:///elsewhere.txt", "patchls-diff:/a.txt"},
		Call: hostileCalls(hostileWords("a.txt", "b.txt")),
	}
	return hostile.Game{
		Kind: "editor", Corpus: hostileCorpus,
		Draw: func(d *hostile.Dice) []hostile.Step { return hostile.Editor(d, world) },
		Play: func(_ *testing.T, steps []hostile.Step) error {
			for _, name := range []string{"a.txt", "b.txt"} {
				if err := os.WriteFile(filepath.Join(root, name), []byte("one\ntwo\nthree\n"), 0o644); err != nil {
					return err
				}
			}
			ours, theirs := net.Pipe()
			log, done := &lockedLog{}, make(chan error, 1)
			go func() {
				done <- lsp.Serve(context.Background(), ours, lsp.Options{
					Log: slog.New(slog.NewTextHandler(log, nil)), After: hastened, Bounds: map[string]int64{"max_message_bytes": 1 << 20},
					ParentAlive: func(int) bool { return true },
				})
			}()
			err := newHostilePeer(theirs).play(steps)
			return errors.Join(err, ended(done), wellLogged(log))
		},
	}
}

// ended waits until a server has ended.
func ended(done <-chan error) error {
	select {
	case <-done:
		return nil
	case <-time.After(hang):
		return errors.New("the server goes on without its client")
	}
}

// wellLogged looks for faults of the server that only the log shows.
func wellLogged(log *lockedLog) error {
	if text := log.String(); strings.Contains(text, "internal error") || strings.Contains(text, "level=ERROR") {
		return fmt.Errorf("the log has a fault of the server:\n%s", text)
	}
	return nil
}

// hunt plays the game g, and checks that nothing of it is left running.
func hunt(t *testing.T, g hostile.Game) {
	t.Helper()
	g.Hunt(t)
	if err := goleak.Find(); err != nil {
		t.Error(err)
	}
}

// TestHostileEditor: whatever an editor does, the server answers each request once, or
// ends when the connection cannot be read any more.
func TestHostileEditor(t *testing.T) { hunt(t, hostileEditors(t.TempDir())) }

func TestHostileEditorCorpus(t *testing.T) { hostileEditors(t.TempDir()).Replay(t) }

func FuzzHostileEditor(f *testing.F) { hostileEditors(f.TempDir()).Fuzz(f) }
