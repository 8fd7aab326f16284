package hook_test

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"go.lsp.dev/protocol"

	"go.uber.org/goleak"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/agent/hook"
	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/internal/testkit/leaks"
	"github.com/patchls/patchls/internal/testkit/liveeditor"
)

const menu = "soup\nbread\ntea\n"

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, leaks.IgnoreLibraries) }

// answer returns what an agent is told, "" if it goes on as without a hook.
func answer(t *testing.T, name, question string) string {
	t.Helper()
	i := slices.IndexFunc(hook.Agents, func(a hook.Agent) bool { return a.Name == name })
	find := &agent.Finder{Client: agent.ClientInfo{Name: hook.Agents[i].Client}}
	defer find.Close()
	return string(hook.Agents[i].Answer(t.Context(), []byte(question), find))
}

// TestHook asks as Claude Code 2.1 and Codex CLI 0.169 do. The words of an answer are in its JSON.
func TestHook(t *testing.T) {
	liveeditor.Home(t)
	root := liveeditor.Folder(t, map[string]string{"menu.txt": menu, "saved.txt": "soup\n", "new.txt": "old\n", "long.txt": strings.Repeat("soup\n", 3000), "dos.txt": "\uFEFFsoup\r\n", "wide.txt": "\xff\xfes\x00\n\x00"})
	editor := liveeditor.Start(t, root, headless.Options{})
	buffer := editor.Typed("menu.txt", "cake\n")
	editor.Typed("long.txt", "typed\n")
	for _, name := range []string{"saved.txt", "dos.txt"} {
		if _, err := editor.Open(filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := editor.Notify(t.Context(), "textDocument/didOpen", map[string]any{"textDocument": map[string]any{
		"uri": "file://" + filepath.ToSlash(filepath.Join(root, "wide.txt")), "languageId": "plaintext", "version": 1, "text": "s\n",
	}}); err != nil {
		t.Fatal(err)
	}
	type object = map[string]any
	path := filepath.Join(root, "menu.txt")
	input := func(o object) object { return object{"tool_input": o} }
	edit := func(old, now string) object {
		return object{"file_path": path, "old_string": old, "new_string": now}
	}
	read := func(o object, kind string) object {
		o["file_path"] = path
		return object{"tool_input": o, "tool_response": object{"type": kind, "file": object{}}}
	}
	readOther := func(name string) object {
		return object{"tool_input": object{"file_path": filepath.Join(root, name)}, "tool_response": object{"type": "text"}}
	}
	plan := input(edit("bread", "rye"))
	plan["permission_mode"] = "plan"
	unasked := input(edit("bread", "rye"))
	unasked["permission_mode"] = "dontAsk"
	patch := "*** Begin Patch\n*** Update File: menu.txt\n@@\n cake\n-soup\n+broth\n*** Update File: new.txt\n@@\n-old\n+new\n*** End Patch"
	again := "*** Begin Patch\n*** Update File: menu.txt\n@@\n-broth\n+stock\n*** End Patch"
	failed := object{"tool_calls": []object{
		{"tool_name": "another", "tool_input": object{"offset": "2", "command": []string{"ls"}}},
		{"tool_name": "Edit", "tool_input": edit("cake\n", "pie\n"), "tool_response": "<tool_use_error>String to replace not found in file.\nString: cake</tool_use_error>"},
		{"tool_name": "Edit", "tool_input": edit("soup", "stew"), "tool_response": "PreToolUse:Edit hook error: no"},
	}}
	for _, tt := range []struct {
		name, agent, event, tool string
		more                     object
		want                     []string // parts of the answer; none is silence
		text                     string   // of the buffer afterwards, "" for the same
	}{
		{"reading", "claude", "PostToolUse", "Read", read(object{}, "text"), []string{
			`"content":"cake\nsoup\nbread\ntea\n","numLines":5,"startLine":1,"totalLines":5`, "menu.txt has unsaved text in patchls-headless, and this is it (rev ", "). Edit and Write edit it there.",
		}, ""},
		{"reading lines", "claude", "PostToolUse", "Read", read(object{"offset": 2, "limit": 2}, "text"), []string{`"content":"soup\nbread","numLines":2,"startLine":2,"totalLines":5`, "It has 5 lines; an offset of 4 goes on."}, ""},
		{"reading a long file", "claude", "PostToolUse", "Read", readOther("long.txt"), []string{`"content":"typed\nsoup`, `"numLines":2000,"startLine":1,"totalLines":3002`, "It has 3002 lines; an offset of 2001 goes on."}, ""},
		{"reading below the end", "claude", "PostToolUse", "Read", read(object{"offset": 9}, "text"), []string{`"content":"","numLines":1,"startLine":5,"totalLines":5`}, ""},
		{"reading again", "claude", "PostToolUse", "Read", read(object{}, "file_unchanged"), []string{`"content":"cake\n`}, ""},
		{"a picture", "claude", "PostToolUse", "Read", read(object{}, "image"), nil, ""},
		{"reading a saved file", "claude", "PostToolUse", "Read", readOther("saved.txt"), nil, ""},
		{"reading a saved file with a byte order mark and CRLF", "claude", "PostToolUse", "Read", readOther("dos.txt"), nil, ""},
		{"reading a saved file in UTF-16", "claude", "PostToolUse", "Read", readOther("wide.txt"), nil, ""},
		{"an edit", "claude", "PreToolUse", "Edit", input(edit("tea", "green tea")), []string{`"permissionDecision":"deny"`, "the edit is made", "[edit e1, menu.txt, rev "}, "cake\nsoup\nbread\ngreen tea\n"},
		{"an edit that fails", "claude", "PreToolUse", "Edit", input(edit("greentea", "tea")), []string{`"permissionDecision":"deny"`, "There: Text not found in menu.txt", "lines 4-4"}, ""},
		{"an edit while Claude plans", "claude", "PreToolUse", "Edit", plan, nil, ""},
		{"an edit without an old text", "claude", "PreToolUse", "Edit", input(edit("", "all")), []string{"There: old_str must not be empty"}, ""},
		{"an edit that Claude may not make", "claude", "PreToolUse", "Edit", unasked, nil, ""},
		{"an edit of a saved file", "claude", "PreToolUse", "Edit", input(object{"file_path": filepath.Join(root, "saved.txt"), "old_string": "soup", "new_string": "tea"}), nil, ""},
		{"an edit that was not found on disk", "claude", "PostToolBatch", "", failed, []string{"These Edits were refused", `\nmade, e2: Replaced 1 occurrence in menu.txt at line 1.\n`, "the edit is made"}, "pie\nsoup\nbread\ngreen tea\n"},
		{"a whole text", "claude", "PreToolUse", "Write", input(object{"file_path": path, "content": "x"}), []string{`"permissionDecision":"deny"`, "There: Nothing was written", "Read the whole file again"}, ""},
		{"a notebook", "claude", "PreToolUse", "NotebookEdit", input(object{"notebook_path": path}), []string{"Nothing was written", "NotebookEdit edits the cells of the file on disk", "ask the user to save it"}, ""},
		{"a shell", "claude", "PreToolUse", "Bash", input(object{"command": "wc menu.txt"}), []string{`"additionalContext":"menu.txt has unsaved text in patchls-headless, which a shell does not see. Read shows`}, ""},
		{"another command", "codex", "PreToolUse", "Bash", input(object{"command": "ls"}), nil, ""},
		{"a command of a patch and more", "codex", "PreToolUse", "Bash", input(object{"command": "apply_patch <<'E'\n" + patch + "\nE\nmake menu.txt"}), []string{`"additionalContext":"menu.txt has`, "mcp__patchls__view shows"}, ""},
		{"two patches in one command", "codex", "PreToolUse", "Bash", input(object{"command": "apply_patch <<'E'\n" + patch + "\nE\nrm x\napply_patch <<'E'\n" + patch + "\nE\n"}), []string{`"additionalContext":"menu.txt has`}, ""},
		{"a patch in a folder that lacks a file", "codex", "PreToolUse", "apply_patch", object{
			"cwd": filepath.Join(root, "sub"), "tool_input": object{"command": strings.NewReplacer(" cake", " pie", "menu.txt", "../menu.txt").Replace(patch)},
		}, []string{"There: File not found", "sub/new.txt"}, ""},
		{"a patch that fails", "codex", "PreToolUse", "apply_patch", input(object{"command": patch}), []string{`"permissionDecision":"deny"`, "There: "}, ""},
		{"a patch", "codex", "PreToolUse", "Bash", input(object{"command": "apply_patch <<'E'\n" + strings.Replace(patch, " cake", " pie", 1) + "\nE\n"}), []string{"the edit is made"}, "pie\nbroth\nbread\ngreen tea\n"},
		{"a patch in another folder that has no such file", "codex", "PreToolUse", "Bash", input(object{"command": "cd sub && apply_patch <<'E'\n" + again + "\nE\n"}), nil, ""},
		{"a patch in a folder that the shell finds", "codex", "PreToolUse", "Bash", input(object{"command": "cd $HOME && apply_patch <<'E'\n" + again + "\nE\n"}), []string{`"additionalContext":"menu.txt has`}, ""},
		{"a patch in the folder before", "codex", "PreToolUse", "Bash", input(object{"command": "cd '-' && apply_patch <<'E'\n" + again + "\nE\n"}), []string{`"additionalContext":"menu.txt has`}, ""},
		{"a patch in another folder", "codex", "PreToolUse", "Bash", object{
			"cwd": "/", "tool_input": object{"command": "cd '" + root + "' && apply_patch <<'E'\n" + again + "\nE\n"},
		}, []string{"the edit is made"}, "pie\nstock\nbread\ngreen tea\n"},
		{"a patch in Claude's shell", "claude", "PreToolUse", "Bash", input(object{"command": "apply_patch <<'E'\n" + strings.Replace(patch, " cake", " pie", 1) + "\nE\n"}), []string{`"additionalContext":"menu.txt has`}, ""},
		{"another event", "codex", "Stop", "", nil, nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want := tt.text
			if want == "" {
				want = buffer.Text()
			}
			out := answer(t, tt.agent, liveeditor.Question(t, root, tt.event, tt.tool, tt.more))
			if (out == "") != (tt.want == nil) {
				t.Errorf("the answer is %q", out)
			}
			for _, part := range tt.want {
				if !strings.Contains(out, part) {
					t.Errorf("the answer is %s\nwithout %s", out, part)
				}
			}
			if got := buffer.Text(); got != want {
				t.Errorf("the buffer is %q, want %q", got, want)
			}
		})
	}
	if raw, err := os.ReadFile(path); err != nil || string(raw) != menu {
		t.Errorf("on disk is %q, %v", raw, err)
	}
}

// TestHookOfANotebook: no tool of an agent writes a file that an editor has open as something other than text, whatever
// the mode, until it is closed. The reason says what to do.
func TestHookOfANotebook(t *testing.T) {
	const cells = "{\"cells\": []}\n"
	liveeditor.Home(t)
	root := liveeditor.Folder(t, map[string]string{"n.ipynb": cells, "menu.txt": menu})
	editor := liveeditor.Start(t, root, headless.Options{})
	if err := os.Symlink(filepath.Join(root, "n.ipynb"), filepath.Join(root, "link.ipynb")); err != nil {
		t.Skip("the system does not let this user make links:", err)
	}
	type object = map[string]any
	edit := func(name string) object {
		return object{"tool_input": object{"file_path": name, "old_string": "[]", "new_string": "[1]"}}
	}
	plan := edit("n.ipynb")
	plan["permission_mode"] = "plan"
	failed := edit("n.ipynb")
	failed["tool_name"], failed["tool_response"] = "Edit", "String to replace not found in file."
	patch := func(lines string) object {
		return object{"tool_input": object{"command": "*** Begin Patch\n" + lines + "*** End Patch"}}
	}
	for _, tt := range []struct {
		name, agent, event, tool string
		more                     object
		want                     string
	}{
		{"an edit", "claude", "PreToolUse", "Edit", edit("n.ipynb"), "Nothing was written: "},
		{"by a link", "claude", "PreToolUse", "Edit", edit("link.ipynb"), "Nothing was written: "},
		{"while Claude plans", "claude", "PreToolUse", "Edit", plan, "Nothing was written: "},
		{"an edit that was refused", "claude", "PostToolBatch", "", object{"tool_calls": []object{failed}}, "\nfailed: "},
		{"a whole text", "claude", "PreToolUse", "Write", object{"tool_input": object{"file_path": filepath.Join(root, "n.ipynb"), "content": "x"}}, "Nothing was written: "},
		{"cells", "claude", "PreToolUse", "NotebookEdit", object{"tool_input": object{"notebook_path": "n.ipynb"}}, "Nothing was written: "},
		{"a shell", "claude", "PreToolUse", "Bash", object{"tool_input": object{"command": "jq . n.ipynb"}}, `"additionalContext":"`},
		{"the second file of a patch", "codex", "PreToolUse", "apply_patch", patch("*** Update File: menu.txt\n@@\n-soup\n+stew\n*** Update File: n.ipynb\n@@\n-{}\n+[]\n"), "Nothing was written: "},
		{"a move onto it", "codex", "PreToolUse", "apply_patch", patch("*** Update File: menu.txt\n*** Move to: n.ipynb\n@@\n-soup\n+stew\n"), "Nothing was written: "},
		{"a move away", "codex", "PreToolUse", "apply_patch", patch("*** Update File: n.ipynb\n*** Move to: m.ipynb\n@@\n-{}\n+[]\n"), "Nothing was written: "},
		{"another file", "claude", "PreToolUse", "Edit", edit("menu.txt"), ""},
		{"its text on disk", "claude", "PostToolUse", "Read", object{"tool_input": object{"file_path": "n.ipynb"}, "tool_response": object{"type": "text"}}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			editor.OpensAs(map[string]string{"n.ipynb": "a notebook"})
			ask := liveeditor.Question(t, root, tt.event, tt.tool, tt.more)
			if tt.want != "" {
				tt.want += "n.ipynb is open in patchls-headless (pid " + strconv.Itoa(os.Getpid()) + ") as a notebook, so its text there is not known; ask the user to save and close it first."
			}
			out := strings.ReplaceAll(answer(t, tt.agent, ask), `\n`, "\n")
			if (out == "") != (tt.want == "") || !strings.Contains(out, tt.want) || (tt.event == "PreToolUse" && tt.tool != "Bash" && tt.want != "") != strings.Contains(out, `"deny"`) {
				t.Errorf("the answer is %q, want %q", out, tt.want)
			}
			editor.OpensAs(nil)
			if out := answer(t, tt.agent, ask); out != "" {
				t.Errorf("after it was closed: %s", out)
			}
		})
	}
	if got := liveeditor.OnDisk(t, filepath.Join(root, "n.ipynb")); got != cells {
		t.Errorf("on disk is %q", got)
	}
}

