package lsp_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/patchls/patchls/internal/testkit/chance"
	"github.com/patchls/patchls/internal/testkit/gittest"
	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/lsp/transaction"
)

// serverCommits is how many diffs go through the server; edits has a thousand.
const serverCommits = 60

// TestBuffersAgainstGit applies the diffs of a history through the server, half of
// the files being open: what is saved then is the commit's files.
func TestBuffersAgainstGit(t *testing.T) {
	gittest.NeedGit(t)
	seed := chance.Seed(t)
	rng := rand.New(rand.NewPCG(seed, 0))
	history := append([]gittest.Tree{{}}, gittest.History(rng, serverCommits)...)
	same := 0
	for i, diff := range gittest.Diffs(t, history[1:]) {
		before, after := history[i], history[i+1]
		s := start(t, before, headless.Options{})
		for name := range before {
			if rng.IntN(2) == 0 {
				s.open(name)
			}
		}
		raw, err := s.Execute(t.Context(), "patchls.apply_patch", args{"patch": diff})
		if err != nil {
			f := failureOf(t, raw, err)
			if f.Kind == "unsupported" && strings.Contains(f.Message, "still in use") {
				continue // two files change places
			}
			if f.Kind == "invalid_params" && slices.ContainsFunc([]string{"tab\there.txt", "trailing "}, func(name string) bool {
				_, was := before[name]
				_, is := after[name]
				return is && !was && strings.Contains(f.Message, fmt.Sprintf("There is no file or folder %q", name))
			}) {
				continue // no file is made whose name cannot be seen or typed
			}
			t.Fatalf("commit %d: %s\n%s", i, f.Message, diff)
		}
		var r transaction.Result
		if err := json.Unmarshal(raw, &r); err != nil {
			t.Fatal(err)
		}
		for _, f := range r.Files {
			if err := s.SaveAll(f.URI); err != nil {
				t.Fatal(err)
			}
		}
		got := gittest.Read(t, s.root)
		if !r.Applied || !r.Verified || !maps.Equal(got, after) {
			t.Fatalf("commit %d: %+v\n%s%s", i, r, diff, before.Differing(got, after))
		}
		same++
		_ = s.Close()
	}
	if same < serverCommits/2 {
		t.Errorf("only %d were compared", same)
	}
}
