package headless

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/patchls/patchls/internal/testkit/hostile"
)

// hang is the time after which an operation that must end counts as hung.
const hang = time.Minute

const hostileGreeting = `{"serverInfo":{"name":"patchls","version":"1"},"capabilities":{"positionEncoding":"utf-8","textDocumentSync":{"openClose":true,"change":2,"save":{"includeText":true}},"diagnosticProvider":{},"executeCommandProvider":{"commands":["patchls.view"]}}}`

// hostileServers is the game of hostile servers at the other end of an editor's connection.
func hostileServers(t *testing.T) hostile.Game {
	t.Helper()
	dir := tempDir(t)
	path := filepath.Join(dir, "a.txt")
	world := hostile.World{Root: dir, URIs: []string{"file://" + path, "file://" + filepath.Join(dir, "b.txt"), "untitled:doc"}, Harmless: true}
	return hostile.Game{
		Kind: "wire", Corpus: "../../testdata/corpus",
		Draw: func(d *hostile.Dice) []hostile.Step { return hostile.Server(d, world, hostileGreeting) },
		Play: func(_ *testing.T, steps []hostile.Step) error {
			if err := os.WriteFile(path, []byte("one\ntwo\n"), 0o600); err != nil {
				return err
			}
			done := make(chan error, 1)
			go func() { done <- sufferServer(path, steps) }()
			select {
			case err := <-done:
				return err
			case <-time.After(hang):
				return errors.New("the editor does not come to an end")
			}
		},
	}
}

// sufferServer makes an editor do what editors do, connected to a hostile server. The
// error is the harm that was done, nil if none.
func sufferServer(path string, steps []hostile.Step) error {
	ours, theirs := net.Pipe()
	over, served := make(chan struct{}), make(chan struct{})
	go func() { hostile.Serve(theirs, steps, over); close(served) }()
	defer func() { close(over); <-served }()
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	e, err := Start(ctx, ours, Options{
		Roots: []string{filepath.Dir(path)}, Habits: encodings("utf-8"), CloseTimeout: 20 * time.Millisecond,
	})
	if err != nil {
		return nil // it says so
	}
	defer e.Kill() // a server that does not read blocks what the user types, as it would an editor
	late := time.AfterFunc(100*time.Millisecond, e.Kill)
	defer late.Stop()
	b, err := e.Open(path)
	if err != nil {
		return fmt.Errorf("a file cannot be opened: %w", err)
	}
	if err := b.Insert(0, "typed\n"); err != nil {
		return fmt.Errorf("nothing can be typed: %w", err)
	}
	for _, command := range []string{"patchls.view", "patchls.list"} {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		_, _ = e.Execute(ctx, command, map[string]string{"path": "a.txt"}) // it may fail or not
		cancel()
	}
	_ = e.Close() // it may return an error
	if err := e.conn.Err(); err != nil && strings.Contains(err.Error(), "panicked") {
		return err // what a panic leaves is a connection that has ended
	}
	if was, err := os.ReadFile(path); err != nil || string(was) != "one\ntwo\n" {
		return fmt.Errorf("a file became %q, which nobody has saved: %w", was, err)
	}
	return nil
}

// TestHostileServer: whatever the server does, the editor goes on, and its requests
// end.
func TestHostileServer(t *testing.T) { hostileServers(t).Hunt(t) }

func TestHostileServerCorpus(t *testing.T) { hostileServers(t).Replay(t) }
