package lsp

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/edits/place"
	"github.com/patchls/patchls/internal/lists"
	"github.com/patchls/patchls/lsp/call"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/lines"
	"github.com/patchls/patchls/lsp/patchdoc"
	"github.com/patchls/patchls/lsp/reference"
	"github.com/patchls/patchls/lsp/review"
	"github.com/patchls/patchls/lsp/rpc"
	"github.com/patchls/patchls/lsp/schema"
	"github.com/patchls/patchls/lsp/shares"
	"github.com/patchls/patchls/lsp/transaction"
	"github.com/patchls/patchls/lsp/view"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// caller sends commands: the client itself, or an agent at the endpoint. All callers work on the
// server's documents; each has its own record of what it was shown, unless it says which actor it is.
type caller struct {
	*server
	name   string // what an agent calls itself; "" for the client
	exact  bool   // the names in its diffs of git are counted from folder, too
	folder string // where its relative paths are looked for first; "" for the workspace folders
	// session runs the caller's commands.
	session *transaction.Session
}

// newCaller returns a caller whose commands compute with the given shares.
func (s *server) newCaller(with *shares.Shares) *caller {
	c := &caller{server: s}
	c.session = &transaction.Session{Server: &s.editing, Name: c.called, Workspace: c.workspace, Ledger: &lines.Ledger{}, Shares: with, Agent: with != nil, Done: c.logDone}
	return c
}

// called returns the name that the caller gives itself.
func (s *caller) called() string {
	if s.name == "" {
		return s.Editor().Name
	}
	return s.name
}

// workspace returns the server's workspace, with the caller's folder as the base of relative paths.
func (s *caller) workspace() *workspace.Workspace {
	w := s.server.workspace()
	w.Policy.Base, w.Policy.BaseIsTop = s.folder, s.exact
	return w
}

// forget drops what all callers remember of a document.
func (s *server) forget(key paths.Key) {
	s.self.session.Ledger.Forget(key)
	s.actors.forget(key)
	s.opening.mu.Lock()
	defer s.opening.mu.Unlock()
	for _, a := range s.opening.agents {
		if a.isKnown() { // otherwise it was shown nothing
			a.caller.session.Ledger.Forget(key)
		}
	}
}

// as returns the caller for a call of an actor, "" for the caller's own.
func (s *caller) as(actor string) *caller {
	if actor == "" {
		return s
	}
	own, session := *s, *s.session
	own.session = &session
	own.setActor(actor)
	return &own
}

// The bounds of actors.
const (
	maxActors    = 100  // actors whose texts are kept
	maxNamed     = 1000 // actors whose names are kept, with those of the texts that they were shown
	maxActorName = 200  // bytes
)

// actors are those who see and edit texts under a name of their own: several may use one connection, and one may use
// several, one after the other or at the same time. It is safe for concurrent use.
type actors struct {
	mu  sync.Mutex
	all []actor // the one that called longest ago is first, and is the first whose texts are dropped
}

// actor is what an actor of that name knows.
type actor struct {
	name string
	*lines.Ledger
	*review.Conversation // that of all actors whose names have the same first word
}

// named returns the actor of a name.
func (a *actors) named(name string) actor {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := actor{name[:min(len(name), maxActorName)], &lines.Ledger{}, &review.Conversation{}}
	conversation := func(b actor) string { first, _, _ := strings.Cut(b.name, " "); return first }
	if i := slices.IndexFunc(a.all, func(b actor) bool { return conversation(b) == conversation(now) }); i >= 0 {
		now.Conversation = a.all[i].Conversation
	}
	if i := slices.IndexFunc(a.all, func(b actor) bool { return b.name == now.name }); i >= 0 {
		now = a.all[i]
		a.all = slices.Delete(a.all, i, i+1)
	}
	a.all = append(slices.Delete(a.all, 0, max(0, len(a.all)+1-maxNamed)), now)
	if old := len(a.all) - maxActors; old > 0 {
		a.all[old-1].Drop()
	}
	return now
}

// setActor says that the caller's commands come from the actor of that name.
func (s *caller) setActor(name string) {
	who := s.actors.named(name)
	s.session.Ledger, s.session.Conversation = who.Ledger, who.Conversation
}

// forget drops what all actors know of a text.
func (a *actors) forget(key paths.Key) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, b := range a.all {
		b.Forget(key)
	}
}

