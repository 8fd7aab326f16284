package hook

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/agent/words"
	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/command"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/internal/lazy"
	"github.com/patchls/patchls/internal/lists"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/page"
	"github.com/patchls/patchls/lsp/transaction"
	"github.com/patchls/patchls/lsp/view"
	"github.com/patchls/patchls/workspace/paths"
)

// mostSaid is how many characters an agent is told at a time. Claude Code and Codex show their model only the beginning,
// or both ends, of more than 10,000.
const mostSaid = 9_500

// An Agent is a program that has hooks.
type Agent struct {
	Name   string // on the command line
	Client string // what its edits are marked with
	means  string // how it sees and edits unsaved text
}

// Agents are the known agents.
var Agents = []Agent{
	{"claude", "claude-code", "Read shows that text, and Edit and Write edit it."},
	{"codex", "codex", "mcp__patchls__view shows that text, and apply_patch edits it."},
}

// question is what an agent asks about a call of one of its tools, or about several.
type question struct {
	Event   string `json:"hook_event_name"`
	Mode    string `json:"permission_mode"`
	Dir     string `json:"cwd"`
	Session string `json:"session_id"`
	Agent   string `json:"agent_id"` // of a sub-agent
	Prompt  string `json:"prompt"`   // of UserPromptSubmit
	call
	Calls []json.RawMessage `json:"tool_calls"` // of PostToolBatch
}

// call is a call of a tool, with its result if it was made.
type call struct {
	Tool  string `json:"tool_name"`
	Input struct {
		Path       string `json:"file_path"`
		Notebook   string `json:"notebook_path"`
		Old        string `json:"old_string"`
		New        string `json:"new_string"`
		Content    string `json:"content"`
		ReplaceAll bool   `json:"replace_all"`
		Offset     int    `json:"offset"`
		Limit      int    `json:"limit"`
		Command    string `json:"command"`
	} `json:"tool_input"`
	Response json.RawMessage `json:"tool_response"`
}

// answer is the answer to an agent. If it is empty, the agent goes on with its own tool.
type answer struct {
	Event    string `json:"hookEventName"`
	Decision string `json:"permissionDecision,omitempty"`
	Reason   string `json:"permissionDecisionReason,omitempty"`
	Context  string `json:"additionalContext,omitempty"`
	Output   any    `json:"updatedToolOutput,omitempty"`
}

// hook is one run of patchls hook, for one question.
type hook struct {
	Agent
	question
	find *agent.Finder
}

// Answer answers a question, which is JSON as the agent writes it. It returns nil if the agent is to go on with its
// tool, as after a question that it does not understand. The connections of find stay open.
func (a Agent) Answer(ctx context.Context, asked []byte, find *agent.Finder) []byte {
	h := hook{Agent: a, find: find}
	if json.Unmarshal(asked, &h.question) != nil {
		return nil
	}
	find.Client.Actor = strings.TrimSpace(h.Session + " " + h.question.Agent)
	find.Client.Root = h.Dir
	var s answer
	switch h.Event {
	case "PreToolUse":
		s = h.before(ctx)
	case "PostToolUse":
		s = h.after(ctx)
	case "PostToolBatch":
		s = h.afterAll(ctx)
	case "UserPromptSubmit":
		s.Context = fitted(find.Begin(ctx, "", h.Prompt)...)
	}
	if s == (answer{}) {
		return nil
	}
	s.Event = h.Event
	raw, _ := json.Marshal(map[string]answer{"hookSpecificOutput": s}) // strings and numbers always encode
	return raw
}

// before answers what an agent asks before it uses a tool.
func (h hook) before(ctx context.Context) answer {
	reason := ""
	switch h.Tool {
	case "Edit", "Write", "NotebookEdit":
		reason = h.edit(ctx, h.call).said
	case "apply_patch":
		reason = h.patch(ctx, h.Input.Command).said
	case "Bash":
		text, dir, is := patch.Invocation(h.Input.Command)
		if is && h.Name == "codex" { // Claude Code's patches would bypass what the user has said about its Edit
			h.Dir = paths.Abs(h.Dir, dir)
			reason = h.patch(ctx, text).said
			break
		}
		var notes []string
		all, _ := h.find.All(ctx)
		for _, editor := range all {
			for _, d := range editor.Documents {
				switch f := (agent.File{DocumentInfo: d, Editor: editor.Conn}); {
				case !strings.Contains(h.Input.Command, filepath.Base(d.Path)):
				case d.As != "":
					notes = append(notes, f.NotText())
				case d.Unsaved:
					notes = append(notes, fmt.Sprintf("%s, which a shell does not see. %s", unsaved(f), h.means))
				}
			}
		}
		return answer{Context: fitted(notes...)}
	}
	if reason == "" {
		return answer{}
	}
	return answer{Decision: "deny", Reason: page.Cut(reason, mostSaid)}
}