// TestHookOfAMoveOntoUnsavedText: Codex would put the other file in its place.
func TestHookOfAMoveOntoUnsavedText(t *testing.T) {
	liveeditor.Home(t)
	root := liveeditor.Folder(t, map[string]string{"menu.txt": menu, "old.txt": menu})
	buffer := liveeditor.Start(t, root, headless.Options{}).Typed("menu.txt", "cake\n")
	out := answer(t, "codex", liveeditor.Question(t, root, "PreToolUse", "apply_patch", map[string]any{"tool_input": map[string]any{
		"command": "*** Begin Patch\n*** Update File: old.txt\n*** Move to: menu.txt\n@@\n-soup\n+stew\n*** End Patch",
	}}))
	if !strings.Contains(out, "There: ") || !strings.Contains(out, `"deny"`) || buffer.Text() != "cake\n"+menu || liveeditor.OnDisk(t, filepath.Join(root, "old.txt")) != menu {
		t.Errorf("the answer is %s, and the buffer %q", out, buffer.Text())
	}
}

// TestHookOfAWholeText: a Write is merged with what was typed since the Read of the same session, or sub-agent.
func TestHookOfAWholeText(t *testing.T) {
	liveeditor.Home(t)
	root := liveeditor.Folder(t, map[string]string{"menu.txt": menu})
	l := liveeditor.Start(t, root, headless.Options{})
	buffer := l.Typed("menu.txt", "cake\n")
	type object = map[string]any
	path := filepath.Join(root, "menu.txt")
	asks := func(session, agent, event, tool string, input object) string {
		input["file_path"] = path
		return answer(t, "claude", liveeditor.Question(t, root, event, tool, object{
			"session_id": session, "agent_id": agent, "tool_input": input, "tool_response": object{"type": "text"},
		}))
	}
	read := func(session, agent string, input object) {
		t.Helper()
		asks(session, agent, "PostToolUse", "Read", input)
	}
	writes := func(session, agent, content, says, want string) {
		t.Helper()
		if said := asks(session, agent, "PreToolUse", "Write", object{"content": content}); !strings.Contains(said, `"permissionDecision":"deny"`) || !strings.Contains(said, says) {
			t.Errorf("it is told %s, without %q", said, says)
		}
		if got := buffer.Text(); got != want {
			t.Errorf("the buffer is %q, want %q", got, want)
		}
	}
	read("s1", "", object{})
	l.Type(buffer, 0, "typed\n")
	read("s1", "helper", object{})
	read("s2", "", object{})
	writes("s1", "", "cake\nsoup\nbread\ngreen tea\n", "This is no error: the edit is made", "typed\ncake\nsoup\nbread\ngreen tea\n")
	writes("s1", "helper", "cake\nsoup\nbread\ntea\n", "This is no error: the edit is made", "cake\nsoup\nbread\ngreen tea\n") // it has seen what was typed
	// What was there before is in the answer.
	writes("s2", "", "typed\npie\nsoup\nbread\ntea\n", "This is no error: the edit is made", "pie\nsoup\nbread\ngreen tea\n")
	l.Type(buffer, 0, "apple ")
	writes("s2", "", "typed\ncherry pie\nsoup\nbread\ntea\n", "Nothing was written: the user or others have changed lines", "apple pie\nsoup\nbread\ngreen tea\n")
	// Lines that were left out are not known to be there.
	read("s3", "", object{"limit": 2})
	writes("s3", "", "apple pie\nstew\n", "Nothing was written: the user or others", "apple pie\nsoup\nbread\ngreen tea\n")
	read("s3", "", object{"offset": 3})
	writes("s3", "", "apple pie\nstew\n", "This is no error", "apple pie\nstew\n")
	if got := liveeditor.OnDisk(t, path); got != menu {
		t.Errorf("on disk is %q", got)
	}
}

