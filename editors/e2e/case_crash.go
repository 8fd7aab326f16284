//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/patchls/patchls/agent"
)

// serverCrash: the server dies. The buffers stay, a new server is started, and agents
// find it: those in the plugin's terminals, which know its window by name, and all others.
func serverCrash(t *trial) {
	t.write("a.txt", "one\ntwo\n")
	t.open("a.txt")
	t.types("a.txt", 1, 1, "typed ")
	t.must("rest", t.Rest())
	t.edit("str_replace", args{"path": t.path("a.txt"), "old_str": "two", "new_str": "2"})
	window, err := t.killServer()
	t.must("server is killed", err)
	if t.plugin && window == "" {
		t.must("window", errors.New("the server does not know its name"))
	}
	t.must("variable", os.Setenv("PATCHLS_SOCKET", window))
	defer func() { _ = os.Setenv("PATCHLS_SOCKET", "") }()
	t.check("text", t.same("a.txt", "typed one\n2\n"))
	limit := time.Second
	if t.plugin {
		limit = 20 * time.Second
	}
	t.must("a new server", until(limit, func() error { return t.tellsAgents("a.txt") }))
	t.edit("str_replace", args{"path": t.path("a.txt"), "old_str": "one", "new_str": "1"})
	t.check("text again", t.same("a.txt", "typed 1\n2\n"))
	t.check("disk unchanged", t.disk("a.txt", "one\ntwo\n"))
}

// killServer kills the server, and returns what the editor calls its window, "" without a plugin.
func (t *trial) killServer() (window string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), commandTime)
	defer cancel()
	conn, _, err := t.agent.finder.Find(ctx, t.folder, agent.About{Files: []string{"a.txt"}})
	if err != nil {
		return "", err
	}
	return conn.Live().Window, syscall.Kill(conn.Live().PID, syscall.SIGKILL)
}

// killed: the editor dies in the middle of an agent's work. The agent is told, and disk
// has what it had.
func killed(t *trial) {
	text := strings.Repeat("one\n", 50)
	t.write("a.txt", text)
	t.open("a.txt")
	t.types("a.txt", 1, 1, "typed ")
	t.must("rest", t.Rest())
	failed := make(chan error, 1)
	first := make(chan struct{})
	go func() {
		var err error
		for i := 0; err == nil; i++ {
			_, err = t.agent.edit("insert", args{"path": t.path("a.txt"), "after_line": 1, "content": fmt.Sprint("line ", i)})
			if i == 2 {
				close(first)
			}
		}
		failed <- err
	}()
	select {
	case <-first:
		t.must("kill", t.Kill())
	case err := <-failed:
		failed <- err
	}
	err := errors.New("the agent waits for an answer for ever")
	select {
	case err = <-failed:
		if gone(err) {
			err = nil
		}
	case <-time.After(commandTime):
	}
	t.check("agent is told", err)
	t.check("disk unchanged", t.disk("a.txt", text))
	t.check("no editor is found", until(settleTime, t.unfound))
}

func (t *trial) unfound() error {
	switch _, err := t.agent.view("a.txt"); {
	case err == nil:
		return errors.New("an editor answers")
	case !gone(err):
		return fmt.Errorf("an editor answers: %w", err)
	}
	return nil
}
