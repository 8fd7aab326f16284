package diff_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/chance"
)

func TestUnified(t *testing.T) {
	const ten = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"
	tests := []struct {
		name  string
		old   string
		edits edits.Edits
		want  string // hunks
	}{
		{name: "no edits", old: "a\n"},
		{name: "edits that change nothing", old: "a\nb\n", edits: edits.Edits{{Start: 0, End: 1, New: "a"}, {Start: 2, End: 4, New: "b\n"}}},
		{name: "a change in a line", old: ten, edits: edits.Edits{{Start: 8, End: 9, New: "five"}}, want: "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"},
		{name: "a line inserted", old: "a\nb\n", edits: edits.Edits{{Start: 2, End: 2, New: "x\n"}}, want: "@@ -1,2 +1,3 @@\n a\n+x\n b\n"},
		{name: "a line inserted by an edit in the line above", old: "a\nb\n", edits: edits.Edits{{Start: 1, End: 1, New: "\nx"}}, want: "@@ -1,2 +1,3 @@\n a\n+x\n b\n"},
		{name: "a line deleted", old: "a\nb\nc\n", edits: edits.Edits{{Start: 2, End: 4, New: ""}}, want: "@@ -1,3 +1,2 @@\n a\n-b\n c\n"},
		{name: "lines joined", old: "a\nb\nc\n", edits: edits.Edits{{Start: 1, End: 2, New: ""}}, want: "@@ -1,3 +1,2 @@\n-a\n-b\n+ab\n c\n"},
		{name: "a line joined to a new one", old: "a\nb\n", edits: edits.Edits{{Start: 0, End: 2, New: "x"}}, want: "@@ -1,2 +1 @@\n-a\n-b\n+xb\n"},
		{name: "two edits in a line are one change", old: "foo(a)\n", edits: edits.Edits{{Start: 0, End: 3, New: "bar"}, {Start: 4, End: 5, New: "b"}}, want: "@@ -1 +1 @@\n-foo(a)\n+bar(b)\n"},
		{name: "edits in lines next to each other are one change", old: "a\nb\nc\n", edits: edits.Edits{{Start: 0, End: 1, New: "x"}, {Start: 2, End: 3, New: "y"}}, want: "@@ -1,3 +1,3 @@\n-a\n-b\n+x\n+y\n c\n"},
		{name: "six lines between changes: one hunk", old: ten, edits: edits.Edits{{Start: 0, End: 1, New: "x"}, {Start: 14, End: 15, New: "y"}}, want: "@@ -1,10 +1,10 @@\n-1\n+x\n 2\n 3\n 4\n 5\n 6\n 7\n-8\n+y\n 9\n 10\n"},
		{name: "seven lines between changes: two hunks", old: ten, edits: edits.Edits{{Start: 0, End: 1, New: "x\nx"}, {Start: 16, End: 17, New: "y"}}, want: "@@ -1,4 +1,5 @@\n-1\n+x\n+x\n 2\n 3\n 4\n@@ -6,5 +7,5 @@\n 6\n 7\n 8\n-9\n+y\n 10\n"},
		{name: "lines that an edit puts back are not changed", old: "a\nb\nc\n", edits: edits.Edits{{Start: 0, End: 1, New: "a\nx"}, {Start: 2, End: 3, New: "y\nb"}}, want: "@@ -1,3 +1,5 @@\n a\n+x\n+y\n b\n c\n"},
		{name: "from nothing", edits: edits.Edits{{Start: 0, End: 0, New: "a\nb\n"}}, want: "@@ -0,0 +1,2 @@\n+a\n+b\n"},
		{name: "to nothing", old: "a\n", edits: edits.Edits{{Start: 0, End: 2, New: ""}}, want: "@@ -1 +0,0 @@\n-a\n"},
		{name: "the last line not terminated", old: "a\nb", edits: edits.Edits{{Start: 0, End: 1, New: "x"}}, want: "@@ -1,2 +1,2 @@\n-a\n+x\n b\n\\ No newline at end of file\n"},
		{name: "the last line terminated", old: "a\nb", edits: edits.Edits{{Start: 3, End: 3, New: "\n"}}, want: "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n"},
		{name: "the last line no more terminated", old: "a\nb\n", edits: edits.Edits{{Start: 3, End: 4, New: ""}}, want: "@@ -1,2 +1,2 @@\n a\n-b\n+b\n\\ No newline at end of file\n"},
		{name: "appended", old: "a\n", edits: edits.Edits{{Start: 2, End: 2, New: "b\n"}}, want: "@@ -1 +1,2 @@\n a\n+b\n"},
		{name: "appended to a last line that is not terminated", old: "a", edits: edits.Edits{{Start: 1, End: 1, New: "\nb"}}, want: "@@ -1 +1,2 @@\n-a\n\\ No newline at end of file\n+a\n+b\n\\ No newline at end of file\n"},
		{name: "CR is printed", old: "a\r\nb\r\n", edits: edits.Edits{{Start: 0, End: 1, New: "x"}}, want: "@@ -1,2 +1,2 @@\n-a\r\n+x\r\n b\r\n"},
		{name: "a lone CR ends no line", old: "a\rb\n", edits: edits.Edits{{Start: 2, End: 3, New: "c"}}, want: "@@ -1 +1 @@\n-a\rb\n+a\rc\n"},
		{name: "the mark is of line 1", old: "\uFEFFa\nb\n", edits: edits.Edits{{Start: 5, End: 6, New: "x"}}, want: "@@ -1,2 +1,2 @@\n \uFEFFa\n-b\n+x\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := text.New(tt.old)
			want := tt.want
			if want != "" {
				want = "--- a/x\n+++ /dev/null\n" + want
			}
			if got := diff.Unified("a/x", "/dev/null", before, tt.edits.Apply(before), tt.edits); got != want {
				t.Errorf("Unified(%q, %v)\n got %q\nwant %q", tt.old, tt.edits, got, want)
			}
		})
	}
}

