package lsp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/patchls/patchls/internal/testkit/chance"
	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/internal/testkit/personas"
	"github.com/patchls/patchls/lsp"
	"github.com/patchls/patchls/lsp/transaction"
	"github.com/patchls/patchls/lsp/view"
	"github.com/patchls/patchls/lsp/watch"
	"github.com/patchls/patchls/workspace/paths"
)

// The numbers of steps of [TestPairs]: of all runs by default, and of one run.
const (
	pairSteps = 2000
	pairRun   = 200
)

// TestPairs has two editors on one folder, whose servers restart at any moment, while other programs write, move and
// delete the files, and agents edit, save, move and delete them and take that back, in either editor, also where one has the
// file open under two names or does not answer. All text is told by words that are written once, so that
// nothing is lost, written twice, or written to a file that an editor has with unsaved text, without being noticed.
// In half of the runs one of the two makes every second edit wrong in a small way: what it spoils itself may be lost,
// but no edit of it is verified that is not made, and the other one loses nothing.
// PATCHLS_PAIR_STEPS makes it longer, and it goes on, up to ten times as long, until each kind of case has been drawn.
func TestPairs(t *testing.T) {
	seed := chance.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	runs := int(chance.Number(t, "PATCHLS_PAIR_STEPS", pairSteps)) / pairRun
	if testing.Short() {
		runs = max(1, runs/10)
	}
	did := map[string]int{}
	lacks := func() string {
		for _, what := range []string{"verified", "merged", "restart", "saved", "file gone", "told", "deed", "deed beside unsaved text", "deed beside another name", "deed beside silence"} {
			if did[what] == 0 {
				return what
			}
		}
		return ""
	}
	most := runs // of runs, where a case has not been drawn
	if runs >= 10 {
		most *= 10
	}
	n := 0
	for ; n < runs || n < most && lacks() != ""; n++ {
		one := r.Uint64()
		bubble(t, func(t *testing.T) {
			p := newPair(t, one, did)
			for i := 0; i < pairRun && !t.Failed(); i++ {
				p.step()
			}
			p.settle()
			p.end()
		})
		if t.Failed() {
			t.Fatalf("seed %d, run %d", seed, n)
		}
	}
	t.Logf("%d steps: %v", n*pairRun, did)
	if what := lacks(); what != "" && runs >= 10 {
		t.Errorf("nothing was %s: %v", what, did)
	}
}

// pair is two editors on one folder.
type pair struct {
	t     *testing.T
	seed  uint64
	r     *rand.Rand
	root  string
	seats []*seat
	names []string // of the files
	gone  []string // those that agents have moved or deleted
	words int      // that were written
	files int      // that were made
	trace []string
	did   map[string]int
}

// seat is an editor with its server and its user.
type seat struct {
	p    *pair
	n    int
	kind simEditor
	asks bool
	errs bool // it makes edits wrong
	*headless.Editor
	done   chan error
	disk   *simDisk
	opened map[string]time.Time       // when it opened a file, or read it anew
	typed  map[string]map[string]bool // the words that are in the buffer of a file and were never saved
	exempt map[string]map[string]bool // the words that a file had when its buffer was restored, or soon after
	undone map[string]bool            // the words that an agent has taken back in this editor
	calls  sync.WaitGroup             // of agents
	asked  atomic.Int64               // commands of agents that are under way
	silent atomic.Bool                // it does not answer other servers
	twin   string                     // another name of a file that it has open under both, with unsaved text there

	mu       sync.Mutex
	told     map[string]bool // files about which the user was told or asked since they were saved
	mergedAt time.Time       // when the server asked for a merge last
}

