package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/internal/lists"
	"github.com/patchls/patchls/lsp/view"
	"github.com/patchls/patchls/workspace/paths"
)

// ErrNoEditor says that no live editor matches the request.
var ErrNoEditor = errors.New("no live editor was found")

// SocketVariable is the environment variable that names the editor for Find to return, by its window or its socket.
const SocketVariable = "PATCHLS_SOCKET"

// Finder finds the live editors of this user, and keeps its connections to them: a call needs no new connection, and servers
// know the agent as the one to which they have shown a text. It is safe for concurrent use. The connections belong to the
// Finder: callers must not close them, and a caller may find that one has ended.
type Finder struct {
	Client ClientInfo
	Log    *slog.Logger // gets the reason why an editor is left out, never a token; nil discards
	// Timeout is how long an editor may take to connect, and to say which files it has open; 0 is [LookTime].
	Timeout time.Duration
	// Of is the process id of the server that looks for the editors other than its own; 0 for any other program.
	Of int
	// Own reports whether a process is the caller's own. [Finder.All] does not mind that an editor there is silent, which may
	// be the caller's doing. Nil if there are none.
	Own func(pid int) bool

	sys *system

	mu    sync.Mutex
	conns map[string]*Conn // by socket
	mute  []silent         // for a server, which asks once for each file of a command: the editors that did not answer
}

// How long an editor may take.
const (
	LookTime  = 2 * time.Second  // to connect, to say what it has open, and to send a text
	WriteTime = 30 * time.Second // to make an edit, about which the user may be asked
)

// Editors returns the editors that answer, the most recently active first.
func (f *Finder) Editors(ctx context.Context) []Live {
	conns, _ := f.connectAll(ctx)
	return lists.Map(conns, (*Conn).Live)
}

// Find returns the connection to the editor in which a command is to run: of the editors that have one of its files
// open, the one that has unsaved text of it; else one that has a file open; else the one with the deepest workspace
// root that holds the folder dir. Of several it takes the most recently active one, as of the time when the Finder
// connected to them. rivals is how many others might have been meant.
//
// If there is none, the error is [ErrNoEditor], or wraps [ErrSilent] if one does not answer, which may have any file open.
// Where another editor is found, but has none of the files open, the error wraps [ErrSilent] too if one does not answer: any
// if the command edits, otherwise one with a workspace folder that holds a file. If files have unsaved text in two editors,
// it is a *jsonrpc2.Error that names them.
//
// Files may be relative to dir. One on a network share where no editor has a folder is compared by its name alone,
// without access to it. If the environment variable PATCHLS_SOCKET is set, it names the editor to use, of several of that
// name the one that was started last, unless another one has unsaved text of a file or the edits that the command is about;
// it is an error then if that editor cannot be reached.
func (f *Finder) Find(ctx context.Context, dir string, about About) (c *Conn, rivals int, err error) {
	if os.Getenv(SocketVariable) == "" {
		return f.find(ctx, dir, about, nil)
	}
	named, err := f.named(ctx, byVariable)
	if errors.Is(err, ErrNoEditor) {
		err = fmt.Errorf("%s is %s: no editor of that name lets agents in now", SocketVariable, os.Getenv(SocketVariable))
	}
	if err != nil {
		return nil, 0, err
	}
	return f.find(ctx, dir, about, named)
}

// byVariable reports whether PATCHLS_SOCKET names an editor.
func byVariable(e Entry) bool {
	name := os.Getenv(SocketVariable)
	return name != "" && (e.Window == name || e.Socket == name)
}

// named returns the connection to the editor that the user has named, of several to the one that was started last. If there
// is none, the error is [ErrNoEditor].
func (f *Finder) named(ctx context.Context, is func(Entry) bool) (*Conn, error) {
	var latest Entry
	entries, _ := f.entries()
	for _, e := range entries {
		if is(e) && !e.Started.Before(latest.Started) {
			latest = e
		}
	}
	if latest.PID == 0 {
		return nil, ErrNoEditor
	}
	conns, errs := f.Connect(ctx, []Entry{latest})
	return conns[0], errs[0]
}

