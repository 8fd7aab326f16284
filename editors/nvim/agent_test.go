//go:build unix

package nvim_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/patchls/patchls/agent"
)

// client is an agent that is connected to the editor by its socket.
type client struct {
	t    *testing.T
	conn *agent.Conn
}

type args map[string]any

// answer is what the tests look at in the result of a command.
type answer struct {
	Message  string
	Applied  bool
	Verified bool
	EditID   string `json:"edit_id"`
	Notes    []string
	Rev      string // of patchls.view
	Text     string // of patchls.view
	Files    []struct {
		Rev   string
		Saved bool
		Open  bool
	}
}

// agent connects an agent to the editor that has the file open.
func (e *editor) agent(file string) *client {
	e.t.Helper()
	e.attached(file)
	finder := agent.Finder{Client: agent.ClientInfo{Name: "a tester"}}
	e.t.Cleanup(finder.Close)
	conn, _, err := finder.Find(e.t.Context(), e.dir, agent.About{Files: []string{e.path(file)}})
	if err != nil {
		e.t.Fatal(err)
	}
	return &client{e.t, conn}
}

// try runs a command and returns its error.
func (c *client) try(command string, arguments args) (answer, error) {
	raw, err := c.conn.Execute(c.t.Context(), agent.Call{Command: command, Arguments: arguments})
	var a answer
	if err == nil {
		err = json.Unmarshal(raw, &a)
	}
	return a, err
}

// call runs a command that must work.
func (c *client) call(command string, arguments args) answer {
	c.t.Helper()
	a, err := c.try(command, arguments)
	if err != nil {
		c.t.Fatalf("%s %v: %v", command, arguments, err)
	}
	return a
}

// edit runs a command that must be seen to have worked.
func (c *client) edit(command string, arguments args) answer {
	c.t.Helper()
	a := c.call(command, arguments)
	if !a.Applied || !a.Verified {
		c.t.Errorf("%s %v: %+v", command, arguments, a)
	}
	return a
}

// sees waits until the server has been told of what was typed, which Neovim does at most
// every 150 ms.
func (c *client) sees(e *editor, file, part string) {
	c.t.Helper()
	e.until("the server to see "+part, func() bool {
		return strings.Contains(c.call("view", args{"path": file}).Text, part)
	})
}