// TestUnifiedApplies applies diffs of random edits, minimal ones and others,
// with the strict reader below.
func TestUnifiedApplies(t *testing.T) {
	rng := chance.Rand(t)
	for range 3000 {
		before, es := randomEdits(rng)
		printed := diff.Unified("a/x", "b/x", before, es.Apply(before), es)
		want := es.Apply(before).String()
		got, err := applyUnified(before.String(), printed)
		if err != nil || got != want {
			t.Fatalf("%q with %s\n%s: %v\n got %q\nwant %q", before, describe(before, es), printed, err, got, want)
		}
		if (printed == "") != (before.String() == want) {
			t.Fatalf("%q with %s gives %q", before, describe(before, es), printed)
		}
	}
}

// TestUnifiedTools applies diffs with the tools that people will use.
func TestUnifiedTools(t *testing.T) {
	tools := []struct {
		name string
		args []string
	}{
		{"git", []string{"apply", "-p1", "--whitespace=nowarn", "diff"}},
		{"patch", []string{"-p1", "--silent", "--fuzz=0", "--input=diff"}},
	}
	for _, tool := range tools {
		t.Run(tool.name, func(t *testing.T) {
			path, err := exec.LookPath(tool.name)
			if err != nil {
				t.Skipf("%s is not on PATH", tool.name)
			}
			rng := chance.Rand(t)
			for range 60 {
				before, es := randomEdits(rng)
				want := es.Apply(before).String()
				printed := diff.Unified("a/x", "b/x", before, es.Apply(before), es)
				if printed == "" || before.Len() == 0 || want == "" {
					continue // for the tools an empty side means a missing file
				}
				dir := t.TempDir()
				write(t, filepath.Join(dir, "x"), before.String())
				write(t, filepath.Join(dir, "diff"), printed)
				cmd := exec.Command(path, tool.args...)
				cmd.Dir = dir
				cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
				out, err := cmd.CombinedOutput()
				got, readErr := os.ReadFile(filepath.Join(dir, "x"))
				if err != nil || readErr != nil || string(got) != want {
					t.Fatalf("%q\n%s\n%v %v: %s\n got %q\nwant %q", before, printed, err, readErr, out, got, want)
				}
			}
		})
	}
}

