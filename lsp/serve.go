package lsp

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/place"
	"github.com/patchls/patchls/lsp/apply"
	"github.com/patchls/patchls/lsp/bounds"
	"github.com/patchls/patchls/lsp/call"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/host"
	"github.com/patchls/patchls/lsp/patchdoc"
	"github.com/patchls/patchls/lsp/patchplan"
	"github.com/patchls/patchls/lsp/proposal"
	"github.com/patchls/patchls/lsp/review"
	"github.com/patchls/patchls/lsp/rpc"
	"github.com/patchls/patchls/lsp/shares"
	"github.com/patchls/patchls/lsp/transaction"
	"github.com/patchls/patchls/lsp/watch"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// Options are what a server needs from its surroundings. The zero value can be used.
type Options struct {
	Version string       // reported to the client
	Log     *slog.Logger // nil: nothing is logged

	// ParentAlive reports whether the process of that id runs. The server ends when the client's
	// process, which initialize named, has ended. nil: the system is asked.
	ParentAlive func(pid int) bool
	// After is the clock by which the server waits: time.After if nil. Tests have their own, since jsonrpc2
	// keeps channels in a pool and so cannot be in a bubble of testing/synctest.
	After func(d time.Duration) <-chan time.Time
	// Agents, if not nil, serves agents at the endpoint until ctx is done; then it must return. It
	// is called once the client has initialized, unless the client's settings allow no agents.
	Agents func(ctx context.Context, endpoint *Endpoint)
	// Notify, if not nil, returns a notifier that calls written with the path of each file that
	// another program writes. It is called once at most.
	Notify func(written func(path string)) (watch.Notifier, error)
	// Trace, if not nil, is called with each message, from the client or the server. The bytes are valid during the call.
	Trace func(from string, message []byte)
	// EditTag ends the ids of edits, as in e7-k3fq. With a tag of its own, an id of one server is not the id of
	// another edit in the next one, or in that of another editor. "" is for tests.
	EditTag string
	// Folder is where the relative paths of the client's commands are looked for before the workspace folders, an
	// absolute path; "" is none.
	Folder string
	// Others, if not nil, are the other editors of the user. They are asked right before an agent has the editor make, save,
	// move or delete a file.
	Others func() transaction.Others
	// Bounds are other defaults for some of [bounds.All], by their names. 0 keeps the default.
	Bounds map[string]int64
}

// ErrNoShutdown is what Serve returns if the connection ended before the client asked for
// shutdown. LSP wants the process to exit with 1 then.
var ErrNoShutdown = errors.New("the client left without shutdown")

// Serve serves one client until it says exit, its connection or its process ends, or ctx is done. It closes rwc, and returns
// when nothing that it started runs any more. Close must end a pending Read of rwc.
func Serve(ctx context.Context, rwc io.ReadWriteCloser, opts Options) error {
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	if opts.ParentAlive == nil {
		opts.ParentAlive = processAlive
	}
	if opts.After == nil {
		opts.After = time.After
	}
	base, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	ctx, exit := context.WithCancel(ctx)
	defer exit()
	tellings := make(outbox, maxOutbox)
	s := &server{
		Host: &host.Host{Base: base, After: opts.After, Log: slog.New(call.UserLog{Handler: opts.Log.Handler(), Tell: tellings.add})},
		opts: opts, exit: exit, allShares: shares.New(), unheard: make(chan struct{}), docs: workspace.NewDocuments(), outbox: tellings,
		opening: opening{news: make(chan struct{}, 1)}, lensNews: make(chan struct{}, 1),
	}
	s.budget = &rpc.Budget{Freed: s.releaseMemory}
	s.self = s.newCaller(nil)
	s.self.folder = opts.Folder
	s.disk = newDisk(s)
	s.mirror.server = s
	s.SetEditor(&editor.Editor{})
	s.openAs.Store(&map[paths.Key]string{})
	first := firstSettings(opts.Bounds)
	s.settings.Store(first)
	s.SetLimits(&first.limits)
	s.editLog.Tag = opts.EditTag
	in := rpc.NewStream(rwc, s.Limits()[bounds.MaxMessageBytes], bounds.All[bounds.MaxMessageBytes].Name)
	in.OnLoss, in.OnEnd = s.mirror.lostMessage, func() { close(s.unheard) }
	if opts.Trace != nil {
		in.Trace = opts.Trace
	}
	s.requests = &rpc.Dispatcher{Log: s.Log, Base: base, In: in, Most: bounds.MaxRequests, Limits: s.Limits, Budget: s.budget, Failed: s.wireError}
	s.requests.Routes = s.routeTable()
	s.conn = rpc.NewConn(in)
	s.rpc = &rpc.Client{Host: s.Host, Conn: s.conn}
	s.asker = &proposal.Asker{
		Host: s.Host, Client: s.rpc, Budget: s.budget, Documents: proposal.NewDocuments(&s.editLog, s.docs),
	}
	s.engine = apply.Engine{
		Host: s.Host, Documents: s.docs, Client: s.conn, Reach: func(t paths.Target, op paths.Operation) (paths.Target, error) { return s.workspace().Reach(t, op) },
		Disconnected: s.unheard, Number: func(ctx context.Context) int32 { return call.Of(ctx).Send() },
	}
	s.patchDocs = &patchdoc.Checker{
		Host: s.Host, Documents: s.docs, Client: s.rpc,
		Plan: func() (*patchplan.Plan, func()) {
			bounded, _, done := s.Within(s.Base, s.Limits().Wait(bounds.ApplyTimeoutMS))
			return s.self.session.PlanIn(s.self.session.Workspace, edits.NewWork(bounded.Err), place.Options{}, nil), done
		},
	}
	s.editing = transaction.Server{
		Host: s.Host, Documents: s.docs, EditLog: &s.editLog, Client: s.rpc, Engine: &s.engine, Asker: s.asker,
		Saves: func(isNew bool) bool {
			how := s.settings.Load().SaveAfterEdit
			return how == saveClean || how == saveNew && isNew
		},
		Others:        opts.Others,
		ReviewChanged: s.reviewChanged,
		Sent:          s.disk.noteSent,
	}
	s.conn.Go(base, s.awaited(s.requests.Handle))
	select {
	case <-s.conn.Done():
	case <-ctx.Done():
	}
	cancel(host.ErrGone)
	s.disk.folders.End()
	_ = rwc.Close() // ends the reading; the client has left, and no error can be reported to it
	<-s.conn.Done()
	s.Background.Wait()
	if err := s.conn.Err(); err != nil {
		s.Log.Warn("connection broken", "error", err)
	}
	if s.requests.Phase() != rpc.Stopped {
		return ErrNoShutdown
	}
	return nil
}