// find is [Finder.Find] with the editor that the user has named, nil for none.
func (f *Finder) find(ctx context.Context, dir string, about About, named *Conn) (c *Conn, rivals int, err error) {
	conns, quiet := f.connectAll(ctx)
	if !paths.OnOtherMachine(dir, lists.FlatMap(conns, func(c *Conn) []string { return c.Live().Roots })) {
		dir = realPath(dir)
	}
	all := lists.Map(conns, func(c *Conn) standing { return stand(Listed{Conn: c}, dir, About{}) })
	asks := len(about.Files) > 0 || about.Edit != ""
	if asks && (len(conns)+len(quiet) > 1 || !slices.ContainsFunc(all, func(s standing) bool { return s.isMeant() && s.Live().Edits })) {
		listed, mute := f.ask(ctx, conns)
		quiet = append(quiet, mute...)
		all = lists.Map(listed, func(l Listed) standing { return stand(l, dir, about) })
	}
	best, rivals, err := choose(all, about, named)
	isOpen := func(s standing) bool { return s.Conn == best && (s.made || s.open > 0) }
	switch {
	case err != nil:
	case best == nil || best != named && !slices.ContainsFunc(all, isOpen):
		err = check(quiet, best == nil || about.Edits && asks, dir, about.Files)
		if err == nil && best == nil {
			err = ErrNoEditor
		}
	}
	if err != nil {
		return nil, 0, err
	}
	return best, rivals, nil
}

// Listed is an editor that has said what it has open.
type Listed struct {
	*Conn
	view.Listing
}

// File is a file that an editor has open.
type File struct {
	view.DocumentInfo
	Editor *Conn
}

// NotText says that a file is open as something other than text, and what to do.
func (f File) NotText() string {
	return fmt.Sprintf("%s is open in %s as %s, so its text there is not known; ask the user to save and close it first.",
		shownPath(f.Path), f.Editor.Live().Title(), f.As)
}

// All returns the editors that answer, the most recently active first, also others than the one that PATCHLS_SOCKET names.
// The error wraps [ErrSilent] if one does not answer: it may have any file open with unsaved text.
func (f *Finder) All(ctx context.Context) ([]Listed, error) { return f.all(ctx, true) }

// all is [Finder.All] for what may be written to disk, and otherwise for files: then an editor that is silent does not matter
// if it has no workspace folder that holds one.
func (f *Finder) all(ctx context.Context, writes bool, files ...string) ([]Listed, error) {
	conns, quiet := f.connectAll(ctx)
	all, mute := f.ask(ctx, conns)
	quiet = append(quiet, mute...)
	if f.Of != 0 {
		f.mu.Lock()
		f.mute = quiet
		f.mu.Unlock()
	}
	quiet = slices.DeleteFunc(slices.Clone(quiet), func(s silent) bool { return f.Own != nil && f.Own(s.PID) })
	return all, check(quiet, writes, "", files)
}

// Open returns what an editor has open of files, absolute paths, that an agent is about to read or write with a tool of its own:
// a document with unsaved text, else one that is open, nil if none is. toEdit: it is to be edited there, so an editor that
// cannot be edited is passed over, unless it has unsaved text. The error says why no program may write the
// files: one is open as something other than text, or two editors have unsaved text of them; then there is no document. It
// wraps [ErrSilent] if an editor does not answer, as that of [Finder.All] does.
func (f *Finder) Open(ctx context.Context, toEdit bool, files ...string) (*File, error) {
	listed, silent := f.All(ctx)
	all := lists.Map(listed, func(l Listed) standing { return stand(l, "", About{Files: files}) })
	if i := slices.IndexFunc(all, func(s standing) bool { return byVariable(s.Live().Entry) }); i > 0 {
		all[0], all[i] = all[i], all[0] // the first of equal ones is chosen
	}
	best, _, err := choose(all, About{Files: files, Edits: toEdit}, nil)
	if err != nil {
		return nil, err
	}
	for _, s := range all {
		if s.Conn == best && s.open > 0 {
			return &File{s.docs[max(0, slices.IndexFunc(s.docs, func(d view.DocumentInfo) bool { return d.Unsaved }))], best}, silent
		}
	}
	return nil, silent
}

// Begin tells all editors that an actor, as in [Call], begins with the next prompt of its user. It returns what they have to
// say of the actor's edits.
func (f *Finder) Begin(ctx context.Context, actor, prompt string) (notes []string) {
	ctx, cancel := context.WithTimeout(ctx, LookTime)
	defer cancel()
	conns, _ := f.connectAll(ctx)
	for _, c := range conns {
		var said struct{ Notes []string }
		raw, err := c.Execute(ctx, Call{Command: "turn", Arguments: map[string]string{"prompt": prompt}, Actor: actor})
		if err == nil && json.Unmarshal(raw, &said) == nil {
			notes = append(notes, said.Notes...)
		}
	}
	return notes
}

