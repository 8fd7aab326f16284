package watch

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// The values of the setting absorb.
const (
	Merge = "merge" // what can be told apart goes into the buffer, the user is asked about the rest
	Ask   = "ask"   // the user is asked about all of it
	Off   = "off"
)

// Name is what the edits of other programs are by.
const Name = "disk"

// Watcher brings what is written to files into buffers. Its exported fields are set before
// Begin is called; it is safe for concurrent use.
type Watcher struct {
	Documents *workspace.Documents
	How       func() string // the setting absorb, now
	// Read reads the file of a document, and not the buffer.
	Read func(doc *workspace.Document) (paths.Target, text.Text, error)
	// Asks reports whether the user can be asked beside their work, as a plugin does.
	Asks func() bool
	// Edit has the editor make an edit, after the user has agreed if it is to be confirmed.
	Edit func(ctx context.Context, e *Edit) error
	// Reloaded records that the editor has read a file anew: the document was without unsaved text.
	Reloaded func(ctx context.Context, place paths.Target, was, now *workspace.Document)
	After    func(d time.Duration) <-chan time.Time
	Go       func(f func(ctx context.Context))
	Log      *slog.Logger

	mu       sync.Mutex
	written  map[paths.Key]*writes // while it is waited for that the file is quiet
	files    int                   // how many were written since the last time that none was waited for
	followed map[paths.Key]func()  // by document; it ends the watching of follow
	refused  map[paths.Key]refusal
}

// refusal is a file that did not go into its document, by the hashes of what the two had in common and of
// the file.
type refusal struct{ base, file string }

// writes counts how often a file was written while it is waited for that the file is quiet.
type writes struct {
	times int
	doc   *workspace.Document // as it was when the file was written first
}

// Begin makes a watcher ready, whose exported fields are set.
func (w *Watcher) Begin() {
	w.written, w.followed, w.refused = map[paths.Key]*writes{}, map[paths.Key]func(){}, map[paths.Key]refusal{}
}

// quiet is how long a file must be the same, at first: each time that it is not, twice as long. One
// that may not be written to its end must be the same for longer.
const (
	quiet     = 50 * time.Millisecond
	longQuiet = 500 * time.Millisecond
	maxQuiet  = 2 * time.Second
)

// Look finds out whether the file of a document that was opened or saved has its text.
func (w *Watcher) Look(key paths.Key) {
	abs, isFile := key.FilePath()
	doc := w.Documents.Get(key)
	if !isFile || doc == nil || doc.DiskSeen {
		return
	}
	w.Go(func(context.Context) {
		same, _ := paths.SameOnDisk(abs, doc.Disk)
		if !same && doc.Disk.String() == "\n" { // what Vim has of a file without text
			same, _ = paths.SameOnDisk(abs, text.Text{})
		}
		if same {
			w.Documents.SetDisk(key, doc.Disk, doc.Disk, false)
		}
	})
}

// Written says that the file of an open document was written or deleted.
func (w *Watcher) Written(key paths.Key) { w.wasWritten(key, 0) }

// wasWritten records that a file was written, as one of this many at least.
func (w *Watcher) wasWritten(key paths.Key, files int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.written) == 0 {
		w.files = 0
	}
	w.files = max(w.files, files)
	if all := w.written[key]; all != nil {
		all.times++
		return
	}
	w.written[key] = &writes{times: 1, doc: w.Documents.Get(key)}
	w.files++
	w.Go(func(ctx context.Context) { w.settle(ctx, key) })
}

// counted returns how often a file that is waited for was written, and how many files were.
func (w *Watcher) counted(key paths.Key) (of writes, files int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return *w.written[key], w.files
}

// done ends the waiting for a file that was written so often, and reports whether that is all.
func (w *Watcher) done(key paths.Key, times int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.written[key].times != times {
		return false
	}
	delete(w.written, key)
	return true
}

