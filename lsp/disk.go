package lsp

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/call"
	"github.com/patchls/patchls/lsp/proposal"
	"github.com/patchls/patchls/lsp/rpc"
	"github.com/patchls/patchls/lsp/transaction"
	"github.com/patchls/patchls/lsp/watch"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/history"
	"github.com/patchls/patchls/workspace/paths"
)

// disk watches the files of the open documents, and merges what other programs write into the
// buffers. It edits as a caller of its own.
type disk struct {
	*caller
	watcher watch.Watcher
	folders watch.Folders

	polled map[paths.Key]os.FileInfo // of the unsaved documents in folders that cannot be watched; only poll uses it

	mu       sync.Mutex
	mergeIDs map[paths.Key][]string // the ids of the merges into each document since it was saved
	sent     map[paths.Key]sentText // the whole texts that agents have sent last
}

// sentText is a whole text that an agent has sent.
type sentText struct {
	hash string
	over <-chan time.Time // has a value after sentTime
}

// sentTime is how long a text that an agent has sent is taken for its own if it comes to be on disk: some programs write the
// file, too, even if they are told that the edit is made.
const sentTime = 10 * time.Second

func newDisk(s *server) *disk {
	d := &disk{caller: s.newCaller(s.allShares), mergeIDs: map[paths.Key][]string{}, sent: map[paths.Key]sentText{}}
	d.name = watch.Name
	d.watcher = watch.Watcher{
		Host: s.Host, Documents: s.docs, How: func() string { return s.settings.Load().Absorb }, Reach: d.reach, Read: d.read, Sent: d.isSent,
		Edit: d.merge, Reloaded: d.session.Reloaded, EditIDs: d.own,
		Written: func(doc *workspace.Document) {
			if s.Editor().Plugin.Written {
				d.session.Client.Notify("patchls/written", map[string]string{"uri": doc.URI})
			}
		},
		Show: func(message string) {
			s.outbox.add(protocol.MethodWindowShowMessage, protocol.MessageTypeWarning, message)
		},
	}
	d.watcher.Begin()
	d.folders = watch.Folders{Host: s.Host, Start: d.notifier, Poll: d.poll}
	return d
}

// notifier returns the notifier of the files, nil if there is none. It complements the client's
// own messages: some clients report only their own saves, or only files in workspace folders.
func (d *disk) notifier() (watch.Notifier, error) {
	if d.opts.Notify == nil {
		return nil, nil //nolint:nilnil // none is no failure
	}
	return d.opts.Notify(func(path string) { d.mirror.modified("", paths.FileKey(path), nil) })
}

// reach asks whether an operation may reach an open document now.
func (d *disk) reach(doc *workspace.Document, op paths.Operation) (paths.Target, error) {
	w := d.workspace()
	return w.Policy.Reach(w.Policy.Target(doc.Key, w.IsOpen), doc.Opened, op)
}

// poll finds out which files of unsaved documents were written in folders. A file that it has not seen yet
// may have been written before.
func (d *disk) poll(folders []string) {
	was := d.polled
	d.polled = map[paths.Key]os.FileInfo{}
	for _, doc := range d.docs.All() {
		abs, isFile := doc.Key.FilePath()
		if !isFile || !doc.Unsaved() || !slices.Contains(folders, filepath.Dir(abs)) {
			continue
		}
		now, _ := os.Stat(abs) // nil after an error
		d.polled[doc.Key] = now
		before := was[doc.Key]
		if before == nil || now == nil || !os.SameFile(before, now) || before.Size() != now.Size() || !before.ModTime().Equal(now.ModTime()) {
			d.watcher.Look(doc.Key, false)
		}
	}
}

// read reads the file of an open document.
func (d *disk) read(doc *workspace.Document) (paths.Target, text.Text, error) {
	place, err := d.reach(doc, paths.Compare)
	if err != nil {
		return place, text.Text{}, err
	}
	file, err := d.workspace().Terse().Policy.ReadClosed(place)
	return place, file.Text, err
}

// noteSent records a whole text that an agent has sent.
func (d *disk) noteSent(key paths.Key, content string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sent[key] = sentText{plainHash(content), d.After(sentTime)}
}

// isSent reports whether an agent has just sent that text.
func (d *disk) isSent(key paths.Key, file text.Text) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	select {
	case <-d.sent[key].over:
		delete(d.sent, key)
	default:
	}
	return d.sent[key].hash == plainHash(file.String())
}

// plainHash is the hash of a text without a byte order mark and with the line ends of Unix.
func plainHash(s string) string { return text.New(text.Plain(s)).Hash() }

// merged is patchls/merged. It answers whether the file of a document holds the text that was merged, opened or saved last,
// so that saving the buffer loses nothing that another program wrote. It answers no once the user has undone the merge, or
// if the program has changed the line ends of the whole file: no edit of the buffer brings these in.
func (d *disk) merged(_ context.Context, params []byte) (rpc.Work, error) {
	doc := d.mirror.openDocument(params)
	return func(ctx context.Context) (any, error) {
		if doc != nil {
			d.watcher.Await(ctx, doc.Key)
			doc = d.docs.Get(doc.Key)
		}
		same := false
		if doc != nil && doc.Drift == "" && doc.DiskSeen() && !d.isUndone(doc) {
			_, file, err := d.read(doc)
			was, now := doc.Disk.String(), file.String()
			same = err == nil && text.Plain(was) == text.Plain(now) && !otherLineEnds(was, now)
		}
		return map[string]bool{"merged": same}, nil
	}, nil
}

// otherLineEnds reports whether all lines of one text end in "\r\n", and none of the other's.
func otherLineEnds(a, b string) bool {
	inA, inB := strings.Count(a, "\r\n"), strings.Count(b, "\r\n")
	return min(inA, inB) == 0 && max(inA, inB) == strings.Count(a, "\n") && inA != inB
}

// isUndone reports whether nothing is left of one of the merges of a document where it was made.
func (d *disk) isUndone(doc *workspace.Document) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.ContainsFunc(d.mergeIDs[doc.Key], func(id string) bool {
		_, _, err := doc.History.Undo(id)
		conflict, is := errors.AsType[*history.UndoConflict](err)
		return is && (conflict.AlreadyUndone || conflict.Moved) || errors.Is(err, history.ErrNoEdit)
	})
}

// forget forgets what was merged into a document that was saved, or opened without unsaved text.
func (d *disk) forget(key paths.Key) {
	d.mu.Lock()
	delete(d.mergeIDs, key)
	d.mu.Unlock()
	d.watcher.Forget(key)
}

// own returns the ids of the edits that other programs have made.
func (d *disk) own() map[string]bool {
	ids := map[string]bool{}
	for _, e := range d.session.EditLog.List() {
		ids[e.ID] = e.Agent == watch.Name
	}
	return ids
}

// merge has the editor make the edit that brings in what another program has written.
func (d *disk) merge(ctx context.Context, e *watch.Edit) error {
	ctx = call.New(watch.Name, "merge").Under(ctx)
	arrival := d.editing.Arrivals.Take()
	defer arrival.Done()
	answer, err := rpc.Fenced("merge", func() (*transaction.Result, error) { return d.session.Edit(ctx, arrival, "merge", e, nil) })
	call.Answered(ctx, d.Log, err)
	_, no := errors.AsType[*proposal.RejectedError](err)
	switch {
	case no:
		return watch.ErrRefused
	case edits.IsKind(err, edits.NoChange):
		return nil
	case err != nil:
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	key := e.Target().Place.Key
	d.mergeIDs[key] = append(d.mergeIDs[key], answer.EditID)
	return nil
}
