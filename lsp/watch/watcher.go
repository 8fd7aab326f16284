package watch

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// The values of the setting absorb.
const (
	Merge = "merge" // what can be merged goes into the buffer, the user is asked about the rest
	Ask   = "ask"   // the user is asked about all of it
	Off   = "off"
)

// Name is the author of the edits that bring in what other programs write.
const Name = "disk"

// Watcher merges what other programs write to files into the buffers. Its exported fields are set
// before Begin is called; it is safe for concurrent use.
type Watcher struct {
	Documents *workspace.Documents
	How       func() string // the present value of the setting absorb
	// Reach asks whether an operation may reach a document now.
	Reach func(doc *workspace.Document, op paths.Operation) (paths.Target, error)
	// Read reads the file of a document, not its buffer.
	Read func(doc *workspace.Document) (paths.Target, text.Text, error)
	// Sent reports whether an agent has just sent that text as the whole text of a document.
	Sent func(key paths.Key, file text.Text) bool
	// Asks reports whether the user can be asked without interrupting their work, as a plugin does.
	Asks func() bool
	// Exact reports whether the editor makes an edit only in the version that the edit is for.
	Exact func() bool
	// Late reports whether the editor may report a save together with what the user has typed since.
	Late func() bool
	// Edit has the editor make an edit, after the user has agreed if it is to be confirmed.
	Edit func(ctx context.Context, e *Edit) error
	// Reloaded reports whether an agent's edit lies between two states of a document. If none does
	// and record is set, it records the difference as a reload of the file by the editor.
	Reloaded func(ctx context.Context, place paths.Target, was, now *workspace.Document, record bool) (edited bool)
	EditIDs  func() map[string]bool // the ids of the edits recorded by Reloaded or made by Edit
	After    func(d time.Duration) <-chan time.Time
	Go       func(f func(ctx context.Context))
	Log      *slog.Logger
	Show     func(message string) // shows the user a message

	mu    sync.Mutex
	files map[paths.Key]*file
	told  map[paths.Key]bool // the documents of whose files the user was told that they are not merged
	busy  int                // how many of files are waited for to be quiet
	round map[paths.Key]bool // the files that were written since busy was last 0
}

// file is the state of an open document's file, from a write to it until file and document have a
// text in common again. The watcher's mutex guards it.
type file struct {
	key   paths.Key
	times int                // how often it was written
	round map[paths.Key]bool // the round in which it was last written
	busy  bool               // it is being handled; it is waited for to be quiet, or the user is asked about it
	news  chan struct{}      // receives a value when a file that is not busy is to be checked again

	had  []*workspace.Document // the relevant states of its document since the file was last read
	rest *reading              // the last reading while the file is not busy, else nil

	making   chan struct{} // closed once the edit that merges the file is done; nil while none is in flight
	question text.Text     // the text about which the user is being asked
	withdraw func()        // withdraws that question; nil if there is none

	// The fields below hold while the text that document and file have in common has the hash base.
	base    string
	atOnce  int    // the most files that were written in a round of this file
	refused string // the hash of the text that was not merged
}

// Begin makes the watcher ready. Its exported fields must be set.
func (w *Watcher) Begin() { w.files, w.told = map[paths.Key]*file{}, map[paths.Key]bool{} }

// quiet is how long a file must stay unchanged at first; the time doubles whenever the file has
// changed. A file that may not be written to its end must stay unchanged for longer.
const (
	quiet     = 50 * time.Millisecond
	longQuiet = 500 * time.Millisecond
	maxQuiet  = 2 * time.Second
)

// Look finds out which text of a document its file holds: the editor may have opened it with unsaved text, or report a
// save together with what was typed since. opened: the editor has just opened it.
func (w *Watcher) Look(key paths.Key, opened bool) {
	_, isFile := key.FilePath()
	doc := w.Documents.Get(key)
	if !isFile || doc == nil {
		return
	}
	w.Go(func(ctx context.Context) {
		at, err := w.Reach(doc, paths.Compare)
		if err != nil {
			return
		}
		switch same, _ := doc.SameOnDisk(at); {
		case same:
			doc.Opened.Seen(at, doc.Text.Equal(doc.Disk))
			w.Documents.SetDisk(key, doc.Disk, doc.Disk, doc.Seq, doc.DiskSeen() && doc.Behind)
		case doc.DiskSeen():
			w.NoteWrite(key)
		default:
			w.compare(ctx, doc, opened)
		}
	})
}

