package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/agent/mcp"
)

// numbered are n calls of write, of the files 0.txt and so on.
func numbered(n int) (lines, paths []string) {
	for i := range n {
		path := fmt.Sprintf("%d.txt", i)
		paths = append(paths, path)
		lines = append(lines, toolCall(i+1, "write", `{"path":"`+path+`","content":"x"}`))
	}
	return lines, paths
}

// Calls that come at once reach the editor one after the other as they came, also if
// the first is the slowest to find it; but they do not wait for each other's answers.
func TestCallsInOrder(t *testing.T) {
	const n = 50
	lines, paths := numbered(n)
	all := make(chan struct{})
	var mu sync.Mutex
	var got []string
	f := newFake(func(_ context.Context, call agent.Call) (any, error) {
		var args struct{ Path string }
		raw, _ := json.Marshal(call.Arguments)
		_ = json.Unmarshal(raw, &args)
		mu.Lock()
		if got = append(got, args.Path); len(got) == n {
			close(all)
		}
		mu.Unlock()
		call.OnSend()
		<-all
		return map[string]any{"message": "Done.", "applied": true}, nil
	})
	slow := make(chan struct{})
	r := newRaw(t, mcp.Options{Connect: func(_ context.Context, _ agent.ClientInfo, about agent.About) (mcp.Session, error) {
		if about.Files[0] == paths[0] {
			<-slow
		}
		return mcp.Session{Editor: f, Name: "fake"}, nil
	}})
	r.say(append(lines, `{"jsonrpc":"2.0","id":"ping","method":"ping"}`)...)
	if a := r.answers(1)[0]; string(a.ID) != `"ping"` { // which waits for none of them
		t.Errorf("answered first: %s", a.ID)
	}
	close(slow)
	r.answers(n)
	if !slices.Equal(got, paths) {
		t.Errorf("reached the editor:\n%s\nwant\n%s", strings.Join(got, " "), strings.Join(paths, " "))
	}
}

// A call that never reaches an editor keeps nobody from going on: it is refused, gets no
// editor, is cancelled while it waits, or is answered by the SDK.
func TestCallsThatEnd(t *testing.T) {
	slow, waits := make(chan struct{}), make(chan struct{})
	f := newFake(func(ctx context.Context, call agent.Call) (any, error) {
		return map[string]any{"message": "Done.", "applied": true}, nil
	})
	r := newRaw(t, mcp.Options{Dialect: "codex", Connect: func(ctx context.Context, _ agent.ClientInfo, about agent.About) (mcp.Session, error) {
		switch about.Files[0] {
		case "none":
			return mcp.Session{}, errors.New("no editor")
		case "slow":
			close(waits)
			<-slow
		case "cancelled":
			t.Error("a cancelled call asks for an editor")
		}
		return mcp.Session{Editor: f, Name: "fake"}, nil
	}})
	patch := func(id int, path string) string {
		return toolCall(id, "apply_patch", mustJSON(map[string]string{"input": "*** Begin Patch\n*** Delete File: " + path + "\n*** End Patch\n"}))
	}
	r.say(
		toolCall(1, "apply_patch", `{"patch":"x"}`),
		toolCall(2, "nonsense", `{}`),
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":[]}`,
		patch(4, "none"), patch(5, "slow"), patch(6, "cancelled"), patch(7, "last"),
	)
	r.answers(4)
	<-waits
	r.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":6}}`)
	if a := r.answers(1)[0]; string(a.ID) != "6" {
		t.Errorf("answered while a call waits for its editor: %s", a.ID)
	}
	close(slow)
	for _, a := range r.answers(2) {
		if !strings.Contains(string(a.Result), "Success.") {
			t.Errorf("%s: %s", a.ID, a.Result)
		}
	}
}
