package lsp_test

import (
	"context"
	"io"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/internal/testkit/personas"
)

// simEditor is an editor that simulations run with, and what can be asked of a
// server that has it.
type simEditor struct {
	name    string
	options func(seed uint64) headless.Options
	lag     time.Duration // of what the editor sends

	// honest: it answers in time, and applies an edit exactly when it says so. With
	// such an editor no command may end without knowing what became of it.
	honest bool
	// faithful: it never applies an edit to another version than it is for, so what
	// the user types is safe whatever the server does.
	faithful bool
	// untold: it may apply an edit to typing of which it has not told yet, so that
	// it cannot be known what is lost.
	untold bool
	// ends: it gives new text the line ends of the document.
	ends bool
	// late: it may apply an edit after saying no, or after the edit's time.
	late bool
	// vim, code: its user's acts are Vim's or VS Code's; in others they are either's.
	vim, code bool
	// loses: it does not tell of every change, so its text cannot be known. Once a
	// save has shown that, nothing may be verified.
	loses bool
}

// hooked is a compliant editor whose answers to applyEdit are made by hook.
func hooked(hook func(*simFault) personas.ApplyEditFunc) func(uint64) headless.Options {
	return func(seed uint64) headless.Options {
		return headless.Options{Habits: personas.Decides(hook(&simFault{r: rand.New(rand.NewPCG(seed, 1))}))}
	}
}

// persona is a measured editor. Its faults, if it has any, come from the seed.
func persona(name string) func(uint64) headless.Options {
	return func(seed uint64) headless.Options { return simPersona(name, seed).Options(headless.Options{}) }
}

func simPersona(name string, seed uint64) personas.Persona {
	p, ok := personas.Named(name)
	if !ok {
		panic("there is no persona " + name)
	}
	p.Seed = seed
	return p
}

// hostileEditor has all faults except losing changes.
func hostileEditor(seed uint64) headless.Options {
	p := simPersona("hostile", seed)
	p.Faults.Lost = 0
	return p.Options(headless.Options{})
}

// losing is the compliant editor, except that it does not report every change.
func losing(seed uint64) headless.Options {
	return personas.Persona{Faults: personas.Faults{Lost: 0.05}, Seed: seed}.Options(headless.Options{})
}

func compliant(uint64) headless.Options { return headless.Options{} }

var simEditors = []simEditor{
	{name: "compliant", options: compliant, honest: true, faithful: true},
	{name: "far", options: compliant, lag: 120 * time.Millisecond, honest: true, faithful: true},
	{name: "slow", options: hooked(slowHook), honest: true, faithful: true},
	{name: "refusing", options: hooked(refusingHook), honest: true, faithful: true},
	{name: "afterwards", options: hooked(afterwardsHook), faithful: true, late: true},
	{name: "dropping", options: hooked(droppingHook), faithful: true},
	{name: "silent", options: hooked(silentHook), faithful: true},
	{name: "vscode", options: persona("vscode"), code: true, honest: true, faithful: true, ends: true},
	{name: "vscode-plugin", options: persona("vscode-plugin"), code: true, honest: true, faithful: true, ends: true},
	{name: "neovim", options: persona("neovim"), vim: true, untold: true, ends: true},
	{name: "neovim-plugin", options: persona("neovim-plugin"), vim: true, honest: true, faithful: true, ends: true},
	{name: "zed", options: persona("zed")},
	{name: "helix", options: persona("helix"), honest: true, faithful: true},
	{name: "eglot", options: persona("eglot"), untold: true},
	{name: "sublime", options: persona("sublime"), honest: true, faithful: true, ends: true},
	{name: "kakoune", options: persona("kakoune")},
	{name: "hostile", options: hostileEditor, late: true},
	{name: "losing", options: losing, faithful: true, loses: true},
}

func simEditorNamed(name string) (simEditor, bool) {
	i := slices.IndexFunc(simEditors, func(e simEditor) bool { return e.name == name })
	if i < 0 {
		return simEditor{}, false
	}
	return simEditors[i], true
}

// simFault draws faults. Edits may be answered at the same time.
type simFault struct {
	mu sync.Mutex
	r  *rand.Rand
}

// once says true once in n times.
func (f *simFault) once(n int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.r.IntN(n) == 0
}

