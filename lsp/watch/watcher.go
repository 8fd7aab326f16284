package watch

import (
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
	// Exact reports whether the editor makes an edit in the version that it is for, or not at all.
	Exact func() bool
	// Late reports whether the editor may tell of a save with what the user has typed since.
	Late func() bool
	// Edit has the editor make an edit, after the user has agreed if it is to be confirmed.
	Edit func(ctx context.Context, e *Edit) error
	// Reloaded reports whether an agent's edit lies between two states of a document; if none does, it can record that
	// the editor has read the file anew, which had no unsaved text.
	Reloaded func(ctx context.Context, place paths.Target, was, now *workspace.Document, record bool) (edited bool)
	Made     func() map[string]bool // the ids of the edits that have come so, or by Edit
	After    func(d time.Duration) <-chan time.Time
	Go       func(f func(ctx context.Context))
	Log      *slog.Logger

	mu    sync.Mutex
	files map[paths.Key]*file
	busy  int                // of files: how many are waited for to be quiet
	round map[paths.Key]bool // the files that were written since none was waited for
}

// file is the file of an open document from when it is written until the two have a text in common again.
// The watcher's mutex guards it.
type file struct {
	key   paths.Key
	times int                // how often it was written
	round map[paths.Key]bool // the one in which it was written last
	busy  bool               // it is being seen to; it is waited for to be quiet, or the user is asked about it
	news  chan struct{}      // has a value once a file that is not busy is to be looked at again

	had  []*workspace.Document // the states of its document since the file was read, those that matter
	rest *reading              // while it is not busy: what the states matter for

	making   chan struct{} // closed once the edit that brings it in is made, nil while none is
	asked    text.Text     // what the user is asked about, while they are
	withdraw func()        // ends that question, nil if there is none

	// What is known of it as long as the document has this text in common with it, by hash.
	base    string
	atOnce  int    // with how many files it was written at a time
	refused string // the text that did not go into the document, by hash
}

// Begin makes a watcher ready, whose exported fields are set.
func (w *Watcher) Begin() { w.files = map[paths.Key]*file{} }

// quiet is how long a file must be the same, at first: each time that it is not, twice as long. One
// that may not be written to its end must be the same for longer.
const (
	quiet     = 50 * time.Millisecond
	longQuiet = 500 * time.Millisecond
	maxQuiet  = 2 * time.Second
)

// Look finds out which text of a document that was opened or saved its file has: the editor may tell of a save with
// what was typed meanwhile.
func (w *Watcher) Look(key paths.Key) {
	abs, isFile := key.FilePath()
	doc := w.Documents.Get(key)
	if !isFile || doc == nil {
		return
	}
	w.Go(func(context.Context) {
		same, _ := paths.SameOnDisk(abs, doc.Disk)
		if !same && doc.Disk.String() == "\n" { // what Vim has of a file without text
			same, _ = paths.SameOnDisk(abs, text.Text{})
		}
		switch {
		case same && doc.DiskSeen:
		case same:
			w.Documents.SetDisk(key, doc.Disk, doc.Disk, doc.Seq, false)
		case doc.DiskSeen:
			w.Written(key)
		default:
			if _, raw, err := w.Read(doc); err == nil {
				w.isSaved(doc, inLineEnds(doc.Disk, raw))
			}
		}
	})
}

// Written says that the file of an open document was written or deleted.
func (w *Watcher) Written(key paths.Key) {
	doc := w.Documents.Get(key)
	if f, isNew := w.fileOf(key, doc); isNew {
		stop := w.Documents.Watch(key, func(doc *workspace.Document) { w.seen(f, doc) }) // from here on no state is missed
		w.Go(func(ctx context.Context) {
			defer stop()
			w.bring(ctx, f, doc)
		})
	}
}

