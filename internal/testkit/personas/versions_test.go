package personas

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/patchls/patchls/internal/testkit/chance"
	"github.com/patchls/patchls/internal/testkit/fakeserver"
	"github.com/patchls/patchls/internal/testkit/headless"
)

// TestPluginsTellTheVersions: an editor with a plugin reports which versions an edit made.
// The didChanges of those versions contain nothing of the user, and no other didChange
// contains anything of the edit. A refused edit made no versions.
func TestPluginsTellTheVersions(t *testing.T) {
	seed := chance.Seed(t)
	for _, name := range []string{"neovim-plugin", "vscode-plugin"} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) { tellVersions(t, named(t, name), rand.New(rand.NewPCG(seed, 0))) })
		})
	}
}

func tellVersions(t *testing.T, p Persona, r *rand.Rand) {
	t.Helper()
	byEdit, byUser := map[int32]bool{}, map[int32]bool{}
	var told []int32
	opts := headless.Options{
		Changed: func(_ *headless.Buffer, _ headless.Change, now headless.State, by *headless.ApplyEditParams) {
			if by != nil {
				byEdit[now.Version] = true
			} else {
				byUser[now.Version] = true
			}
		},
		Trace: func(_ string, raw []byte) {
			for _, m := range changesIn(raw) {
				told = append(told, m.Version)
			}
		},
	}
	e, s := start(t, p, opts, func(s *fakeserver.Server) { s.Jumps = true })
	b := openText(t, e, "untitled:1", "one\ntwo\nthree\n")
	if declared := string(s.WaitFor("initialize")); !strings.Contains(declared, `"versions":true`) {
		t.Errorf("nothing is declared: %s", declared)
	}
	applied, refused := 0, 0
	for range 200 {
		switch r.IntN(3) {
		case 0:
			typeAtStart(t, b, "x")
		case 1:
			pass(time.Duration(r.IntN(300)) * time.Millisecond)
		default:
			m, _ := s.Doc(b.URI())
			_, answer := s.Begin("workspace/applyEdit", map[string]any{"edit": map[string]any{
				"documentChanges": []any{fakeserver.TextEdits(b.URI(), m.Version, at(0, 0, 0, 0, "y"), at(1, 0, 1, 0, "z"))},
			}})
			if r.IntN(2) == 0 {
				typeAtStart(t, b, "x")
			}
			got := s.Read(<-answer)
			if *got.Applied != (got.Versions != nil) {
				t.Fatalf("applied %t with versions %v", *got.Applied, got.Versions)
			}
			if !*got.Applied {
				refused++
				continue
			}
			applied++
			n := 0
			for v := range byEdit {
				if got.Versions.Before < v && v <= got.Versions.After {
					n++
				}
			}
			for v := range byUser {
				if got.Versions.Before < v && v <= got.Versions.After {
					t.Fatalf("version %d is the user's, and of %v", v, *got.Versions)
				}
			}
			if n == 0 || !byEdit[got.Versions.After] {
				t.Fatalf("the edit made %d of %v", n, *got.Versions)
			}
		}
	}
	pass(time.Second)
	if applied == 0 || refused == 0 {
		t.Errorf("%d edits were applied, %d refused", applied, refused)
	}
	last := int32(0)
	for _, v := range told { // what one didChange tells of has one hand
		edit, user := false, false
		for n := last + 1; n <= v; n++ {
			edit, user = edit || byEdit[n], user || byUser[n]
		}
		if edit && user {
			t.Errorf("the didChange of version %d has what both did", v)
		}
		last = v
	}
}
