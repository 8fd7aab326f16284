package lsp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/workspace/paths"
)

// shownDiagnostics is what an editor was told of its documents.
type shownDiagnostics struct {
	mu       sync.Mutex
	by       map[string]string // by the last part of the URI, a line for each diagnostic
	versions map[string]int32
	news     chan struct{}
}

// withDiagnostics are the options of an editor that shows diagnostics.
func withDiagnostics(shown *shownDiagnostics) headless.Options {
	shown.by, shown.versions, shown.news = map[string]string{}, map[string]int32{}, make(chan struct{}, 1)
	return headless.Options{
		Capabilities: func(c *protocol.ClientCapabilities) {
			yes := true
			c.TextDocument.PublishDiagnostics = &protocol.PublishDiagnosticsClientCapabilities{VersionSupport: &yes}
			c.TextDocument.PublishDiagnostics.RelatedInformation = &yes
		},
		Trace: func(dir string, raw []byte) {
			var m message
			if dir == "receive" && json.Unmarshal(raw, &m) == nil {
				shown.take(m)
			}
		},
	}
}

func (shown *shownDiagnostics) take(m message) {
	shown.mu.Lock()
	defer shown.mu.Unlock()
	if m.Method == "textDocument/publishDiagnostics" {
		var p struct {
			URI         string
			Version     int32
			Diagnostics []struct {
				Range    struct{ Start, End struct{ Line, Character int } }
				Severity int
				Code     string
				Message  string
			}
		}
		_ = json.Unmarshal(m.Params, &p)
		var lines []string
		for _, d := range p.Diagnostics {
			lines = append(lines, fmt.Sprintf("%d-%d %d %s %s", d.Range.Start.Line, d.Range.End.Line, d.Severity, d.Code, d.Message))
		}
		name := p.URI[strings.LastIndexByte(p.URI, '/')+1:]
		shown.by[name], shown.versions[name] = strings.Join(lines, "\n"), p.Version
	}
	select {
	case shown.news <- struct{}{}:
	default:
	}
}

// become waits until the diagnostics of a document are want, one line each; a diagnostic
// may say more than its line in want.
func (shown *shownDiagnostics) become(t *testing.T, name string, want ...string) {
	t.Helper()
	timeout := time.After(time.Minute)
	for {
		shown.mu.Lock()
		got, known := shown.by[name]
		shown.mu.Unlock()
		if known && alike(got, want) {
			return
		}
		select {
		case <-shown.news:
		case <-timeout:
			t.Fatalf("of %s is shown\n%s\nwant\n%s", name, got, strings.Join(want, "\n"))
		}
	}
}

func alike(got string, want []string) bool {
	lines := strings.Split(got, "\n")
	if got == "" {
		lines = nil
	}
	if len(lines) != len(want) {
		return false
	}
	for i := range want {
		if !strings.HasPrefix(lines[i]+"$", want[i]) {
			return false
		}
	}
	return true
}

const twoHunks = "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n-one\n+1\n two\n@@ -5,2 +5,2 @@\n five\n-six\n+6\n"

// Each hunk without a place has a diagnostic that says why, for as long as it has none.
func TestPatchesAreDiagnosed(t *testing.T) {
	var shown shownDiagnostics
	s := start(t, map[string]string{"a.txt": "one\ntwo\nthree\nfour\nfive\nsixx\n", "x.patch": twoHunks}, withDiagnostics(&shown))
	patch := s.open("x.patch")
	lost := "6-6 1 context_not_found Hunk 2 (line 7 of the patch) has no place in a.txt; the closest is lines 5-6 (91% alike), where line 6 differs at column 4: sent \"␊\", found \"x␊\". Context"
	shown.become(t, "x.patch", lost)
	target := s.open("a.txt")
	if err := target.Replace(0, len(target.Text()), "one\ntwo\nthree\nfour\nfive\nsix\n"); err != nil {
		t.Fatal(err)
	}
	shown.become(t, "x.patch")
	if err := target.Replace(0, len(target.Text()), "1\ntwo\nthree\nfour\nfive\nsix\n"); err != nil {
		t.Fatal(err)
	}
	shown.become(t, "x.patch", "2-2 3 already_applied Applied already: a.txt reads so at line 1.")
	target.Close() // what was typed is thrown away
	shown.become(t, "x.patch", lost)
	if err := patch.Replace(0, len(patch.Text()), twoHunks+"--- a/b.txt\n+++ b/b.txt\n@@@ -1 +1 @@@\n"); err != nil {
		t.Fatal(err)
	}
	shown.become(t, "x.patch", `12-12 1 patch_syntax Line 13 of the patch: "@@@ -1 +1 @@@" is a line of the diff of a merge`)
	if got := shown.versions["x.patch"]; got != patch.Version() {
		t.Errorf("said of version %d, not %d", got, patch.Version())
	}
	patch.Close()
	shown.become(t, "x.patch")
}

