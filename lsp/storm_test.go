package lsp_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"go.lsp.dev/jsonrpc2"

	"github.com/patchls/patchls/internal/testkit/chance"
	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/lsp/transaction"
	"github.com/patchls/patchls/lsp/view"
)

// stormMessages is how many messages the client sends in one storm; a tenth of
// it with -short.
const stormMessages = 4_000

// TestStorm mixes typing, commands and cancels, and holds the mirror to the
// editor's buffer afterwards: in each encoding, over texts with astral
// characters, CRLF, and nothing in them. PATCHLS_SEED repeats a run's choices.
func TestStorm(t *testing.T) {
	t.Parallel()
	seed := chance.Seed(t)
	texts := map[string]string{
		"astral.txt": strings.Repeat("a😀b\n\tfoo 𝒳 bar\nend\n", 5),
		"crlf.txt":   strings.Repeat("one\r\ntwo 😀\r\n\r\n", 5),
		"empty.txt":  "",
	}
	for _, encoding := range []string{"utf-8", "utf-16", "utf-32"} {
		t.Run(encoding, func(t *testing.T) {
			t.Parallel()
			s := start(t, texts, headless.Options{Encodings: []string{encoding}})
			var storm sync.WaitGroup
			for i, name := range []string{"astral.txt", "crlf.txt", "empty.txt"} {
				b := s.open(name)
				storm.Go(func() { typeRandomly(t, b, rand.New(rand.NewPCG(seed, uint64(i)))) })
				storm.Go(func() { editRandomly(t, s, name, rand.New(rand.NewPCG(seed, uint64(10+i)))) })
			}
			storm.Wait()
			for name := range texts {
				b := s.open(name)
				var v view.View
				// A command that was cancelled may be sent, and edit, after the storm.
				for before := int32(-1); before != b.Version(); {
					before = b.Version()
					// It has its turn when the edits that were sent before it are over.
					run[transaction.Result](s, "insert", args{"path": name, "after_line": 0, "content": "x", "dry_run": true})
					v = run[view.View](s, "view", args{"path": name})
				}
				if want := revOf(s, b.Text()); v.Rev != want || v.Version != b.Version() {
					t.Errorf("%s: the mirror has rev %s, version %d; the buffer has %s, %d", name, v.Rev, v.Version, want, b.Version())
				}
			}
		})
	}
}

// share is half of each document's share of the messages: there are as many of typing
// as of commands.
func share() int {
	if testing.Short() {
		return stormMessages / 10 / 3 / 2
	}
	return stormMessages / 3 / 2
}

func typeRandomly(t *testing.T, b *headless.Buffer, r *rand.Rand) {
	pieces := []string{"x", "é", "😀", "\n", "\r\n", "𝒳𝒳", "foo", ""}
	for range share() {
		now := b.Text()
		start := runeStart(now, r.IntN(len(now)+1))
		end := runeStart(now, min(len(now), start+r.IntN(4)))
		// The text may have changed since it was looked at; a place that no longer
		// exists is skipped.
		err := b.Replace(start, end, pieces[r.IntN(len(pieces))])
		if err != nil && !errors.Is(err, headless.ErrBadRange) {
			t.Error(err)
			return
		}
	}
}

// runeStart returns the last code point's start at or before off.
func runeStart(s string, off int) int {
	for off > 0 && off < len(s) && s[off]&0xC0 == 0x80 {
		off--
	}
	return off
}

// editRandomly sends commands, and cancels some of them. Each may fail, since
// the text moves; but only with an error of its own.
func editRandomly(t *testing.T, s *session, name string, r *rand.Rand) {
	for i := range share() {
		command, a := randomCommand(r, name, i)
		ctx, cancel := context.WithCancel(context.Background())
		if r.IntN(4) == 0 {
			go cancel()
		}
		raw, err := s.Execute(ctx, "patchls."+command, a)
		cancel()
		var wire *jsonrpc2.Error
		switch {
		case err == nil, errors.Is(err, context.Canceled):
		case errors.As(err, &wire) && len(wire.Data) > 0:
			if f := failureOf(t, raw, err); f.Kind == "not_settled" {
				t.Errorf("%s %v: %s", command, a, f.Message)
			}
		default:
			t.Errorf("%s %v: %v", command, a, err)
			return
		}
	}
}

func randomCommand(r *rand.Rand, name string, i int) (string, args) {
	switch line := r.IntN(8); r.IntN(5) {
	case 0:
		return "str_replace", args{"path": name, "old_str": "o", "new_str": fmt.Sprint(i), "near_line": line}
	case 1:
		return "insert", args{"path": name, "after_line": line, "content": fmt.Sprintf("agent 😀 %d", i)}
	case 2:
		return "delete_lines", args{"path": name, "start_line": line, "end_line": line + r.IntN(3)}
	case 3:
		return "edit_lines", args{"path": name, "edits": []args{{"from": line, "to": line, "content": "edited"}, {"from": line + 2, "content": "more"}}}
	}
	return "view", args{"path": name}
}

// revOf returns the rev of a text.
func revOf(s *session, text string) string {
	s.t.Helper()
	b, err := s.OpenText("untitled:rev", "plaintext", text)
	if err != nil {
		s.t.Fatal(err)
	}
	defer b.Close()
	return run[view.View](s, "view", args{"path": b.URI()}).Rev
}