func newPair(t *testing.T, seed uint64, did map[string]int) *pair {
	p := &pair{t: t, seed: seed, r: rand.New(rand.NewPCG(seed, 0)), root: t.TempDir(), did: did}
	for range 3 {
		p.newFile()
	}
	kinds := slices.DeleteFunc(slices.Clone(simEditors), func(e simEditor) bool { return !e.faithful || e.late || e.loses })
	errs := p.r.IntN(4) // 2 and 3 are none
	for n := range 2 {
		s := &seat{p: p, n: n, kind: kinds[p.r.IntN(len(kinds))], asks: p.r.IntN(2) == 0, errs: n == errs}
		if s.errs {
			s.kind = wrongEditor(p.r)
		}
		s.opened, s.undone = map[string]time.Time{}, map[string]bool{}
		s.typed, s.exempt, s.told = map[string]map[string]bool{}, map[string]map[string]bool{}, map[string]bool{}
		p.seats = append(p.seats, s)
		s.start(nil)
	}
	return p
}

// wrongEditor returns an editor that makes every second edit wrong, in one of the small ways. It is none that itself
// saves what it edits out of sight.
func wrongEditor(r *rand.Rand) simEditor {
	kinds := slices.DeleteFunc(wrongPersonas(), func(p personas.Persona) bool { return p.Files.WritesHidden })
	p, way := kinds[r.IntN(len(kinds))], personas.Wrongs()[r.IntN(len(personas.Wrongs()))]
	p.Faults = personas.Faults{Wrong: 0.5, Way: &way}
	return simEditor{name: fmt.Sprintf("%s that errs (%d)", p.Name, way), options: func(seed uint64) headless.Options {
		p.Seed = seed
		return p.Options(headless.Options{})
	}}
}

func (p *pair) end() {
	for _, s := range p.seats {
		_ = s.Close()
		<-s.done
		s.calls.Wait()
	}
}

func (p *pair) path(name string) string { return filepath.Join(p.root, name) }

func (p *pair) word(of string) string {
	p.words++
	return fmt.Sprintf("%s%dz", of, p.words)
}

// newFile makes a file that no editor has open.
func (p *pair) newFile() {
	p.files++
	name := fmt.Sprintf("file%dx.txt", p.files)
	var b strings.Builder
	for range 4 + p.r.IntN(6) {
		fmt.Fprintf(&b, "%s\n", p.word("f"))
	}
	writeFile(p.t, p.path(name), b.String())
	p.names = append(p.names, name)
}

func (p *pair) note(format string, a ...any) {
	p.trace = append(p.trace, fmt.Sprintf("%s ", time.Now().Format("04:05.000"))+fmt.Sprintf(format, a...))
}

// fail reports a fault of a file, with what happened to it last.
func (p *pair) fail(name, format string, a ...any) {
	p.t.Helper()
	trace := slices.DeleteFunc(slices.Clone(p.trace), func(s string) bool { return !strings.Contains(s, name) && !strings.Contains(s, "restarts") })
	p.t.Errorf("%s: %s\nin %s and %s, run %d, after:\n%s", name, fmt.Sprintf(format, a...), p.seats[0].kind.name, p.seats[1].kind.name, p.seed,
		strings.Join(trace[max(0, len(trace)-40):], "\n"))
}

// start starts the editor's server, with buffers that have texts.
func (s *seat) start(texts map[string]string) {
	p := s.p
	s.disk = &simDisk{absorb: watch.Merge, asks: s.asks}
	t := p.t
	ours, theirs, _ := watchedPipe(t)
	s.done = make(chan error, 1)
	go func() {
		s.done <- lsp.Serve(context.Background(), ours, lsp.Options{Version: "test", Notify: s.disk.notify, Others: func() transaction.Others { return otherSeat{s} }})
	}()
	opts := s.kind.options(p.r.Uint64())
	opts.Roots, opts.Trace = []string{p.root}, s.heard
	opts.Answer = func(context.Context, string, json.RawMessage) (any, error) {
		return map[string]string{"decision": "reject"}, nil
	}
	opts.Capabilities, opts.Settings = s.disk.declare(opts.Capabilities), map[string]any{"absorb": s.disk.absorb}
	var err error
	if s.Editor, err = headless.Start(context.Background(), withLag(theirs, s.kind.lag), opts); err != nil {
		p.t.Fatal(err)
	}
	for name := range texts {
		s.opened[name] = time.Now()
	}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		if _, err := s.OpenText(paths.FileURI(p.path(name)), "plaintext", texts[name]); err != nil {
			p.t.Fatal(err)
		}
	}
	synctest.Wait()
}

