package hook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/transaction"
)

// Bounds. An agent gives a hook up after a minute or more, and goes on with its own tool.
const (
	lookTime  = 2 * time.Second  // to say what is open
	writeTime = 30 * time.Second // to make an edit, about which the user may be asked
)

// An Agent is a program that has hooks.
type Agent struct {
	Name   string // on the command line
	Client string // what its edits are marked with
	means  string // how it sees and edits unsaved text
}

// Agents are all that are known.
var Agents = []Agent{
	{"claude", "claude-code", "Read shows that text, and Edit edits it."},
	{"codex", "codex", "mcp__patchls__view shows that text, and apply_patch edits it."},
}

// asked is what an agent tells of a call of one of its tools.
type asked struct {
	Event string `json:"hook_event_name"`
	Mode  string `json:"permission_mode"`
	Dir   string `json:"cwd"`
	call
	Calls []call `json:"tool_calls"` // several of them, for PostToolBatch
}

type call struct {
	Tool  string `json:"tool_name"`
	Input struct {
		Path       string `json:"file_path"`
		Notebook   string `json:"notebook_path"`
		Old        string `json:"old_string"`
		New        string `json:"new_string"`
		ReplaceAll bool   `json:"replace_all"`
		Offset     int    `json:"offset"`
		Limit      int    `json:"limit"`
		Command    string `json:"command"`
	} `json:"tool_input"`
	Response json.RawMessage `json:"tool_response"`
}

// said is what an agent is told.
type said struct {
	Event    string `json:"hookEventName"`
	Decision string `json:"permissionDecision,omitempty"`
	Reason   string `json:"permissionDecisionReason,omitempty"`
	Context  string `json:"additionalContext,omitempty"`
	Output   any    `json:"updatedToolOutput,omitempty"`
}

// hook is one question of an agent.
type hook struct {
	Agent
	asked
	find *agent.Finder
}

// Answer returns what the agent is told, nil if it is to go on. So it is with a question that is not understood.
func (a Agent) Answer(ctx context.Context, question []byte, find *agent.Finder) []byte {
	h := hook{Agent: a, find: find}
	if json.Unmarshal(question, &h.asked) != nil {
		return nil
	}
	find.Client.Root, find.Timeout = h.Dir, lookTime/2 // the other half is for what they have open
	var s said
	switch h.Event {
	case "PreToolUse":
		s = h.before(ctx)
	case "PostToolUse":
		s = h.after(ctx)
	case "PostToolBatch":
		s = h.afterAll(ctx)
	}
	if s == (said{}) {
		return nil
	}
	s.Event = h.Event
	raw, err := json.Marshal(map[string]said{"hookSpecificOutput": s})
	if err != nil {
		return nil
	}
	return raw
}

// before is asked before a tool is used.
func (h hook) before(ctx context.Context) said {
	reason := ""
	switch {
	case h.Tool == "Edit" && h.Input.Old != "":
		reason = h.edit(ctx, h.call)
	case slices.Contains([]string{"Edit", "Write", "NotebookEdit"}, h.Tool):
		if f, is := h.open(ctx, h.Input.Path+h.Input.Notebook); is {
			reason = fmt.Sprintf("Nothing was written: %s. %s mcp__patchls__write, with the rev of mcp__patchls__view, writes a whole text.", f.unsaved(), h.means)
		}
	case h.Tool == "apply_patch":
		reason = h.patch(ctx, h.Input.Command)
	case h.Tool == "Bash":
		if text, is := h.patchCommand(); is {
			reason = h.patch(ctx, text)
			break
		}
		var notes []string
		for _, f := range h.files(ctx) {
			if strings.Contains(h.Input.Command, filepath.Base(f.path)) {
				notes = append(notes, fmt.Sprintf("%s, which a shell does not see. %s", f.unsaved(), h.means))
			}
		}
		return said{Context: strings.Join(notes, "\n")}
	}
	if reason == "" {
		return said{}
	}
	return said{Decision: "deny", Reason: reason}
}

var heredoc = regexp.MustCompile(`(?s)^\s*apply_patch\s*<<\s*['"]?(\w+)['"]?\n(\*\*\* Begin Patch\n.*\n\*\*\* End Patch)\n(\w+)\s*$`)