// TestHookOfAFileThatIsWritten: what another program has written is what the agent reads, also before the editor has read it.
func TestHookOfAFileThatIsWritten(t *testing.T) {
	liveeditor.Home(t)
	root := liveeditor.Folder(t, map[string]string{"menu.txt": menu})
	editor := liveeditor.Start(t, root, headless.Options{})
	path := filepath.Join(root, "menu.txt")
	editor.OpenSaved("menu.txt")
	if err := os.WriteFile(path, []byte("new\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ask := liveeditor.Question(t, root, "PostToolUse", "Read", map[string]any{"tool_input": map[string]any{"file_path": path}, "tool_response": map[string]any{"type": "text"}})
	if out := answer(t, "claude", ask); out != "" {
		t.Errorf("the answer is %s", out)
	}
}

// TestHookOfWhatIsNotMade: an answer says that an edit was made only if it was, and the hook does not wait for an editor
// that does not answer.
func TestHookOfWhatIsNotMade(t *testing.T) {
	liveeditor.Home(t)
	root := liveeditor.Folder(t, map[string]string{"menu.txt": menu})
	editor := liveeditor.Start(t, root, headless.Options{Capabilities: func(c *protocol.ClientCapabilities) { c.Workspace.ApplyEdit = nil }})
	buffer := editor.Typed("menu.txt", "cake\n")
	other := exec.CommandContext(t.Context(), "sleep", "600")
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = other.Wait() })
	dir, pid := liveeditor.Discovery(), other.Process.Pid
	socket := filepath.Join(dir, "s")
	l, err := net.Listen("unix", socket) // never accepts a connection
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	silent, err := json.Marshal(map[string]any{
		"pid": pid, "started": time.Now(), "name": "Neovim", "roots": []string{"/"}, "socket": socket, "token": strings.Repeat("t", 64),
	})
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, strconv.Itoa(pid)+".json"), silent, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	ask := liveeditor.Question(t, root, "PreToolUse", "Edit", map[string]any{"tool_input": map[string]any{"file_path": "menu.txt", "old_string": "tea", "new_string": "green tea"}})
	out := answer(t, "claude", ask)
	if !strings.Contains(out, "Nothing was done") || strings.Contains(out, "no error") || buffer.Text() != "cake\n"+menu {
		t.Errorf("the answer is %s, and the buffer %q", out, buffer.Text())
	}
}

