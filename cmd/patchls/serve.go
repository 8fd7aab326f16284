package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/spf13/cobra"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/internal/plainjson"
	"github.com/patchls/patchls/lsp"
	"github.com/patchls/patchls/lsp/bounds"
	"github.com/patchls/patchls/lsp/transaction"
	"github.com/patchls/patchls/lsp/watch"
)

func serveCommand(std streams) *cobra.Command {
	var logFile, level, format, traceFile string
	var messageBytes int64
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve an editor on stdin and stdout",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			logs := std.err
			if logFile != "" {
				file, err := openLog(logFile)
				if err != nil {
					return err
				}
				defer func() { _ = file.Close() }()
				logs = file
			}
			handler, err := logHandler(logs, level, format)
			if err != nil {
				return err
			}
			log := slog.New(handler)
			if os.Getenv("GOMAXPROCS") == "" {
				// With more threads than processors, the system runs the handling of the user's keys concurrently with the
				// agents' work; Go would make the keys wait for that work, ten milliseconds at a time. On two processors
				// under siege (TestHostileSiege), 99 of 100 keys wait at most 33 to 82 ms with as many threads, 8 ms with
				// twice as many, and 6 ms with four times as many, which take a megabyte more.
				runtime.GOMAXPROCS(4 * runtime.NumCPU())
			}
			var traced func(from string, message []byte)
			if traceFile != "" {
				file, err := openLog(traceFile)
				if err != nil {
					return err
				}
				defer func() { _ = file.Close() }()
				traced = tracer(file, time.Now, log)
			}
			err = lsp.Serve(cmd.Context(), newPipe(std.in, std.out), lsp.Options{
				Version: version(),
				EditTag: editTag(),
				Log:     log,
				Bounds:  map[string]int64{"max_message_bytes": messageBytes},
				Others: func() transaction.Others {
					return &agent.Finder{Client: agent.ClientInfo{Name: "patchls", Version: version()}, Log: log, Of: os.Getpid()}
				},
				Agents: func(ctx context.Context, endpoint *lsp.Endpoint) { letIn(ctx, endpoint, log) },
				Notify: notify,
				Trace:  traced,
			})
			if err != nil && cmd.Context().Err() == nil { // otherwise a signal ended the server
				fmt.Fprintf(logs, "patchls: %v\n", err)
				return failed{err}
			}
			return nil
		},
	}
	cmd.Example = "  patchls serve --log-file /tmp/patchls.log --log-level debug"
	cmd.Flags().Bool("stdio", true, "use stdin and stdout, the only transport")
	cmd.Flags().StringVar(&logFile, "log-file", "", "write the log to this file instead of stderr")
	cmd.Flags().StringVar(&level, "log-level", "info", "lowest level to log: debug, info, warn or error; debug logs each step of a command")
	cmd.Flags().StringVar(&format, "log-format", "text", "format of the log: text or json")
	cmd.Flags().StringVar(&traceFile, "trace", "", "write every message in both directions to this file, one line of JSON each")
	cmd.Flags().Int64Var(&messageBytes, "max-message-bytes", 0, "default of the setting max_message_bytes; 0 keeps the built-in default")
	return cmd
}

// editTag returns a new tag for the ids of edits. Of a million tags, two servers of a user hardly get the same one, and
// a model copies four letters without a mistake.
func editTag() string { return "-" + strings.ToLower(rand.Text()[:4]) }

// openAgain is how long it takes until a server that could not let agents in tries again.
const openAgain = 2 * time.Second