// Wrong and large input is reported as such, and costs no more than it may.
func TestPatchesThatAreWrong(t *testing.T) {
	var many strings.Builder
	for i := range 1001 {
		fmt.Fprintf(&many, "--- a/no%d\n+++ b/no%d\n@@ -1 +1 @@\n-a\n+b\n", i, i)
	}
	thousand := strings.TrimSuffix(many.String(), "--- a/no1000\n+++ b/no1000\n@@ -1 +1 @@\n-a\n+b\n")
	var lost strings.Builder
	lost.WriteString("*** Begin Patch\n*** Update File: a.txt\n")
	for i := range 1200 {
		fmt.Fprintf(&lost, "@@\n-nowhere %d\n+x\n", i)
	}
	lost.WriteString("*** End Patch\n")
	var hunks strings.Builder
	hunks.WriteString("*** Begin Patch\n*** Update File: a.txt\n")
	for range 10_001 {
		hunks.WriteString("@@\n-x\n+y\n")
	}
	hunks.WriteString("*** End Patch\n")
	for _, c := range []struct {
		name, file, text string
		want             []string
	}{
		{"nothing yet", "x.patch", " \n", nil},
		{"no patch", "x.patch", "hello\n", []string{"0-0 1 patch_syntax Line 1 of the patch: this is no patch"}},
		{"not text", "x.diff", "\x00\x01\x02PNG\n", []string{"0-0 1 patch_syntax Line 1 of the patch: this is no patch"}},
		{"no names", "x.diff", "\n@@ -1 +1 @@\n-one\n+1\n", []string{"1-1 1 patch_syntax Line 2 of the patch: the patch names no file"}},
		{"no names, in Markdown", "x.md", "```diff\n@@ -1 +1 @@\n-one\n+1\n```\n", []string{"1-1 3 patch_syntax Line 1 of the patch: the patch names no file"}},
		{"no patch, in Markdown", "x.md", "*** Begin Patch\n*** Wrong\n*** End Patch\n", []string{"1-1 1 patch_syntax Line 2 of the patch: \"*** Wrong\" is no header"}},
		{"an illustration", "x.md", "```diff\n-one\n+1\n```\n", nil},
		{"no end of the fence", "x.markdown", "```diff\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-none\n+1\n", []string{"3-3 1 context_not_found Hunk 1 (line 3 of the patch) has no place in a.txt"}},
		{"outside", "x.patch", "--- ../out\n+++ ../out\n@@ -1 +1 @@\n-a\n+b\n", []string{"0-0 1 outside_workspace"}},
		{"CRLF", "x.patch", "--- a/a.txt\r\n+++ b/a.txt\r\n@@ -1 +1 @@\r\n-one\r\n+1\r\n@@ -2 +2 @@\r\n-nothing like it\r\n+2\r\n", []string{"5-5 1 context_not_found Hunk 2 (line 6 of the patch) has no place"}},
		{"several places", "x.patch", "*** Begin Patch\n*** Update File: a.txt\n@@\n-two\n+2\n*** End Patch\n", []string{"2-2 1 context_ambiguous Hunk 1 (line 3 of the patch) has 2 places in a.txt, at lines 2 and 3"}},
		{"a file that is there", "x.patch", "*** Begin Patch\n*** Add File: a.txt\n+x\n*** End Patch\n", []string{"1-1 1 already_exists a.txt exists already"}},
		{"deleted already", "x.patch", "*** Begin Patch\n*** Delete File: gone.txt\n*** End Patch\n", []string{"1-1 3 already_applied Applied already: gone.txt is gone already."}},
		{"moved onto another", "x.patch", "*** Begin Patch\n*** Update File: a.txt\n*** Move to: b.txt\n@@\n-one\n+1\n*** End Patch\n", []string{"1-1 1 already_exists a.txt cannot be moved to b.txt"}},
		{"twice the same file", "x.patch", "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+1\n--- a/./a.txt\n+++ b/./a.txt\n@@ -1 +1 @@\n-1\n+I\n", nil},
		{"its own target", "x.patch", "--- a/x.patch\n+++ b/x.patch\n@@ -1 +1 @@\n---- a/x.patch\n+--- a/y.patch\n", nil},
		{"many hunks that are lost", "x.patch", lost.String(), append(slices.Repeat([]string{""}, 1000), "0-0 3  200 more are not shown.")},
		{"many files that are not there", "x.patch", thousand, slices.Repeat([]string{""}, 1000)},
		{"too many files", "x.patch", many.String(), []string{"0-0 3 too_large The patches here change 1001 files; up to 1000 are checked."}},
		{"too many hunks", "x.patch", hunks.String(), []string{"0-0 3 too_large The patches here have 10001 hunks; up to 10000 are checked."}},
		{"too many bytes", "x.patch", strings.Repeat("x", 8<<20+1), []string{"0-0 3 too_large This document has 8388609 bytes; patches are checked in those of up to 8388608"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var shown shownDiagnostics
			s := start(t, map[string]string{"a.txt": "one\ntwo\ntwo\n", "b.txt": "b\n"}, withDiagnostics(&shown))
			b, err := s.OpenText(paths.FileURI(s.path(c.file)), "", "@@@ a @@@\n")
			if err != nil {
				t.Fatal(err)
			}
			if err := b.Replace(0, len(b.Text()), c.text); err != nil {
				t.Fatal(err)
			}
			if len(c.want) == 0 { // which is not told where nothing was said before
				if err := b.Replace(0, len(b.Text()), "--- a/a\n+++ b/a\n@@@ wrong\n"); err != nil {
					t.Fatal(err)
				}
				if strings.HasSuffix(c.file, ".md") {
					if err := b.Replace(0, len(b.Text()), "*** Begin Patch\n*** Wrong\n*** End Patch\n"); err != nil {
						t.Fatal(err)
					}
				}
				awaitSome(t, &shown, c.file)
				if err := b.Replace(0, len(b.Text()), c.text); err != nil {
					t.Fatal(err)
				}
			}
			shown.become(t, c.file, c.want...)
			lensesOf(s, b)
		})
	}
}