// fileOf records that the file of a document was written. isNew says that nothing sees to that file yet.
func (w *Watcher) fileOf(key paths.Key, doc *workspace.Document) (f *file, isNew bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.busy == 0 || w.round == nil {
		w.round = map[paths.Key]bool{}
	}
	if f = w.files[key]; f == nil {
		f, isNew = &file{key: key, news: make(chan struct{}, 1), busy: true}, true
		w.files[key] = f
		w.busy++
	}
	f.round = w.round
	f.round[key] = true
	if n := len(f.had); !isNew && doc != nil && (n == 0 || f.had[n-1] != doc) { // the user may type on before the file is read
		f.had = append(f.had, doc)
	}
	f.times++
	w.wake(f)
	if f.withdraw != nil {
		w.Go(func(context.Context) { w.askAnew(f) })
	}
	return f, isNew
}

// askAnew withdraws a question about a file that has another text by now. Editors tell of one writing several times.
func (w *Watcher) askAnew(f *file) {
	doc := w.Documents.Get(f.key)
	if doc == nil {
		return
	}
	_, raw, err := w.Read(doc)
	w.mu.Lock()
	defer w.mu.Unlock()
	if err == nil && f.withdraw != nil && !raw.Equal(f.asked) {
		f.withdraw()
	}
}

// Forget forgets what did not go into a document that was saved or closed, about which the user is not asked any more.
func (w *Watcher) Forget(key paths.Key) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if f := w.files[key]; f != nil {
		f.base = ""
		if !w.Late() {
			f.had = slices.Clone(f.had[max(0, len(f.had)-1):]) // the editor has saved none of the states before
		}
		f.times++
		if f.withdraw != nil {
			f.withdraw()
		}
		w.wake(f)
	}
}

// wake has a file looked at again. It needs the lock.
func (w *Watcher) wake(f *file) {
	if !f.busy {
		f.busy, f.rest = true, nil
		w.busy++
		f.news <- struct{}{}
	}
}

// bring brings a file in, each time that it is quiet, until its document has a text in common with it or is
// closed. One runs at a time for a file, so that each merge is held against the text that the one before it
// has left. before is the document as it was when the file was written.
func (w *Watcher) bring(ctx context.Context, f *file, before *workspace.Document) {
	var last text.Text
	lastTimes := 0 // how often the file had been written when last was read
	for wait := quiet; ; wait = min(2*wait, maxQuiet) {
		select {
		case <-w.After(wait):
		case <-ctx.Done():
			return
		}
		r := w.read(f, before)
		before = r.doc
		over := r.doc == nil || r.doc.Drift != ""
		if !over {
			if lastTimes > 0 && !r.raw.Equal(last) {
				w.inStep(ctx, &r, last) // the editor read that anew, before the file was written again
			}
			over = r.err == nil && w.inStep(ctx, &r, r.raw)
			if r.err == nil && (r.times != lastTimes || !r.raw.Equal(last)) {
				last, lastTimes = r.raw, r.times
				if !over {
					continue
				}
			}
			if _, had := r.doc.SeqOf(r.file); r.err == nil && !over && had {
				if r.doc.DiskSeen && wait < maxQuiet/2 { // the editor may have saved it, and tell of that soon
					continue
				}
				if over = w.isSaved(r.doc, r.file); over {
					w.refresh(&r)
				}
			}
			if r.err == nil && !over && wait < longQuiet && r.doc.Unsaved() && w.mayBeCut(&r) {
				wait = longQuiet / 2
				continue
			}
			over = over || w.bringIn(ctx, &r)
		}
		if !w.wait(ctx, r, over) {
			return
		}
		wait = quiet / 2
	}
}

// seen takes in a state of a document: the editor may read the file anew, or save it, and the user may type
// on, before the watcher reads the file again.
func (w *Watcher) seen(f *file, doc *workspace.Document) {
	if doc == nil {
		return // see Forget
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case f.rest == nil:
		f.had = append(f.had, doc)
	case f.rest.matters(doc):
		f.had = append(f.had, doc)
		w.wake(f)
	}
}

