package watch

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/host"
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
	*host.Host
	Documents *workspace.Documents
	How       func() string // the present value of the setting absorb
	// Reach asks whether an operation may reach a document now.
	Reach func(doc *workspace.Document, op paths.Operation) (paths.Target, error)
	// Read reads the file of a document, not its buffer.
	Read func(doc *workspace.Document) (paths.Target, text.Text, error)
	// Sent reports whether an agent has just sent that text as the whole text of a document.
	Sent func(key paths.Key, file text.Text) bool
	// Edit has the editor make an edit, after the user has agreed if it is to be confirmed.
	Edit func(ctx context.Context, e *Edit) error
	// Reloaded reports whether an agent's edit lies between two states of a document. If none does
	// and record is set, it records the difference as a reload of the file by the editor.
	Reloaded func(ctx context.Context, place paths.Target, was, now *workspace.Document, record bool) (edited bool)
	// Written tells the editor that the file of a document without unsaved text has another text, which it may read anew.
	Written func(doc *workspace.Document)
	EditIDs func() map[string]bool // the ids of the edits recorded by Reloaded or made by Edit
	Show    func(message string)   // shows the user a message

	mu    sync.Mutex
	files map[paths.Key]*file
	told  map[paths.Key]bool // the documents of whose files the user was told that they are not merged
	busy  int                // how many of files are waited for to be quiet
	round map[paths.Key]bool // the files that were written since busy was last 0

	// counted has, for the file of an open document, the hash of the text with which the file was counted in a round last. An
	// editor may report a write again, together with others; the file is not counted again with the same text.
	counted map[paths.Key]string
}

// file is the state of an open document's file, from a write to it until file and document have a
// text in common again. The watcher's mutex guards it.
type file struct {
	key   paths.Key
	times int                // how often it was written
	round map[paths.Key]bool // the round in which it was last written
	fresh bool               // it was not read since it was counted in that round
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
func (w *Watcher) Begin() {
	w.files, w.told, w.counted = map[paths.Key]*file{}, map[paths.Key]bool{}, map[paths.Key]string{}
}

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
	f.round, f.fresh = w.round, f.fresh || !w.round[key]
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
	doc := w.Documents.Get(key)
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.told, key)
	if doc == nil || w.counted[key] != doc.Disk.Hash() { // the file held another text since
		delete(w.counted, key)
	}
	if f := w.files[key]; f != nil {
		f.base = ""
		if !w.isLate() {
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
	for wait := quiet; w.Sleep(ctx, wait); wait = min(2*wait, maxQuiet) {
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
	case w.maybeUnsaved(r.doc) && !r.doc.Unsaved() && wait < maxQuiet: // otherwise the editor reads it anew
		return changing
	case wait < longQuiet && r.doc.Unsaved() && w.mayBeCut(r):
		return unclear
	}
	return ripe
}

// maybeUnsaved reports whether the editor may consider a document unsaved: it may have reported a save together with
// what was typed since, and what it saved was not seen in the file.
func (w *Watcher) maybeUnsaved(doc *workspace.Document) bool {
	return doc.Unsaved() || w.isLate() && baseOf(doc).origin == saved
}

// isLate reports whether the editor may report a save together with what the user has typed since.
func (w *Watcher) isLate() bool { return !w.Editor().Quirks.SavesAtOnce }

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
	f.atOnce, w.counted[f.key] = max(f.atOnce, len(f.round)), r.raw.Hash()
	if r.doc == nil {
		delete(w.counted, f.key)
	}
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

// reading is the result of reading a file, with the state of its document at that time.
type reading struct {
	of      *file
	before  *workspace.Document   // at the previous reading, or when the file was written
	had     []*workspace.Document // the states since then
	doc     *workspace.Document   // at this reading
	place   paths.Target
	err     error
	raw     text.Text
	file    text.Text // raw in the line ends of the document
	times   int       // times of the file at this reading
	planned text.Text // the text on which the edit was planned last
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
	r.file = text.InForm(r.doc.Disk, r.raw)
	w.mu.Lock()
	r.had, f.had = f.had, slices.Clone(f.had[max(0, len(f.had)-1):])
	w.mu.Unlock()
	w.recall(&r)
	return r
}

// recall copies what is known of a file into r. It resets that if the text in common with the document has changed.
func (w *Watcher) recall(r *reading) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f := r.of
	if base := baseOf(r.doc).text.Hash(); f.base != base {
		f.base, f.atOnce, f.refused = base, 0, ""
	}
	if f.fresh && r.raw.Hash() == w.counted[f.key] {
		delete(f.round, f.key)
	}
	f.fresh = false
	r.atOnce, r.refused = max(f.atOnce, len(f.round)), f.refused
}

