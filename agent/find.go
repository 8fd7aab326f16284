package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/patchls/patchls/lsp/view"
	"github.com/patchls/patchls/workspace/paths"
)

// ErrNoEditor says that no live editor matches the request.
var ErrNoEditor = errors.New("no live editor was found")

// SocketVariable is the environment variable that names the editor for Find to return, by its window or its socket.
const SocketVariable = "PATCHLS_SOCKET"

// Finder finds the live editors of this user, and keeps its connections to them: a call needs
// no new connection, and servers know the agent as the one to which they have shown a text. It is
// safe for concurrent use. The connections belong to the Finder: callers must not close them, and
// a caller may find that one has ended.
type Finder struct {
	Client ClientInfo
	Log    *slog.Logger // gets the reason why an editor is left out, never a token; nil discards
	// Timeout is how long an editor may take to connect, and to say which files it has
	// open; 0 is 2 s.
	Timeout time.Duration

	sys *system

	mu    sync.Mutex
	conns map[string]*Conn // by socket
}

const defaultTimeout = 2 * time.Second

// Editors returns the editors that answer, the most recently active first.
func (f *Finder) Editors(ctx context.Context) []Live {
	conns := f.connectAll(ctx)
	found := make([]Live, len(conns))
	for i, c := range conns {
		found[i] = c.Live()
	}
	return found
}

// Find returns the connection to the editor that has the file at path open; else to the one
// with the deepest workspace root that holds the folder dir. Of several it takes the most recently
// active one, as of the time when the Finder connected to them. If there is none, the error is
// [ErrNoEditor].
//
// path may be relative to dir, a URI, or "" for none. A path on a network share where no editor has a folder
// is compared by its name alone, without access to it. If the environment variable PATCHLS_SOCKET is
// set, it names the editor, of several the one that was started last; it is an error then if that editor
// cannot be reached.
func (f *Finder) Find(ctx context.Context, dir, path string) (*Conn, error) {
	if name := os.Getenv(SocketVariable); name != "" {
		var latest Entry
		for _, e := range f.entries() {
			if (e.Window == name || e.Socket == name) && !e.Started.Before(latest.Started) {
				latest = e
			}
		}
		if latest.PID == 0 {
			return nil, fmt.Errorf("%s is %s: no editor of that name lets agents in now", SocketVariable, name)
		}
		return f.connectOne(ctx, latest)
	}
	conns := f.connectAll(ctx)
	var roots []string
	for _, c := range conns {
		roots = append(roots, c.Live().Roots...)
	}
	if !paths.OnOtherMachine(dir, roots) {
		dir = realPath(dir)
	}
	open := make([]bool, len(conns))
	if path != "" && (len(conns) > 1 || choose(conns, open, dir) < 0) {
		want := fileAt(dir, path)
		conns, open = f.askOpen(ctx, conns, want, !paths.OnOtherMachine(want.Abs, roots))
	}
	if best := choose(conns, open, dir); best >= 0 {
		return conns[best], nil
	}
	return nil, ErrNoEditor
}

// All returns the connections to the editors in which commands may run: the one that the environment's
// PATCHLS_SOCKET names, or else those that answer, the most recently active first.
func (f *Finder) All(ctx context.Context) []*Conn {
	if os.Getenv(SocketVariable) == "" {
		return f.connectAll(ctx)
	}
	c, err := f.Find(ctx, "", "")
	if err != nil {
		f.log().Warn("an editor cannot be reached", "reason", err)
		return nil
	}
	return []*Conn{c}
}

// choose returns the index of the editor to use, -1 if there is none. open says which
// editors have the file open; dir has its symbolic links resolved.
func choose(conns []*Conn, open []bool, dir string) int {
	best, bestDepth := -1, 0
	for i, c := range conns { // the most recently active first, so that a later one must be better
		_, depth := c.Live().rootOf(dir)
		switch {
		case !open[i] && depth == 0:
		case best < 0, open[i] && !open[best], open[i] == open[best] && depth > bestDepth:
			best, bestDepth = i, depth
		}
	}
	return best
}

// ByPID returns the connection to the editor whose server has that process id. If there is none,
// the error is [ErrNoEditor].
func (f *Finder) ByPID(ctx context.Context, pid int) (*Conn, error) {
	for _, e := range f.entries() {
		if e.PID == pid {
			return f.connectOne(ctx, e)
		}
	}
	return nil, fmt.Errorf("%w with the process id %d", ErrNoEditor, pid)
}