// The methods of docs/build/editor.md that a client may call.
const (
	methodExecute = "patchls/execute"
	methodSynced  = "patchls/synced"
	methodMerged  = "patchls/merged"
	methodNotText = "patchls/notText"
)

// Command is one command, declared once: dispatch, capabilities, the schemas,
// docs/commands.md and the command line follow from it.
type Command struct {
	Name   string // without "patchls."
	Title  string
	Doc    string // sentences for the agent or program that calls it
	Effect Effect // what calls may do
	// ForEditors says that users choose the command in an editor, and that it is no tool for agents.
	ForEditors bool

	handler
}

// Edits reports whether the command changes text.
func (c *Command) Edits() bool { return c.Effect >= Adds }

// Edits reports whether name is that of a command that edits.
func Edits(name string) bool {
	return slices.ContainsFunc(Commands, func(c Command) bool { return c.Name == name && c.Edits() })
}

// Imitates reports whether the command is a reference tool: it imitates a tool that agents know
// from elsewhere, and answers in that tool's words.
func (c *Command) Imitates() bool { return c.imitates }

// Effect is what the calls of a command may do to texts and files. Clients of agents decide by it which calls to allow.
type Effect int

const (
	// Reads changes nothing.
	Reads Effect = iota
	// Reviews changes no text, and removes marks that the user sees.
	Reviews
	// Adds changes texts, and takes nothing away from them.
	Adds
	// Replaces may remove what exists, and the same call may change more a second time.
	Replaces
	// Settles may remove what exists; the same call changes nothing more a second time.
	Settles
)

// Schema returns the JSON schema of the command's arguments: an object, with the defaults filled in.
func (c *Command) Schema() *jsonschema.Schema {
	of := schema.Of(c.arguments)
	of.Title, of.Description = c.Title, c.Doc
	return of
}

// Arguments returns the arguments of the command, in order.
func (c *Command) Arguments() []schema.Member {
	return schema.Describe(c.arguments.Type(), c.Schema())
}

// executeCommand is workspace/executeCommand, and patchls/execute for clients
// that would register every advertised command for the whole editor (hazard: global-commands).
func (s *caller) executeCommand(ctx context.Context, params []byte) (rpc.Work, error) {
	var p struct {
		Command   string           `json:"command"`
		Arguments []jsontext.Value `json:"arguments"`
		Actor     string           `json:"actor"` // who sends the command, if several use the connection
	}
	if err := decode(params, &p); err != nil {
		return nil, schema.Invalid(`The parameters must be an object with "command", a string, and "arguments", a list that holds one object`)
	}
	way := call.New(s.called(), p.Command)
	s.Log.DebugContext(way.Under(ctx), "arrived")
	own := s.as(p.Actor)
	if c := own.session.Conversation; c != nil {
		c.Called(true)
	}
	run, err := own.start(p.Command, p.Arguments)
	if err != nil {
		call.Answered(way.Under(ctx), s.Log, err)
		return nil, err
	}
	return func(ctx context.Context) (any, error) {
		ctx = way.Under(ctx)
		result, err := rpc.Fenced(p.Command, func() (any, error) { return run(ctx) })
		result, err = own.session.Tell(ctx, result, err)
		if broken, ok := errors.AsType[*rpc.FaultError](err); ok {
			broken.Call = way.Name
		}
		call.Answered(ctx, s.Log, err)
		s.warnOf(p.Command, err)
		return result, err
	}, nil
}

// start does the first half of a command, on the reading goroutine.
func (s *caller) start(command string, arguments []jsontext.Value) (rpc.Work, error) {
	c, err := commandNamed(command)
	if err != nil {
		return nil, err
	}
	run, reads, err := c.begin(s, c, arguments)
	switch {
	case err != nil:
		return nil, err
	case reads: // with a share, so that few texts are read at a time
		return func(ctx context.Context) (result any, err error) {
			s.session.Shares.Share(ctx).Compute(func() {
				if err = ctx.Err(); err == nil {
					result, err = run(ctx, nil)
				}
			})
			return result, err
		}, nil
	}
	turn := s.editing.Arrivals.Take() // in the order in which they arrive
	return func(ctx context.Context) (any, error) {
		defer turn.Done()
		return run(ctx, turn)
	}, nil
}