// letIn lets agents in by a socket until ctx is done.
func letIn(ctx context.Context, endpoint *lsp.Endpoint, log *slog.Logger) {
	opts := agent.Options{Log: log, Window: endpoint.Window(), WriteTimeout: endpoint.Limits().Wait(bounds.WriteTimeoutMS)}
	socket, err := agent.Open(ctx, endpoint, opts)
	if err != nil {
		log.Warn("agents cannot connect", "error", err)
		endpoint.Announce("", err)
	}
	for err != nil { // a disk that is full, or a folder that others can enter, may be put right while the editor runs
		select {
		case <-ctx.Done():
			return
		case <-time.After(openAgain):
		}
		socket, err = agent.Open(ctx, endpoint, opts)
	}
	endpoint.Announce(socket.Entry().Socket, nil)
	socket.Wait()
	endpoint.Announce("", nil)
}

// openLog opens a file for appending. It waits for no reader of a named pipe, since the editor waits for the server.
func openLog(name string) (*os.File, error) {
	file, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY|syscall.O_NONBLOCK, 0o600)
	if errors.Is(err, syscall.ENXIO) {
		err = fmt.Errorf("%w: it is a named pipe that no program reads, or a socket", err)
	}
	return file, err
}

// tracer returns a function that writes down a message from the client or the server, as one line of JSON
// (docs/agents/editor.md). It may be called concurrently. The first error of w is logged, and ends the trace.
func tracer(w io.Writer, now func() time.Time, log *slog.Logger) func(from string, message []byte) {
	var writing sync.Mutex
	return func(from string, message []byte) {
		writing.Lock()
		defer writing.Unlock()
		if w == nil {
			return
		}
		entry := struct {
			Time    string          `json:"time"`
			From    string          `json:"from"`
			Message json.RawMessage `json:"message,omitempty"`
			Bytes   string          `json:"bytes,omitempty"` // in place of a message that is not JSON
		}{now().UTC().Format("2006-01-02T15:04:05.000000Z"), from, message, ""}
		if !json.Valid(message) {
			entry.Message, entry.Bytes = nil, string(message)
		}
		line, _ := plainjson.Marshal(entry) // strings and valid JSON always encode
		if _, err := w.Write(append(line, '\n')); err != nil {
			log.Error("the trace ends here", "error", err)
			w = nil
		}
	}
}

// logHandler returns a handler that writes a log of this level and format to w.
func logHandler(w io.Writer, level, format string) (slog.Handler, error) {
	var lowest slog.Level
	if err := lowest.UnmarshalText([]byte(level)); err != nil {
		return nil, fmt.Errorf("--log-level %q is not debug, info, warn or error", level)
	}
	opts := slog.HandlerOptions{Level: lowest}
	switch format {
	case "text":
		return slog.NewTextHandler(w, &opts), nil
	case "json":
		return slog.NewJSONHandler(w, &opts), nil
	}
	return nil, fmt.Errorf("--log-format %q is not text or json", format)
}

// notifier reports the files that are written in folders.
type notifier struct {
	*fsnotify.Watcher
	running sync.WaitGroup // of the goroutine that reports
}

// notify returns a notifier that calls written with the path of each file that is written in its folders,
// until it is closed.
func notify(written func(path string)) (watch.Notifier, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	n := &notifier{Watcher: w}
	n.running.Go(func() { n.tell(written) })
	return n, nil
}

func (n *notifier) tell(written func(path string)) {
	for {
		select {
		case e, ok := <-n.Events:
			if !ok {
				return
			}
			if e.Op != fsnotify.Chmod {
				written(e.Name)
			}
		case err, ok := <-n.Errors:
			if !ok {
				return
			}
			if errors.Is(err, fsnotify.ErrEventOverflow) {
				n.tellAll(written)
			}
		}
	}
}

// tellAll reports every file, since it is not known which ones were written.
func (n *notifier) tellAll(written func(path string)) {
	for _, folder := range n.WatchList() {
		files, _ := os.ReadDir(folder) // a removed file was not written
		for _, f := range files {
			written(filepath.Join(folder, f.Name()))
		}
	}
}

// Close ends the notifier, and returns after the last report.
func (n *notifier) Close() error {
	err := n.Watcher.Close()
	n.running.Wait()
	return err
}