// patchCommand returns the patch that a command of Codex's shell applies, if it does nothing else. In
// Claude Code's that would go past what the user has said of its Edit.
func (h hook) patchCommand() (text string, is bool) {
	m := heredoc.FindStringSubmatch(h.Input.Command)
	if h.Name != "codex" || m == nil || m[1] != m[3] || strings.Count(m[2], "*** Begin Patch\n") > 1 {
		return "", false
	}
	return m[2], true
}

// after is asked after a tool was used.
func (h hook) after(ctx context.Context) said {
	var read struct{ Type string }
	if h.Tool != "Read" || json.Unmarshal(h.Response, &read) != nil || !slices.Contains([]string{"text", "file_unchanged"}, read.Type) {
		return said{} // a picture has no unsaved text
	}
	f, is := h.open(ctx, h.Input.Path)
	if !is {
		return said{}
	}
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	doc, err := agent.Document(ctx, f.editor, f.URI)
	if err != nil {
		return said{}
	}
	return said{
		Output:  shown(h.Input.Path, doc.Text, h.Input.Offset, h.Input.Limit),
		Context: fmt.Sprintf("%s, and this is it (rev %s). Edit edits it there.", f.unsaved(), doc.Rev),
	}
}

// notOnDisk is what Claude Code says of an Edit without a text that is on disk, which it asks nobody about.
const notOnDisk = "<tool_use_error>String to replace not found in file"

// afterAll is asked after several tools were used.
func (h hook) afterAll(ctx context.Context) said {
	var made []string
	for _, c := range h.Calls {
		var response string
		if c.Tool != "Edit" || json.Unmarshal(c.Response, &response) != nil || !strings.HasPrefix(response, notOnDisk) {
			continue
		}
		if s := h.edit(ctx, c); s != "" {
			made = append(made, fmt.Sprintf("The Edit of %s was refused, since its text is not on disk. %s", c.Input.Path, s))
		}
	}
	return said{Context: strings.Join(made, "\n\n")}
}

// edit makes an edit in the editor, and returns what became of it, "" if it is for the agent's own tool.
func (h hook) edit(ctx context.Context, c call) string {
	f, is := h.open(ctx, c.Input.Path)
	if !is {
		return ""
	}
	return h.make(ctx, f, "str_replace", commands.StrReplace{
		Path: f.URI, OldStr: c.Input.Old, NewStr: c.Input.New, ReplaceAll: c.Input.ReplaceAll, Match: commands.MatchExact,
	})
}

// headers are the lines of a patch that name files. For an agent they are in its folder, and nowhere else.
var headers = regexp.MustCompile(`(?m)^(\*\*\* (?:Update File|Add File|Delete File|Move to): )(\S.*)$`)

// patch is edit for a patch of several files, one of which has unsaved text.
func (h hook) patch(ctx context.Context, text string) string {
	text = headers.ReplaceAllStringFunc(text, func(line string) string {
		m := headers.FindStringSubmatch(line)
		return m[1] + h.abs(m[2])
	})
	p, err := patch.Parse(text)
	if err != nil {
		return ""
	}
	all := h.files(ctx)
	for _, file := range p.Files {
		if f, is := find(all, h.abs(file.Path)); is {
			args := transaction.PatchArgs{Patch: text}
			args.Save = f.editor.Live().Saves // the files of it that have nothing unsaved
			return h.make(ctx, f, "apply_patch", args)
		}
	}
	return ""
}

// make has the editor of a file run a command, and returns what became of it.
func (h hook) make(ctx context.Context, f file, command string, args any) string {
	if h.Mode == "plan" || h.Mode == "dontAsk" { // the agent would not make it
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, writeTime)
	defer cancel()
	raw, err := f.editor.Execute(ctx, agent.Call{Command: command, Arguments: args})
	switch {
	case errors.Is(err, agent.ErrNotSent):
		return ""
	case err != nil:
		message, data := agent.ErrorData(err)
		data.Suggestion = nil // it is a call of another tool
		return fmt.Sprintf("%s. There: %s%s", f.unsaved(), message, agent.Advice(data))
	}
	var result transaction.Result
	switch err := json.Unmarshal(raw, &result); {
	case err != nil || !result.Applied:
		return fmt.Sprintf("%s, and nothing was made. There: %s", f.unsaved(), agent.EditText(raw))
	case !result.Verified:
		return fmt.Sprintf("%s. The edit was made there, but was not verified; look at the text before anything else.\n%s", f.unsaved(), agent.EditText(raw))
	}
	return fmt.Sprintf("This is no error: the edit is made, and is not to be made again. %s, so it was made there.\n%s", f.unsaved(), agent.EditText(raw))
}