// commandNamed finds a command by its LSP name.
func commandNamed(name string) (*Command, error) {
	for _, c := range slices.Concat(Commands, endpointCommands) {
		if commands.Prefix+c.Name == name {
			return &c, nil
		}
	}
	e := edits.Errorf(edits.InvalidParams, "Unknown command %q.", name)
	if near := edits.NearestName(commands.Prefix+strings.TrimPrefix(name, commands.Prefix), commandNames()); near != "" {
		e.Message = fmt.Sprintf("Unknown command %q: did you mean %q?", name, near)
	}
	return nil, e
}

func commandNames() []string {
	return lists.Map(Commands, func(c Command) string { return commands.Prefix + c.Name })
}

//go:generate go test . -run IsUpToDate -update

// Commands is the surface of the server, in the order of docs/commands.md.
var Commands = []Command{
	{Name: "view", Title: "View a text", Effect: Reads, handler: reads(view.Show),
		Doc: "Shows lines of a text with their numbers, as the user sees it, unsaved changes included; or the entries of a directory, two levels deep."},
	{Name: "str_replace", Title: "Replace a text", Effect: Replaces, handler: editsText[commands.StrReplace](),
		Doc: "Replaces old_str by new_str. old_str must match exactly and in only one place; a line break in it matches the document's own line ends. Several matches are an error that lists them, unless near_line or replace_all is set." + inBuffer},
	{Name: "insert", Title: "Insert lines", Effect: Adds, handler: editsText[commands.Insert](),
		Doc: "Inserts whole lines after or before a line." + ByLine + inBuffer},
	{Name: "delete_lines", Title: "Delete lines", Effect: Replaces, handler: editsText[commands.DeleteLines](),
		Doc: "Deletes whole lines." + ByLine + inBuffer},
	{Name: "edit_lines", Title: "Edit lines", Effect: Replaces, handler: editsText[commands.EditLines](),
		Doc: "Replaces, inserts and deletes lines in several places at once, numbered as before the call." + ByLine + inBuffer},
	{Name: "apply_patch", Title: "Apply a patch", Effect: Replaces, handler: changes((*transaction.Session).Patch),
		Doc: "Applies a patch to all of its files or to none: " + patch.OneOf(func(d patch.Dialect) string { return d.Name + d.Can }) + " with path. Every hunk must match exactly one place." + inBuffer},
	{Name: "create", Title: "Create a file", Effect: Settles, handler: editsText[commands.Create](),
		Doc: "Creates a text file with its content. Fails if the file exists, unless overwrite is set; then what" + Whole + inBuffer},
	{Name: "write", Title: "Write a whole text", Effect: Settles, handler: editsText[commands.Write](),
		Doc: "Sets the whole text of a file, by edits of only what differs. Creates the file if there is none. What" + Whole + inBuffer},
	{Name: "undo", Title: "Undo an agent's edit", Effect: Replaces, handler: changes((*transaction.Session).Undo),
		Doc: "Undoes an agent's edit: the one with edit_id, the newest of the file path or of all, or a turn. Keeps what was written elsewhere since. Undoes it in all of its files, or, if its text has changed since, in none, and shows both texts."},
	{Name: "save", Title: "Save files", Effect: Settles, handler: changes((*transaction.Session).Save),
		Doc: "Has the editor save the files in paths, or without paths those that agents have edited. Saves no other files."},
	{Name: "list", Title: "List documents and edits", Effect: Reads, handler: reads(view.List),
		Doc: "Lists the documents that are open in the editor, and the agents' edits that can be undone."},
	{Name: "keep", Title: "Keep what an agent changed", Effect: Reviews, handler: reads(keep),
		Doc: "Ends the review of an agent's edit, of one hunk of it, or of all that agents changed in a file, and removes the marks. The text stays, and the edit can still be undone."},
	{Name: "revert", Title: "Revert what an agent changed", Effect: Replaces, handler: handles(revert),
		Doc: "Reverts one hunk of an agent's edit, all of them, or all that agents changed in a file and the user has not reviewed. Keeps what was typed and edited elsewhere since, or does nothing, as undo."},
	{Name: patchdoc.Command, Title: "Apply a patch that is in a document", Effect: Replaces, ForEditors: true, handler: handles(applyDocument),
		Doc: "Applies a patch that is in a document, as apply_patch does: a .patch or .diff file, or the patches in a Markdown document, as they are in the buffer. It is for editors, which offer it where they show the patch. rev and hunk are those of this document." + inBuffer},
	{Name: "edit_file", Title: "Edit a file, as SmartHole does", Effect: Replaces, handler: imitates[reference.EditFileArgs](reference.ParseEditFile),
		Doc: "SmartHole's edit_file: replaces a text, or does one line operation (insert_after_line or insert_before_line with content, or delete_lines), not both." + ByLine + inBuffer},
	{Name: "read_file", Title: "Read a file, as SmartHole does", Effect: Reads, handler: imitates[reference.ReadFileArgs](reference.ParseReadFile),
		Doc: "SmartHole's read_file: shows lines as N: text, as many as fit an answer."},
	{Name: "write_file", Title: "Write a file, as SmartHole does", Effect: Settles, handler: imitates[reference.WriteFileArgs](reference.ParseWriteFile),
		Doc: "SmartHole's write_file: sets the whole text of a file, and makes the folders that it needs. What" + Whole + inBuffer},
	{Name: "text_editor", Title: "Read, write or patch a file, as Agent Zero does", Effect: Replaces, handler: imitates[reference.TextEditorArgs](reference.ParseTextEditor),
		Doc: "Agent Zero's text_editor. A file must be read before its lines are edited." + ByLine + " In a text that is written, what" + Whole + inBuffer},
	{Name: "str_replace_editor", Title: "View, create or edit a file, as sidecar and Anthropic do", Effect: Replaces, handler: imitates[reference.StrReplaceEditorArgs](reference.ParseStrReplaceEditor),
		Doc: "The str_replace_editor of sidecar and Anthropic: view, create, str_replace, insert, and undo_edit, which undoes the newest edit of the file." + ByLine + inBuffer},
}

