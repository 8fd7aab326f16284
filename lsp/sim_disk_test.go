package lsp_test

import (
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/internal/testkit/personas"
	"github.com/patchls/patchls/lsp/watch"
)

// simDisk is the disk of a simulation: programs beside the editor write the files of open
// documents, and it tells of every write. How the editor and the user take that is drawn
// from the seed of the run.
type simDisk struct {
	absorb  string        // the setting
	asks    bool          // a plugin asks the user
	reloads bool          // the editor reads the file of a clean buffer anew, so late
	late    time.Duration // see reloads
	agrees  int           // in how many of 100 questions the user agrees
	again   int           // how often the same writing is told of once more, each time later

	merging atomic.Bool // the edit that is sent is a merge

	mu   sync.Mutex
	tell func(path string) // nil where nothing is told
}

func newSimDisk(seed uint64) *simDisk {
	r := rand.New(rand.NewPCG(seed, 2))
	return &simDisk{
		absorb: []string{watch.Merge, watch.Merge, watch.Merge, watch.Merge, watch.Ask, watch.Off}[r.IntN(6)],
		asks:   r.IntN(3) > 0, reloads: r.IntN(3) > 0, late: time.Duration(r.IntN(3)) * 300 * time.Millisecond,
		agrees: []int{60, 100, 0}[r.IntN(3)], again: r.IntN(4),
	}
}

// notify is [lsp.Options.Notify].
func (s *simDisk) notify(written func(path string)) (watch.Notifier, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tell = written
	return s, nil
}

// Add and Remove implement [watch.Notifier]: there is one folder.
func (s *simDisk) Add(string) error    { return nil }
func (s *simDisk) Remove(string) error { return nil }

// Close implements [watch.Notifier].
func (s *simDisk) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tell = nil
	return nil
}

// written tells that a file was written, and again later: systems and editors tell of it more than once.
func (s *simDisk) written(path string) {
	s.tellOf(path)
	for i := range s.again {
		time.AfterFunc(time.Duration(40<<(2*i))*time.Millisecond, func() { s.tellOf(path) })
	}
}

func (s *simDisk) tellOf(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tell != nil {
		s.tell(path)
	}
}

// simFile is the file of a document, with all that it ever held.
type simFile struct {
	texts    []simWritten
	coming   []string  // what a program is about to write, one piece after the other
	read     int       // of texts: what the editor has read or saved last
	synced   time.Time // when the editor has opened or saved it
	reloaded time.Time
	known    bool // it had the text of the buffer then

	asked   []*simQuestion // about the document
	told    time.Time      // when the user was told or asked last
	guarded time.Time      // when it was written together with more files than an agent writes
}

// simWritten is what a file held for a while.
type simWritten struct {
	text    string
	exists  bool
	program bool // another program wrote it, and not the editor
	at      time.Time
	tokens  map[string]int
}

func (f *simFile) now() simWritten {
	if len(f.texts) == 0 {
		return simWritten{}
	}
	return f.texts[len(f.texts)-1]
}

// saw records what a file holds now.
func (f *simFile) saw(s string, exists, program bool) {
	f.texts = append(f.texts, simWritten{s, exists, program, time.Now(), tokensOf(s)})
}

// lookAt records what the editor has done to a file, and reports it.
func (w *simWorld) lookAt(d *simDoc) {
	now := d.closedState()
	if was := d.file.now(); was.text != now.text || was.exists != now.exists {
		d.file.saw(now.text, now.exists, false)
		w.disk.written(d.path)
	}
}

// simProgramsDo is what other programs do to files.
var simProgramsDo = simWeights{
	{"write", 28}, {"rename", 10}, {"pieces", 8}, {"empty", 4}, {"older", 5}, {"checkout", 3}, {"remake", 4}, {"away", 2},
	{"ends", 3}, {"same", 3}, {"buffer", 4},
}

