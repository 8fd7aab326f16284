package lsp

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/command"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/chance"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// TestPatchesAreCheckedAnew holds what is known of a patch, after each of many changes of
// the files that it is about, to what is found by looking at all of it afresh, and to what
// becomes of it if it is applied.
func TestPatchesAreCheckedAnew(t *testing.T) {
	seed := chance.Seed(t)
	r := rand.New(rand.NewPCG(seed, 1))
	s := newPatchServer("/w")
	numbered := func(i int) string { return fmt.Sprintf("line %d of it\n", i) }
	line := func() string { return numbered(r.IntN(8)) }
	content := ""
	for i := range 8 {
		content += numbered(i)
	}
	var patch strings.Builder
	for f := range 3 {
		s.putDocument(t, fmt.Sprintf("%d.txt", f), content)
		name := fmt.Sprintf("%d.txt", f)
		fmt.Fprintf(&patch, "--- %s\n+++ %s\n", name, name)
		for i := range 1 + r.IntN(2) {
			at := r.IntN(3) + 4*i
			fmt.Fprintf(&patch, "@@\n-%s+put in place of it %d\n %s", numbered(at), at, numbered(at+1))
		}
	}
	s.putDocument(t, "x.patch", patch.String())
	key, _ := paths.KeyOf("file:///w/x.patch")
	d := &patchDoc{s: s.server, key: key}
	held := readPatches(text.New(patch.String()), false, true)
	for step := range 200 {
		d.look()
		fresh := &patchDoc{s: s.server, key: key}
		fresh.look()
		if got, want := d.said, fresh.said; !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d, step %d: it is said\n%v\nbut afresh\n%v\nof\n%s", seed, step, got, want, patch.String())
		}
		n, fail, there := d.count(0)
		err := s.self.planIn(nil, command.Placing{}, nil).Patch(held.patches[0].patch)
		if ok := fail == 0 && there < n; ok != (err == nil) {
			t.Fatalf("seed %d, step %d: of %d hunks %d fail and %d are in place, but applied: %v", seed, step, n, fail, there, err)
		}
		name := fmt.Sprintf("file:///w/%d.txt", r.IntN(3))
		key, _ := paths.KeyOf(name)
		lines := s.docs.Get(key).Text.Lines()
		at := text.Position{Line: r.IntN(lines + 1)}
		change := workspace.Change{Range: workspace.Range{Start: at, End: text.Position{Line: min(lines, at.Line+r.IntN(2))}}, Text: line()}
		switch r.IntN(4) {
		case 0:
			change = workspace.Change{Whole: true, Text: content}
		case 1:
			change = workspace.Change{Whole: true, Text: applied(t, s, held, name)}
		}
		s.docs.Change(key, int32(step+2), []workspace.Change{change}, text.UTF16)
	}
}

// applied returns a file of a patch with the patch applied, as far as that can be.
func applied(t *testing.T, s patchServer, held heldPatches, name string) string {
	t.Helper()
	key, _ := paths.KeyOf(name)
	now := s.docs.Get(key).Text
	for _, f := range held.patches[0].patch.Files {
		if plan, err := command.PlanPatch(f, edits.Source{Path: f.Path, Text: now}, command.Placing{}); err == nil && strings.HasSuffix(name, f.Path) {
			now = plan.Edits.Apply(now)
		}
	}
	return now.String()
}

// patchServer is a server without a connection, for what needs none.
type patchServer struct{ *server }

func newPatchServer(root string) patchServer {
	s := &server{dispatcher: dispatcher{base: context.Background()}, opts: Options{After: time.After}, docs: workspace.NewDocuments(), encoding: text.UTF16, roots: []string{root}, rootsChanged: make(chan struct{})}
	s.log = slog.New(slog.DiscardHandler)
	s.self = &caller{server: s}
	s.client.Store(&editor.Editor{CreateFiles: true, DeleteFiles: true, RenameFiles: true})
	s.settings.Store(defaultSettings())
	return patchServer{s}
}

// putDocument opens a file of the folder /w.
func (s patchServer) putDocument(tb testing.TB, name, content string) {
	tb.Helper()
	uri := "file:///w/" + name
	key, err := paths.KeyOf(uri)
	if err != nil {
		tb.Fatal(err)
	}
	whole := text.New(content)
	s.docs.Put(&workspace.Document{Key: key, URI: uri, Version: 1, Text: whole, Disk: whole})
}
