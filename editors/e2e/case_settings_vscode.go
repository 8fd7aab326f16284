//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/patchls/patchls/lsp/transaction"
)

// workspaceSettings: settings that come with a folder start no program and lift no bound;
// they only make bounds stricter.
func workspaceSettings(t *trial) {
	t.write("a.txt", oneTwo)
	t.write("mine/b.txt", oneTwo)
	t.open("a.txt")
	outside := filepath.Join(t.seat.home(), "outside.txt")
	t.must("files", t.seat.write("outside.txt", "outside\n"))
	started := t.path("started")
	t.write("program", "#!/bin/sh\ntouch "+started+"\n")
	t.must("files", os.Chmod(t.path("program"), 0o755)) //nolint:gosec // a program is to be run
	settings := filepath.Join(t.seat.workspace(), ".vscode", "settings.json")
	t.must("files", os.MkdirAll(filepath.Dir(settings), 0o755))
	t.must("files", os.WriteFile(settings, fmt.Appendf(nil, `{"patchls.path": %q, "patchls.allowOutsideWorkspace": true, "patchls.bounds": {"max_history_bytes": 4096},
		"patchls.maxDocumentBytes": 1, "patchls.protectedPaths": ["mine"]}`, t.path("program")), 0o644))
	defer func() { t.check("files", os.RemoveAll(filepath.Dir(settings))) }()

	view := func(path string) (kind string) {
		var v seen
		if err := t.agent.execute("view", args{"path": path}, &v); err != nil {
			kind = kindOf(err)
		}
		return kind
	}
	t.must("stricter", until(settleTime, func() error { return wants(view(t.path("mine/b.txt")), "protected") }))
	t.check("outside", wants(view(outside), "outside_workspace"))
	t.check("still protected", wants(view(filepath.Join(t.seat.workspace(), ".git", "config")), "protected"))
	t.check("documents", wants(view(t.path("a.txt")), ""))
	var r transaction.Result
	t.must("edit", t.agent.execute("write", args{"path": t.path("a.txt"), "content": strings.Repeat("another line\n", 2000)}, &r))
	t.check("history", t.agent.execute("undo", args{}, &r)) // of more than 4096 bytes
	if _, err := os.Stat(started); !errors.Is(err, os.ErrNotExist) {
		t.check("program", fmt.Errorf("the program of the workspace was started (%w)", err))
	}
}

func wants(got, want string) error {
	if got != want {
		return fmt.Errorf("the answer is of kind %q, want %q", got, want)
	}
	return nil
}

// guardedFile: an agent that writes the settings of the workspace has the user asked.
func guardedFile(t *trial) {
	t.write("a.txt", oneTwo)
	t.open("a.txt")
	q := t.agent.sends(context.Background(), "create", args{"path": t.path(".vscode/settings.json"), "content": "{\"patchls.path\": \"/x\"}\n"})
	t.must("question", until(settleTime, func() error {
		asked, err := t.asked()
		if err == nil && (len(asked) != 1 || !strings.Contains(asked[0], "settings.json") || !strings.Contains(asked[0], "is protected: VS Code takes settings from it")) {
			err = fmt.Errorf("asked %q", asked)
		}
		return err
	}))
	t.chooses("Reject")
	<-q.done
	t.check("rejected", wants(kindOf(q.err), "rejected_by_editor"))
	t.check("disk", t.disk(".vscode/settings.json", absent))
	t.check("closed", t.unasked())
}