// HasOpen returns the live editor that has a file open, the most recently active one
// of several. path is a URI or a path, relative to the working directory if it is not
// absolute. An editor that does not answer within the timeout is ignored; the log
// says so.
func (f *Finder) HasOpen(ctx context.Context, path string) (Entry, bool) {
	conns, open := f.askOpen(ctx, f.connectAll(ctx), fileAt(realPath("."), path), true)
	if i := slices.Index(open, true); i >= 0 {
		return conns[i].Live().Entry, true
	}
	return Entry{}, false
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

// entries returns the entries of this user's discovery files that can be trusted, and
// removes the files of processes that have ended.
func (f *Finder) entries() []Entry {
	folder := f.Inspect()
	if folder.Fault != nil {
		f.log().Warn("the folder of discovery files is ignored", "reason", folder.Fault)
	}
	var found []Entry
	for _, file := range folder.Files {
		switch {
		case errors.Is(file.Fault, ErrStale):
			f.log().Info("an editor that has ended left its discovery file", "file", file.Path)
			f.sys.or().removeStale(file.Entry)
		case file.Fault != nil:
			f.log().Warn("a discovery file is ignored", "file", file.Path, "reason", file.Fault)
		default:
			found = append(found, file.Entry)
		}
	}
	return found
}

// connectAll returns the connections to the editors that answer, the most recently active first.
func (f *Finder) connectAll(ctx context.Context) []*Conn {
	entries := f.entries()
	conns, errs := f.Connect(ctx, entries)
	for i, err := range errs {
		if err != nil {
			f.log().Warn("an editor cannot be reached", "pid", entries[i].PID, "reason", err)
		}
	}
	conns = slices.DeleteFunc(conns, func(c *Conn) bool { return c == nil })
	slices.SortFunc(conns, func(a, b *Conn) int {
		return cmp.Or(b.live.Active.Compare(a.live.Active), cmp.Compare(a.live.PID, b.live.PID))
	})
	return conns
}

func (f *Finder) connectOne(ctx context.Context, e Entry) (*Conn, error) {
	conns, errs := f.Connect(ctx, []Entry{e})
	return conns[0], errs[0]
}

// Connect returns the connection to each of the editors of entries that [Finder.Inspect] has returned,
// or the error if there is none. It makes missing connections concurrently, and forgets connections
// that have ended. If a server refuses a connection, the error wraps the server's *jsonrpc2.Error.
func (f *Finder) Connect(ctx context.Context, entries []Entry) ([]*Conn, []error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	maps.DeleteFunc(f.conns, func(_ string, c *Conn) bool { return c.link.isOver() })
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

func (f *Finder) log() *slog.Logger {
	if f.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return f.Log
}

// askOpen asks all editors whether they have a file open; with look also under another name of the file on disk. It
// returns the connections that answered, in order, and closes the others.
func (f *Finder) askOpen(ctx context.Context, conns []*Conn, want paths.Target, look bool) (answered []*Conn, open []bool) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(f.Timeout, defaultTimeout))
	defer cancel()
	lists, errs := Lists(ctx, conns)
	for i, c := range conns {
		if errs[i] != nil {
			f.log().Warn("an editor does not say what it has open", "pid", c.live.PID, "reason", errs[i])
			_ = c.Close() // it never fails
			continue
		}
		answered, open = append(answered, c), append(open, hasOpen(lists[i], want, look))
	}
	return answered, open
}

// Lists is [List] of several editors at once. It ends the connections of those that do not answer
// before ctx is done.
func Lists(ctx context.Context, conns []*Conn) ([]view.Listing, []error) {
	lists, errs := make([]view.Listing, len(conns)), make([]error, len(conns))
	var all sync.WaitGroup
	for i, c := range conns {
		all.Go(func() {
			stop := context.AfterFunc(ctx, c.link.drop) // no need to wait for the answer to a cancelled question
			lists[i], errs[i] = List(ctx, c)
			// At the timeout the command is cancelled, and the server may then answer
			// with nothing; stop may still prevent the drop that is due.
			if stop(); ctx.Err() != nil {
				c.link.drop()
				errs[i] = ctx.Err()
			}
		})
	}
	all.Wait()
	return lists, errs
}

func hasOpen(list view.Listing, want paths.Target, look bool) bool {
	isWanted := func(key paths.Key) bool { return key == want.Key }
	if look {
		// On a file system that ignores case, one file has many spellings, which only the
		// system can compare.
		identity := want.Identity()
		isWanted = func(key paths.Key) bool {
			_, same := want.OpenAs([]paths.Key{key})
			return same || targetOf(key).Identity() == identity
		}
	}
	return slices.ContainsFunc(list.Documents, func(doc view.DocumentInfo) bool {
		key, err := paths.KeyOf(doc.URI) // its path may be relative to a root
		return err == nil && isWanted(key)
	})
}

// fileAt returns the document that path names, a URI or a path relative to dir.
func fileAt(dir, path string) paths.Target {
	key, err := paths.KeyOf(path)
	if err != nil { // no URI, and not absolute
		key = paths.FileKey(filepath.Join(dir, path))
	}
	return targetOf(key)
}

func targetOf(key paths.Key) paths.Target {
	abs, _ := key.FilePath()
	return paths.Target{Key: key, Abs: abs}
}

// realPath returns the absolute form of path with symbolic links resolved, as far as
// the path exists.
func realPath(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return path // there is no working directory
	}
	return string(targetOf(paths.FileKey(abs)).Identity())
}

// RootOf returns the deepest workspace folder of l that holds the folder dir, "" if none
// does. It resolves symbolic links.
func (l Live) RootOf(dir string) string {
	root, _ := l.rootOf(realPath(dir))
	return root
}

// rootOf returns the folder that RootOf returns, and its depth, 0 if there is none. dir has its
// symbolic links resolved.
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