// settle waits until a file is quiet, and brings it in. One runs at a time for a file, so that each merge
// is held against the text that the one before it has left.
func (w *Watcher) settle(ctx context.Context, key paths.Key) {
	var last text.Text
	lastTimes := 0 // how often the file had been written when last was read
	had, stop := w.states(key)
	defer func() { stop() }() //nolint:gocritic // stop changes
	first, _ := w.counted(key)
	for wait, before := quiet, first.doc; ; wait = min(2*wait, maxQuiet) {
		select {
		case <-w.After(wait):
		case <-ctx.Done():
			return
		}
		all, files := w.counted(key)
		r := reading{before: before, doc: w.Documents.Get(key), files: files}
		doc := r.doc
		before = doc
		if doc == nil || doc.Drift != "" || !doc.DiskSeen {
			if w.done(key, all.times) {
				return
			}
			continue
		}
		place, file, err := w.Read(doc)
		stop()
		r.place, r.had = place, *had
		had, stop = w.states(key)
		if lastTimes > 0 && !file.Equal(last) {
			w.inStep(ctx, &r, last) // the editor read that anew, before the file was written again
		}
		inStep := err == nil && w.inStep(ctx, &r, file)
		if err == nil && (all.times != lastTimes || !file.Equal(last)) {
			last, lastTimes = file, all.times
			continue
		}
		if err == nil && !inStep && wait < longQuiet && unsaved(r.doc) && mayBeCut(r) {
			wait = longQuiet / 2
			continue
		}
		switch {
		case err != nil && unsaved(r.doc):
			w.unread(ctx, r.doc, err)
		case err == nil && !inStep && !w.bringIn(ctx, r):
			w.follow(r)
		}
		if w.done(key, all.times) {
			return
		}
		wait = quiet
	}
}

// states collects the states of a document until stop is called; only then they may be looked at. The
// editor may read the file anew, or save it, and the user may type on, before the watcher reads the file again.
func (w *Watcher) states(key paths.Key) (had *[]*workspace.Document, stop func()) {
	had = new([]*workspace.Document)
	return had, w.Documents.Watch(key, func(doc *workspace.Document) {
		if doc != nil {
			*had = append(*had, doc)
		}
	})
}

// reading is a file that was read, and its document at that time.
type reading struct {
	before *workspace.Document   // at the reading before, or when the file was written
	had    []*workspace.Document // since
	doc    *workspace.Document   // now
	place  paths.Target
	file   text.Text // in the line ends of the document
	files  int       // that were written at the time
}

// unsaved reports whether the editor takes a document for unsaved.
func unsaved(doc *workspace.Document) bool { return doc.Behind || !doc.Text.Equal(doc.Disk) }

// unread says that a file cannot be brought in. The buffer keeps its text.
func (w *Watcher) unread(ctx context.Context, doc *workspace.Document, err error) {
	if edits.IsKind(err, paths.FileNotFound) {
		w.Log.WarnContext(ctx, "the file of a document with unsaved text was deleted or renamed; the buffer keeps its text", "uri", doc.URI)
		return
	}
	w.Log.WarnContext(ctx, "another program has written the file of a document with unsaved text, and it cannot be merged", "uri", doc.URI, "error", err)
}

// inStep reports whether the buffer has, or had before the user typed on, what was read from its file: the editor
// has saved it or read it anew, and not told so, or the program wrote what was there. Then that is what
// the two have in common.
func (w *Watcher) inStep(ctx context.Context, r *reading, file text.Text) bool {
	r.file = inLineEnds(r.doc.Disk, file)
	if workspace.SameSaved(r.doc.Disk, r.file) {
		return true
	}
	now, later := r.doc, []*workspace.Document(nil)
	if !workspace.SameSaved(now.Text, r.file) {
		at := slices.IndexFunc(r.had, func(d *workspace.Document) bool { return d.Text.Len() == r.file.Len() && d.Text.Equal(r.file) })
		if at < 0 {
			return false
		}
		now, later = r.had[at], r.had[at+1:]
	}
	was := r.before
	w.Documents.SetDisk(r.doc.Key, r.doc.Disk, now.Text, was != nil && workspace.SameSaved(was.Text, r.file))
	if was != nil && was.DiskSeen && !unsaved(was) && was.Disk.Equal(r.doc.Disk) {
		w.reloaded(ctx, *r, was, now)
	}
	r.before, r.had = now, later
	if doc := w.Documents.Get(r.doc.Key); doc != nil {
		r.doc = doc
	}
	return true
}