// server is the state of one connection.
type server struct {
	*host.Host
	opts     Options
	conn     jsonrpc2.Conn
	requests *rpc.Dispatcher // of conn
	budget   *rpc.Budget     // of all connections
	rpc      *rpc.Client     // of conn

	exit    func()        // ends Serve
	unheard chan struct{} // closed when nothing comes from the client any more

	settings atomic.Pointer[settings] // replaced whole, and the host's limits with them
	adopting sync.Mutex               // held while they are replaced
	adopted  int64                    // which of those asked for they are, see adopt
	asked    atomic.Int64             // how often settings were asked for or came by themselves
	initial  *settings                // the settings of initialize, which later ones override

	roots   roots
	openAs  atomic.Pointer[map[paths.Key]string] // the files that the editor has open as something other than text
	opening opening

	releasing atomic.Bool // memory is about to be released
	allShares *shares.Shares
	docs      *workspace.Documents
	mirror    mirror // keeps docs in step with the editor
	engine    apply.Engine
	editing   transaction.Server
	editLog   review.Log // the edits of agents, which can be undone
	asker     *proposal.Asker
	outbox    outbox            // notifications for the user
	lensNews  chan struct{}     // has a value when the lenses have changed
	patchDocs *patchdoc.Checker // of the patches in docs
	disk      *disk
	self      *caller // the client as a caller
	actors    actors
}

// awaited returns a handler that the server waits for when it ends, since the handler may call Go.
// The handler is called only while the connection is read, which is before the server waits.
func (s *server) awaited(handle jsonrpc2.Handler) jsonrpc2.Handler {
	return func(ctx context.Context, req *jsonrpc2.Request) (any, error) {
		s.Background.Add(1)
		defer s.Background.Done()
		return handle(ctx, req)
	}
}

// workspace returns the documents and files, with the access that the present settings allow.
func (s *server) workspace() *workspace.Workspace {
	set := s.settings.Load()
	roots, _ := s.roots.now()
	return &workspace.Workspace{
		Documents: s.docs,
		Policy: paths.Policy{
			Roots:        roots,
			AllowOutside: set.AllowOutsideWorkspace,
			Protected:    set.ProtectedPaths,
			MaxBytes:     set.limits[bounds.MaxDocumentBytes],
			NotText:      *s.openAs.Load(),
		},
	}
}

// wireError converts err to a JSON-RPC error. The errors of commands are [edits.Error]; a panic,
// or an error of no kind below, is a fault of this program.
func (s *server) wireError(method string, err error) error {
	var e *edits.Error
	var no *proposal.RejectedError
	var wire *jsonrpc2.Error
	var broken *rpc.FaultError
	switch {
	case errors.As(err, &no):
		return transaction.CommandError(no.Full, no.Decision)
	case errors.As(err, &e):
		return transaction.CommandError(e, nil)
	case errors.As(err, &wire):
		return wire
	case errors.Is(err, context.Canceled):
		return jsonrpc2.NewError(jsonrpc2.Code(protocol.LSPErrorCodesRequestCancelled), "the request was cancelled")
	case errors.As(err, &broken):
		s.Log.Error("panic", "method", method, "call", broken.Call, "value", broken.Value, "stack", string(broken.Stack))
	}
	return jsonrpc2.NewError(jsonrpc2.InternalError, err.Error())
}

// largeDocument is the size in bytes from which closing a document is worth a garbage collection.
// By itself Go may not collect for two minutes, and then returns free memory little by little.
const largeDocument = 8 << 20

// giveBackAfter lets work on a closed document end first, and makes one collection of several that are closed at once.
const giveBackAfter = time.Second

// releaseMemory returns the memory of an unused text of that size to the system soon. It does not wait.
func (s *server) releaseMemory(size int) {
	if size < largeDocument || !s.releasing.CompareAndSwap(false, true) {
		return
	}
	s.Go(func(ctx context.Context) {
		if s.Sleep(ctx, giveBackAfter) {
			s.releasing.Store(false)
			debug.FreeOSMemory()
		}
	})
}