// delay draws a delay up to most. No two of a run are the same, so that nothing
// happens at the same virtual time.
func (f *simFault) delay(most time.Duration) time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	return time.Duration(f.r.Int64N(int64(most))) | 1
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

type simNext = func(*headless.ApplyEditParams) headless.ApplyEditResult

// slowHook delays the edit or the answer to it.
func slowHook(f *simFault) personas.ApplyEditFunc {
	return func(ctx context.Context, _ *headless.Editor, p *headless.ApplyEditParams, next simNext) (headless.ApplyEditResult, error) {
		if f.once(2) {
			pause(ctx, f.delay(600*time.Millisecond))
		}
		if ctx.Err() != nil {
			return headless.ApplyEditResult{}, ctx.Err()
		}
		result := next(p)
		if f.once(2) {
			pause(ctx, f.delay(600*time.Millisecond))
		}
		return result, nil
	}
}

func refusingHook(f *simFault) personas.ApplyEditFunc {
	return func(_ context.Context, _ *headless.Editor, p *headless.ApplyEditParams, next simNext) (headless.ApplyEditResult, error) {
		if f.once(4) {
			return headless.ApplyEditResult{FailureReason: "not now"}, nil
		}
		return next(p), nil
	}
}

// afterwardsHook says yes at once and applies the edit some time later, if the edit
// still fits the version by then.
func afterwardsHook(f *simFault) personas.ApplyEditFunc {
	return func(_ context.Context, _ *headless.Editor, p *headless.ApplyEditParams, next simNext) (headless.ApplyEditResult, error) {
		most := 900 * time.Millisecond
		if f.once(8) {
			most = 3 * time.Second
		}
		time.AfterFunc(f.delay(most), func() { next(p) })
		return headless.ApplyEditResult{Applied: true}, nil
	}
}

// droppingHook says yes to what it drops, as Neovim does with a stale edit.
func droppingHook(f *simFault) personas.ApplyEditFunc {
	return func(_ context.Context, _ *headless.Editor, p *headless.ApplyEditParams, next simNext) (headless.ApplyEditResult, error) {
		if !f.once(4) {
			next(p)
		}
		return headless.ApplyEditResult{Applied: true}, nil
	}
}

// silentHook does not answer at times, whether it applied the edit or not.
func silentHook(f *simFault) personas.ApplyEditFunc {
	return func(ctx context.Context, _ *headless.Editor, p *headless.ApplyEditParams, next simNext) (headless.ApplyEditResult, error) {
		silent := f.once(6)
		if silent && f.once(2) {
			<-ctx.Done()
			return headless.ApplyEditResult{}, ctx.Err()
		}
		result := next(p)
		if silent {
			<-ctx.Done()
		}
		return result, nil
	}
}

// lagging delays what is written to it and keeps the order. No two writes come out at
// the same time: the effects of the first are over when the second comes.
type lagging struct {
	io.ReadWriteCloser
	lag   time.Duration
	mu    sync.Mutex
	last  time.Time
	queue chan delayed
	done  chan struct{}
	once  sync.Once
}

type delayed struct {
	at    time.Time
	bytes []byte
}

func withLag(rwc io.ReadWriteCloser, lag time.Duration) io.ReadWriteCloser {
	if lag == 0 {
		return rwc
	}
	l := &lagging{ReadWriteCloser: rwc, lag: lag, queue: make(chan delayed, 10_000), done: make(chan struct{})}
	go l.deliver()
	return l
}

func (l *lagging) deliver() {
	for {
		select {
		case <-l.done:
			return
		case d := <-l.queue:
			select {
			case <-l.done:
				return
			case <-time.After(time.Until(d.at)):
			}
			if _, err := l.ReadWriteCloser.Write(d.bytes); err != nil {
				return
			}
		}
	}
}

func (l *lagging) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := time.Now().Add(l.lag)
	if !at.After(l.last) {
		at = l.last.Add(1)
	}
	l.last = at
	select {
	case <-l.done:
		return 0, io.ErrClosedPipe
	case l.queue <- delayed{at, slices.Clone(b)}:
		return len(b), nil
	}
}

func (l *lagging) Close() error {
	l.once.Do(func() { close(l.done) })
	return l.ReadWriteCloser.Close()
}