// otherSeat does what the finder of a server does: it asks the other editor whether it has unsaved text of a file.
type otherSeat struct{ *seat }

func (otherSeat) Close() {}

func (s otherSeat) MayWrite(ctx context.Context, path string) error {
	other := s.other()
	if other.silent.Load() {
		return errors.New("it does not answer")
	}
	var list view.Listing
	raw, err := other.Execute(ctx, "patchls.list", args{})
	if err == nil {
		err = json.Unmarshal(raw, &list)
	}
	for _, doc := range list.Documents {
		if doc.URI == paths.FileURI(path) && doc.Unsaved {
			err = errors.New("it has unsaved text")
		}
	}
	return err
}

func (s *seat) other() *seat { return s.p.seats[1-s.n] }

// heard records the files that messages to the user name, and when a merge was asked for.
func (s *seat) heard(dir string, message []byte) {
	if dir == "receive" && bytes.Contains(message, []byte("workspace/applyEdit")) && !bytes.Contains(message, []byte(agentLabel)) {
		s.mu.Lock()
		s.mergedAt = time.Now()
		s.mu.Unlock()
	}
	if dir != "receive" || !bytes.Contains(message, []byte("window/")) && !bytes.Contains(message, []byte("patchls/confirm")) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for n := range s.p.files {
		if name := fmt.Sprintf("file%dx.txt", n+1); bytes.Contains(message, []byte(name)) {
			s.told[name] = true
		}
	}
}

// restart ends the server, as in a crash, and starts another one: the editor still has its unsaved text.
func (s *seat) restart() {
	texts := map[string]string{}
	dirty := map[string]bool{}
	_ = s.Close()
	<-s.done
	for _, b := range s.Buffers() {
		name := filepath.Base(b.Path())
		if texts[name] = b.Text(); b.Dirty() {
			dirty[name] = true
		}
	}
	s.calls.Wait()
	for name := range texts {
		if _, err := os.Stat(s.p.path(name)); err != nil && !dirty[name] {
			delete(texts, name)
		}
	}
	s.start(texts)
	for name := range texts {
		s.exempt[name] = map[string]bool{}
		s.excuse(name)
	}
}

// excuse exempts what a file has now from what must be merged.
func (s *seat) excuse(name string) {
	for w := range pairWords(s.p.onDisk(name)) {
		if s.exempt[name] == nil {
			s.exempt[name] = map[string]bool{}
		}
		s.exempt[name][w] = true
	}
}

func (p *pair) onDisk(name string) string {
	raw, _ := os.ReadFile(p.path(name)) // "" if there is none
	return string(raw)
}

// pairWords returns the words of a text, with how often it has them.
func pairWords(s string) map[string]int {
	words := map[string]int{}
	for w := range strings.FieldsSeq(s) {
		words[w]++
	}
	return words
}

// buffer returns the buffer of a file, nil if the editor does not have it open.
func (s *seat) buffer(name string) *headless.Buffer {
	if b, open := s.Buffer(s.p.path(name)); open {
		return b
	}
	return nil
}

// written says that a file was written.
func (p *pair) written(name string) {
	for _, s := range p.seats {
		if time.Since(s.opened[name]) < 700*time.Millisecond+s.kind.lag {
			s.excuse(name)
		}
		s.disk.tellOf(p.path(name))
	}
}

