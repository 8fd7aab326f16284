package acp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coder/acp-go-sdk"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/internal/testkit/liveeditor"
	"github.com/patchls/patchls/lsp/view"
	"github.com/patchls/patchls/workspace/paths"
)

const menu = "soup\nbread\ntea\n"

// talk is a client and an agent, with the proxy between them, as bytes.
type talk struct {
	toAgent    io.WriteCloser
	fromAgent  io.Reader
	toClient   io.WriteCloser
	fromClient io.Reader
}

func startTalk(t *testing.T) *talk {
	t.Helper()
	p := newProxy(&agent.Finder{}, "/bin/patchls")
	fromClient, toAgent := io.Pipe()
	atAgent, writesAgent := io.Pipe()
	fromAgent, toClient := io.Pipe()
	atClient, client := io.Pipe()
	p.agent.Writer, p.client.Writer = writesAgent, client
	ends := make(chan error, 2)
	go func() { ends <- p.fromClient(fromClient) }()
	go func() { ends <- p.fromAgent(fromAgent) }()
	t.Cleanup(func() {
		_, _ = toAgent.Close(), toClient.Close()
		for range 2 {
			if err := <-ends; err != io.EOF {
				t.Errorf("it ended with %v", err)
			}
		}
		_, _ = writesAgent.Close(), client.Close()
		p.find.Close()
	})
	return &talk{toAgent, atClient, toClient, atAgent}
}

// acpClient is a client that remembers what it is asked.
type acpClient struct {
	acp.Client
	asked []string
}

func (c *acpClient) ReadTextFile(_ context.Context, r acp.ReadTextFileRequest) (acp.ReadTextFileResponse, error) {
	c.asked = append(c.asked, "read "+filepath.Base(r.Path))
	return acp.ReadTextFileResponse{Content: "the client's"}, nil
}

func (c *acpClient) WriteTextFile(_ context.Context, r acp.WriteTextFileRequest) (acp.WriteTextFileResponse, error) {
	c.asked = append(c.asked, "write "+filepath.Base(r.Path)+" "+r.Content)
	return acp.WriteTextFileResponse{}, nil
}

func (c *acpClient) RequestPermission(_ context.Context, r acp.RequestPermissionRequest) (acp.RequestPermissionResponse, error) {
	c.asked = append(c.asked, "permission "+*r.ToolCall.Title)
	return acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeSelected(r.Options[0].OptionId)}, nil
}

// acpAgent is an agent that remembers the MCP servers of its sessions.
type acpAgent struct {
	acp.Agent
	servers []acp.McpServer
}

func (a *acpAgent) Initialize(context.Context, acp.InitializeRequest) (acp.InitializeResponse, error) {
	return acp.InitializeResponse{ProtocolVersion: acp.ProtocolVersionNumber, AgentInfo: &acp.Implementation{Name: "stand-in", Version: "1"}}, nil
}

func (a *acpAgent) NewSession(_ context.Context, r acp.NewSessionRequest) (acp.NewSessionResponse, error) {
	a.servers = r.McpServers
	return acp.NewSessionResponse{SessionId: "s1"}, nil
}

func (a *acpAgent) LoadSession(_ context.Context, r acp.LoadSessionRequest) (acp.LoadSessionResponse, error) {
	a.servers = r.McpServers
	return acp.LoadSessionResponse{}, nil
}

func (a *acpAgent) ResumeSession(_ context.Context, r acp.ResumeSessionRequest) (acp.ResumeSessionResponse, error) {
	a.servers = r.McpServers
	return acp.ResumeSessionResponse{}, nil
}

func (a *acpAgent) Prompt(context.Context, acp.PromptRequest) (acp.PromptResponse, error) {
	return acp.PromptResponse{StopReason: acp.StopReasonEndTurn}, nil
}

// connected is a client and an agent of the SDK that have greeted each other.
type connected struct {
	*acpClient
	*acpAgent
	toAgent  *acp.ClientSideConnection
	toClient *acp.AgentSideConnection
}