// after answers what an agent asks after it has used a tool.
func (h hook) after(ctx context.Context) answer {
	var read struct{ Type string }
	if h.Tool != "Read" || json.Unmarshal(h.Response, &read) != nil || !slices.Contains([]string{"text", "file_unchanged"}, read.Type) {
		return answer{} // a picture has no unsaved text
	}
	a, _ := h.read(ctx, h.call, mostRead)
	return a
}

// read returns the answer to a Read of a file that has unsaved text, of so many bytes, and the text in it. The answer is
// empty if the agent's own tool must read the file.
func (h hook) read(ctx context.Context, c call, room int) (a answer, shown string) {
	f, _ := h.open(ctx, c.Input.Path)
	if f == nil {
		return a, ""
	}
	limit := cmp.Or(max(c.Input.Limit, 0), mostLines)
	doc, err := agent.Document(ctx, f.Editor, "", view.DocumentArgs{URI: f.URI, StartLine: c.Input.Offset, Limit: &limit, Room: room, Shown: true})
	if err != nil {
		return a, ""
	}
	result, cut := readLines(c.Input.Path, doc, limit)
	said := fmt.Sprintf("%s, and this is it (rev %s).%s Edit and Write edit it there.", unsaved(*f), doc.Rev, cut)
	return answer{Output: result, Context: said}, result.File.Text
}

// refused matches what Claude Code says of an Edit or a Read that it refuses before any hook runs.
var refused = lazy.Regexp(`^(<tool_use_error>)?(String to replace not found in file|File does not exist)`)

// afterAll answers what an agent asks after it has used several tools.
func (h hook) afterAll(ctx context.Context) answer {
	said := []string{"These Edits were refused, since their text is not on disk, and tried in the editor. Those that are made are not to be made again:"}
	var texts, reports []string
	left := mostSaid - len(said[0]) - len(h.Calls)*(mostVerdict+1) // for texts
	for _, raw := range h.Calls {
		var c call
		var response string
		if json.Unmarshal(raw, &c) != nil || json.Unmarshal(c.Response, &response) != nil || !refused().MatchString(response) {
			continue
		}
		switch c.Tool {
		case "Edit":
			if o := h.edit(ctx, c); o.said != "" {
				said, reports = append(said, paths.OneLine(o.verdict, mostVerdict)), append(reports, o.said)
			}
		case "Read":
			if a, shown := h.read(ctx, c, max(1, left-mostAbout)); a.Context != "" {
				text := fmt.Sprintf("This Read is no error. %s\n%s", a.Context, shown)
				texts, left = append(texts, text), left-len(text)-1
			}
		}
	}
	if reports == nil {
		said = nil
	}
	return answer{Context: fitted(slices.Concat(said, texts, reports)...)}
}

// mostVerdict is how many characters the verdict on one edit has: those on fifty edits of one turn have room. mostAbout
// is how many bytes precede a text.
const (
	mostVerdict = mostSaid/50 - 10
	mostAbout   = 1000
)

// fitted joins as many of the parts as have room in mostSaid, each on a new line, and says how many have none.
func fitted(parts ...string) string {
	left := mostSaid - len("\n(1234 more)")
	for i, part := range parts {
		if left -= utf8.RuneCountInString(part) + 1; left < 0 {
			return strings.Join(parts[:i], "\n") + fmt.Sprintf("\n(%d more)", len(parts)-i)
		}
	}
	return strings.Join(parts, "\n")
}

// outcome is what came of an edit: in one line, and in all words. It is empty if the agent's own tool must make the edit.
type outcome struct{ verdict, said string }

// edit makes the edit of a call of Edit, Write or NotebookEdit in the editor.
func (h hook) edit(ctx context.Context, c call) outcome {
	f, no := h.open(ctx, cmp.Or(c.Input.Path, c.Input.Notebook))
	switch {
	case f == nil:
		return no
	case c.Tool == "NotebookEdit":
		return outcome{said: fmt.Sprintf("Nothing was written: %s, and NotebookEdit edits the cells of the file on disk. mcp__patchls__view and mcp__patchls__str_replace show and edit that text; or ask the user to save it.", unsaved(*f))}
	case c.Tool == "Write":
		return h.make(ctx, f, "write", commands.Write{Path: f.URI, Write: command.Write{Content: c.Input.Content}})
	}
	return h.make(ctx, f, "str_replace", commands.StrReplace{
		Path: f.URI, OldStr: c.Input.Old, NewStr: c.Input.New, ReplaceAll: c.Input.ReplaceAll, Match: commands.MatchExact,
	})
}

// headers matches the lines of a patch that name files. An agent resolves such a name in its own folder only; patchls
// would look in the workspace folders as well.
var headers = lazy.Regexp(`(?m)^(\*\*\* (?:Update File|Add File|Delete File|Move to): )(\S.*)$`)