// ByPID returns the connection to the editor whose server has that process id. If there is none,
// the error is [ErrNoEditor]. It is an error if a file of the command has unsaved text in another editor.
func (f *Finder) ByPID(ctx context.Context, pid int, dir string, about About) (*Conn, error) {
	named, err := f.named(ctx, func(e Entry) bool { return e.PID == pid })
	if errors.Is(err, ErrNoEditor) {
		return nil, fmt.Errorf("%w with the process id %d", err, pid)
	}
	if err != nil {
		return nil, err
	}
	best, _, err := f.find(ctx, dir, about, named)
	if err == nil && best != named && len(about.Files) > 0 {
		err = refused(edits.Rejected, fmt.Sprintf("%s has unsaved text of it. Send the command there, with --editor %d.", best.Live().Title(), best.Live().PID))
	}
	return named, err
}

// MayWrite returns an error if a file may not be written to disk, since a live editor has it open, or may have: it
// does not answer. path is a URI or a path, relative to the working directory if it is not absolute. For a server, it is an
// error if another editor has unsaved text of the file or no text, or is silent and has a workspace folder that holds it.
func (f *Finder) MayWrite(ctx context.Context, path string) error {
	all, silent := f.all(ctx, f.Of == 0, path)
	for _, l := range all {
		for _, doc := range opened(l.Listing, realPath("."), path) {
			switch {
			case f.Of == 0 && !l.Live().Edits:
				return fmt.Errorf("%s has it open, so it is not written to disk, and cannot be edited by agents; ask the user to close it there", l.Live().Title())
			case f.Of == 0:
				return fmt.Errorf("%s has it open, so it is not written to disk; edit it there, with --editor %d", l.Live().Title(), l.Live().PID)
			case doc.As != "":
				return errors.New(File{doc, l.Conn}.NotText())
			case doc.Unsaved:
				return fmt.Errorf("%s has unsaved text of it; ask the user to save or close it there", l.Live().Title())
			}
		}
	}
	return silent
}

// Close closes all connections, within a second even if several editors do not answer.
func (f *Finder) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all sync.WaitGroup
	for _, c := range f.conns {
		all.Go(func() { _ = c.Close() }) // it never fails
	}
	f.conns = nil
	all.Wait()
}

// entries returns the entries of this user's discovery files that can be read, and removes the files of processes
// that have ended. One whose socket cannot be trusted, or is gone, cannot be connected to.
func (f *Finder) entries() (found []Entry, folder Folder) {
	folder = f.Inspect()
	if folder.Fault != nil {
		f.log().Warn("the folder of discovery files is ignored", "reason", folder.Fault)
	}
	for _, file := range folder.Files {
		switch {
		case f.isOwn(file):
		case errors.Is(file.Fault, ErrStale):
			f.log().Info("an editor that has ended left its discovery file", "file", file.Path)
			f.sys.or().removeStale(file.Entry)
		case file.Entry.PID == 0:
			f.log().Warn("a discovery file is ignored", "file", file.Path, "reason", file.Fault)
		default:
			found = append(found, file.Entry)
		}
	}
	return found, folder
}

// isOwn reports whether a discovery file is that of the server which looks for other editors.
func (f *Finder) isOwn(file DiscoveryFile) bool {
	return filepath.Base(file.Path) == strconv.Itoa(f.Of)+".json"
}

// connectAll returns the connections to the editors that answer, the most recently active first, and the editors that
// do not answer.
func (f *Finder) connectAll(ctx context.Context) (conns []*Conn, quiet []silent) {
	entries, folder := f.entries()
	f.mu.Lock()
	quiet = slices.DeleteFunc(slices.Clone(f.mute), func(s silent) bool { return !slices.ContainsFunc(entries, s.is) })
	f.mu.Unlock()
	entries = slices.DeleteFunc(entries, func(e Entry) bool { return slices.ContainsFunc(quiet, func(s silent) bool { return s.is(e) }) })
	conns, errs := f.Connect(ctx, entries)
	for i, err := range errs {
		if err != nil {
			f.log().Warn("an editor cannot be reached", "pid", entries[i].PID, "reason", err)
			quiet = append(quiet, silent{entries[i], err})
		}
	}
	conns = slices.DeleteFunc(conns, func(c *Conn) bool { return c == nil })
	slices.SortFunc(conns, func(a, b *Conn) int {
		return cmp.Or(b.live.Active.Compare(a.live.Active), cmp.Compare(a.live.PID, b.live.PID))
	})
	return conns, append(quiet, f.distrusted(folder)...)
}