// TestHookGoesOn: without an editor the hook prints nothing, and it connects only to editors that have a discovery file. An
// editor that does not answer may have unsaved text of any file, so no tool may write one.
func TestHookGoesOn(t *testing.T) {
	liveeditor.Home(t)
	dir := liveeditor.Discovery()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(dir, "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	var tries atomic.Int32
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			tries.Add(1)
			_ = conn.Close()
		}
	}()
	t.Cleanup(func() { _ = l.Close(); <-done })
	asks := func(tool string, want int32, refused ...string) {
		t.Helper()
		tries.Store(0)
		ask := liveeditor.Question(t, dir, "PreToolUse", tool, map[string]any{"tool_input": map[string]any{
			"file_path": "a.txt", "notebook_path": "a.ipynb", "old_string": "a", "command": "apply_patch <<'E'\n*** Begin Patch\n*** Add File: a.txt\n+a\n*** End Patch\nE\n",
		}})
		name := "claude"
		if len(refused) > 1 {
			name = refused[1]
		}
		out := answer(t, name, ask)
		if len(refused) == 0 && out != "" || len(refused) > 0 && (!strings.Contains(out, `"deny"`) || !strings.Contains(out, "Nothing was written: ") || !strings.Contains(out, refused[0])) {
			t.Errorf("%s: the answer is %q", tool, out)
		}
		if got := tries.Load(); got != want {
			t.Errorf("%s: %d connections, want %d", tool, got, want)
		}
	}
	for _, tool := range []string{"Edit", "Write", "Bash", "Read", "WebFetch"} {
		asks(tool, 0)
	}
	liveeditor.Silent(t, socket, "/")
	const silent = ") does not answer: "
	asks("WebFetch", 0)
	asks("Bash", 1)
	for _, tool := range []string{"Edit", "Write", "NotebookEdit"} {
		asks(tool, 1, silent)
	}
	asks("Bash", 1, silent, "codex")
	if out := answer(t, "codex", "no JSON"); out != "" {
		t.Errorf("the answer is %q", out)
	}
}