// wait waits until a file is to be looked at again. It reports whether it ever is: it is not if all is over
// and the file was not written again.
func (w *Watcher) wait(ctx context.Context, r reading, over bool) bool {
	f := r.of
	w.mu.Lock()
	again := f.times != r.times || !over && slices.ContainsFunc(f.had, r.matters)
	if !again {
		w.busy--
		if over { // it stays busy, so that no state of its document wakes it
			delete(w.files, f.key)
		} else {
			f.busy, f.rest = false, &r
		}
	}
	w.mu.Unlock()
	if again || over {
		return again
	}
	select {
	case <-f.news:
		return true
	case <-ctx.Done():
		return false
	}
}

// reading is a file that was read, and its document at that time.
type reading struct {
	of      *file
	before  *workspace.Document   // at the reading before, or when the file was written
	had     []*workspace.Document // since
	doc     *workspace.Document   // now
	place   paths.Target
	err     error
	raw     text.Text
	file    text.Text // raw in the line ends of the document
	times   int       // how often it had been written
	retries bool      // the edit is planned again on the next text of the document

	atOnce  int    // see file
	refused string // see file
}

// read reads a file.
func (w *Watcher) read(f *file, before *workspace.Document) reading {
	r := reading{of: f, before: before}
	w.mu.Lock()
	r.times = f.times
	w.mu.Unlock()
	if r.doc = w.Documents.Get(f.key); r.doc == nil {
		return r
	}
	r.place, r.raw, r.err = w.Read(r.doc)
	r.file = inLineEnds(r.doc.Disk, r.raw)
	w.mu.Lock()
	r.had, f.had = f.had, slices.Clone(f.had[max(0, len(f.had)-1):])
	w.mu.Unlock()
	w.recall(&r)
	return r
}

// recall recalls what is known of a file since it and its document have a text in common.
func (w *Watcher) recall(r *reading) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f := r.of
	if base := r.doc.Disk.Hash(); f.base != base {
		f.base, f.atOnce, f.refused = base, 0, ""
	}
	f.atOnce = max(f.atOnce, len(f.round))
	r.atOnce, r.refused = f.atOnce, f.refused
}

// matters reports whether a file that was read is to be looked at again for a later state of its document:
// that has its text, or unsaved text where there was none, or what it and its file have in common is known, or
// the editor may take the edit by now, or have made it.
func (r *reading) matters(doc *workspace.Document) bool {
	return r.err == nil && doc.Text.Len() == r.file.Len() && doc.Text.Equal(r.file) || r.retries && !doc.Text.Equal(r.doc.Text) ||
		!r.doc.Unsaved() && doc.Unsaved() || doc.DiskSeen && !r.doc.DiskSeen
}

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
// the two have in common. No editor reads a file anew over unsaved text by itself; where the user has it do so, merging
// the next text of the file does no harm.
func (w *Watcher) inStep(ctx context.Context, r *reading, raw text.Text) bool {
	r.file = inLineEnds(r.doc.Disk, raw)
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
	behind := was != nil && (was.Unsaved() || workspace.SameSaved(was.Text, r.file))
	w.Documents.SetDisk(r.doc.Key, r.doc.Disk, now.Text, now.Seq, behind)
	if was != nil && !behind {
		record := was.DiskSeen && was.Disk.Equal(r.doc.Disk) && r.atOnce <= maxFiles && w.How() != Off
		if w.Reloaded(ctx, r.place, was, now, record) { // nor does an editor read a file anew over an agent's edit
			w.Documents.SetDisk(r.doc.Key, now.Text, now.Text, now.Seq, true)
		}
	}
	r.before, r.had = now, later
	w.refresh(r)
	return true
}