// matters reports whether a file must be checked again because of a later state of its document:
// the state has the file's text, or has unsaved text where there was none, or its text in common
// with the file is known now, or the editor may now accept the edit, or has made it.
func (r *reading) matters(doc *workspace.Document) bool {
	return r.err == nil && doc.Text.Len() == r.file.Len() && doc.Text.Equal(r.file) || r.retries && !doc.Text.Equal(r.doc.Text) ||
		!r.doc.Unsaved() && doc.Unsaved() || doc.DiskSeen() && !r.doc.DiskSeen() || doc.InFile != nil && r.doc.InFile == nil
}

// isInStep reports whether the buffer has the text raw of its file, or had it before the user typed on:
// the editor has saved or reloaded the file without reporting it, or the program wrote the text that
// was there. That text is then what the two have in common. No editor reloads a file over unsaved text
// by itself; if the user makes it do so, merging the next text of the file does no harm.
func (w *Watcher) isInStep(ctx context.Context, r *reading, raw text.Text) bool {
	r.file = text.InForm(r.doc.Disk, raw)
	isHere := r.err == nil && raw.Equal(r.raw) // otherwise raw was read where the name may have led before
	if workspace.SameSaved(r.doc.Disk, r.file) {
		return !isHere || r.doc.Opened.Seen(r.place, workspace.SameSaved(r.doc.Text, r.file))
	}
	now, later := r.doc, []*workspace.Document(nil)
	if !workspace.SameSaved(now.Text, r.file) {
		at := slices.IndexFunc(r.had, func(d *workspace.Document) bool { return d.Text.Len() == r.file.Len() && d.Text.Equal(r.file) })
		if at < 0 {
			return r.doc.InFile != nil && workspace.SameSaved(*r.doc.InFile, r.file) // it was not written
		}
		now, later = r.had[at], r.had[at+1:]
	}
	if isHere && !r.doc.Opened.Seen(r.place, now == r.doc) {
		return false
	}
	was := r.before
	unwritten := !r.doc.DiskSeen() && (r.doc.InFile == nil || workspace.SameSaved(*r.doc.InFile, r.file)) // so the editor has read it anew
	behind := was != nil && !unwritten && (was.Unsaved() || workspace.SameSaved(was.Text, r.file))
	w.Documents.SetDisk(r.doc.Key, r.doc.Disk, now.Text, now.Seq, behind)
	if was != nil && !behind {
		record := was.DiskSeen() && was.Disk.Equal(r.doc.Disk) && r.atOnce <= maxFiles && w.How() != Off
		if w.Reloaded(ctx, r.place, was, now, record) { // an editor does not reload a file over an agent's edit either
			w.Documents.SetDisk(r.doc.Key, now.Text, now.Text, now.Seq, true)
		}
	}
	r.before, r.had = now, later
	w.refresh(r)
	return true
}

// isSaved reports whether the text of a file is one that the editor has saved, and reported
// together with what the user had typed since: the buffer had that text, and the file was not
// seen to hold the text reported. That text is then what the two have in common.
func (w *Watcher) isSaved(doc *workspace.Document, at paths.Target, file text.Text) bool {
	seq, had := doc.SeqOf(file)
	if !had || doc.DiskSeen() || !w.isLate() {
		return false
	}
	doc.Opened.Seen(at, false)
	w.Documents.SetDisk(doc.Key, doc.Disk, file, seq, false)
	return true
}

// refresh updates the document of a reading to its present state.
func (w *Watcher) refresh(r *reading) {
	if doc := w.Documents.Get(r.doc.Key); doc != nil {
		r.doc = doc
		w.recall(r)
	}
}
