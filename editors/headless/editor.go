package headless

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"sync"
	"time"

	"github.com/patchls/patchls/internal/disk"
)

// Editor is one running editor with one language server. All methods are safe for concurrent use. After the connection ends,
// the buffers stay and can still be edited and saved.
type Editor struct {
	connection
	disk    disk.Disk
	cancels sync.Map      // the cancel functions of the requests being handled, by id
	last    chan struct{} // closed when the last ordered request is done; nil at first; of the goroutine that reads

	// The rest is guarded by the lock.
	buffers  map[string]*Buffer     // by key
	order    []*Buffer              // in the order of opening
	removals map[string]removal     // by key
	removed  map[string]fs.FileInfo // by key: the files that saved removals deleted
	applying *ApplyEditParams       // of the edit that is being applied, nil if none is
}

// Start connects to the server at the other end of rwc and performs the handshake. ctx bounds the handshake only. The editor
// takes ownership of rwc, whose Close must end a Read and a Write that are in flight, as those of pipes and sockets do. The
// caller must Close or Kill the editor.
func Start(ctx context.Context, rwc io.ReadWriteCloser, opts Options) (*Editor, error) {
	if opts.Disk.Root != "" { // it stays what it is now, wherever its name is made to lead
		real, err := filepath.EvalSymlinks(opts.Disk.Root)
		if err != nil {
			return nil, err
		}
		opts.Disk.Root = real
	}
	opts.CloseTimeout = cmp.Or(opts.CloseTimeout, 2*time.Second)
	e := &Editor{
		connection: connection{opts: opts, ready: make(chan struct{})},
		disk:       opts.Disk,
		buffers:    map[string]*Buffer{},
		removals:   map[string]removal{},
		removed:    map[string]fs.FileInfo{},
	}
	e.habits = own{e}
	if opts.Habits != nil {
		e.habits = opts.Habits(e, own{e})
	}
	e.disk.Recover()
	if err := e.connect(ctx, rwc, e.handle); err != nil {
		return nil, err
	}
	return e, nil
}

// Options configure an [Editor]. The zero value is a compliant editor without a workspace folder.
type Options struct {
	// Roots are the workspace folders, absolute paths. A relative path given to the editor is relative to the first one.
	Roots []string

	// Disk is where the editor reads and saves files. Its AllowSave is also asked for each file of the editor's own saves.
	// Its functions are called while the editor is locked, so they must not call it.
	Disk disk.Disk

	// Habits, if set, returns the habits of another editor, for tests, given the editor's own. It is called before
	// anything is sent; the editor's methods must not be called until Start returns.
	Habits func(e *Editor, own Habits) Habits

	// CloseTimeout bounds each of the two waits of Close: for the server's
	// answer to shutdown, and for the connection's goroutines. Zero means 2 s.
	CloseTimeout time.Duration
}

// Errors that a caller may want to distinguish, with errors.Is.
var (
	// ErrServerGone: the connection to the server has ended.
	ErrServerGone = errors.New("the language server is gone")
	// ErrBufferClosed: the buffer was closed.
	ErrBufferClosed = errors.New("the buffer is closed")
	// ErrNoFile: the buffer has no place on disk (its URI is not a file's).
	ErrNoFile = errors.New("the buffer belongs to no file")
	// ErrSymlink: the file that was renamed is a symbolic link, which the editor cannot move.
	ErrSymlink = errors.New("it is a symbolic link, which can be edited and deleted but not moved")
	// ErrBadRange: an offset is outside of the text, or inside a code point.
	ErrBadRange = errors.New("no such place in the text")
)

// SaveError reports which of several documents could not be saved. None of them was saved,
// except that some may be if it wraps a *[disk.HalfSavedError], and all are if it wraps [disk.ErrNotDurable].
type SaveError struct {
	URI string
	Err error
}

func (e *SaveError) Error() string { return e.Err.Error() }
func (e *SaveError) Unwrap() error { return e.Err }