// step does one thing.
func (p *pair) step() {
	r := p.r
	s, name := p.seats[r.IntN(2)], p.names[r.IntN(len(p.names))]
	if r.IntN(6) == 0 {
		s.silent.Store(false)
	}
	switch x := r.IntN(100); {
	case x < 26:
		if len(p.gone) > 0 && r.IntN(8) == 0 {
			name = p.gone[len(p.gone)-1]
		}
		p.types(s, name)
	case x < 34:
		s.saves(name)
	case x < 46:
		p.writes(name)
	case x < 50:
		p.deed(s, name)
	case x < 52:
		p.note("%d restarts", s.n)
		p.did["restart"]++
		s.restart()
	case x < 64:
		p.agent(name)
	case x < 66:
		p.deed(s, name)
	case x < 68:
		p.twice(s, name)
	case x < 71:
		if s := p.owner(name); s != nil && !s.silent.Load() {
			p.moves(s, name)
		}
	case x < 76:
		p.reload(s, name)
	case x < 78:
		if b := s.buffer(name); b != nil && !b.Dirty() {
			p.note("%d closes %s", s.n, name)
			b.Close()
		}
	case x < 79:
		p.goes(name)
	case x < 80:
		p.note("%d is silent", s.n)
		s.silent.Store(true)
		p.did["silent"]++
	default:
		pass(time.Duration(1+r.IntN([]int{5, 60, 700, 4000}[r.IntN(4)])) * time.Millisecond)
	}
	pass(time.Microsecond)
	synctest.Wait()
	p.judge()
}

// types has the user type a word: a line, or at the end of one.
func (p *pair) types(s *seat, name string) {
	if s.buffer(name) == nil {
		s.opened[name] = time.Now()
	}
	b, err := s.Open(p.path(name))
	if err != nil {
		return
	}
	now, w := b.Text(), p.word("u")
	ends := []int{0}
	for i := range len(now) {
		if now[i] == '\n' {
			ends = append(ends, i+1)
		}
	}
	at, put := ends[p.r.IntN(len(ends))], w+"\n"
	if at > 0 && p.r.IntN(2) == 0 {
		at, put = at-1, " "+w
	}
	if b.Insert(at, put) == nil {
		s.keeps(name, w)
		p.note("%d types %s in %s", s.n, w, name)
	}
}

func (s *seat) keeps(name, w string) {
	if s.typed[name] == nil {
		s.typed[name] = map[string]bool{}
	}
	s.typed[name][w] = true
}

// merged asks the server whether the buffer has what is in its file, and checks that it does, unless the editor spoils edits.
func (s *seat) merged(name string, b *headless.Buffer) bool {
	var known struct{ Merged bool }
	if s.Call(context.Background(), "patchls/merged", map[string]any{"textDocument": map[string]any{"uri": b.URI()}}, &known) != nil || !known.Merged {
		return false
	}
	has := pairWords(b.Text())
	for w := range pairWords(s.p.onDisk(name)) {
		if has[w] == 0 && !s.errs && !s.undone[w] {
			s.p.fail(name, "%d: %s is said to be merged, and the buffer lacks %s: %q, and the file has %q", s.n, name, w, b.Text(), s.p.onDisk(name))
		}
	}
	return true
}

// saves has the user save: if another program has written the file, only what was merged.
func (s *seat) saves(name string) {
	p, b := s.p, s.buffer(name)
	if b == nil || !b.Dirty() {
		return
	}
	if err := b.Save(); err != nil {
		if !s.merged(name, b) {
			p.note("%d cannot save %s: %v", s.n, name, err)
			return
		}
		p.did["merged"]++
		saveOver(s.Editor, b)
	}
	p.did["saved"]++
	p.note("%d saves %s: %q", s.n, name, b.Text())
	s.forgets(name, true)
	p.written(name)
}

// forgets says that a buffer has nothing unsaved; isSaved: since it was saved.
func (s *seat) forgets(name string, isSaved bool) {
	delete(s.typed, name)
	delete(s.exempt, name)
	if isSaved {
		s.mu.Lock()
		delete(s.told, name)
		s.mu.Unlock()
	}
}

// writes has a program write a file.
func (p *pair) writes(name string) {
	lines := slices.Collect(strings.Lines(p.onDisk(name)))
	for range 1 + p.r.IntN(2) {
		at := p.r.IntN(len(lines) + 1)
		to := min(len(lines), at+p.r.IntN(2))
		lines = slices.Replace(lines, at, to, p.word("d")+"\n")
	}
	now := strings.Join(lines, "")
	p.note("a program writes %s: %q", name, now)
	if p.r.IntN(3) == 0 {
		writeFile(p.t, p.path(name)+".next", now)
		_ = os.Rename(p.path(name)+".next", p.path(name))
	} else {
		writeFile(p.t, p.path(name), now)
	}
	p.written(name)
}

