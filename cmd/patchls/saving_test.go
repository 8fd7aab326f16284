package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/agent/words"
	"github.com/patchls/patchls/internal/testkit/liveeditor"
	"github.com/patchls/patchls/lsp"
	"github.com/patchls/patchls/lsp/transaction"
)

// A command that is cancelled, at any moment, is saved whole or not at all: nothing of it is
// left for the next command to save.
func TestNothingIsLeftOfACancelledCommand(t *testing.T) {
	root := liveeditor.Folder(t, map[string]string{"a.txt": ""})
	s, err := embedded(t.Context(), root, nil, lsp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.saves = true
	defer func() { _ = s.Close() }()
	edit := func(ctx context.Context, command string, arguments map[string]any) error {
		arguments["path"] = "a.txt"
		_, err := s.Execute(ctx, agent.Call{Command: command, Arguments: arguments})
		return err
	}
	write := func(ctx context.Context, line string) error {
		return edit(ctx, "write", map[string]any{"content": strings.Repeat(line, 2000)})
	}
	begin := time.Now()
	if err := write(t.Context(), "first\n"); err != nil {
		t.Fatal(err)
	}
	took := time.Since(begin)
	const moments = 30
	for i := range moments {
		after, line := took*time.Duration(i)/moments, fmt.Sprintf("line %d\n", i)
		ctx, cancel := context.WithTimeout(t.Context(), after)
		err := write(ctx, line)
		cancel()
		saved := strings.Contains(liveeditor.OnDisk(t, filepath.Join(root, "a.txt")), line)
		if (err == nil) != saved {
			t.Fatalf("cancelled after %v of %v: error %v, saved %t", after, took, err, saved)
		}
		if err := edit(t.Context(), "insert", map[string]any{"after_line": 0, "content": "next"}); err != nil {
			t.Fatal(err)
		}
		if later := strings.Contains(liveeditor.OnDisk(t, filepath.Join(root, "a.txt")), line); saved != later {
			t.Fatalf("cancelled after %v of %v: error %v, saved %t, then %t", after, took, err, saved, later)
		}
	}
}

// TestTwoProcessesEditOneFile: each waits for the few milliseconds that the other one takes, and is refused nothing.
func TestTwoProcessesEditOneFile(t *testing.T) {
	const edits = 40
	lines := func(word string) (all string) {
		for i := range 2 * edits {
			all += fmt.Sprintf("%d %s\n", i, word)
		}
		return all
	}
	root := liveeditor.Folder(t, map[string]string{"a.txt": lines("old")})
	var both sync.WaitGroup
	for who := range 2 {
		c, cmd := startMCPProcess(t, t.Output(), "--editor", "headless", "--root", root)
		both.Go(func() {
			for i := range edits {
				line := fmt.Sprintf("\n%d ", 2*i+who)
				if who+i == 0 {
					line = "0 "
				}
				if a := c.call("str_replace", map[string]any{"path": "a.txt", "old_str": line + "old\n", "new_str": line + "new\n"}); a.IsError {
					t.Error(a.Content[0].Text)
				}
			}
			_ = c.in.(io.Closer).Close()
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	if got := liveeditor.OnDisk(t, filepath.Join(root, "a.txt")); got != lines("new") {
		t.Errorf("the file has\n%s", got)
	}
}

// The files that a failed command had open are closed, so that the next command reads the disk.
func TestAFailedCommandLeavesNoBuffers(t *testing.T) {
	root := liveeditor.Folder(t, map[string]string{"a.txt": "one\n"})
	s, err := embedded(t.Context(), root, nil, lsp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.saves = true
	defer func() { _ = s.Close() }()
	if _, err := s.Open(filepath.Join(root, "a.txt")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Execute(t.Context(), agent.Call{Command: "str_replace", Arguments: map[string]any{"path": "a.txt", "old_str": "two"}}); err == nil {
		t.Error("no error")
	}
	if open := s.Buffers(); len(open) > 0 {
		t.Errorf("open is %s", open[0].URI())
	}
}

// TestAnIDNamesOneEdit: after a restart of the server, the id of an earlier edit is not that of a new one.
func TestAnIDNamesOneEdit(t *testing.T) {
	root := liveeditor.Folder(t, map[string]string{"menu.txt": menu})
	var ids []string
	for range 2 {
		e, err := embedded(t.Context(), root, nil, lsp.Options{})
		if err != nil {
			t.Fatal(err)
		}
		run := func(command string, args map[string]any) (made transaction.Result, err error) {
			raw, err := e.Execute(t.Context(), agent.Call{Command: command, Arguments: args})
			if err == nil {
				err = json.Unmarshal(raw, &made)
			}
			return made, err
		}
		made, err := run("write", map[string]any{"path": "menu.txt", "content": "tea\n"})
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range ids {
			if _, err := run("undo", map[string]any{"edit_id": id}); !words.IsKind(err, "nothing_to_undo") {
				t.Errorf("undo of %s, after %s: got %v, want nothing_to_undo", id, made.EditID, err)
			}
		}
		ids = append(ids, made.EditID)
		_ = e.Close()
	}
}