// NoteWrite notifies the watcher that the file of an open document was written or deleted.
func (w *Watcher) NoteWrite(key paths.Key) {
	doc := w.Documents.Get(key)
	if f, isNew := w.fileOf(key, doc); isNew {
		stop := w.Documents.Watch(key, func(doc *workspace.Document) { w.observe(f, doc) }) // from here on no state is missed
		w.Go(func(ctx context.Context) {
			defer stop()
			w.bring(ctx, f, doc)
		})
	}
}

// fileOf records that the file of a document was written. isNew reports whether no goroutine handles the file yet.
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

// askAnew withdraws the question about a file if its text has changed since. Editors report one write several times.
func (w *Watcher) askAnew(f *file) {
	doc := w.Documents.Get(f.key)
	if doc == nil {
		return
	}
	_, raw, err := w.Read(doc)
	w.mu.Lock()
	defer w.mu.Unlock()
	if err == nil && f.withdraw != nil && !raw.Equal(f.question) {
		f.withdraw()
	}
}

// Forget forgets which text was not merged into a document that was saved or closed, and withdraws a question about it.
func (w *Watcher) Forget(key paths.Key) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.told, key)
	if f := w.files[key]; f != nil {
		f.base = ""
		if !w.Late() {
			f.had = slices.Clone(f.had[max(0, len(f.had)-1):]) // the editor has saved none of the earlier states
		}
		f.times++
		if f.withdraw != nil {
			f.withdraw()
		}
		w.wake(f)
	}
}

// wake has a file checked again. It needs the lock.
func (w *Watcher) wake(f *file) {
	if !f.busy {
		f.busy, f.rest = true, nil
		w.busy++
		f.news <- struct{}{}
	}
}

// bring merges a file each time that it is quiet, until the document has a text in common with it
// or is closed. Only one bring runs at a time for a file, so each merge starts from the text that
// the previous one has left. before is the document as it was when the file was written.
func (w *Watcher) bring(ctx context.Context, f *file, before *workspace.Document) {
	var last reading
	for wait := quiet; ; wait = min(2*wait, maxQuiet) {
		select {
		case <-w.After(wait):
		case <-ctx.Done():
			return
		}
		r := w.read(f, before)
		before = r.doc
		is := w.stateOf(ctx, &r, &last, wait)
		switch is {
		case changing:
			continue
		case unclear:
			wait = longQuiet / 2
			continue
		case ripe:
			if w.bringIn(ctx, &r) {
				is = inStep
			}
		}
		if !w.wait(ctx, r, is == inStep) {
			return
		}
		wait = quiet / 2
	}
}

// state is the state of a file that was written, at a reading of it.
//
//	changing -> unclear -> ripe -> inStep, or ripe until the document changes
//	    |          |                 ^
//	    +----------+-----------------+
type state int

const (
	changing state = iota // it has another text than at the last reading
	unclear               // a program may be writing it, or the editor may be about to report a save
	ripe                  // it is to be merged, as far as that can be done
	inStep                // it has a text in common with its document, or the document is not open or not known
)

// stateOf returns the state of a file that was read after a while in which nothing was read, and sets last.
func (w *Watcher) stateOf(ctx context.Context, r, last *reading, wait time.Duration) state {
	if r.doc == nil || r.doc.Drift != "" {
		return inStep
	}
	if last.of != nil && !r.raw.Equal(last.raw) {
		w.isInStep(ctx, r, last.raw) // the editor may have reloaded that before the file was written again
	}
	if r.err != nil {
		return ripe
	}
	is := w.isInStep(ctx, r, r.raw)
	changed := r.times != last.times || !r.raw.Equal(last.raw)
	*last = reading{of: r.of, raw: r.raw, times: r.times}
	_, had := r.doc.SeqOf(r.file)
	switch {
	case is:
		return inStep
	case changed:
		return changing
	case had && r.doc.DiskSeen() && wait < maxQuiet/2: // the editor may have saved it, and report that soon
		return changing
	case had && w.isSaved(r.doc, r.place, r.file):
		w.refresh(r)
		return inStep
	case wait < longQuiet && r.doc.Unsaved() && w.mayBeCut(r):
		return unclear
	}
	return ripe
}

// observe records a state of a document: before the watcher reads the file again, the editor may
// reload or save it, and the user may type on.
func (w *Watcher) observe(f *file, doc *workspace.Document) {
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

// wait waits until a file is to be checked again, and reports whether it is. It reports false if
// over is set and the file was not written again, or if ctx is done.
func (w *Watcher) wait(ctx context.Context, r reading, over bool) bool {
	f := r.of
	w.mu.Lock()
	again := f.times != r.times || !over && slices.ContainsFunc(f.had, r.matters)
	if !again {
		w.busy--
		if over { // f stays busy, so that no state of its document wakes it
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