// goes has a program move or delete a file, beside text that may be unsaved.
func (p *pair) goes(name string) {
	p.note("a program takes %s away", name)
	_ = os.Rename(p.path(name), p.path(name)+".away")
	p.written(name)
	if p.r.IntN(2) == 0 {
		pass(time.Duration(p.r.IntN(900)) * time.Millisecond)
		_ = os.Rename(p.path(name)+".away", p.path(name))
		p.written(name)
	}
}

// reload has the editor read a file anew, as editors do if a buffer has no unsaved text.
func (p *pair) reload(s *seat, name string) {
	b := s.buffer(name)
	if _, err := os.Stat(p.path(name)); b == nil || b.Dirty() || err != nil {
		return
	}
	if personas.Reload(s.Editor, b) == nil {
		s.opened[name] = time.Now() // some editors close and open it
		p.note("%d reloads %s: %q", s.n, name, b.Text())
	}
}

// owner returns the editor that is meant by a command about a file: the one with unsaved text. It is nil if both have some.
func (p *pair) owner(name string) *seat {
	var dirty []*seat
	for _, s := range p.seats {
		if b := s.buffer(name); b != nil && b.Dirty() {
			dirty = append(dirty, s)
		}
	}
	switch len(dirty) {
	case 0:
		return p.seats[p.r.IntN(2)]
	case 1:
		return dirty[0]
	}
	return nil
}

// agent has an agent insert a line or change one, and goes on before it is answered now and then.
func (p *pair) agent(name string) {
	s := p.owner(name)
	if s == nil || s.silent.Load() {
		return
	}
	w := p.word("a")
	command, a := "insert", args{"path": name, "after_line": 0, "content": w}
	if b := s.buffer(name); b != nil && p.r.IntN(2) == 0 {
		if lines := slices.Collect(strings.Lines(b.Text())); len(lines) > 0 {
			old := strings.TrimSuffix(lines[p.r.IntN(len(lines))], "\n")
			command, a = "str_replace", args{"path": name, "old_str": old, "new_str": old + " " + w}
		}
	}
	p.note("an agent asks %d: %s %v", s.n, command, a)
	a["label"] = agentLabel
	later := p.r.IntN(4) == 0
	before := p.onDisk(name)
	was, opened, alone, began := "", s.buffer(name) != nil, s.asked.Load() == 0, time.Now()
	if opened {
		was = s.buffer(name).Text()
	}
	done, e := make(chan bool, 1), s.Editor
	s.asked.Add(1)
	s.calls.Go(func() {
		defer s.asked.Add(-1)
		raw, err := e.Execute(context.Background(), "patchls."+command, a)
		var answer transaction.Result
		done <- err == nil && json.Unmarshal(raw, &answer) == nil && answer.Verified
	})
	if later {
		s.calls.Go(func() { <-done })
		return
	}
	if !<-done {
		p.did["refused"]++
		return
	}
	p.did["verified"]++
	b := s.buffer(name)
	s.opened[name] = time.Now() // it may be open since the edit
	if b == nil || pairWords(b.Text())[w] != 1 {
		p.fail(name, "%d: %s is verified, and not in %s", s.n, w, name)
		return
	}
	s.mu.Lock()
	alone = alone && began.Sub(s.mergedAt) > mergeTime
	s.mu.Unlock()
	if now := b.Text(); s.errs && opened && alone {
		p.did["verified where edits err"]++
		if !isMade(was, now, w, a) {
			p.fail(name, "%d: %s %v is verified, and %q became %q", s.n, command, a, was, now)
		}
	}
	if b.Dirty() {
		s.keeps(name, w)
	}
	if p.onDisk(name) != before && (opened || !s.errs) { // some editors save a file that they open for an edit
		p.fail(name, "%d: an agent's edit has written %s", s.n, name)
	}
}

