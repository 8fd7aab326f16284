package watch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/workspace/paths"
)

// bringIn has the editor make the edit that merges a file into the buffer, and reports whether
// the file is merged then.
func (w *Watcher) bringIn(ctx context.Context, r *reading) bool {
	doc, file := r.doc, r.file
	switch {
	case !doc.Unsaved():
		return false
	case r.err != nil:
		w.unread(ctx, r)
		return false
	case w.How() == Off, r.refused == file.Hash():
		return false
	case doc.DiskSeen() && w.Sent(doc.Key, file): // and its program has written it to the file all the same
		w.Documents.SetDisk(doc.Key, doc.Disk, file, doc.Seq, true)
		return true
	}
	defer w.makes(r.of)()
	sent, err := w.merge(ctx, r)
	switch {
	case err == nil && baseOf(doc).origin == restored:
		w.Documents.SetInFile(doc, file)
		return true
	case err == nil:
		w.Documents.SetDisk(doc.Key, doc.Disk, file, doc.Seq, true)
		return true
	case errors.Is(err, errClosed):
		return false
	case errors.Is(err, errUnknown):
	case !sent, errors.Is(err, ErrRefused):
		w.mu.Lock()
		r.of.refused = file.Hash()
		w.mu.Unlock()
	case edits.IsKind(err, editor.Rejected), w.Exact() && (edits.IsKind(err, editor.TimedOut) || edits.IsKind(err, editor.NotSettled)):
		r.retries = true // the next text has the late edit, or makes the edit's version stale
	default: // the edit may have been made all the same
		w.Documents.DoubtDisk(doc.Key)
	}
	w.tell(ctx, r, err)
	return false
}

// tell tells the user that a file is not merged: in the log, and the first time since the document was saved in a
// message, unless they have decided so or it is tried again.
func (w *Watcher) tell(ctx context.Context, r *reading, err error) {
	w.Log.WarnContext(ctx, "another program has written the file of a document with unsaved text, and it was not merged", "uri", r.doc.URI, "error", err)
	w.mu.Lock()
	first := !w.told[r.doc.Key] && !r.retries && !errors.Is(err, ErrRefused) && ctx.Err() == nil
	w.told[r.doc.Key] = first || w.told[r.doc.Key]
	w.mu.Unlock()
	if abs, _ := r.doc.Key.FilePath(); first {
		w.Show(fmt.Sprintf("patchls has not merged what another program has written to %s, which has unsaved text: %v", abs, err))
	}
}

// makes records that the editor is making the edit that merges a file. The caller calls made when
// the edit is done. A file has one such edit at a time.
func (w *Watcher) makes(f *file) (made func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f.making = make(chan struct{})
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		close(f.making)
		f.making = nil
	}
}

// awaited is the longest that [Watcher.Await] waits: the user waits too.
const awaited = 300 * time.Millisecond

// Await waits while the editor makes the edit that merges the file of a document, for 300 ms at most. Once the edit
// is made, the text that file and buffer have in common is known. Await does not wait while the user is asked.
func (w *Watcher) Await(ctx context.Context, key paths.Key) {
	w.mu.Lock()
	var made chan struct{}
	if f := w.files[key]; f != nil && f.withdraw == nil {
		made = f.making
	}
	w.mu.Unlock()
	if made == nil {
		return
	}
	select {
	case <-made:
	case <-w.After(awaited):
	case <-ctx.Done():
	}
}

// merge has the editor make the edit that merges a file, after the user has agreed if they are to be
// asked. A refused text is not offered again, and the user is asked about each later text of the file,
// which may hold the same change. sent reports whether the edit may have been sent to the editor.
func (w *Watcher) merge(ctx context.Context, r *reading) (sent bool, err error) {
	from := baseOf(r.doc)
	if from.origin == unknown {
		return false, errUnknown
	}
	if _, err := w.Reach(r.doc, paths.Merge); err != nil {
		return false, err
	}
	e := &Edit{place: r.place, base: from, file: r.file, confirm: w.How() == Ask || w.unlike(r) || r.refused != ""}
	e.holds = func() bool {
		now := w.Documents.Get(r.doc.Key)
		return now != nil && now.Disk.Equal(r.doc.Disk) && baseOf(now).text.Equal(from.text)
	}
	if !e.confirm {
		if err = w.Edit(ctx, e); !errors.Is(err, errConflict) {
			return e.plans > 0, err
		}
		e.confirm, e.plans = true, 0
	}
	err = w.ask(ctx, r, e)
	return e.plans > 1, err
}

// ask has the editor make an edit after the user has agreed, while the document is neither saved
// nor closed and the file is unchanged. If the user cannot be asked, the edit is not made.
func (w *Watcher) ask(ctx context.Context, r *reading, e *Edit) error {
	if !w.Asks() {
		return errUnasked
	}
	asked, withdraw := context.WithCancel(ctx)
	defer withdraw()
	w.setQuestion(r, withdraw, -1) // a file written while the user thinks is not written at the same time
	defer w.setQuestion(r, nil, 1)
	err := w.Edit(asked, e)
	if e.plans < 2 && asked.Err() != nil && ctx.Err() == nil {
		return errClosed
	}
	return err
}

// setQuestion records how the question about a file is withdrawn; withdraw is nil once the
// question is over. It adds n to w.busy.
func (w *Watcher) setQuestion(r *reading, withdraw func(), n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	r.of.question, r.of.withdraw = r.raw, withdraw
	w.busy += n
}

// ErrRefused means that the user has refused an edit.
var ErrRefused = errors.New("the user said no")

// errUnasked and errUnknown are reported to the user in the log.
var (
	errUnasked = errors.New("you would have to be asked, which takes a plugin; compare the two before you save")
	errUnknown = errors.New("it is not known which text the editor has read from the file or saved there last; compare the two before you save")
)
