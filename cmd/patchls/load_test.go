package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/patchls/patchls/internal/testkit/chance"
	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/internal/testkit/liveeditor"
)

// load is a server in a process of its own, an editor with open documents, and what
// becomes of them.
type load struct {
	t       *testing.T
	editor  *watched
	docs    []*loadDoc
	entries []loadEntry
	made    loadMade
	figures loadFigures
	soaking bool // for its figures
	watched bool // whether stalls of the machine are known
}

// TestLoad sends commands at a fixed rate to fifty documents in which a user types. It
// sends each when it is due, whether or not earlier ones are answered, and ends after as many
// as are due in three seconds. make soak-load runs it for an hour and checks more figures.
func TestLoad(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("agents come by a Unix socket, which is not opened here")
	}
	soaking := os.Getenv("PATCHLS_LOAD_TIME") != ""
	lasts, err := time.ParseDuration(orElse(os.Getenv("PATCHLS_LOAD_TIME"), "3s"))
	if err != nil {
		t.Fatal(err)
	}
	rate := int(chance.Number(t, "PATCHLS_LOAD_RATE", usualRate()))
	seed := chance.Seed(t) // determines what is done, but not in which order
	l := startLoad(t, seed, soaking)
	l.watched = soaking && watchProcessors(t, &l.figures.stalls)
	base := l.editor.holds().Goroutines
	l.run(seed, lasts, rate, loadTable(t))
	l.alone(rand.New(rand.NewPCG(seed, 2000)))
	l.checkAll()
	l.settled(base)
	l.verdict()
}

// usualRate is the rate in commands per second that a machine with two cores can bear.
func usualRate() uint64 {
	if raceDetector {
		return 50
	}
	return 200
}

func orElse(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// loadTable returns the writer that gets the figures of each minute.
func loadTable(t *testing.T) io.Writer {
	t.Helper()
	out := io.Writer(testLog{t})
	if name := os.Getenv("PATCHLS_LOAD_TABLE"); name != "" {
		f, err := os.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
		out = io.MultiWriter(out, f)
	}
	return out
}

// testLog writes lines into a test's log.
type testLog struct{ *testing.T }

func (l testLog) Write(p []byte) (int, error) {
	l.Helper()
	l.Logf("%s", p[:len(p)-1])
	return len(p), nil
}

// startLoad starts the server and opens the documents.
func startLoad(t *testing.T, seed uint64, soaking bool) *load {
	t.Helper()
	liveeditor.Home(t)
	files := map[string]string{}
	docs := loadDocs(rand.New(rand.NewPCG(seed, 0)))
	for _, d := range docs {
		files[d.name] = d.start
	}
	l := &load{t: t, docs: docs, soaking: soaking}
	var opts headless.Options
	if !soaking { // a test must pass on a slow machine as well
		opts.Settings = map[string]any{"apply_timeout_ms": 120_000}
	}
	l.editor = startWatched(t, liveeditor.Folder(t, files), opts)
	for _, d := range docs {
		if _, err := l.editor.Open(d.name); err != nil {
			t.Fatal(err)
		}
	}
	l.enter()
	return l
}

// loadWorkers is how many commands may be unanswered at once; those that become due
// then wait, and their waiting counts.
const loadWorkers = 64

// run lets agents and the user work.
func (l *load) run(seed uint64, lasts time.Duration, rate int, out io.Writer) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var agents, others sync.WaitGroup
	due := make(chan time.Time, 60*rate)
	for i := range loadWorkers {
		agents.Go(func() { l.work(rand.New(rand.NewPCG(seed, uint64(1+i))), due) })
	}
	others.Go(func() { l.user(ctx, rand.New(rand.NewPCG(seed, 1000))) })
	others.Go(func() { l.watchTexts(ctx) })
	fmt.Fprint(out, loadHead)
	l.figures.stolen = stolen()
	over := make(chan loadWindow, 2+lasts/time.Minute)
	var written sync.WaitGroup
	written.Go(func() {
		for w := range over {
			l.window(out, w)
		}
	})
	sent, ended := l.arrive(int(lasts*time.Duration(rate)/time.Second), rate, due, over)
	close(due)
	agents.Wait()
	cancel()
	others.Wait()
	if ended > 2*time.Second { // a shorter window has too few commands
		over <- l.figures.turn(ended, sent)
	}
	close(over)
	written.Wait()
}