// mergeTime is more than an editor takes for a merge.
const mergeTime = 3 * time.Second

// agentLabel tells the edits of agents from merges.
const agentLabel = "of an agent"

// isMade reports whether a text is what a command of agent makes of another one.
func isMade(was, now, w string, a args) bool {
	if old, is := a["old_str"].(string); is {
		return strings.Replace("\n"+now+"\n", "\n"+old+" "+w+"\n", "\n"+old+"\n", 1) == "\n"+was+"\n" // it was a whole line
	}
	return now == w+"\n"+was
}

// deed has an agent have one of the editors save, delete or move a file, or take an edit back. A server is asked itself, so
// this may be another editor than the one that is meant.
func (p *pair) deed(s *seat, name string) {
	if s.silent.Load() {
		return
	}
	switch x := p.r.IntN(8); {
	case x < 2:
		_ = p.carefully(s, "save", args{"paths": []string{name}})
	case x < 3:
		_ = p.carefully(s, "save", args{})
	case x < 4:
		_ = p.carefully(s, "undo", args{})
	case x < 5:
		_ = p.carefully(s, "undo", args{"path": name})
	case x < 6:
		w := p.word("a")
		_ = p.carefully(s, "insert", args{"path": name, "after_line": 0, "content": w, "save": true})
		if b := s.buffer(name); b != nil && b.Dirty() && pairWords(b.Text())[w] == 1 {
			s.keeps(name, w)
		}
	default:
		p.moves(s, name)
	}
}

// twice has a user open a file under a second name and type there, while an agent does a deed with the file.
func (p *pair) twice(s *seat, name string) {
	twin := p.word("twin")
	if os.Link(p.path(name), p.path(twin)) != nil {
		return
	}
	if s.buffer(name) == nil {
		p.types(s, name)
	}
	b, err := s.Open(p.path(twin))
	switch {
	case err != nil:
	case s.buffer(name) == nil: // the editor has deleted it and said no, so a command would be about its other name
		b.Close()
	default:
		_ = b.Insert(0, p.word("t")+"\n")
		s.twin = twin
		p.deed(s, name)
		s.twin = ""
		b.Close()
	}
	_ = os.Remove(p.path(twin))
}

// carefully has an editor carry out a command that may write, move or delete files. It must not do so with files of which
// the other editor has unsaved text, or this one under another name, nor while the other one does not answer.
func (p *pair) carefully(s *seat, command string, a args) error {
	for _, of := range p.seats { // what is typed meanwhile is not known to the servers
		personas.Flush(of.Editor)
		pass(of.kind.lag + time.Millisecond)
	}
	synctest.Wait()
	other, before, held := s.other(), map[string]string{}, map[string]string{}
	for _, name := range slices.Concat(p.names, p.gone) {
		before[name] = p.onDisk(name)
		b := other.buffer(name)
		switch {
		case command != "undo" && slices.Contains(p.gone, name): // the embedded editor moves or deletes it when it saves next
		case other.silent.Load():
			held[name] = "silence"
		case b != nil && b.Dirty() && len(other.typed[name]) > 0 && b.Text() != before[name]:
			held[name] = "unsaved text"
		case s.twin != "" && s.buffer(name) != nil && isSameFile(p.path(name), p.path(s.twin)):
			held[name] = "another name"
		}
	}
	texts := map[*headless.Buffer]string{}
	for _, b := range s.Buffers() {
		texts[b] = b.Text()
	}
	p.note("an agent asks %d: %s %v", s.n, command, a)
	_, err := s.Execute(context.Background(), "patchls."+command, a)
	p.note("%d answers %v", s.n, err)
	synctest.Wait()
	p.did["deed"]++
	for name, was := range before {
		if why := held[name]; why != "" {
			p.did["deed beside "+why]++
		}
		if p.onDisk(name) == was {
			continue
		}
		if held[name] != "" {
			p.fail(name, "%d: %s %v has written %s beside %s, and the file had %q and has %q", s.n, command, a, name, held[name], was, p.onDisk(name))
		}
		p.written(name)
	}
	for name, was := range before { // of a file that was closed, the command has opened the text on disk
		if b := s.buffer(name); b != nil && texts[b] == "" {
			texts[b] = was
		}
	}
	for b, was := range texts {
		now := pairWords(b.Text())
		for w := range pairWords(was) {
			s.undone[w] = s.undone[w] || command == "undo" && now[w] == 0
		}
	}
	for name, words := range s.typed {
		maps.DeleteFunc(words, func(w string, _ bool) bool { return w[0] == 'a' && s.undone[w] })
		if b := s.buffer(name); b != nil && !b.Dirty() {
			s.forgets(name, b.Text() == p.onDisk(name)) // otherwise an undo has made the text what was saved
		}
	}
	return err
}

