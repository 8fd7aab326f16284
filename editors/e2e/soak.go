//go:build unix

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/patchls/patchls/agent/words"
)

// player is an editor in which a user works at random, before an observer who knows which
// change of a text was an agent's.
type player interface {
	Editor
	// prepare makes the settings of the user.
	prepare() error
	// observe begins a new record, of these documents, which are open, and returns their
	// texts.
	observe(paths []string) (map[string]string, error)
	// record returns what happened since, once all keys have been taken.
	record() (record, error)
	// forget leaves documents that are not needed any more, with what is unsaved in them.
	forget(paths []string) error
	// act is the next thing that the user does, one key in each string.
	act(u *user) (keys []string, err error)
	// press presses one key, or several at once.
	press(keys ...string) error
	// ready brings the editor into the state in which an act begins, however the last one ended.
	ready() error
	// idle waits until all keys have been taken.
	idle() error
}

// resetter is a player that is faster in giving a document another text than in opening a
// new one.
type resetter interface {
	reset(path, text string) error
}

// soakWork is what a worker is asked to do instead of the cases.
type soakWork struct {
	Time  time.Duration // of random work
	Tries int           // of each scenario
	Name  string        // the scenarios with this in their names; "" for all
	Seed  uint64
}

// soaked are the editors in which users work at random.
var soaked = []string{"neovim", "neovim-stock", "vscode"}

// tryTime is more than all scenarios take for one try of each.
const tryTime = 30 * time.Second

// roundTime is how long the users and agents of a soak work between two judgements.
const roundTime = 12 * time.Second

// agentCount is how many agents there are.
const agentCount = 3

// soaker does the work in one editor.
type soaker struct {
	player
	kind   kind
	folder string
	wire   string // where what editor and server say to each other is written down
	agents []*helper
	rand   *rand.Rand
	logs   string
	report *soakReport
	log    func(format string, a ...any)

	docs  int
	left  []string // documents that are not needed any more
	again string   // the document of all tries, where it is given another text for each

	mu     sync.Mutex
	tokens int
}

// leftMost is how many documents stay open that are not needed any more: an editor may
// still be about to do something with them, and Neovim's code lenses fail where it cannot.
const leftMost = 20

// soak does what the order asks for.
func (o *order) soak(k kind, s *seat, result *outcome) error {
	s.settings = soakSettings
	r := runner{kind: k, seat: s, log: s.log}
	defer r.stop()
	if err := r.start(); err != nil {
		return err
	}
	result.Version = r.version
	p, ok := r.editor.(player)
	if !ok {
		return fmt.Errorf("no user works at random in %s", k.name)
	}
	w := &soaker{
		player: p, kind: k, folder: filepath.Join(s.workspace(), "soak"), logs: o.Logs, wire: s.wire(), report: &result.Soak,
		rand: rand.New(rand.NewPCG(o.Soak.Seed, 0)), //nolint:gosec // what is drawn has to be drawn again by its seed
		log:  func(format string, a ...any) { fmt.Fprintf(s.log, k.name+": "+format+"\n", a...) },
	}
	for _, folder := range []string{w.folder, w.logs} {
		if err := os.MkdirAll(folder, 0o755); folder != "" && err != nil {
			return err
		}
	}
	for range agentCount {
		w.agents = append(w.agents, newHelper(w.folder))
	}
	defer func() {
		for _, h := range w.agents {
			h.close()
		}
	}()
	if err := w.work(o.Soak); err != nil {
		return fmt.Errorf("%w, with this on the screen:\n%s", err, p.Screen())
	}
	return nil
}

// work tries the scenarios, and then works at random.
func (w *soaker) work(ask soakWork) error {
	if err := w.prepare(); err != nil {
		return err
	}
	for _, sc := range scenarios {
		if ask.Tries == 0 || !sc.runs(w.kind) || !strings.Contains(sc.name, ask.Name) {
			continue
		}
		if err := w.tryAll(sc, ask.Tries); err != nil {
			return fmt.Errorf("%s: %w", sc.name, err)
		}
	}
	for end := time.Now().Add(ask.Time); time.Now().Before(end); {
		if err := w.round(min(roundTime, time.Until(end))); err != nil {
			return fmt.Errorf("random work: %w", err)
		}
	}
	return nil
}

// newToken returns a token that is in no text yet.
func (w *soaker) newToken(of string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tokens++
	return fmt.Sprintf("%s%dz", of, w.tokens)
}

// stint is work on some documents, from the observer's first look to the judgement.
type stint struct {
	*soaker
	tally *tally
	paths []string
	keeps bool              // the documents are needed again
	texts map[string]string // at the beginning
	focus atomic.Int64      // the line where the user works

	mu    sync.Mutex
	sents []*sent
}

// begin opens new documents with these texts, and has them observed.
func (w *soaker) begin(t *tally, texts ...string) (*stint, error) {
	s := &stint{soaker: w, tally: t}
	for _, text := range texts {
		w.docs++
		path := filepath.Join(w.folder, fmt.Sprintf("d%d.txt", w.docs))
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return nil, err
		}
		s.paths = append(s.paths, path)
		if err := w.Open(path); err != nil {
			return nil, err
		}
	}
	err := s.start(texts)
	return s, err
}