// patch applies a patch in the editor if one of its files, or the place of one that it moves, has unsaved text there.
func (h hook) patch(ctx context.Context, text string) outcome {
	text = headers().ReplaceAllStringFunc(text, func(line string) string {
		m := headers().FindStringSubmatch(line)
		return m[1] + paths.Abs(h.Dir, m[2])
	})
	p, err := patch.Parse(text)
	if err != nil {
		return outcome{}
	}
	names := func(f patch.File) []string { return []string{f.Path, cmp.Or(f.NewPath, f.Path)} }
	f, no := h.open(ctx, lists.FlatMap(p.Files, names)...)
	if f == nil {
		return no
	}
	args := transaction.PatchArgs{Patch: text}
	args.Save = f.Editor.Live().Saves // saves those files of the patch that had no unsaved text
	return h.make(ctx, f, "apply_patch", args)
}

// make runs a command in the editor of a file.
func (h hook) make(ctx context.Context, f *agent.File, name string, args any) outcome {
	if h.Mode == "plan" || h.Mode == "dontAsk" { // the agent would not make the edit in this mode
		return outcome{}
	}
	ctx, cancel := context.WithTimeout(ctx, agent.WriteTime) // an agent ends a hook after a minute or more, and goes on with its own tool
	defer cancel()
	raw, err := f.Editor.Execute(ctx, agent.Call{Command: name, Arguments: args})
	if err != nil {
		message, _ := words.ErrorData(err)
		return outcome{fmt.Sprintf("failed: %s: %s", f.Path, message), fmt.Sprintf("%s. There: %s", unsaved(*f), words.ErrorOfWhole(err))}
	}
	var result transaction.Result
	_ = json.Unmarshal(raw, &result) // an answer that cannot be read verifies nothing
	what := result.EditID + ": " + result.Message
	if !result.Verified {
		return outcome{"made, but not verified, " + what, fmt.Sprintf("%s. The edit was made there, but was not verified; look at the text before anything else.\n%s", unsaved(*f), words.EditText(raw))}
	}
	return outcome{"made, " + what, fmt.Sprintf("This is no error: the edit is made, and is not to be made again. %s, so it was made there.\n%s", unsaved(*f), words.EditText(raw))}
}

// unsaved returns a sentence that says where a file has unsaved text, and whether it is on disk at all.
func unsaved(f agent.File) string {
	only := ""
	key, _ := paths.KeyOf(f.URI) // the name of an open document is one
	if path, _ := key.FilePath(); !paths.OnOtherMachine(path, f.Editor.Live().Roots) && !paths.Listed(path) {
		only = "is not on disk and "
	}
	return fmt.Sprintf("%s %shas unsaved text in %s", paths.OneLine(f.Path, paths.MaxShownPath), only, cmp.Or(f.Editor.Live().Name, "an editor"))
}

// open returns the first file of those at names, which are counted from the agent's folder, that has unsaved text. If it returns
// nil, no says why the agent's own tool must not write them either; it is empty if the tool may.
func (h hook) open(ctx context.Context, names ...string) (f *agent.File, no outcome) {
	f, err := h.find.Open(ctx, false, lists.Map(names, func(name string) string { return paths.Abs(h.Dir, name) })...)
	switch {
	case f != nil && f.Unsaved:
		return f, no
	case err != nil:
		message, _ := words.ErrorData(err)
		message = strings.TrimPrefix(message, agent.NotDone)
		no = outcome{"failed: " + message, "Nothing was written: " + message}
	}
	return nil, no
}

// The bounds of what Read shows: mostLines without a limit, as Claude Code's own. A result of more than mostRead bytes may
// become the name of a file that has it.
const (
	mostLines = 2000
	mostRead  = 30_000
)

// readResult is a result of Claude Code's Read.
type readResult struct {
	Type string `json:"type"`
	File struct {
		Path  string `json:"filePath"`
		Text  string `json:"content"`
		Lines int    `json:"numLines"`
		Start int    `json:"startLine"`
		Total int    `json:"totalLines"`
	} `json:"file"`
}

// readLines returns lines of a text as the result of a Read, which counts one more line after a final line end. If the
// result ends before the text, cut says how to go on. limit is how many lines were asked for.
func readLines(path string, doc view.Document, limit int) (result readResult, cut string) {
	r := &result.File
	result.Type, r.Path, r.Start, r.Total, r.Lines = "text", path, doc.StartLine, doc.TotalLines, doc.EndLine-doc.StartLine+1
	r.Text = diff.UnixLines(doc.Text)
	if doc.FinalNewline {
		r.Total++
	}
	if doc.FinalNewline && doc.EndLine == doc.TotalLines && r.Lines < limit {
		r.Lines++
	} else {
		r.Text = strings.TrimSuffix(r.Text, "\n")
	}
	if doc.Cropped {
		cut = fmt.Sprintf(" Lines are cropped at %d characters.", edits.MaxShownLine)
	}
	if next := r.Start + r.Lines; next <= r.Total {
		cut += fmt.Sprintf(" It has %d lines; an offset of %d goes on.", r.Total, next)
	}
	return result, cut
}