func isSameFile(a, b string) bool {
	x, err := os.Stat(a)
	y, errY := os.Stat(b)
	return err == nil && errY == nil && os.SameFile(x, y)
}

// moves has an agent have an editor move or delete a file. A file is not used any more then.
func (p *pair) moves(s *seat, name string) {
	if _, err := os.Stat(p.path(name)); err != nil {
		return
	}
	patch, to := "*** Begin Patch\n*** Delete File: "+name+"\n*** End Patch", ""
	if p.r.IntN(2) == 0 {
		to = fmt.Sprintf("moved%d.txt", p.words)
		patch = "*** Begin Patch\n*** Update File: " + name + "\n*** Move to: " + to + "\n*** End Patch"
	}
	unsaved := s.typed[name]
	before := p.onDisk(name)
	err := p.carefully(s, "apply_patch", args{"patch": patch})
	_, missing := os.Stat(p.path(name))
	if err != nil && missing == nil {
		p.did["refused"]++
		return
	}
	p.did["file gone"]++
	b := s.buffer(name)
	if to != "" {
		b = s.buffer(to)
		if now := p.onDisk(to); missing != nil && now != before { // the embedded editor moves the file when it saves
			p.fail(name, "%d: %s was moved with %q, and the file has %q", s.n, name, before, now)
		}
	}
	for w := range unsaved {
		if !s.errs && (b == nil || pairWords(b.Text())[w] != 1) {
			p.fail(name, "%d: %s is lost with %s: %v", s.n, w, name, err)
		}
	}
	p.names = slices.DeleteFunc(p.names, func(of string) bool { return of == name })
	p.gone = append(p.gone, name)
	for _, s := range p.seats {
		delete(s.typed, name)
	}
	p.newFile()
}

// judge checks that all unsaved words are in their buffers, once.
func (p *pair) judge() {
	for _, s := range p.seats {
		for name, words := range s.typed {
			b := s.buffer(name)
			if b == nil {
				p.fail(name, "%d: %s with unsaved text is not open any more", s.n, name)
				continue
			}
			now := pairWords(b.Text())
			for w := range words {
				if now[w] != 1 && !s.errs {
					p.fail(name, "%d: %s is in %s %d times: %q", s.n, w, name, now[w], b.Text())
				}
			}
		}
	}
}

// settle lets all that is under way end, and checks that each file with unsaved text is merged or the user was told.
func (p *pair) settle() {
	pass(time.Minute)
	synctest.Wait()
	p.judge()
	for _, s := range p.seats {
		s.calls.Wait()
		for _, name := range p.names {
			b := s.buffer(name)
			if b == nil || !b.Dirty() || s.merged(name, b) {
				continue
			}
			s.mu.Lock()
			told := s.told[name]
			s.mu.Unlock()
			if told {
				p.did["told"]++
				continue
			}
			has := pairWords(b.Text())
			for w := range pairWords(p.onDisk(name)) {
				if has[w] == 0 && !s.exempt[name][w] && !s.undone[w] {
					p.fail(name, "%d: %s lacks %s of its file, and the user was told nothing: %q, and the file has %q", s.n, name, w, b.Text(), p.onDisk(name))
				}
			}
		}
	}
}
