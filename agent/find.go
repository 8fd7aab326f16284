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
	"strings"
	"sync"
	"time"

	"github.com/patchls/patchls/workspace/paths"
)

// ErrNoEditor says that no live editor is there for what was asked.
var ErrNoEditor = errors.New("no live editor was found")

// SocketVariable is the variable of the environment that names the editor that Find is to take, by its window or its socket.
const SocketVariable = "PATCHLS_SOCKET"

// Finder finds the live editors of this user, and keeps its connections to them: so a call
// costs no new one, and an agent stays the one that was shown a text. It is safe for
// concurrent use. The connections are the Finder's: only [Finder.Close] closes them, and a
// caller may find one ended.
type Finder struct {
	Client ClientInfo
	Log    *slog.Logger // gets why an editor is left out, never a token; nil discards
	// Timeout is how long an editor may take to answer, for the connection and for
	// what it is asked then; 0 is 2 s.
	Timeout time.Duration

	sys *system

	mu    sync.Mutex
	conns map[string]*Conn // by socket
}

// Editors returns the editors that answer, the latest active first.
func (f *Finder) Editors(ctx context.Context) []Live {
	conns := f.connectAll(ctx)
	found := make([]Live, len(conns))
	for i, c := range conns {
		found[i] = c.Live()
	}
	return found
}

// Find returns the connection to the editor that has the file at path open; else to the one
// with the deepest workspace root that holds the folder dir. The latest active one is taken of
// several, as they were when the Finder connected to them. If there is none, the error is
// [ErrNoEditor].
//
// path may be relative to dir, a URI, or "" for none; on a share that no editor has a folder on it is not looked
// at, and known by its name alone. The environment's PATCHLS_SOCKET,
// if set, names the editor; that it cannot be reached is an error then.
func (f *Finder) Find(ctx context.Context, dir, path string) (*Conn, error) {
	if name := os.Getenv(SocketVariable); name != "" {
		e, err := f.named(name)
		if err != nil {
			return nil, err
		}
		return f.connectOne(ctx, e)
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
	if path != "" && (len(conns) > 1 || len(conns) == 1 && conns[0].Live().rootDepth(dir) == 0) {
		want := fileAt(dir, path)
		conns, open = f.askOpen(ctx, conns, want, !paths.OnOtherMachine(want.Abs, roots))
	}
	if best := choose(conns, open, dir); best >= 0 {
		return conns[best], nil
	}
	return nil, ErrNoEditor
}

// All returns the connections to the editors in which commands may run: the one that the environment's
// PATCHLS_SOCKET names, or else those that answer, the latest active first.
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

// choose returns which of the editors is to be taken, -1 if none is. open says which
// have the file open; dir has its symbolic links followed.
func choose(conns []*Conn, open []bool, dir string) int {
	best, bestDepth := -1, 0
	for i, c := range conns { // the latest active first, so that one must be better to be taken
		depth := c.Live().rootDepth(dir)
		switch {
		case !open[i] && depth == 0:
		case best < 0, open[i] && !open[best], open[i] == open[best] && depth > bestDepth:
			best, bestDepth = i, depth
		}
	}
	return best
}

// ByPID returns the connection to the editor whose server has that process id. If none has,
// the error is [ErrNoEditor].
func (f *Finder) ByPID(ctx context.Context, pid int) (*Conn, error) {
	for _, e := range f.entries() {
		if e.PID == pid {
			return f.connectOne(ctx, e)
		}
	}
	return nil, fmt.Errorf("%w with the process id %d", ErrNoEditor, pid)
}

// HasOpen returns the live editor that has a file open, the latest active one of
// several. path is a URI or a path, relative to the working directory if it is not
// absolute. An editor that does not answer within the time does not count; the log
// says so.
func (f *Finder) HasOpen(ctx context.Context, path string) (Entry, bool) {
	conns, open := f.askOpen(ctx, f.connectAll(ctx), fileAt(realPath("."), path), true)
	if i := slices.Index(open, true); i >= 0 {
		return conns[i].Live().Entry, true
	}
	return Entry{}, false
}

// Dial makes a connection of its own to the editor that e is about, an Entry that was found. The
// entry's file is read and checked anew; a socket where another user listens is not told the
// token. The caller closes what it gets.
//
// The error wraps the *jsonrpc2.Error with which a server refuses.
func (f *Finder) Dial(ctx context.Context, e Entry) (*Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, f.timeout())
	defer cancel()
	return f.sys.or().dial(ctx, e, f.Client)
}

// Close ends all connections, within a second, however many editors do not answer.
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