// beginAgain is begin in a document that is open already, where that is faster.
func (w *soaker) beginAgain(t *tally, text string) (*stint, error) {
	r, can := w.player.(resetter)
	if !can {
		return w.begin(t, text)
	}
	if w.again == "" {
		s, err := w.begin(t, text)
		if err == nil {
			w.again, s.keeps = s.paths[0], true
		}
		return s, err
	}
	s := &stint{soaker: w, tally: t, paths: []string{w.again}, keeps: true}
	if err := w.Open(w.again); err != nil {
		return nil, err
	}
	if err := r.reset(w.again, text); err != nil {
		return nil, err
	}
	err := s.start([]string{text})
	return s, err
}

// start waits until the server has the documents, and has them observed.
func (s *stint) start(texts []string) error {
	for i, path := range s.paths {
		doc := filepath.Base(path)
		err := until(settleTime, func() error {
			v, err := s.agents[0].view(doc)
			if err == nil && (!v.Open || v.Rev != revOf(texts[i])) {
				err = fmt.Errorf("the server does not have %s as it was opened: %+v", doc, v)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	var err error
	s.texts, err = s.observe(s.paths)
	return err
}

func (s *stint) path(doc string) string { return filepath.Join(s.folder, doc) }

// viewed is a document as an agent was shown it.
type viewed struct {
	Doc, Rev string
	Open     bool
	Lines    []string
	Edited   bool // by the agent since
}

func (s *stint) view(by int, doc string) (viewed, error) {
	v, err := s.agents[by].view(doc)
	shown := viewed{Doc: doc, Rev: v.Rev, Open: v.Open}
	for line := range strings.SplitSeq(v.Text, "\n") {
		_, text, _ := strings.Cut(line, "\t") // the number comes before
		shown.Lines = append(shown.Lines, text)
	}
	return shown, err
}

// send has an agent send a command, and keeps the answer for the judge.
func (s *stint) send(by int, c command) *sent {
	done := &sent{Agent: by, Command: c.name, Args: c.args, Asked: c.asked, Own: c.own, Began: time.Now().UnixMicro()}
	err := s.agents[by].execute(c.name, c.args, &done.Result)
	done.Ended = time.Now().UnixMicro()
	if err != nil {
		message, data := words.ErrorData(err)
		done.Kind, done.Message = string(data.Kind), message
		if errors.Is(err, context.DeadlineExceeded) {
			done.Kind = "timeout"
		} else if done.Kind == "" {
			done.Kind = "no_answer"
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sents = append(s.sents, done)
	return done
}

// quietTime is more than an editor takes to tell the server of all that was done.
const quietTime = 5 * time.Second

// finish waits until the editor and the server are at rest, and has all judged.
func (s *stint) finish() error {
	if err := s.idle(); err != nil {
		return err
	}
	var views []wrong
	for _, path := range s.paths {
		why, err := s.compare(path)
		if err != nil {
			return err
		}
		if why != "" {
			views = append(views, wrong{wrongView, why})
		}
	}
	r, err := s.record()
	if err != nil {
		return err
	}
	h, err := r.read(s.texts)
	if err == nil {
		err = h.holds(r.Texts)
	}
	j := &judgement{}
	if err != nil {
		j.say(wrongWatch, "%v", err)
	} else {
		j = judgeSoak(h, s.sents, !s.kind.plugin)
	}
	j.wrongs = append(j.wrongs, views...)
	s.tally.add(s.sents, j)
	if err = nil; len(j.wrongs) > 0 {
		s.report.fail(s, r, j)
	}
	if s.keeps {
		return err
	}
	s.left = append(s.left, s.paths...)
	if n := len(s.left) - leftMost; n > 0 {
		err = s.forget(s.left[:n])
		s.left = s.left[n:]
	}
	return err
}

// compare returns how the server's view of a document differs from the editor's text at the
// end. If the server answers not_settled, that counts as no difference.
func (s *stint) compare(path string) (why string, err error) {
	doc := filepath.Base(path)
	var b buffer
	unknown := false
	missing := until(quietTime, func() error {
		b, err = s.Text(path)
		var v seen
		if err == nil {
			v, err = s.agents[0].view(doc)
		}
		unknown = err != nil && kindOf(err) == "not_settled"
		switch {
		case unknown:
			return nil // not_settled is a valid answer
		case err != nil:
			return err
		case v.Rev != revOf(b.Text):
			return fmt.Errorf("the server's text of %s is %q, and the editor has %q", doc, v.Text, b.Text)
		}
		return nil
	})
	switch {
	case unknown:
		s.tally.Unknown++
		return "", nil
	case err != nil:
		return "", err
	case missing != nil:
		return missing.Error(), nil
	}
	return "", nil
}

// shortArgs are the arguments of a command in one line.
func shortArgs(a args) string {
	raw, err := json.Marshal(a)
	if err != nil {
		return err.Error()
	}
	return string(raw)
}
