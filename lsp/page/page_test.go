package page_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/page"
)

// TestFit: the room that a text takes is that of its JSON, and no character is cut.
func TestFit(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var b strings.Builder
		for range random.IntN(30) {
			b.WriteRune([]rune("aé中😀\"\\\n\r\t\x01\x1f\u2028\u2029\x7f")[random.IntN(14)])
		}
		s, room := b.String(), random.IntN(60)
		n, left := page.Fit(s, room)
		if all := jsonBytes(t, s); (left < 0) != (all > room) || left >= 0 && (left != room-all || n != len(s)) {
			t.Fatalf("%q in %d: %d bytes, %d left; its JSON has %d", s, room, n, left, all)
		}
		if !utf8.ValidString(s[:n]) || jsonBytes(t, s[:n]) > room {
			t.Fatalf("%q in %d: %q fits", s, room, s[:n])
		}
	}
}

func jsonBytes(t *testing.T, s string) int {
	t.Helper()
	raw, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return len(raw) - len(`""`)
}

// TestRows: there is always a row, so that a client that goes on where rows end comes to the end.
func TestRows(t *testing.T) {
	lines := text.New(strings.Join([]string{"short", strings.Repeat("😀", 3000), strings.Repeat("\x01", 1900), "short", "short"}, "\n"))
	var got []string
	for first := 1; first <= lines.Lines(); {
		rows, notes := page.Rows(first, lines.Lines(), 2000, page.Numbered(lines))
		if len(rows) == 0 || jsonBytes(t, strings.Join(rows, "\n")+strings.Join(notes, "\n")) > 2000 {
			t.Fatalf("from line %d: %d rows, %q", first, len(rows), notes)
		}
		got = append(got, fmt.Sprint(len(rows), notes))
		first += len(rows)
	}
	want := []string{
		"1 []", "1 [Line 2 is cropped, since it is longer than an answer.]", "1 [Line 3 is cropped, since it is longer than an answer.]", "2 []",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestBytes(t *testing.T) {
	for client, want := range map[string]int{"Cline": 8000, "cline-vscode": 8000, "codex-mcp-client": 9500, "Codex CLI": 9500, "claude-code": 19500, "": 19500} {
		if got := page.Bytes(client); got != want || page.Room(client) >= got {
			t.Errorf("%q: %d bytes, want %d", client, got, want)
		}
	}
}

func TestCut(t *testing.T) {
	for _, s := range []string{strings.Repeat("a line\n", 100), strings.Repeat("中", 300), "short\n" + strings.Repeat("中", 300)} {
		got := page.Cut(s, 300)
		kept, is := strings.CutPrefix(got, fmt.Sprintf("note: The last %d of %d bytes of this answer are left out.\n", len(s)-len(got[strings.IndexByte(got, '\n')+1:]), len(s)))
		if !is || len(got) > 300 || len(kept) < 150 || !strings.HasPrefix(s, kept) || !utf8.ValidString(got) {
			t.Errorf("%.20q: %q", s, got)
		}
		if page.Cut(s, len(s)) != s {
			t.Errorf("%.20q is cut though it fits", s)
		}
	}
}