func connect(t *testing.T) *connected {
	t.Helper()
	k := startTalk(t)
	c := &connected{acpClient: &acpClient{}, acpAgent: &acpAgent{}}
	c.toClient = acp.NewAgentSideConnection(c.acpAgent, k.toClient, k.fromClient)
	c.toAgent = acp.NewClientSideConnection(c.acpClient, k.toAgent, k.fromAgent)
	if _, err := c.toAgent.Initialize(t.Context(), acp.InitializeRequest{ProtocolVersion: acp.ProtocolVersionNumber}); err != nil {
		t.Fatal(err)
	}
	return c
}

func (c *connected) read(t *testing.T, path string, lines ...int) string {
	t.Helper()
	r := acp.ReadTextFileRequest{SessionId: "s1", Path: path}
	if len(lines) > 0 {
		r.Line, r.Limit = &lines[0], &lines[1]
	}
	got, err := c.toClient.ReadTextFile(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return got.Content
}

// write returns what the agent is told of an error.
func (c *connected) write(t *testing.T, path, content string) string {
	t.Helper()
	_, err := c.toClient.WriteTextFile(t.Context(), acp.WriteTextFileRequest{SessionId: "s1", Path: path, Content: content})
	if err != nil {
		return err.Error()
	}
	return ""
}

// TestACP: an agent reads and writes the text of a live editor's buffer. Requests for files that no editor has open,
// and all other messages, pass to the client in order.
func TestACP(t *testing.T) {
	liveeditor.Home(t)
	root := liveeditor.Folder(t, map[string]string{"menu.txt": menu, "closed.txt": "x\n"})
	l := liveeditor.Start(t, root, headless.Options{})
	b := l.Typed("menu.txt", "typed\n")
	path := filepath.Join(root, "menu.txt")
	c := connect(t)
	if got := c.read(t, path); got != "typed\n"+menu {
		t.Errorf("it reads %q", got)
	}
	if got := c.read(t, path, 2, 2); got != "soup\nbread\n" {
		t.Errorf("lines 2 and 3 are %q", got)
	}
	if got := c.read(t, path, 9, 2); got != "" {
		t.Errorf("line 9 is %q", got)
	}
	if _, err := c.toAgent.Prompt(t.Context(), acp.PromptRequest{SessionId: "s1", Prompt: []acp.ContentBlock{acp.TextBlock("Cook.")}}); err != nil {
		t.Fatal(err)
	}
	type step struct{ typed, write, want, refused string }
	for _, s := range []step{
		{"", "typed\nsoup\nbread\ngreen tea\n", "typed\nsoup\nbread\ngreen tea\n", ""},
		{"", "typed\nsoup\nbread\ngreen tea\n", "typed\nsoup\nbread\ngreen tea\n", ""}, // once more
		// What the user types elsewhere stays, also where the agent does not read it.
		{"on\n", "typed\nsoup\ndark bread\ngreen tea\n", "on\ntyped\nsoup\ndark bread\ngreen tea\n", ""},
		{"", "typed\nsoup\ndark bread\ngreen tea\ncake", "on\ntyped\nsoup\ndark bread\ngreen tea\ncake", ""},
		// What the user has changed as well is refused.
		{"too ", "written\nsoup\ndark bread\ngreen tea\ncake", "too on\ntyped\nsoup\ndark bread\ngreen tea\ncake", "have changed lines since you read them"},
	} {
		if err := b.Insert(0, s.typed); err != nil {
			t.Fatal(err)
		}
		if said := c.write(t, path, s.write); b.Text() != s.want || (said == "") != (s.refused == "") || !strings.Contains(said, s.refused) {
			t.Errorf("%q: the buffer has %q, want %q, it is told %q", s.write, b.Text(), s.want, said)
		}
	}
	// If the editor reports a change only after the agent has read the text, the server refuses the edit.
	if err := l.Call(t.Context(), "patchls/synced", nil, nil); err != nil { // the server has what was typed before
		t.Fatal(err)
	}
	whole := c.read(t, path)
	if err := b.Replace(0, len("too on"), "gone"); err != nil {
		t.Fatal(err)
	}
	said := c.write(t, path, strings.Replace(whole, "too on", "too late", 1))
	if !strings.Contains(said, "have changed lines since you read them") || strings.Contains(said, "rev") || !strings.HasPrefix(b.Text(), "gone\ntyped\n") {
		t.Errorf("the buffer has %q, it is told %q", b.Text(), said)
	}
	if disk := liveeditor.OnDisk(t, path); disk != menu || !b.Dirty() {
		t.Errorf("the disk has %q", disk)
	}
	var listing view.Listing
	if raw, err := l.Execute(t.Context(), "patchls.list", struct{}{}); err != nil || json.Unmarshal(raw, &listing) != nil || len(listing.Edits) == 0 || listing.Edits[0].Agent != "stand-in" || listing.Edits[0].Prompt != "Cook." {
		t.Errorf("edits %+v (%v)", listing.Edits, err)
	}
	// Requests for files that are not open go to the client, and so does everything else.
	if got := c.read(t, filepath.Join(root, "closed.txt")); got != "the client's" {
		t.Errorf("it reads %q", got)
	}
	if said := c.write(t, filepath.Join(root, "new.txt"), "new"); said != "" {
		t.Error(said)
	}
	if _, err := c.toClient.RequestPermission(t.Context(), acp.RequestPermissionRequest{
		SessionId: "s1", ToolCall: acp.ToolCallUpdate{ToolCallId: "1", Title: new("may I")},
		Options: []acp.PermissionOption{{Kind: acp.PermissionOptionKindAllowOnce, Name: "Yes", OptionId: "yes"}},
	}); err != nil {
		t.Fatal(err)
	}
	l.Stop() // from now on every request goes to the client
	if got := c.read(t, path); got != "the client's" {
		t.Errorf("without an editor it reads %q", got)
	}
	if got, want := fmt.Sprint(c.asked), "[read closed.txt write new.txt new permission may I read menu.txt]"; got != want {
		t.Errorf("the client was asked %s, want %s", got, want)
	}
}

// TestACPOfParts: if an agent reads the disk, its writes count as edits of the file's text, and what the user has typed stays.
// Parts of a text that the agent has read are combined.
func TestACPOfParts(t *testing.T) {
	liveeditor.Home(t)
	root := liveeditor.Folder(t, map[string]string{"menu.txt": "1\n2\n3\n4\n5\n6\n7\n8\n9\n"})
	b := liveeditor.Start(t, root, headless.Options{}).Typed("menu.txt", "typed\n")
	path := filepath.Join(root, "menu.txt")
	c := connect(t)
	if said := c.write(t, path, "1\n2\n3\n4\n5\n6\n7\n8\nnine\n"); said != "" || b.Text() != "typed\n1\n2\n3\n4\n5\n6\n7\n8\nnine\n" {
		t.Errorf("the buffer has %q, it is told %q", b.Text(), said)
	}
	// The agent sees that line 6 has become six, but not the change of line 1.
	if err := b.Insert(0, "on "); err != nil {
		t.Fatal(err)
	}
	if err := b.Replace(strings.Index(b.Text(), "6"), strings.Index(b.Text(), "6")+1, "six"); err != nil {
		t.Fatal(err)
	}
	if got := c.read(t, path, 6, 3); got != "5\nsix\n7\n" {
		t.Errorf("it reads %q", got)
	}
	if said := c.write(t, path, "1\n2\n3\n4\n5\nSIX\n7\n8\nnine\n"); said != "" || b.Text() != "on typed\n1\n2\n3\n4\n5\nSIX\n7\n8\nnine\n" {
		t.Errorf("the buffer has %q, it is told %q", b.Text(), said)
	}
}

// TestACPOfANotebook: a file that a live editor has open as something other than text is refused by name, and neither
// the client nor the disk is asked for it, until it is closed.
func TestACPOfANotebook(t *testing.T) {
	liveeditor.Home(t)
	root := liveeditor.Folder(t, map[string]string{"n.ipynb": "{}\n"})
	l := liveeditor.Start(t, root, headless.Options{})
	path := filepath.Join(root, "n.ipynb")
	l.OpensAs(map[string]string{"n.ipynb": "a notebook"})
	c := connect(t)
	refused := fmt.Sprintf("n.ipynb is open in patchls-headless (pid %d) as a notebook", os.Getpid())
	if _, err := c.toClient.ReadTextFile(t.Context(), acp.ReadTextFileRequest{SessionId: "s1", Path: path}); err == nil || !strings.Contains(err.Error(), refused) {
		t.Errorf("reading: %v", err)
	}
	if said := c.write(t, path, "[]\n"); !strings.Contains(said, refused) {
		t.Errorf("writing: %q", said)
	}
	if len(c.asked) > 0 {
		t.Errorf("the client was asked %q", c.asked)
	}
	l.OpensAs(nil)
	if got := c.read(t, path); got != "the client's" {
		t.Errorf("after it was closed, it reads %q", got)
	}
}

// TestACPOfATextThatIsNotKnown: neither the client nor the disk is asked for a text that may be unsaved. A saved text that the
// server does not show is the client's to read.
func TestACPOfATextThatIsNotKnown(t *testing.T) {
	liveeditor.Home(t)
	root := liveeditor.Folder(t, map[string]string{"menu.txt": menu, ".git/config": "[core]\n"})
	l := liveeditor.Start(t, root, headless.Options{})
	if _, err := l.Open(filepath.Join(root, ".git", "config")); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(root, "menu.txt")
	for _, m := range [][2]string{{"didOpen", `"version":2,"languageId":"x","text":"soup\n"}`}, {"didChange", `"version":1},"contentChanges":[]`}} { // out of order
		if err := l.Notify(t.Context(), "textDocument/"+m[0], json.RawMessage(fmt.Sprintf(`{"textDocument":{"uri":%q,%s}`, paths.FileURI(path), m[1]))); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Call(t.Context(), "patchls/synced", nil, nil); err != nil {
		t.Fatal(err)
	}
	c := connect(t)
	if _, err := c.toClient.ReadTextFile(t.Context(), acp.ReadTextFileRequest{SessionId: "s1", Path: path}); err == nil || !strings.Contains(err.Error(), "menu.txt here is out of step") {
		t.Errorf("reading: %v", err)
	}
	if said := c.write(t, path, "tea\n"); !strings.Contains(said, "menu.txt here is out of step") {
		t.Errorf("writing: %q", said)
	}
	if got := c.read(t, filepath.Join(root, ".git", "config")); got != "the client's" || len(c.asked) != 1 {
		t.Errorf("it reads %q, and the client was asked %q", got, c.asked)
	}
}

// TestACPServers: each session gets patchls mcp, once.
func TestACPServers(t *testing.T) {
	root := t.TempDir()
	c := connect(t)
	other := acp.McpServer{Stdio: &acp.McpServerStdio{Name: "other", Command: "/bin/other", Args: []string{}, Env: []acp.EnvVariable{}}}
	for name, ask := range map[string]func(servers ...acp.McpServer) error{
		"new": func(servers ...acp.McpServer) error {
			_, err := c.toAgent.NewSession(t.Context(), acp.NewSessionRequest{Cwd: root, McpServers: servers})
			return err
		},
		"load": func(servers ...acp.McpServer) error {
			_, err := c.toAgent.LoadSession(t.Context(), acp.LoadSessionRequest{Cwd: root, SessionId: "s1", McpServers: servers})
			return err
		},
		"resume": func(servers ...acp.McpServer) error {
			_, err := c.toAgent.ResumeSession(t.Context(), acp.ResumeSessionRequest{Cwd: root, SessionId: "s1", McpServers: servers})
			return err
		},
	} {
		for _, given := range [][]acp.McpServer{{}, {other}} {
			if err := ask(given...); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if len(c.servers) != len(given)+1 || c.servers[len(given)].Stdio.Name != "patchls" {
				t.Errorf("%s: the agent gets %+v", name, c.servers)
			}
			again := c.servers
			if err := ask(again...); err != nil || fmt.Sprint(len(c.servers)) != fmt.Sprint(len(again)) {
				t.Errorf("%s: a second time it gets %+v (%v)", name, c.servers, err)
			}
		}
	}
}

// TestACPLines: lines are passed on byte for byte, whatever they contain.
func TestACPLines(t *testing.T) {
	liveeditor.Home(t)
	k := startTalk(t)
	atAgent, atClient := bufio.NewReader(k.fromClient), bufio.NewReader(k.fromAgent)
	pass := func(to io.Writer, from *bufio.Reader, lines ...string) {
		t.Helper()
		go func() { _, _ = io.WriteString(to, strings.Join(lines, "\n")+"\n") }()
		for _, line := range lines {
			if got, err := from.ReadString('\n'); got != line+"\n" || err != nil {
				t.Errorf("%s becomes %s (%v)", line, got, err)
			}
		}
	}
	pass(k.toAgent, atAgent,
		`{"jsonrpc": "2.0", "id": 1.50, "method": "initialize", "params": {"protocolVersion": 2, "x": "\u00e9\/"}}`,
		`{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"prompt":[{"type":"new kind","b":1,"a":[ ]}]}}`,
		`not JSON`, ``, `[]`, `{"method":"session/new","params":[]}`, `{"method":"session/new","params":{"mcpServers":7}}`,
	)
	pass(k.toClient, atClient,
		`{"jsonrpc":"2.0","id":1.50,"result":{"protocolVersion": 2,"info":{"name":"a","version":"2"},"capabilities":{"session":{"mcp":{"stdio":{}}}}}}`,
		`{"jsonrpc":"2.0","method":"session/update","params":{"update":{"sessionUpdate":"state_update","state":{"type":"idle"},"patch":{"format":"git_patch"}}}}`,
		`{"jsonrpc":"2.0","id":"p","method":"session/request_permission","params":{"options":[],"new":null}}`,
		`{"jsonrpc":"2.0","id":7,"method":"fs/read_text_file","params":{"path":"relative.txt"}}`,
		`{"jsonrpc":"2.0","id":8,"method":"fs/write_text_file","params":{"path":"/x"}}`,
		`{"jsonrpc":"2.0","id":9,"method":"fs/read_text_file","params":{"sessionId":"s","path":"/not/open","new":1}}`,
		`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s"}}`,
	)
	becomes := func(line string) string {
		go func() { _, _ = io.WriteString(k.toAgent, line+"\n") }()
		got, err := atAgent.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSuffix(got, "\n")
	}
	got := becomes(`{"id":3,"method":"session\/new","params":{"cwd":"/x","mcpServers":[]}}`)
	const own = `{"type":"stdio","name":"patchls","command":"/bin/patchls","args":["mcp"],"env":[]}`
	if want := `{"id":3,"method":"session\/new","params":{"cwd":"/x","mcpServers":[` + own + `]}}`; got != want {
		t.Errorf("it becomes %s", got)
	}
	// The members of these requests may get another order, but all keep their values.
	for line, want := range map[string]string{
		`{"id":4.50,"method":"session/resume","params":{"z":{}, "a" :12345678901234567890}}`:          `{"id":4.50,"method":"session/resume","params":{"a":12345678901234567890,"mcpServers":[` + own + `],"z":{}}}`,
		`{"id":5,"method":"session/new", "params": { } , "x":"<>"}`:                                   `{"id":5,"method":"session/new","params":{"mcpServers":[` + own + `]},"x":"<>"}`,
		`{"id":6,"method":"session/load","params":{"mcpServers": [ {"name":"b"} ] ,"_meta":{"k":1}}}`: `{"id":6,"method":"session/load","params":{"_meta":{"k":1},"mcpServers":[{"name":"b"},` + own + `]}}`,
		`{"id":7,"method":"session/new","params":{"mcpServers":null}}`:                                `{"id":7,"method":"session/new","params":{"mcpServers":[` + own + `]}}`,
		`{"id":8,"method":"session/new"}`:                                                             `{"id":8,"method":"session/new","params":{"mcpServers":[` + own + `]}}`,
	} {
		if got := becomes(line); got != want {
			t.Errorf("%s becomes\n%s, want\n%s", line, got, want)
		}
	}
}
