package acp

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

// A line longer than the limit is passed on as it arrives, and is not parsed.
func TestALongLine(t *testing.T) {
	const most = 1 << 20
	long := strings.Repeat("0123456789abcdef", most/8)
	in := "a\n" + long + "b\nc\n" + long
	var out bytes.Buffer
	var seen []string
	err := carry(strings.NewReader(in), &end{Writer: &out}, most, func(line []byte) []byte {
		seen = append(seen, string(line))
		return line
	})
	if !errors.Is(err, io.EOF) || strings.Join(seen, "") != "a\nc\n" {
		t.Errorf("error %v, it looks at %.100q", err, seen)
	}
	if out.String() != in {
		t.Errorf("%d bytes become %d others", len(in), out.Len())
	}
}

// A failed write ends the proxy.
func TestAnEndThatDoesNotRead(t *testing.T) {
	r, w := io.Pipe()
	_ = r.Close()
	same := func(line []byte) []byte { return line }
	for _, in := range []string{"a\n", strings.Repeat("a", 1<<20)} {
		if err := carry(strings.NewReader(in+"\nb\n"), &end{Writer: w}, 1<<10, same); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("error %v", err)
		}
	}
}

// Sessions whose names begin alike are two conversations, which are told apart by the first word.
func TestActorsOfSessions(t *testing.T) {
	p := &proxy{actors: "p"}
	if a, b := p.actor("my session 1"), p.actor("my session 2"); a == b || strings.Contains(a+b, " ") {
		t.Errorf("%q and %q", a, b)
	}
}

// Copilot CLI gets the server on its command line, and no other program gets a flag that it may not know.
func TestCopilotsFlag(t *testing.T) {
	self := server{Name: "patchls", Command: "/bin/patchls", Args: []string{"mcp"}, Env: []map[string]string{{"name": "A", "value": "b"}}}
	const flag = `--additional-mcp-config={"mcpServers":{"patchls":{"args":["mcp"],"command":"/bin/patchls","env":{"A":"b"},"tools":["*"],"type":"local"}}}`
	for command, want := range map[string]string{
		"copilot --acp": flag,
		"/opt/bin/copilot --allow-all-tools --acp":  flag,
		"copilot.exe --acp":                         flag,
		"npx -y @github/copilot --acp":              flag,
		"npx @github/copilot@1.0.102 --acp --model": flag,
		"copilot -p hello":                          "",
		"copilots --acp":                            "",
		"gemini --acp":                              "",
		"qwen --acp --add-dir /src/copilot":         "",
		"npx @zed-industries/claude-code-acp":       "",
	} {
		if got := strings.Join(self.flags(strings.Fields(command)), " "); got != want {
			t.Errorf("%s: added %s, want %s", command, got, want)
		}
	}
}