// bringIn has the editor make the edit that brings in a file, and reports whether the buffer has it
// then.
func (w *Watcher) bringIn(ctx context.Context, r reading) bool {
	doc, file := r.doc, r.file
	if w.How() == Off || !unsaved(doc) || w.refusal(doc).file == file.Hash() {
		return false
	}
	e := &Edit{place: r.place, base: doc.Disk, file: file, confirm: w.How() == Ask || unlike(doc, file, r.files) || w.refusal(doc).file != ""}
	e.holds = func() bool {
		now := w.Documents.Get(doc.Key)
		return now != nil && now.Disk.Equal(doc.Disk)
	}
	err := w.edit(ctx, e)
	if errors.Is(err, errConflict) {
		e.confirm = true
		err = w.edit(ctx, e)
	}
	switch {
	case err == nil:
		w.Documents.SetDisk(doc.Key, doc.Disk, file, true)
		return true
	case errors.Is(err, errClosed):
		return false
	case errors.Is(err, ErrRefused), errors.Is(err, errUnasked):
		w.refuse(doc, file)
	case edits.IsKind(err, editor.Rejected): // by the editor, which may take the next one
	default: // it may have been made all the same
		w.Documents.DoubtDisk(doc.Key)
	}
	w.Log.WarnContext(ctx, "another program has written the file of a document with unsaved text, and it was not merged", "uri", doc.URI, "error", err)
	return false
}

// reloaded records that the editor has read a file anew, unless many were written at a time. was is the
// document before, which had no unsaved text.
func (w *Watcher) reloaded(ctx context.Context, r reading, was, now *workspace.Document) {
	if w.How() != Off && r.files <= maxFiles {
		w.Reloaded(ctx, r.place, was, now)
	}
}

// follow waits until a document has the text of its file, which the editor reads anew, so that the
// next merge is held against that. If the user types in a buffer before it has been read anew, the
// file is brought in after all.
func (w *Watcher) follow(r reading) {
	key, file := r.doc.Key, r.file
	w.mu.Lock()
	defer w.mu.Unlock()
	if stop := w.followed[key]; stop != nil {
		stop()
	}
	var was *workspace.Document // at first
	var once sync.Once
	then := func(f func(ctx context.Context)) {
		once.Do(func() {
			w.Go(func(ctx context.Context) {
				w.unfollow(key)
				f(ctx)
			})
		})
	}
	w.followed[key] = w.Documents.Watch(key, func(doc *workspace.Document) {
		switch was = cmp.Or(was, doc); {
		case doc == nil, !doc.Disk.Equal(was.Disk): // closed or saved
			then(func(context.Context) {})
		case doc.Text.Len() == file.Len() && doc.Text.Equal(file):
			then(func(ctx context.Context) {
				w.Documents.SetDisk(key, doc.Disk, file, false)
				if !unsaved(was) {
					w.reloaded(ctx, r, was, doc)
				}
			})
		case !unsaved(was) && unsaved(doc):
			then(func(context.Context) { w.wasWritten(key, r.files) })
		}
	})
}

func (w *Watcher) unfollow(key paths.Key) {
	w.mu.Lock()
	stop := w.followed[key]
	delete(w.followed, key)
	w.mu.Unlock()
	if stop != nil {
		stop()
	}
}

// refuse remembers a file that did not go into its document. It is offered once, and the user is asked about
// each later text of the file, which may hold the same.
func (w *Watcher) refuse(doc *workspace.Document, file text.Text) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.refused[doc.Key] = refusal{doc.Disk.Hash(), file.Hash()}
}

// Forget forgets what did not go into a document that was saved or closed.
func (w *Watcher) Forget(key paths.Key) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.refused, key)
}

// refusal returns what was refused of the file of a document, since the document last had a text in common
// with its file; the zero value if nothing was.
func (w *Watcher) refusal(doc *workspace.Document) refusal {
	w.mu.Lock()
	defer w.mu.Unlock()
	if r := w.refused[doc.Key]; r.base == doc.Disk.Hash() {
		return r
	}
	return refusal{}
}

// edit has the editor make an edit. One about which the user is to be asked and cannot be is not made.
func (w *Watcher) edit(ctx context.Context, e *Edit) error {
	if e.confirm && !w.Asks() {
		return errUnasked
	}
	return w.Edit(ctx, e)
}

// ErrRefused says that the user has refused an edit.
var ErrRefused = errors.New("the user said no")

// errUnasked is told to the user in the log.
var errUnasked = errors.New("the user would have to be asked, which takes a plugin; compare the two before you save")
