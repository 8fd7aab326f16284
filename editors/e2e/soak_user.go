//go:build unix

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"
)

// user is a simulated user of an editor, who does one thing after the other.
type user struct {
	player
	rand  *rand.Rand
	word  func() string // a token that is in no text yet
	paths []string      // of the documents
	count int           // of lines of the document in front
	// focus is told where the user works: agents work there as well, so that they meet.
	focus func(line int)
}

// line is where the user does something.
func (u *user) line() int {
	line := 1 + u.rand.IntN(max(u.count, 1))
	u.focus(line)
	return line
}

// burstTime is between two keys of a burst: a key that is held down, or a macro.
const burstTime = 12 * time.Millisecond

// restMost is the longest that the user rests between two acts.
const restMost = 400 * time.Millisecond

// works does one thing after the other until the time is up.
func (u *user) works(ctx context.Context) error {
	for ctx.Err() == nil {
		if err := u.ready(); err != nil {
			return err
		}
		keys, err := u.act(u)
		if err != nil {
			return err
		}
		if err := u.presses(ctx, keys); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Duration(u.rand.Int64N(int64(restMost)))):
		}
	}
	return nil
}

// presses presses keys as fast as people type, or faster, or all at once.
func (u *user) presses(ctx context.Context, keys []string) error {
	var pace time.Duration
	switch u.rand.IntN(4) {
	case 0, 1:
		pace = keyTime
	case 2:
		pace = burstTime
	default:
		return u.press(keys...)
	}
	return u.pressEach(ctx, pace, keys)
}

// pressEach presses keys with a pause after each.
func (u *user) pressEach(ctx context.Context, pace time.Duration, keys []string) error {
	rhythm := time.NewTicker(pace)
	defer rhythm.Stop()
	for _, key := range keys {
		if err := u.press(key); err != nil {
			return err
		}
		select {
		case <-rhythm.C:
		case <-ctx.Done(): // the act is ended, and all at once
		}
	}
	return nil
}

// round has a user and the agents work for a while, and judges what came of it.
func (w *soaker) round(length time.Duration) error {
	texts := []string{paragraphs("w", 30+w.rand.IntN(15))}
	if w.rand.IntN(2) == 0 {
		texts = append(texts, paragraphs("v", 30+w.rand.IntN(15)))
	}
	t := w.report.tally("random work")
	s, err := w.begin(t, texts...)
	if err != nil {
		return err
	}
	t.Tries++
	u := &user{player: w, rand: w.newRand(), word: func() string { return w.newToken("u") }, paths: s.paths}
	u.focus = func(line int) { s.focus.Store(int64(line)) }
	ctx, cancel := context.WithTimeout(context.Background(), length)
	defer cancel()
	failed := make([]error, agentCount)
	var all sync.WaitGroup
	for i := range agentCount {
		r := w.newRand()
		all.Go(func() { failed[i] = s.works(ctx, i, r) })
	}
	err = u.works(ctx)
	cancel()
	all.Wait()
	for _, f := range failed {
		if f != nil && err == nil {
			err = fmt.Errorf("an agent: %w", f)
		}
	}
	if err != nil {
		return err
	}
	w.log("round %d: %d commands", t.Tries, len(s.sents))
	return s.finish()
}

// newRand is a source of random numbers that follows from the seed.
func (w *soaker) newRand() *rand.Rand {
	return rand.New(rand.NewPCG(w.rand.Uint64(), 1)) //nolint:gosec // as with the seed
}

// paragraphs is a text of so many lines with a token in each, and an empty line after
// every five.
func paragraphs(of string, lines int) string {
	var b strings.Builder
	for i := range lines {
		if i%6 == 5 {
			b.WriteString("\n")
			continue
		}
		fmt.Fprintf(&b, "%s%dz some more words here\n", of, i+1)
	}
	return b.String()
}
