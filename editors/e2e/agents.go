//go:build unix

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/agent/words"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/transaction"
)

// helper is an agent at work in a folder of the workspace. It finds the editor as any
// agent does.
type helper struct {
	folder string
	finder *agent.Finder
	took   []time.Duration // from command to verified answer
}

func newHelper(folder string) *helper {
	return &helper{folder: folder, finder: &agent.Finder{
		Client: agent.ClientInfo{Name: "e2e", Version: "1", Root: folder},
	}}
}

func (h *helper) close() { h.finder.Close() }

type args = map[string]any

// commandTime is longer than the server takes for any answer.
const commandTime = 15 * time.Second

func (h *helper) execute(command string, a args, result any) error {
	ctx, cancel := context.WithTimeout(context.Background(), commandTime)
	defer cancel()
	path, _ := a["path"].(string)
	conn, _, err := h.finder.Find(ctx, h.folder, agent.About{Files: []string{path}})
	if err != nil {
		return err
	}
	raw, err := conn.Execute(ctx, agent.Call{Command: command, Arguments: a})
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, result)
}

// edit runs a command that edits, and sees that it is verified.
func (h *helper) edit(command string, a args) (transaction.Result, error) {
	var r transaction.Result
	began := time.Now()
	err := h.execute(command, a, &r)
	took := time.Since(began)
	switch {
	case err != nil:
		return r, fmt.Errorf("%s: %w", command, err)
	case !r.Applied || !r.Verified:
		return r, fmt.Errorf("%s: applied %t, verified %t: %s %q", command, r.Applied, r.Verified, r.Message, r.Notes)
	}
	h.took = append(h.took, took)
	return r, nil
}

// seen is a text as the server has it.
type seen struct {
	Rev  string `json:"rev"`
	Open bool   `json:"open"`
	Text string `json:"text"`
}

func (h *helper) view(name string) (seen, error) {
	var v seen
	err := h.execute("view", args{"path": filepath.Join(h.folder, name)}, &v)
	return v, err
}

// revOf is the rev of a text, by which a server's answer is held to the editor's text.
func revOf(s string) string { return text.New(s).Hash() }

// kindOf returns the kind of a command's error, "" if no server gave one.
func kindOf(err error) string {
	_, data := words.ErrorData(err)
	return string(data.Kind)
}
