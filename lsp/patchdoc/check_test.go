package patchdoc

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/place"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/chance"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/host"
	"github.com/patchls/patchls/lsp/patchplan"
	"github.com/patchls/patchls/lsp/rpc"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// TestPatchesAreCheckedAnew makes many changes of a patch's files, and after each
// compares what the check knows of the patch with the result of applying it.
func TestPatchesAreCheckedAnew(t *testing.T) {
	seed := chance.Seed(t)
	r := rand.New(rand.NewPCG(seed, 1))
	c := newChecker("/w")
	numbered := func(i int) string { return fmt.Sprintf("line %d of it\n", i) }
	line := func() string { return numbered(r.IntN(8)) }
	content := ""
	for i := range 8 {
		content += numbered(i)
	}
	var patch strings.Builder
	for f := range 3 {
		putDocument(t, c, fmt.Sprintf("%d.txt", f), content)
		name := fmt.Sprintf("%d.txt", f)
		fmt.Fprintf(&patch, "--- %s\n+++ %s\n", name, name)
		for i := range 1 + r.IntN(2) {
			at := r.IntN(3) + 4*i
			fmt.Fprintf(&patch, "@@\n-%s+put in place of it %d\n %s", numbered(at), at, numbered(at+1))
		}
	}
	putDocument(t, c, "x.patch", patch.String())
	key, _ := paths.KeyOf("file:///w/x.patch")
	c.Open(&workspace.Document{Key: key, URI: "file:///w/x.patch"})
	doc := c.Documents.Get(key)
	for step := range 200 {
		checked := c.read(doc).check()
		n, fail, there := len(checked.hunks), 0, 0
		for _, h := range checked.hunks {
			if h.unplaced != nil || h.fault != nil {
				fail++
			} else if h.State == place.InPlace {
				there++
			}
		}
		p, _ := c.Plan()
		err := p.Patch(checked.blocks[0].patch)
		if ok := fail == 0 && there < n; ok != (err == nil) {
			t.Fatalf("seed %d, step %d: of %d hunks %d fail and %d are in place, but applied: %v", seed, step, n, fail, there, err)
		}
		name := fmt.Sprintf("file:///w/%d.txt", r.IntN(3))
		key, _ := paths.KeyOf(name)
		lines := c.Documents.Get(key).Text.Lines()
		at := text.Position{Line: r.IntN(lines + 1)}
		change := workspace.Change{Range: workspace.Range{Start: at, End: text.Position{Line: min(lines, at.Line+r.IntN(2))}}, Text: line()}
		switch r.IntN(4) {
		case 0:
			change = workspace.Change{Whole: true, Text: content}
		case 1:
			change = workspace.Change{Whole: true, Text: applied(t, c, checked, name)}
		}
		c.Documents.Change(key, int32(step+2), []workspace.Change{change}, text.UTF16)
	}
}

// Near matches are looked for only for a bounded number of hunks, in texts of bounded size.
func TestReasonsAreBounded(t *testing.T) {
	lostHunks := func(n int) string {
		var patch strings.Builder
		patch.WriteString("*** Begin Patch\n*** Update File: a.txt\n")
		for i := range n {
			fmt.Fprintf(&patch, "@@\n-nowhere %d\n+x\n", i)
		}
		patch.WriteString("*** End Patch\n")
		return patch.String()
	}
	for _, test := range []struct {
		lines, hunks, explained int
	}{
		{1, maxExplained + 1, maxExplained},
		{maxSearched/1000 - 100, 2, 1},
	} {
		c := newChecker("/w")
		putDocument(t, c, "a.txt", strings.Repeat(strings.Repeat("x", 999)+"\n", test.lines))
		putDocument(t, c, "x.patch", lostHunks(test.hunks))
		key, _ := paths.KeyOf("file:///w/x.patch")
		c.Open(&workspace.Document{Key: key, URI: "file:///w/x.patch"})
		doc := c.Documents.Get(key)
		p := c.read(doc).check()
		p.diagnose()
		for i, h := range p.hunks {
			if explained := i < test.explained; h.unplaced == nil || explained != (h.fault != nil) {
				t.Errorf("%d lines: of hunk %d it is said: %v", test.lines, i, h.fault)
			}
		}
	}
}

// applied returns a file of a patch with the patch applied, as far as that can be.
func applied(t *testing.T, c *Checker, of *patches, name string) string {
	t.Helper()
	key, _ := paths.KeyOf(name)
	now := c.Documents.Get(key).Text
	for _, f := range of.blocks[0].patch.Files {
		if plan, err := place.Plan(f, edits.Source{Path: f.Path, Text: now}, place.Options{}); err == nil && strings.HasSuffix(name, f.Path) {
			now = plan.Edits.Apply(now)
		}
	}
	return now.String()
}

// newChecker returns a Checker without a server.
func newChecker(root string) *Checker {
	docs := workspace.NewDocuments()
	in := func() *workspace.Workspace {
		return &workspace.Workspace{Documents: docs, Policy: paths.Policy{Roots: paths.Pin(root), MaxBytes: 64 << 20}}
	}
	server, client := &host.Host{Log: slog.New(slog.DiscardHandler)}, &editor.Editor{CreateFiles: true, DeleteFiles: true, RenameFiles: true}
	server.SetEditor(client)
	return &Checker{
		Host: server, Documents: docs, Client: &rpc.Client{Host: server},
		Plan: func() (*patchplan.Plan, func()) {
			return patchplan.New(patchplan.Surroundings{
				Workspace: in, See: func(snap workspace.Snapshot) workspace.Snapshot { return snap }, Editor: client,
				Source: func(_ workspace.Snapshot, path string, t text.Text) edits.Source {
					return edits.Source{Path: path, Text: t}
				},
			}, place.Options{}, nil), func() {}
		},
	}
}

// putDocument opens a file of the folder /w.
func putDocument(tb testing.TB, c *Checker, name, content string) {
	tb.Helper()
	uri := "file:///w/" + name
	key, err := paths.KeyOf(uri)
	if err != nil {
		tb.Fatal(err)
	}
	whole := text.New(content)
	c.Documents.Put(&workspace.Document{Key: key, URI: uri, Version: 1, Text: whole, Disk: whole})
}
