package personas

import (
	"math/rand/v2"
	"os"
	"testing"

	"go.lsp.dev/uri"

	"github.com/patchls/patchls/internal/testkit/fakeserver"
	"github.com/patchls/patchls/internal/testkit/headless"
)

func writeFile(t *testing.T, path, content string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func wantFile(t *testing.T, path, want string) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%s has %q (%v), want %q", path, got, err, want)
	}
}

func uriOf(path string) string { return string(uri.File(path)) }

func open(t *testing.T, e *headless.Editor, path string) *headless.Buffer {
	t.Helper()
	b, err := e.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func openText(t *testing.T, e *headless.Editor, name, s string) *headless.Buffer {
	t.Helper()
	b, err := e.OpenText(name, "plaintext", s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func wantText(t *testing.T, b *headless.Buffer, want string) {
	t.Helper()
	if got := b.Text(); got != want {
		t.Errorf("%s is %q, want %q", b.URI(), got, want)
	}
}

func at(line, char, toLine, toChar int, s string) headless.TextEdit {
	return headless.TextEdit{
		Range: headless.Range{
			Start: headless.Position{Line: uint32(line), Character: uint32(char)},
			End:   headless.Position{Line: uint32(toLine), Character: uint32(toChar)},
		},
		NewText: s,
	}
}

// editOf returns the edit that replaces the bytes [start,end) of s.
func editOf(s string, start, end int, encoding, insert string) headless.TextEdit {
	line, char := fakeserver.Position(s, start, encoding)
	toLine, toChar := fakeserver.Position(s, end, encoding)
	return at(line, char, toLine, toChar, insert)
}

var alphabet = []string{"a", "é", "漢", "😀", "\n", "\r\n", "\r", "\u2028", "", "x\ny", "👩‍👩‍👧", "\x00"}

// randomSpan returns two code point boundaries of s.
func randomSpan(r *rand.Rand, s string) (int, int) {
	a, b := runeBoundary(s, r.IntN(len(s)+1)), runeBoundary(s, r.IntN(len(s)+1))
	return min(a, b), max(a, b)
}
