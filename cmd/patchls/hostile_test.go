package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/patchls/patchls/internal/testkit/gittest"
	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/internal/testkit/hostile"
	"github.com/patchls/patchls/internal/testkit/liveeditor"
)

// siege is a server in a process of its own, a user who types, and six agents that do their
// worst.
type siege struct {
	t      *testing.T
	editor *watched
	typed  *headless.Buffer
	files  gittest.Tree

	timed   bool      // commands are late after a time, which a busy machine could exceed
	agents  io.Writer // a process; see runSiege
	answers *json.Decoder

	latest   time.Duration // command
	resident int           // at most
}

const (
	siegeSecret = "the secret of a file outside"
	// siegeTime is apply_timeout_ms of a siege; a command may take a second longer.
	siegeTime = 4 * time.Second
	// siegeMemory is eight times max_held_bytes: a command takes several times what it is sent.
	siegeMemory = 8 * 256 << 20
)

func startSiege(t *testing.T) *siege {
	t.Helper()
	liveeditor.Home(t)
	root := filepath.Join(t.TempDir(), "w")
	files := map[string]string{
		"../outside.txt": siegeSecret, ".git/config": siegeSecret, "typed.txt": strings.Repeat("a line in which the user types\n", 1000),
		"equal.txt": strings.Repeat("x\n", 60_000),
	}
	var big strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&big, "line %d of a text\n", i)
	}
	files["big.txt"] = big.String()
	for name, text := range files {
		name = filepath.Join(root, name)
		err := os.MkdirAll(filepath.Dir(name), 0o750)
		if err == nil {
			err = os.WriteFile(name, []byte(text), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../outside.txt", filepath.Join(root, "linked.txt")); err != nil {
		t.Fatal(err)
	}
	s := &siege{t: t, editor: startWatched(t, root, headless.Options{Settings: map[string]any{"apply_timeout_ms": siegeTime.Milliseconds()}})}
	var err error
	if s.typed, err = s.editor.Open("typed.txt"); err != nil {
		t.Fatal(err)
	}
	if _, err = s.editor.Open("big.txt"); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("patchls-siege", strconv.Itoa(s.editor.pid)) // see TestMain
	cmd.Stderr = os.Stderr
	ends := startProcess(t, cmd)
	s.agents, s.answers = ends, json.NewDecoder(ends)
	s.files = gittest.Read(t, filepath.Dir(root))
	t.Cleanup(func() {
		_ = ends.Close()
		_ = cmd.Wait() // its input has ended
	})
	return s
}

// typesFor has the user type while f runs, and returns how long each key took to be
// answered.
func (s *siege) typesFor(f func()) (took []time.Duration) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	id := map[string]any{"textDocument": map[string]any{"uri": s.typed.URI()}}
	for {
		began := time.Now()
		if err := s.typed.Insert(0, "x"); err != nil {
			s.t.Error(err)
		}
		if err := s.editor.Call(context.Background(), "textDocument/codeLens", id, nil); err != nil {
			s.t.Error(err)
		}
		took = append(took, time.Since(began))
		select {
		case <-done:
			return took
		case <-time.After(5 * time.Millisecond): // a fast typist's keys are further apart
		}
	}
}

func percentile(took []time.Duration, n int) time.Duration {
	slices.Sort(took)
	return took[len(took)*n/100].Round(10 * time.Microsecond)
}

// play has the agents do the steps, as many at a time as there are agents, and judges each.
func (s *siege) play(_ *testing.T, steps []hostile.Step) error {
	var bodies []string
	for _, step := range steps {
		bodies = append(bodies, step.Body)
	}
	if _, err := fmt.Fprintln(s.agents, strings.Join(bodies, ",")); err != nil {
		return err
	}
	var attacks []attack
	if err := s.answers.Decode(&attacks); err != nil {
		return err
	}
	var faults []error
	for _, a := range attacks {
		switch {
		case a.Err != "":
			faults = append(faults, fmt.Errorf("%s: no answer: %s", a.Step, a.Err))
		case a.Read:
			faults = append(faults, fmt.Errorf("%s read a file outside", a.Step))
		case s.timed && a.Took > siegeTime+time.Second+a.transport():
			faults = append(faults, fmt.Errorf("%s took %v of %v", a.Step, a.Took, siegeTime))
		}
		s.latest = max(s.latest, a.Took-a.transport())
	}
	now, err := resident(s.editor.pid)
	if s.resident = max(s.resident, now); err == nil && now > siegeMemory {
		faults = append(faults, fmt.Errorf("%d MB are resident", now>>20))
	}
	return errors.Join(append(faults, s.outside())...)
}

// outside returns an error if a file was changed, in the workspace or outside it: all
// commands are dry runs.
func (s *siege) outside() error {
	now := gittest.Read(s.t, filepath.Dir(s.editor.root))
	for name := range now {
		if _, was := s.files[name]; !was {
			return fmt.Errorf("%s was made", name)
		}
	}
	for name, text := range s.files {
		if now[name] != text {
			return fmt.Errorf("%s was changed", name)
		}
	}
	return nil
}

// computes makes each agent compute that many times without asking the server for anything.
func (s *siege) computes(times int) {
	if err := s.play(s.t, slices.Repeat([]hostile.Step{{Body: computing}}, times*besiegers)); err != nil {
		s.t.Error(err)
	}
}

// TestHostileSiege: whatever six agents ask for concurrently, each command is answered, the server
// stays within its memory bound, and no file that the agents may not reach is read or written. make
// hostile asks for more: there a command ends within its timeout plus a second, and the user's keys
// wait at most half as long again as while six programs compute without asking the server for
// anything. On an idle machine keys wait for less, but then the system has a free processor for them
// at once, which no server can give.
func TestHostileSiege(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("agents come by a Unix socket, which is not opened here")
	}
	s := startSiege(t)
	part, times, alone := 0.02, 1, time.Second/10
	if s.timed = os.Getenv("PATCHLS_HOSTILE") != ""; s.timed {
		part, times, alone = 1, 20, 10*time.Second
	}
	quiet := s.typesFor(func() { time.Sleep(alone) }) //nolint:forbidigo // so long the user types undisturbed
	busy := s.typesFor(func() { s.computes(times) })
	besieged := s.typesFor(func() {
		hostile.Game{
			Kind: "siege", Corpus: "../../testdata/corpus", Cases: 1, Play: s.play,
			Draw: func(d *hostile.Dice) []hostile.Step {
				var steps []hostile.Step
				for range besiegers {
					steps = append(steps, hostile.DrawWorst(d, part))
				}
				return steps
			},
		}.Hunt(t)
	})
	if late, most := percentile(besieged, 99), percentile(busy, 99)*3/2; s.timed && late > most {
		t.Errorf("a key of the user took %v, and more than %v", late, most)
	}
	t.Logf("hostile siege: a key of the user took %v (p99) alone, %v with six programs that compute, %v with six agents at it; half of them %v, %v and %v; the latest command %v of %v, but for the time on the wire; %d MB resident",
		percentile(quiet, 99), percentile(busy, 99), percentile(besieged, 99), percentile(quiet, 50), percentile(busy, 50), percentile(besieged, 50),
		s.latest.Round(time.Millisecond), siegeTime, s.resident>>20)
}