// The words for the rule that commands are based on what their caller was shown: those that take line numbers, and, after
// "What", those that take a whole text.
const (
	ByLine = " Line numbers are those you last saw: they follow lines that have moved, and lines that have changed are an error."
	Whole  = " others have changed since you saw it stays, or the command fails."
)

// inBuffer ends the Doc of commands that edit (hazard: unsaved-edit).
const inBuffer = " A shell sees the edit only after a save."

// endpointCommands are meant for the agents' endpoint: the client is not told of them.
var endpointCommands = []Command{
	{Name: "document", Title: "Get a text", Doc: "Returns the whole text of an open document, without line numbers.", handler: reads(view.Get)},
	{Name: "turn", Title: "Begin a turn", Doc: "Says that the agent begins with the next prompt of its user.", handler: reads(begin)},
}

// handler is how the calls of a command run.
type handler struct {
	arguments reflect.Value // a struct with the defaults
	imitates  bool          // the command is a reference tool
	// begin is the first half of the request: it decodes the arguments, on the reading goroutine. reads says that this call
	// changes no text.
	begin func(s *caller, c *Command, arguments []jsontext.Value) (run run, reads bool, err error)
}

// run is the second half of a request. turn is the turn of a call that changes texts.
type run func(ctx context.Context, turn *workspace.Turn) (any, error)

// handles returns the handler of arguments A. If A has a method SetDefaults, it sets the defaults of the arguments; if A has
// SetMatch, it sets match to the user's setting.
func handles[A any](do func(ctx context.Context, s *caller, turn *workspace.Turn, name string, args A) (any, error)) handler {
	return handler{reflect.ValueOf(defaults[A]()), false, func(s *caller, c *Command, arguments []jsontext.Value) (run, bool, error) {
		args := defaults[A]()
		if c, ok := any(&args).(interface{ SetMatch(match string) }); ok {
			c.SetMatch(s.settings.Load().Match)
		}
		if _, err := schema.Decode(arguments, &args); err != nil {
			return nil, false, err
		}
		return func(ctx context.Context, turn *workspace.Turn) (any, error) {
			return do(ctx, s, turn, c.Name, args)
		}, !c.Edits(), s.Limits().Check(args)
	}}
}

// defaults returns an A with its defaults set.
func defaults[A any]() A {
	var args A
	if d, ok := any(&args).(interface{ SetDefaults() }); ok {
		d.SetDefaults()
	}
	return args
}