// program has another program do a step. Files of documents that are not open are left alone.
func (w *simWorld) program(s simStep) {
	r := s.rand()
	simWrites.Add(1)
	docs := w.docs[s.doc : s.doc+1]
	if s.op == "checkout" {
		docs = w.docs
	}
	var changed []*simDoc
	for _, d := range filter(docs, func(d *simDoc) bool { return d.now().open }) {
		was := d.lastText()
		w.apart()
		if w.writes(d, s.op, r); d.lastText() != was {
			changed = append(changed, d)
		}
	}
	for _, d := range changed {
		if len(changed) > 4 {
			d.file.guarded = d.file.now().at
		}
	}
}

func (w *simWorld) writes(d *simDoc, op string, r *rand.Rand) {
	was := d.lastText()
	next := w.rewritten(r, was)
	d.file.coming = nil
	switch op {
	case "write":
		w.put(d, next)
	case "rename":
		w.putOver(d, next)
	case "pieces":
		for cut := 0; cut < len(next); cut = runeStart(next, min(len(next), cut+1+r.IntN(1+len(next)/2))) {
			if d.file.coming = append(d.file.coming, next[:cut]); len(d.file.coming) == 5 {
				break
			}
		}
		d.file.coming = append(d.file.coming, next)
		w.goesOn(d)
	case "empty":
		d.file.coming = []string{next}
		w.put(d, "")
	case "older":
		w.putOver(d, d.olderText(r))
	case "checkout":
		if r.IntN(2) == 0 {
			next = d.olderText(r)
		}
		w.putOver(d, next)
	case "remake", "away":
		if op == "remake" {
			_ = os.Remove(d.path)
			d.file.coming = []string{next}
		} else {
			_ = os.Rename(d.path, d.path+".away")
		}
		d.file.saw("", false, true)
		w.disk.written(d.path)
	case "ends":
		lf := strings.ReplaceAll(was, "\r\n", "\n")
		if lf == was {
			lf = strings.ReplaceAll(was, "\n", "\r\n")
		}
		w.put(d, lf)
	case "same":
		w.put(d, was)
	case "buffer":
		if d.typed(time.Now(), len(d.states)-1) { // the server takes a text that it does not know yet for one that the editor has reloaded
			d.file.known = false
		}
		w.put(d, string(d.buffer.Content(d.buffer.State().Text)))
	default:
		panic("a program cannot " + op)
	}
}

// put has a program write a file in place.
func (w *simWorld) put(d *simDoc, s string) {
	_ = os.WriteFile(d.path, []byte(s), 0o600)
	d.file.saw(s, true, true)
	w.disk.written(d.path)
}

// putOver has a program write another file and rename it over this one.
func (w *simWorld) putOver(d *simDoc, s string) {
	_ = os.WriteFile(d.path+".next", []byte(s), 0o600)
	_ = os.Rename(d.path+".next", d.path)
	d.file.saw(s, true, true)
	w.disk.written(d.path)
}

// apart lets a moment pass, so that no two files are looked at at one time. It needs w.mu.
func (w *simWorld) apart() {
	w.mu.Unlock()
	time.Sleep(time.Microsecond) //nolint:forbidigo // virtual
	w.mu.Lock()
}

// goesOn has a program write the next piece of the text that it is writing.
func (w *simWorld) goesOn(d *simDoc) {
	if len(d.file.coming) > 0 {
		w.apart()
		next := d.file.coming[0]
		d.file.coming = d.file.coming[1:]
		w.put(d, next)
	}
}

// ends has a program write the rest of the text that it is writing.
func (w *simWorld) ends(d *simDoc) {
	if n := len(d.file.coming); n > 0 {
		d.file.coming = d.file.coming[n-1:]
		w.goesOn(d)
	}
}

// lastText returns the text that the file had last.
func (d *simDoc) lastText() string {
	for _, t := range slices.Backward(d.file.texts) {
		if t.exists {
			return t.text
		}
	}
	return ""
}

// olderText returns a text that the file has had.
func (d *simDoc) olderText(r *rand.Rand) string {
	if len(d.file.texts) == 0 {
		return ""
	}
	return d.file.texts[r.IntN(len(d.file.texts))].text
}

