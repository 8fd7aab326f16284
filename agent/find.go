package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// ErrNoEditor says that no live editor is there for what was asked.
var ErrNoEditor = errors.New("no live editor was found")

// socketVariable names the socket of the editor that Find is to take.
const socketVariable = "PATCHLS_SOCKET"

// Finder finds the live editors of this user. It may be used concurrently and reused:
// it keeps nothing. On Windows it finds none.
type Finder struct {
	Client ClientInfo
	Log    *slog.Logger // told why an editor is left out, never a token; nil: nobody is
	// Timeout is how long an editor may take to answer, for the connection and for
	// what it is asked then; 0 is 2 s.
	Timeout time.Duration

	sys *system
}

// Editors returns the editors that answer, the latest active first.
func (f *Finder) Editors(ctx context.Context) []Live {
	conns := f.dialAll(ctx)
	defer closeAll(conns)
	found := make([]Live, len(conns))
	for i, c := range conns {
		found[i] = c.Live()
	}
	return found
}

// Find connects to the editor that has the file at path open; else to the one with the
// deepest workspace root that holds the folder dir. The latest active one is taken of
// several. If there is none, the error is [ErrNoEditor].
//
// path may be relative to dir, a URI, or "" for none. The environment's PATCHLS_SOCKET,
// if set, names the editor; that it cannot be reached is an error then.
func (f *Finder) Find(ctx context.Context, dir, path string) (*Conn, error) {
	if name := os.Getenv(socketVariable); name != "" {
		e, err := f.named(name)
		if err != nil {
			return nil, err
		}
		return f.dial(ctx, e)
	}
	dir = realPath(dir)
	conns := f.dialAll(ctx)
	open := make([]bool, len(conns))
	if path != "" {
		conns, open = f.askOpen(ctx, conns, fileAt(dir, path))
	}
	best := choose(conns, open, dir)
	if best < 0 {
		closeAll(conns)
		return nil, ErrNoEditor
	}
	found := conns[best]
	closeAll(slices.Delete(conns, best, best+1))
	return found, nil
}

// choose returns which of the editors is to be taken, -1 if none is. open says which
// have the file open; dir has its symbolic links followed.
func choose(conns []*Conn, open []bool, dir string) int {
	best, bestDepth := -1, 0
	for i, c := range conns { // the latest active first, so that one must be better to be taken
		depth := depthOf(c.Live().Roots, dir)
		switch {
		case !open[i] && depth == 0:
		case best < 0, open[i] && !open[best], open[i] == open[best] && depth > bestDepth:
			best, bestDepth = i, depth
		}
	}
	return best
}

// ByPID connects to the editor whose server has that process id. If none has, the error
// is [ErrNoEditor].
func (f *Finder) ByPID(ctx context.Context, pid int) (*Conn, error) {
	for _, e := range f.entries() {
		if e.PID == pid {
			return f.dial(ctx, e)
		}
	}
	return nil, fmt.Errorf("%w with the process id %d", ErrNoEditor, pid)
}

// HasOpen returns the live editor that has a file open, the latest active one of
// several. path is a URI or a path, relative to the working directory if it is not
// absolute. An editor that does not answer within the time does not count; the log
// says so.
func (f *Finder) HasOpen(ctx context.Context, path string) (Entry, bool) {
	conns, open := f.askOpen(ctx, f.dialAll(ctx), fileAt(realPath("."), path))
	defer closeAll(conns)
	if i := slices.Index(open, true); i >= 0 {
		return conns[i].live.Entry, true
	}
	return Entry{}, false
}

// entries returns what the discovery files of this user say that can be trusted, and
// removes those of processes that have ended.
func (f *Finder) entries() []Entry {
	sys := f.sys.or()
	var found []Entry
	for _, dir := range sys.folders() {
		err := sys.checkFolder(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			f.log().Warn("a folder of discovery files is ignored", "reason", err)
			continue
		}
		for _, file := range discoveryFiles(dir) {
			d, err := sys.read(file)
			switch {
			case err == nil:
				found = append(found, d.Entry)
			case errors.Is(err, errStale):
				f.log().Info("an editor that has ended left its discovery file", "file", file)
				sys.removeStale(d)
			default:
				f.log().Warn("a discovery file is ignored", "file", file, "reason", err)
			}
		}
	}
	if name := os.Getenv(socketVariable); name != "" && !slices.ContainsFunc(found, func(e Entry) bool { return e.Socket == name }) {
		if e, err := f.beside(name); err == nil {
			found = append(found, e)
		}
	}
	return found
}

// named returns the entry of the socket at path.
func (f *Finder) named(path string) (Entry, error) {
	e, err := f.beside(path)
	if err == nil {
		return e, nil
	}
	if _, missing := os.Lstat(path); errors.Is(missing, fs.ErrNotExist) {
		err = errors.New("nothing is there")
	}
	// A socket with a short path has its discovery file elsewhere.
	for _, e := range f.entries() {
		if e.Socket == path {
			return e, nil
		}
	}
	return Entry{}, fmt.Errorf("%s is %s: %w", socketVariable, path, err)
}

// beside returns the entry that lies beside the socket at path.
func (f *Finder) beside(path string) (Entry, error) {
	d, err := f.sys.or().read(strings.TrimSuffix(path, ".sock") + ".json")
	switch {
	case err != nil:
		return Entry{}, err
	case d.Socket != path:
		return Entry{}, errors.New("the discovery file beside it is of another socket")
	}
	return d.Entry, nil
}

// dial connects to e within the time.
func (f *Finder) dial(ctx context.Context, e Entry) (*Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, f.timeout())
	defer cancel()
	return f.sys.or().dial(ctx, e, f.Client)
}

// dialAll connects to all editors at once and returns those that answer, the latest
// active first.
func (f *Finder) dialAll(ctx context.Context) []*Conn { return f.dialEach(ctx, f.entries()) }

// dialEach is dialAll for some of the editors.
func (f *Finder) dialEach(ctx context.Context, entries []Entry) []*Conn {
	var mu sync.Mutex
	var conns []*Conn
	var all sync.WaitGroup
	for _, e := range entries {
		all.Go(func() {
			c, err := f.dial(ctx, e)
			if err != nil {
				f.log().Warn("an editor cannot be reached", "pid", e.PID, "reason", err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			conns = append(conns, c)
		})
	}
	all.Wait()
	slices.SortFunc(conns, byActivity)
	return conns
}

// byActivity has the latest active editor first.
func byActivity(a, b *Conn) int {
	return cmp.Or(b.live.Active.Compare(a.live.Active), cmp.Compare(a.live.PID, b.live.PID))
}

// closeAll takes a second at most, however many do not answer.
func closeAll(conns []*Conn) {
	var all sync.WaitGroup
	for _, c := range conns {
		all.Go(func() { _ = c.Close() }) // it never fails
	}
	all.Wait()
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