func FuzzUnified(f *testing.F) {
	f.Add("a\nb\nc", uint(2), uint(1), "x\n", uint(1), uint(0), "\n")
	f.Add("a\r\n\nb\n", uint(0), uint(1), "", uint(1), uint(9), "\r")
	f.Fuzz(func(t *testing.T, old string, skip1, del1 uint, new1 string, skip2, del2 uint, new2 string) {
		before := text.New(old)
		var es edits.Edits
		at := 0
		for _, e := range []struct {
			skip, del uint
			new       string
		}{{skip1, del1, new1}, {skip2, del2, new2}} {
			start := at + int(e.skip%uint(len(old)-at+1))
			end := start + int(e.del%uint(len(old)-start+1))
			es = append(es, edits.Edit{Start: start, End: end, New: e.new})
			if at = end + 1; es.Validate(len(old)) != nil || at > len(old) {
				break
			}
		}
		if es.Validate(len(old)) != nil {
			return
		}
		printed := diff.Unified("a/x", "b/x", before, es.Apply(before), es)
		want := es.Apply(before).String()
		if got, err := applyUnified(old, printed); err != nil || got != want {
			t.Errorf("%q with %s\n%s: %v\n got %q\nwant %q", old, describe(before, es), printed, err, got, want)
		}
	})
}

// randomEdits returns a text and edits of it: those of a rewriting, or arbitrary ones.
func randomEdits(rng *rand.Rand) (text.Text, edits.Edits) {
	before := text.New(chance.Text(rng, 20))
	if rng.IntN(2) == 0 {
		start, end := chance.Range(rng, before.String())
		return before, diff.Rewrite(before, start, end, chance.Text(rng, 20))
	}
	var es edits.Edits
	for at := 0; at <= before.Len(); at++ {
		if rng.IntN(10) > 0 {
			continue
		}
		e := edits.Edit{Start: at, End: min(before.Len(), at+rng.IntN(4)), New: []string{"", "x", "\n", "y\n", "\nz", "\r\n"}[rng.IntN(6)]}
		if e.Start < e.End || e.New != "" {
			es = append(es, e)
		}
		at = e.End
	}
	return before, es
}