// Connect returns the connection to each of the editors of entries that [Finder.Inspect] has returned,
// or the error if there is none. It makes missing connections concurrently, and forgets connections
// that have ended. If a server refuses a connection, the error wraps the server's *jsonrpc2.Error.
func (f *Finder) Connect(ctx context.Context, entries []Entry) ([]*Conn, []error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	maps.DeleteFunc(f.conns, func(_ string, c *Conn) bool { return c.link.ended.Err() != nil })
	conns, errs := make([]*Conn, len(entries)), make([]error, len(entries))
	var all sync.WaitGroup
	for i, e := range entries {
		if c := f.conns[e.Socket]; c != nil && c.live.Started.Equal(e.Started) {
			c.mu.Lock()
			c.live.Roots = e.Roots // they may have changed
			c.mu.Unlock()
			conns[i] = c
			continue
		}
		all.Go(func() { conns[i], errs[i] = f.dial(ctx, e) })
	}
	all.Wait()
	for i, c := range conns {
		socket := entries[i].Socket
		old := f.conns[socket]
		if c == nil || c == old {
			continue
		}
		if old != nil {
			go func() { _ = old.Close() }() // its process has ended; Close never fails
		}
		if f.conns == nil {
			f.conns = map[string]*Conn{}
		}
		f.conns[socket] = c
	}
	return conns, errs
}

func (f *Finder) log() *slog.Logger { return cmp.Or(f.Log, slog.New(slog.DiscardHandler)) }

// ask asks editors what they have open. It returns those that answered, in order, and ends the connections to the others.
func (f *Finder) ask(ctx context.Context, conns []*Conn) (answered []Listed, quiet []silent) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(f.Timeout, LookTime))
	defer cancel()
	listings, errs := make([]view.Listing, len(conns)), make([]error, len(conns))
	var all sync.WaitGroup
	for i, c := range conns {
		all.Go(func() {
			stop := context.AfterFunc(ctx, c.link.drop) // no need to wait for the answer to a cancelled question
			listings[i], errs[i] = List(ctx, c)
			// At the timeout the command is cancelled, and the server may then answer
			// with nothing; stop may still prevent the drop that is due.
			if stop(); ctx.Err() != nil {
				c.link.drop()
				errs[i] = ctx.Err()
			}
		})
	}
	all.Wait()
	for i, c := range conns {
		if errs[i] != nil {
			f.log().Warn("an editor does not say what it has open", "pid", c.live.PID, "reason", errs[i])
			_ = c.Close() // it never fails
			quiet = append(quiet, silent{c.Live().Entry, errs[i]})
			continue
		}
		answered = append(answered, Listed{c, listings[i]})
	}
	return answered, quiet
}

// opened returns the documents of a list that are the one which path names. Several may be the same file under several names.
func opened(list view.Listing, dir, path string) (all []view.DocumentInfo) {
	for _, doc := range list.Documents {
		key, err := paths.KeyOf(doc.URI) // its path may be relative to a root
		if err == nil && (doc.URI == path || paths.Find(fileAt(dir, path), []paths.Key{key}) >= 0) {
			all = append(all, doc)
		}
	}
	return all
}

// fileAt returns the document that path names, a URI or a path relative to dir. A name with a colon is a path.
func fileAt(dir, path string) paths.Key {
	key, err := paths.KeyOf(path)
	if _, is := key.FilePath(); err != nil || !is && !strings.Contains(path, "://") {
		key = paths.FileKey(filepath.Join(dir, path))
	}
	return key
}

// realPath returns the absolute form of path with symbolic links resolved, as far as the path exists.
func realPath(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return path // there is no working directory
	}
	return string(paths.Target{Key: paths.FileKey(abs)}.Identity())
}

// RootOf returns the deepest workspace folder of l that holds the folder dir, "" if none does. It resolves symbolic links.
func (l Live) RootOf(dir string) string {
	root, _ := l.rootOf(realPath(dir))
	return root
}

// rootOf returns the folder that RootOf returns, and its depth, 0 if there is none. dir has its symbolic links resolved.
func (l Live) rootOf(dir string) (deepest string, depth int) {
	for _, root := range l.Roots {
		real := realPath(root)
		if _, ok := paths.Below(real, dir); !ok {
			continue
		}
		// The root of the file system may be a workspace folder as well.
		if d := 1 + strings.Count(strings.TrimSuffix(real, "/"), string(filepath.Separator)); d > depth {
			deepest, depth = root, d
		}
	}
	return deepest, depth
}