// reads handles the calls of a command that reads.
func reads[A, R any](do func(ctx context.Context, s *transaction.Session, args A) (R, error)) handler {
	return handles(func(ctx context.Context, s *caller, _ *workspace.Turn, _ string, args A) (any, error) {
		return do(ctx, s.session, args)
	})
}

// changes handles the calls of a command that changes texts: do is a method of a session.
func changes[A any](do func(s *transaction.Session, ctx context.Context, turn *workspace.Turn, name string, args A) (*transaction.Result, error)) handler {
	return handles(func(ctx context.Context, s *caller, turn *workspace.Turn, name string, args A) (any, error) {
		return do(s.session, ctx, turn, name, args)
	})
}

// editsText handles the calls of a command that edits one text: A says which, and plans the edit.
func editsText[A commands.Edit]() handler {
	return handles(func(ctx context.Context, s *caller, turn *workspace.Turn, name string, args A) (any, error) {
		return s.session.Edit(ctx, turn, name, args, nil)
	})
}

// imitates handles the calls of a reference tool. A declares its arguments; parse reads them, on the
// reading goroutine, into a [reference.Call].
func imitates[A any](parse func(arguments []jsontext.Value) (*reference.Call, error)) handler {
	return handler{reflect.ValueOf(defaults[A]()), true, func(s *caller, c *Command, arguments []jsontext.Value) (run, bool, error) {
		tool, err := parse(arguments)
		if err == nil {
			err = s.Limits().Check(tool.Edit)
		}
		if err != nil {
			return nil, false, err
		}
		return func(ctx context.Context, turn *workspace.Turn) (any, error) {
			return tool.Run(ctx, s.session, turn, c.Name)
		}, tool.Reads, nil
	}}
}

type turnArgs struct {
	Prompt string `json:"prompt,omitempty" jsonschema:"what the user asks; its beginning is shown"`
}

// turnResult is the answer to the command turn, which has only what the agent is to be told.
type turnResult struct {
	Notes []string `json:"notes"`
}

func (r *turnResult) AddNote(note string) { r.Notes = append(r.Notes, note) }

func begin(_ context.Context, s *transaction.Session, args turnArgs) (*turnResult, error) {
	if s.Conversation != nil {
		s.Conversation.Begin(args.Prompt)
	}
	return &turnResult{Notes: []string{}}, nil
}

func keep(_ context.Context, s *transaction.Session, args review.Args) (any, error) {
	args, err := args.Checked("keep")
	if err != nil {
		return nil, err
	}
	var of paths.Target
	if args.Path != "" {
		if of, err = s.Workspace().Resolve(args.Path); err != nil {
			return nil, err
		}
	}
	parts, err := s.EditLog.Parts(s.Documents, args, of)
	if err != nil {
		return nil, err
	}
	kept := review.Keep(s.Documents, args, parts)
	s.Done(kept.Message) // an agent may remove the marks of its own edit
	s.ReviewChanged()
	return kept, nil
}

type revertArgs struct {
	review.Args
	commands.EditOptions
}

// revert takes hunks of agents' edits back.
func revert(ctx context.Context, s *caller, turn *workspace.Turn, name string, args revertArgs) (any, error) {
	named, err := args.Checked(name)
	if err != nil {
		return nil, err
	}
	return s.session.TakeBack(ctx, turn, name, transaction.UndoArgs{EditID: named.EditID, Path: named.Path, EditOptions: args.EditOptions},
		func(place paths.Target) ([]review.Part, error) { return s.editLog.Parts(s.docs, named, place) },
		func(r *transaction.Result, parts []review.Part) string {
			return fmt.Sprintf("Reverted %s in %s.", named.Words(parts), edits.Listed(r.Paths()))
		})
}

// applyDocument applies the patches that a document holds. The rev in args is the rev of that
// document, since the hunks are counted in it.
func applyDocument(ctx context.Context, s *caller, turn *workspace.Turn, name string, args patchdoc.Args) (any, error) {
	snap, err := s.engine.Read(s.workspace(), args.Path)
	if err != nil {
		return nil, err
	}
	sent, err := s.patchDocs.Chosen(snap, args)
	if err != nil {
		return nil, err
	}
	return s.session.ApplyPatch(ctx, turn, name, func() (patch.Patch, error) { return sent, nil }, place.Options{}, args.EditOptions)
}