// applyUnified applies a unified diff to the text old. It takes no line on trust.
func applyUnified(old, printed string) (string, error) {
	if printed == "" {
		return old, nil
	}
	lines := strings.SplitAfter(printed, "\n")
	if len(lines) < 3 || !strings.HasPrefix(lines[0], "--- ") || !strings.HasPrefix(lines[1], "+++ ") || lines[len(lines)-1] != "" {
		return "", fmt.Errorf("no header, or no newline at the end")
	}
	lines = lines[2 : len(lines)-1]
	was := strings.SplitAfter(old, "\n")
	if was[len(was)-1] == "" {
		was = was[:len(was)-1]
	}
	var out bytes.Buffer
	next, written := 0, 0 // lines of old and of the result that are done
	for i := 0; i < len(lines); {
		var from, to string
		if _, err := fmt.Sscanf(lines[i], "@@ -%s +%s @@\n", &from, &to); err != nil {
			return "", fmt.Errorf("hunk header %q: %w", lines[i], err)
		}
		oldStart, oldCount := parseRange(from)
		newStart, newCount := parseRange(to)
		for ; next < oldStart; next, written = next+1, written+1 {
			out.WriteString(was[next])
		}
		if next != oldStart || written != newStart {
			return "", fmt.Errorf("%q comes at line %d of the old text, %d of the new", lines[i], next, written)
		}
		changed := false
		for i++; i < len(lines) && !strings.HasPrefix(lines[i], "@@"); i++ {
			sign, line := lines[i][0], lines[i][1:]
			if i+1 < len(lines) && lines[i+1] == "\\ No newline at end of file\n" {
				line = strings.TrimSuffix(line, "\n")
			}
			switch sign {
			case '\\':
				continue
			case ' ', '-':
				if next == len(was) || was[next] != line {
					return "", fmt.Errorf("%q is not line %d of the old text", lines[i], next)
				}
				next, oldCount = next+1, oldCount-1
			case '+':
			default:
				return "", fmt.Errorf("%q is no line of a diff", lines[i])
			}
			if sign != '-' {
				out.WriteString(line)
				written, newCount = written+1, newCount-1
			}
			changed = changed || sign != ' '
		}
		if oldCount != 0 || newCount != 0 || !changed {
			return "", fmt.Errorf("hunk before line %d: counts are off by %d and %d", i, oldCount, newCount)
		}
	}
	for ; next < len(was); next++ {
		out.WriteString(was[next])
	}
	return out.String(), nil
}

// parseRange returns how many lines are before a range of a hunk header, and
// how many are in it.
func parseRange(s string) (before, count int) {
	start, n, ok := strings.Cut(s, ",")
	before, _ = strconv.Atoi(start)
	count = 1
	if ok {
		count, _ = strconv.Atoi(n)
	}
	if count > 0 {
		before--
	}
	return before, count
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestUnifiedOfManyLines: a diff of few distinct lines has the effect of the edits and as
// many lines as counted, and is the same for a text in one piece and in many.
func TestUnifiedOfManyLines(t *testing.T) {
	seed := chance.Seed(t)
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 3000 {
		lines := make([]string, 1+rng.IntN(120))
		for i := range lines {
			lines[i] = []string{"", "x", "some words", "é\r"}[rng.IntN(4)] + "\n"
		}
		old := []string{"", text.BOM}[rng.IntN(2)] + strings.TrimSuffix(strings.Join(lines, ""), []string{"", "\n"}[rng.IntN(2)])
		before, inPieces := text.New(old), text.New(old+"!").Replace(len(old), len(old)+1, "")
		var es edits.Edits
		for at := rng.IntN(60); at <= len(old); at += 2 + rng.IntN(200) {
			end := min(len(old), at+rng.IntN(12))
			es = append(es, edits.Edit{Start: at, End: end, New: []string{"", "\n", "y", "y\nz\n"}[rng.IntN(4)]})
			at = end
		}
		es = slices.DeleteFunc(es, func(e edits.Edit) bool { return e.Start == e.End && e.New == "" })
		if before.Lines() == 0 {
			continue // nothing but a byte order mark
		}
		got, want := diff.Unified("a/x", "b/x", before, es.Apply(before), es), diff.Unified("a/x", "b/x", inPieces, es.Apply(inPieces), es)
		if got != want {
			t.Fatalf("seed %d: %s\ngot\n%s\nwant\n%s", seed, describe(before, es), got, want)
		}
		if after, err := applyUnified(old, got); err != nil || after != es.Apply(before).String() {
			t.Fatalf("seed %d: %s\n%s: %v", seed, describe(before, es), got, err)
		}
		if before.BOM() > 0 {
			continue // the mark is printed with the first line, but is no change of it
		}
		added, removed := diff.LineChanges(es, before, es.Apply(before))
		if plus, minus := strings.Count(got, "\n+")-min(1, len(got)), strings.Count(got, "\n-"); plus != added || minus != removed {
			t.Fatalf("seed %d: %s adds %d lines and removes %d, not %d and %d", seed, got, plus, minus, added, removed)
		}
	}
}