// entries returns what the discovery files of this user say that can be trusted, and
// removes those of processes that have ended.
func (f *Finder) entries() []Entry {
	folder := f.Inspect()
	if folder.Fault != nil {
		f.log().Warn("the folder of discovery files is ignored", "reason", folder.Fault)
	}
	var found []Entry
	for _, file := range folder.Files {
		switch {
		case file.Stale:
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

// named returns the entry of a window, of its latest server, or of the socket of that path.
func (f *Finder) named(name string) (Entry, error) {
	var latest Entry
	for _, e := range f.entries() {
		if (e.Window == name || e.Socket == name) && !e.Started.Before(latest.Started) {
			latest = e
		}
	}
	if latest.PID == 0 {
		return Entry{}, fmt.Errorf("%s is %s: no editor of that name lets agents in now", SocketVariable, name)
	}
	return latest, nil
}

// connectAll returns the connections to the editors that answer, the latest active first.
func (f *Finder) connectAll(ctx context.Context) []*Conn {
	entries := f.entries()
	conns, errs := f.connect(ctx, entries)
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
	conns, errs := f.connect(ctx, []Entry{e})
	return conns[0], errs[0]
}

// connect returns the connection to each of the editors, or why there is none. Those that are
// missing are made all at once; those to editors that are gone are dropped.
func (f *Finder) connect(ctx context.Context, entries []Entry) ([]*Conn, []error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	maps.DeleteFunc(f.conns, func(_ string, c *Conn) bool { return c.isGone() })
	conns, errs := make([]*Conn, len(entries)), make([]error, len(entries))
	var all sync.WaitGroup
	for i, e := range entries {
		if c := f.conns[e.Socket]; c != nil && c.live.Started.Equal(e.Started) {
			c.setRoots(e.Roots) // they may be others by now
			conns[i] = c
			continue
		}
		all.Go(func() { conns[i], errs[i] = f.Dial(ctx, e) })
	}
	all.Wait()
	for i, c := range conns {
		socket := entries[i].Socket
		old := f.conns[socket]
		if c == nil || c == old {
			continue
		}
		if old != nil {
			go func() { _ = old.Close() }() // of a process that has ended; it never fails
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

func (f *Finder) timeout() time.Duration {
	if f.Timeout == 0 {
		return 2 * time.Second
	}
	return f.Timeout
}

// askOpen asks all editors at once whether they have a file open, under whichever name if it may look at the disk. It
// returns those that answered, in order, and closes the others.
func (f *Finder) askOpen(ctx context.Context, conns []*Conn, want paths.Target, look bool) (answered []*Conn, open []bool) {
	ctx, cancel := context.WithTimeout(ctx, f.timeout())
	defer cancel()
	has, errs := make([]bool, len(conns)), make([]error, len(conns))
	var all sync.WaitGroup
	for i, c := range conns {
		all.Go(func() {
			stop := context.AfterFunc(ctx, c.link.drop) // a question is not worth waiting for its end
			has[i], errs[i] = hasOpen(ctx, c, want, look)
			// When time is up the server is told to give up, and may say that it has
			// nothing; stop may still come before the drop that is due then.
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
			continue
		}
		answered, open = append(answered, c), append(open, has[i])
	}
	return answered, open
}

func hasOpen(ctx context.Context, c *Conn, want paths.Target, look bool) (bool, error) {
	answer, err := c.Execute(ctx, Call{Command: "list"})
	if err != nil {
		return false, err
	}
	var listing struct {
		Documents []struct {
			URI string `json:"uri"` // the path beside it may be relative to a root
		} `json:"documents"`
	}
	if err := json.Unmarshal(answer, &listing); err != nil {
		return false, fmt.Errorf("its list: %w", err)
	}
	isWanted := func(key paths.Key) bool { return key == want.Key }
	if look {
		// On a file system that does not tell case apart, one file has many spellings; only
		// the system knows that.
		identity := want.Identity()
		isWanted = func(key paths.Key) bool {
			_, same := want.OpenAs([]paths.Key{key})
			return same || targetOf(key).Identity() == identity
		}
	}
	for _, doc := range listing.Documents {
		key, err := paths.KeyOf(doc.URI)
		if err != nil {
			continue // a buffer without a name is no file that is asked for
		}
		if isWanted(key) {
			return true, nil
		}
	}
	return false, nil
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

// realPath returns the absolute form of path with symbolic links followed, as far as
// it exists.
func realPath(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return path // there is no working directory
	}
	return string(targetOf(paths.FileKey(abs)).Identity())
}

// RootOf returns the deepest workspace folder of l that holds the folder dir, "" if none
// does. Symbolic links are followed.
func (l Live) RootOf(dir string) string {
	root, _ := l.rootOf(realPath(dir))
	return root
}

// rootDepth is how deep the folder is that RootOf returns, 0 if there is none. dir has its
// symbolic links followed.
func (l Live) rootDepth(dir string) int {
	_, depth := l.rootOf(dir)
	return depth
}

func (l Live) rootOf(dir string) (deepest string, depth int) {
	for _, root := range l.Roots {
		real := realPath(root)
		if _, ok := paths.Below(real, dir); !ok {
			continue
		}
		// The top of the file system is a root as well.
		if d := 1 + strings.Count(strings.TrimSuffix(real, "/"), string(filepath.Separator)); d > depth {
			deepest, depth = root, d
		}
	}
	return deepest, depth
}
