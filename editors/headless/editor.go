package headless

import (
	"context"
	"io"
	"io/fs"

	"github.com/patchls/patchls/editors/headless/internal/disk"
)

// Editor is one running editor with one language server. All methods are safe
// for concurrent use. When the server is gone the buffers stay and can still be
// edited and saved.
type Editor struct {
	connection
	disk disk.Disk

	// The rest is guarded by mu.
	buffers  map[string]*Buffer     // by key
	opened   []*Buffer              // in the order of opening
	removals map[string]removal     // by key
	removed  map[string]fs.FileInfo // by key: what removals were carried out on
	applying *ApplyEditParams       // of the edit that is being made, nil if none is
}

// Start connects to the server at the other end of rwc and performs the
// handshake. ctx bounds the handshake only. Start owns rwc from here on: its
// Close must end a Read and a Write that are under way, as those of pipes and
// sockets do. The caller must Close or Kill the editor.
func Start(ctx context.Context, rwc io.ReadWriteCloser, opts Options) (*Editor, error) {
	e := &Editor{
		connection: connection{opts: opts.withDefaults(), ready: make(chan struct{})},
		disk:       disk.Disk{Recovered: opts.Recovered, AllowSave: opts.AllowSave},
		buffers:    map[string]*Buffer{},
		removals:   map[string]removal{},
		removed:    map[string]fs.FileInfo{},
	}
	e.habits = own{e}
	if opts.Habits != nil {
		e.habits = opts.Habits(e)
	}
	if opts.OnlyRoots {
		e.disk.Roots = opts.Roots
	}
	e.disk.Recover()
	if err := e.connect(ctx, rwc, (&requests{e: e}).handle); err != nil {
		return nil, err
	}
	return e, nil
}