// arrive sends to due the times of so many commands, at a fixed rate from now on. Each minute it
// ends a window and sends it to over: another goroutine writes it, so that no command is late.
// It returns the commands sent in the last window, which it does not end, and how long that lasted.
func (l *load) arrive(commands, rate int, due chan<- time.Time, over chan<- loadWindow) (sent int, lasted time.Duration) {
	began, turned := time.Now(), time.Now()
	for n := range commands {
		at := began.Add(time.Duration(n) * time.Second / time.Duration(rate))
		<-time.After(time.Until(at))
		if n > 0 && n%(60*rate) == 0 {
			over <- l.figures.turn(time.Since(turned), sent)
			turned, sent = time.Now(), 0
		}
		due <- at
		sent++
	}
	return sent, time.Since(turned)
}

// window writes the figures of a window that is over.
func (l *load) window(out io.Writer, w loadWindow) {
	in, err := resident(l.editor.pid)
	if err != nil {
		in = 0 // Linux only
	}
	w = l.figures.add(w, in, stolen(), l.editor.holds())
	w.write(out, len(l.figures.windows))
}

// settled waits until the server has no more goroutines than it had.
func (l *load) settled(base int) {
	l.t.Helper()
	late := time.After(time.Minute)
	for {
		now := l.editor.holds().Goroutines
		if now <= base {
			return
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-late:
			l.t.Errorf("%d goroutines at rest, and %d before", now, base)
			return
		}
	}
}

// wrong reports an answer that is a mistake.
func (l *load) wrong(format string, args ...any) { l.blame(&l.figures.mistakes, format, args...) }

// diverged reports that two texts differ that must be the same.
func (l *load) diverged(format string, args ...any) { l.blame(&l.figures.diverged, format, args...) }

// maxBlamed bounds how much is printed.
const maxBlamed = 20

func (l *load) blame(count *int, format string, args ...any) {
	l.figures.mu.Lock()
	defer l.figures.mu.Unlock()
	if *count++; l.figures.mistakes+l.figures.diverged <= maxBlamed {
		l.t.Errorf("%.2000s", fmt.Sprintf(format, args...))
	}
}

// must checks an action of the user, which must not fail.
func (l *load) must(err error) {
	if err != nil {
		l.wrong("the user: %v", err)
	}
}

// verdict fails the test if the figures are not good enough.
func (l *load) verdict() {
	f, due, answered := &l.figures, 0, 0
	for _, w := range f.windows {
		due, answered = due+w.due, answered+w.answered
	}
	l.t.Logf("%d commands were due and %d answered; %d times the texts of a document were compared, and those of %d answers; %d divergences, %d answers that must not be",
		due, answered, f.looks.Load(), f.told.Load(), f.diverged, f.mistakes)
	if answered == 0 || f.looks.Load() == 0 || f.told.Load() == 0 {
		l.t.Error("nothing was checked")
	}
	if l.soaking {
		l.soaked(due, answered)
	}
}

// soaked checks a long run: its rate, its latencies against the first minute, and its memory against the beginning.
func (l *load) soaked(due, answered int) {
	f := &l.figures
	if answered*100 < due*99 {
		l.t.Errorf("of %d commands %d were answered in time", due, answered)
	}
	for i, w := range f.windows {
		if w.p99 > 2*f.windows[0].p99 {
			l.t.Errorf("minute %d: p99 is %v, and in the first minute %v; %v and %v were stolen", i+1, w.p99, f.windows[0].p99, w.stolen, f.windows[0].stolen)
		}
		if w.ownP99 > 2*f.windows[0].ownP99 {
			l.t.Errorf("minute %d: p99 of the %d that met no stall of the machine is %v, and in the first minute %v", i+1, w.answered-w.stalled, w.ownP99, f.windows[0].ownP99)
		}
	}
	if !l.watched {
		l.t.Log("whether the machine itself stalled is not known: p99 is that of all commands")
	}
	n := len(f.windows)
	if n < 25 {
		l.t.Log("less than 25 minutes: too short to tell whether memory is flat")
		return
	}
	flat := func(what string, of func(loadWindow) int) {
		early, late := f.middle(4, 15, of), f.middle(n-10, n, of)
		l.t.Logf("%s: %.0f in minutes 5 to 15, %.0f in the last ten (medians)", what, early, late)
		if late > early*1.1 {
			l.t.Errorf("%s: grows by %.0f %%", what, 100*(late/early-1))
		}
	}
	flat("heap", func(w loadWindow) int { return w.Heap })
	flat("goroutines", func(w loadWindow) int { return w.Goroutines })
}