// rewritten returns a text that a program makes of another, with new tokens.
func (w *simWorld) rewritten(r *rand.Rand, was string) string {
	end := "\n"
	if strings.Contains(was, "\r\n") {
		end = "\r\n"
	}
	lines := slices.Collect(strings.Lines(was))
	for range 1 + r.IntN(2) {
		at := r.IntN(len(lines) + 1)
		to := min(len(lines), at+r.IntN(3))
		var put []string
		for range r.IntN(3) {
			w.tokens++
			put = append(put, newToken("d", w.tokens)+end)
		}
		if at > 0 && len(put) > 0 && !strings.HasSuffix(lines[at-1], "\n") {
			lines[at-1] += end
		}
		lines = slices.Replace(lines, at, to, put...)
	}
	return strings.Join(lines, "")
}

// readAnew has the editor read the files anew whose buffers are clean, if it does so by itself.
func (w *simWorld) readAnew() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, d := range w.docs {
		f := &d.file
		if !w.disk.reloads || f.read == len(f.texts)-1 || time.Since(f.now().at) < w.disk.late || !d.now().open || !f.now().exists || d.buffer.Dirty() {
			continue
		}
		w.byHand(d, func() { w.reload(d) })
	}
}

// reload has the editor reload a file, which drops unsaved text.
func (w *simWorld) reload(d *simDoc) {
	if personas.Reload(w.editor, d.buffer) == nil {
		d.file.read, d.file.known = len(d.file.texts)-1, d.file.known && d.file.holds(d.buffer.Text())
		w.oracle.forget(d)
		d.file.reloaded = time.Now()
		for t := range tokensOf(d.buffer.Text()) {
			if d.now().tokens[t] == 0 {
				w.oracle.revived[t] = true // it is not known that this took back the edit which took it out
			}
		}
	}
}

// inStep records that the editor has opened or saved a file, as a text.
func (d *simDoc) inStep(text string) {
	d.file.read, d.file.synced, d.file.known = len(d.file.texts)-1, time.Now(), d.file.holds(text)
}

// holds reports whether a file holds a text, but for line ends.
func (f *simFile) holds(text string) bool {
	lf := func(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }
	return f.now().exists && lf(text) == lf(f.now().text)
}

// saves has the user save a document. Where another program has written the file, the plugin asks
// whether that is merged, and else the user: to save all the same, to reload, or to think.
func (w *simWorld) saves(s simStep) {
	d := w.docs[s.doc]
	b, open := w.editor.Buffer(d.path)
	if !open {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	dirty := b.Dirty()
	var err error
	w.byHand(d, func() { err = b.Save() })
	if err == nil {
		if dirty {
			w.lookAt(d)
			d.inStep(d.buffer.Text())
		}
		return
	}
	w.mu.Unlock()
	merged := w.isMerged(b)
	w.mu.Lock()
	w.remark(len(w.remarks)-1, "not saved: %v; merged: %t", err, merged)
	r := s.rand()
	if !merged && r.IntN(3) > 0 {
		if r.IntN(2) == 0 && d.file.now().exists {
			w.byHand(d, func() { w.reload(d) })
		}
		return
	}
	w.ends(d)
	if merged && !d.buffer.Closed() {
		w.judgeMerged(d)
		simSavedOver.Add(1)
	}
	w.byHand(d, func() { saveOver(w.editor, b) })
	w.lookAt(d)
	d.inStep(d.buffer.Text())
}

// saveOver saves a buffer over what another program has written.
func saveOver(e *headless.Editor, b *headless.Buffer) {
	e.Lock()
	defer e.Unlock()
	if b.Closed() {
		return
	}
	b.Habits().BeforeSave()
	content := b.Content(b.State().Text)
	_ = os.WriteFile(b.Path(), content, 0o600)
	b.Wrote(content, b.State().Text)
	now := b.State()
	b.Habits().Saved(&now)
	b.SetState(now)
}
