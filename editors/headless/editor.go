package headless

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"sync"
	"sync/atomic"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/editors/headless/internal/disk"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/framing"
)

// Editor is one running editor with one language server. All methods are safe
// for concurrent use. When the server is gone the buffers stay and can still be
// edited and saved.
type Editor struct {
	opts   Options
	habits Habits
	pipe   *pipe
	conn   jsonrpc2.Conn
	disk   disk.Disk

	base   context.Context // ends with the connection
	cancel context.CancelFunc
	killed atomic.Bool

	// ready is closed when the handshake is done; the fields below are written
	// before and only read after.
	ready     chan struct{}
	initRaw   json.RawMessage
	server    protocol.ServerCapabilities
	encoding  text.Encoding
	sync      syncOptions
	closeOnce sync.Once
	closeErr  error

	// mu is the editor's one thread: it is held while a buffer changes and
	// while the notification of that change is written. The goroutine that
	// reads from the server never takes it.
	mu       sync.Mutex
	buffers  map[string]*Buffer     // by key
	opened   []*Buffer              // in the order of opening
	removals map[string]removal     // by key
	removed  map[string]fs.FileInfo // by key: what removals were carried out on

	applying *ApplyEditParams // of the edit that is being made, nil if none is
}

// Start connects to the server at the other end of rwc and performs the
// handshake. ctx bounds the handshake only. Start owns rwc from here on: its
// Close must end a Read and a Write that are under way, as those of pipes and
// sockets do. The caller must Close or Kill the editor.
func Start(ctx context.Context, rwc io.ReadWriteCloser, opts Options) (*Editor, error) {
	e := &Editor{
		opts:     opts.withDefaults(),
		ready:    make(chan struct{}),
		buffers:  map[string]*Buffer{},
		removals: map[string]removal{},
		removed:  map[string]fs.FileInfo{},
	}
	e.habits = own{e}
	if opts.Habits != nil {
		e.habits = opts.Habits(e)
	}
	e.disk.Recovered, e.disk.AllowSave = e.opts.Recovered, e.opts.AllowSave
	if e.opts.OnlyRoots {
		e.disk.Roots = e.opts.Roots
	}
	e.disk.Recover()
	e.base, e.cancel = context.WithCancel(context.Background())
	e.pipe = &pipe{
		rwc: rwc, in: framing.NewReader(rwc), out: framing.NewWriter(rwc),
		ended: e.cancel, trace: opts.Trace, written: e.habits.Wrote,
	}
	e.conn = jsonrpc2.NewConn(e.pipe, jsonrpc2.WithCodec(codec{}))
	e.conn.Go(e.base, (&requests{e: e}).handle)

	// A server that does not read blocks the write itself, which only closing
	// ends.
	stop := context.AfterFunc(ctx, func() { _ = e.pipe.Close() })
	err := e.handshake(ctx)
	if !stop() { // the pipe is closed, whatever came of it
		err = ctx.Err()
	}
	if err != nil {
		_ = e.pipe.Close()
		<-e.conn.Done()
		return nil, fmt.Errorf("initialize: %w", err)
	}
	close(e.ready)
	return e, nil
}

// Server returns what the server said that it can do, and the encoding of
// positions that it chose.
func (e *Editor) Server() (protocol.ServerCapabilities, text.Encoding) {
	return e.server, e.encoding
}

// InitializeResult returns the server's answer to initialize as it came.
func (e *Editor) InitializeResult() json.RawMessage { return e.initRaw }

// Done is closed when the connection to the server has ended, on either side.
func (e *Editor) Done() <-chan struct{} { return e.base.Done() }