// isSaved reports whether what was read from a file is what the editor has saved there, and has told of with what the user
// had typed meanwhile: it was the buffer's text since, and the file does not have what was told. Then that is what
// the two have in common.
func (w *Watcher) isSaved(doc *workspace.Document, file text.Text) bool {
	seq, had := doc.SeqOf(file)
	if !had || doc.DiskSeen || !w.Late() {
		return false
	}
	w.Documents.SetDisk(doc.Key, doc.Disk, file, seq, false)
	return true
}

// refresh takes the document of a reading as it is now.
func (w *Watcher) refresh(r *reading) {
	if doc := w.Documents.Get(r.doc.Key); doc != nil {
		r.doc = doc
		w.recall(r)
	}
}

// bringIn has the editor make the edit that brings in a file, and reports whether the buffer has it
// then.
func (w *Watcher) bringIn(ctx context.Context, r *reading) bool {
	doc, file := r.doc, r.file
	switch {
	case !doc.Unsaved():
		return false
	case r.err != nil:
		w.unread(ctx, doc, r.err)
		return false
	case w.How() == Off, r.refused == file.Hash():
		return false
	}
	defer w.makes(r.of)()
	sent, err := w.merge(ctx, r)
	switch {
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
		r.retries = true // the next text has an edit that is made late; else its version is gone
	default: // it may have been made all the same
		w.Documents.DoubtDisk(doc.Key)
	}
	w.Log.WarnContext(ctx, "another program has written the file of a document with unsaved text, and it was not merged", "uri", doc.URI, "error", err)
	return false
}

// makes records that the editor is making the edit that brings in a file. Calling made records that it is done; a file
// has one such edit at a time.
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

// awaited is how long [Watcher.Await] waits at most: the user waits with it.
const awaited = 300 * time.Millisecond

// Await waits while the editor makes the edit that brings in the file of a document, for 300 ms at most. After that it is
// known what the file and the buffer have in common. It does not wait for the user's answer to a question.
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

// merge has the editor make the edit that brings in a file, after the user has agreed where they are to be asked.
// What was refused is offered once, and the user is asked about each later text of the file, which may hold the
// same. sent reports whether the editor may have been sent the edit.
func (w *Watcher) merge(ctx context.Context, r *reading) (sent bool, err error) {
	if !r.doc.DiskSeen {
		return false, errUnknown
	}
	e := &Edit{place: r.place, base: r.doc.Disk, file: r.file, confirm: w.How() == Ask || w.unlike(r) || r.refused != ""}
	e.holds = func() bool {
		now := w.Documents.Get(r.doc.Key)
		return now != nil && now.Disk.Equal(r.doc.Disk)
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

// ask has the editor make an edit after the user has agreed, while the document is neither saved nor closed and the file
// is as it was read. Where they cannot be asked it is not made.
func (w *Watcher) ask(ctx context.Context, r *reading, e *Edit) error {
	if !w.Asks() {
		return errUnasked
	}
	asked, withdraw := context.WithCancel(ctx)
	defer withdraw()
	w.setQuestion(r, withdraw, -1) // what is written while the user thinks is not written at the same time
	defer w.setQuestion(r, nil, 1)
	err := w.Edit(asked, e)
	if e.plans < 2 && asked.Err() != nil && ctx.Err() == nil {
		return errClosed
	}
	return err
}

// setQuestion records by what a question about a file is withdrawn, nil once it is over. That many more files are waited for
// from then on.
func (w *Watcher) setQuestion(r *reading, withdraw func(), n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	r.of.asked, r.of.withdraw = r.raw, withdraw
	w.busy += n
}

// ErrRefused says that the user has refused an edit.
var ErrRefused = errors.New("the user said no")

// errUnasked and errUnknown are told to the user in the log.
var (
	errUnasked = errors.New("the user would have to be asked, which takes a plugin; compare the two before you save")
	errUnknown = errors.New("it is not known which text the editor has read from the file or saved there last; compare the two before you save")
)