// TestHookWaitsForASlowEditor as long as every other door does, which the finder says.
func TestHookWaitsForASlowEditor(t *testing.T) {
	liveeditor.Home(t)
	root := liveeditor.Folder(t, map[string]string{"menu.txt": menu})
	editor := liveeditor.Start(t, root, headless.Options{})
	buffer := editor.Typed("menu.txt", "cake\n")
	time.AfterFunc(agent.LookTime+time.Second/2, editor.Stall())
	find := &agent.Finder{Timeout: time.Minute}
	defer find.Close()
	out := string(hook.Agents[0].Answer(t.Context(), []byte(liveeditor.Question(t, root, "PreToolUse", "Edit", map[string]any{"tool_input": map[string]any{
		"file_path": "menu.txt", "old_string": "tea", "new_string": "green tea",
	}})), find))
	if want := "cake\nsoup\nbread\ngreen tea\n"; !strings.Contains(out, "the edit is made") || buffer.Text() != want {
		t.Errorf("the answer is %s, and the buffer %q, want %q", out, buffer.Text(), want)
	}
}

// TestHookIsBounded: agents cut what a hook says when it is long. So the verdicts come first, one line each, and the rest
// as far as there is room.
func TestHookIsBounded(t *testing.T) {
	liveeditor.Home(t)
	files := map[string]string{"f.py": ""}
	for i := range 100 {
		files[fmt.Sprintf("%02d%s.txt", i, strings.Repeat("名", 60))] = ""
	}
	root := liveeditor.Folder(t, files)
	editor := liveeditor.Start(t, root, headless.Options{})
	var typed, all strings.Builder
	for i := range 600 {
		fmt.Fprintf(&typed, "line %d %s\n", i, strings.Repeat("文 ", 100))
	}
	wide := strings.Repeat("中", 1<<20)
	editor.Typed("f.py", typed.String()+wide+"\n"+strings.Repeat("short\n", 100))
	for name := range files {
		if name != "f.py" {
			editor.Typed(name, "typed\n")
			all.WriteString(" " + name)
		}
	}
	type object = map[string]any
	path := filepath.Join(root, "f.py")
	ask := func(name, event, tool string, more object) (said, reason, content string, lines int) {
		t.Helper()
		out := answer(t, name, liveeditor.Question(t, root, event, tool, more))
		var a struct {
			Out struct {
				Context string `json:"additionalContext"`
				Reason  string `json:"permissionDecisionReason"`
				Output  struct {
					File struct {
						Content  string
						NumLines int
					}
				} `json:"updatedToolOutput"`
			} `json:"hookSpecificOutput"`
		}
		if err := json.Unmarshal([]byte(out), &a); err != nil {
			t.Fatalf("the answer is %q, %v", out, err)
		}
		for _, words := range []string{a.Out.Context, a.Out.Reason} {
			if n := utf8.RuneCountInString(words); n > 9500 {
				t.Errorf("%s of %s says %d characters: %.300s", event, tool, n, words)
			}
		}
		return a.Out.Context, a.Out.Reason, a.Out.Output.File.Content, a.Out.Output.File.NumLines
	}
	edit := func(i int, old string) object {
		return object{
			"tool_name": "Edit", "tool_response": "<tool_use_error>String to replace not found in file.",
			"tool_input": object{"file_path": path, "old_string": old, "new_string": fmt.Sprintf("edited %d %s\nand more", i, strings.Repeat("字", 300))},
		}
	}
	at := 0
	for _, n := range []int{1, 2, 9, 12, 50} {
		var calls []object
		for i := range n {
			calls = append(calls, edit(at+i, fmt.Sprintf("line %d ", at+i)))
		}
		calls = append(calls, edit(0, strings.Repeat("nowhere 无 ", 3000)))
		said, _, _, _ := ask("claude", "PostToolBatch", "", object{"tool_calls": calls})
		lines := strings.Split(said, "\n")
		for i := range n {
			if want := fmt.Sprintf("made, e%d: Replaced 1 occurrence in f.py at line %d.", at+i+1, 2*(at+i)+1); lines[i+1] != want {
				t.Errorf("of %d edits, line %d is %q, want %q", n, i+2, lines[i+1], want)
			}
		}
		if !strings.HasPrefix(lines[n+1], "failed: f.py: ") {
			t.Errorf("after %d edits: %q", n, lines[n+1])
		}
		at += n
	}
	if said, _, _, _ := ask("claude", "PreToolUse", "Bash", object{"tool_input": object{"command": "wc" + all.String()}}); !strings.HasSuffix(said, " more)") {
		t.Errorf("before a shell: %s", said)
	}
	for _, input := range []object{{}, {"offset": 600}, {"limit": 5000}, {"offset": 674, "limit": 1}} {
		input["file_path"] = path
		said, _, content, lines := ask("claude", "PostToolUse", "Read", object{"tool_input": input, "tool_response": object{"type": "text"}})
		if len(content) > 30_000 || lines == 0 || strings.Count(content, "\n")+1 != lines || !strings.Contains(said, " goes on.") || strings.Contains(content, "…") != strings.Contains(said, "are cropped at 2000 characters") {
			t.Errorf("Read %v: %d bytes, %d lines, %s", input, len(content), lines, said)
		}
	}
	patch := "*** Begin Patch\n"
	for name := range files {
		if name != "f.py" {
			patch += "*** Update File: " + name + "\n@@\n-typed\n+patched\n"
		}
	}
	for _, last := range []string{"", "*** Update File: f.py\n@@\n-" + strings.Repeat("无 ", 9000) + "\n+x\n"} {
		if _, reason, _, _ := ask("codex", "PreToolUse", "apply_patch", object{"tool_input": object{"command": patch + last + "*** End Patch\n"}}); reason == "" {
			t.Error("the patch is not answered")
		}
		patch = strings.NewReplacer("-typed", "-patched", "+patched", "+again").Replace(patch)
	}
	if _, reason, _, _ := ask("claude", "PreToolUse", "Edit", edit(0, strings.Repeat("nowhere 无 ", 3000))); !strings.Contains(reason, "Text not found") {
		t.Errorf("a failed edit: %.300s", reason)
	}
}