// awaitSome waits until a document has any diagnostics.
func awaitSome(t *testing.T, shown *shownDiagnostics, name string) {
	t.Helper()
	timeout := time.After(time.Minute)
	for {
		shown.mu.Lock()
		got := shown.by[name]
		shown.mu.Unlock()
		if got != "" {
			return
		}
		select {
		case <-shown.news:
		case <-timeout:
			t.Fatalf("nothing is shown of %s", name)
		}
	}
}

// The server looks at files on disk when the editor reports a change of them.
func TestPatchesFollowFilesOnDisk(t *testing.T) {
	var shown shownDiagnostics
	s := start(t, map[string]string{"d/a.txt": "one\n", "x.patch": "--- a/d/a.txt\n+++ b/d/a.txt\n@@ -1 +1 @@\n-one\n+uno\n"}, withDiagnostics(&shown))
	s.open("x.patch")
	for _, c := range []struct{ text, changed, want string }{
		{"other\n", "d/a.txt", "2-2 1 context_not_found"},
		{"uno\n", "d", "2-2 3 already_applied"}, // some tell of folders alone
	} {
		writeFile(t, s.path("d/a.txt"), c.text)
		if err := s.Notify(context.Background(), "workspace/didChangeWatchedFiles", args{"changes": []args{{"uri": paths.FileURI(s.path(c.changed)), "type": 2}}}); err != nil {
			t.Fatal(err)
		}
		shown.become(t, "x.patch", c.want)
	}
	s.open("d/a.txt").Close()
	writeFile(t, s.path("d/a.txt"), "one\n")
	b := s.open("d/a.txt")
	shown.become(t, "x.patch")
	if err := b.Replace(0, len(b.Text()), "two\n"); err != nil {
		t.Fatal(err)
	}
	shown.become(t, "x.patch", "2-2 1 context_not_found")
}

// The language identifies a patch as well as its name does, and a document whose
// language has changed is no longer checked.
func TestPatchesByLanguage(t *testing.T) {
	var shown shownDiagnostics
	s := start(t, nil, withDiagnostics(&shown))
	b, err := s.OpenText("untitled:Untitled-1", "diff", "hello\n")
	if err != nil {
		t.Fatal(err)
	}
	shown.become(t, b.URI(), "0-0 1 patch_syntax Line 1 of the patch: this is no patch")
	b.Close()
	shown.become(t, b.URI())
}

// An editor that shows no diagnostics is sent none, and may ask all the same.
func TestNoDiagnosticsUnasked(t *testing.T) {
	var shown shownDiagnostics
	opts := withDiagnostics(&shown)
	opts.Capabilities = nil
	s := start(t, map[string]string{"x.patch": "hello\n"}, opts)
	b := s.open("x.patch")
	if lenses := lensesOf(s, b); lenses != nil {
		t.Errorf("lenses %q", lenses)
	}
	run[any](s, "list", args{})
	shown.mu.Lock()
	defer shown.mu.Unlock()
	if len(shown.by) > 0 {
		t.Errorf("was told %q", shown.by)
	}
}
