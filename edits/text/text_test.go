package text_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/patchls/patchls/edits/text"
)

func TestLines(t *testing.T) {
	for _, test := range []struct {
		s    string
		want []string // content|terminator
	}{
		{"", nil},
		{"a", []string{"a|"}},
		{"a\n", []string{"a|\n"}},
		{"a\nb", []string{"a|\n", "b|"}},
		{"a\r\nb\n", []string{"a|\r\n", "b|\n"}},
		{"\n", []string{"|\n"}},
		{"\n\n", []string{"|\n", "|\n"}},
		{"a\rb\n", []string{"a\rb|\n"}},
		{"a\r\r\n", []string{"a\r|\r\n"}},
		{"a\r", []string{"a\r|"}},
		{"a\u2028b\u0085c\vd\fe\n", []string{"a\u2028b\u0085c\vd\fe|\n"}},
		{text.BOM + "a\nb", []string{"a|\n", "b|"}},
		{text.BOM, nil},
		{text.BOM + "\n", []string{"|\n"}},
	} {
		tx := text.New(test.s)
		var got []string
		for i := range tx.Lines() {
			l := tx.Line(i)
			got = append(got, tx.Slice(l.Start, l.End)+"|"+tx.Slice(l.End, l.Next))
			if at := tx.LineAt(l.Start); at != i {
				t.Errorf("%q: the line at %d is %d, want %d", test.s, l.Start, at, i)
			}
			if at := tx.LineStart(i); at != l.Start {
				t.Errorf("%q: line %d starts at %d, want %d", test.s, i, at, l.Start)
			}
		}
		if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", test.want) {
			t.Errorf("%q has the lines %q, want %q", test.s, got, test.want)
		}
		if at := tx.LineStart(tx.Lines()); at != len(test.s) {
			t.Errorf("%q: the line after the last starts at %d", test.s, at)
		}
	}
}

func TestReplaceLeavesTheOldTextAlone(t *testing.T) {
	a := text.New("one\ntwo\n")
	b := a.Replace(4, 7, "2\n3")
	if a.String() != "one\ntwo\n" || a.Lines() != 2 || b.String() != "one\n2\n3\n" || b.Lines() != 3 {
		t.Errorf("%q and %q", a, b)
	}
}

func TestHashNamesTheBytes(t *testing.T) {
	a, b := text.New("a\n"), text.New("").Replace(0, 0, "a\n")
	if a.Hash() != b.Hash() || !a.Equal(b) {
		t.Error("the same bytes have two hashes")
	}
	for _, s := range []string{"", "a", "a\r\n", "b\n"} {
		if h := text.New(s).Hash(); h == a.Hash() || h == "" || len(h) > 64 {
			t.Errorf("%q has the hash %q", s, h)
		}
	}
}

func TestOffsetClampsAsLSPAsks(t *testing.T) {
	tx := text.New("a😀b\r\nc")
	for _, test := range []struct {
		enc  text.Encoding
		p    text.Position
		want int
	}{
		{text.UTF16, text.Position{Line: 0, Character: 0}, 0},
		{text.UTF16, text.Position{Line: 0, Character: 1}, 1},
		{text.UTF16, text.Position{Line: 0, Character: 2}, 1}, // inside the pair
		{text.UTF16, text.Position{Line: 0, Character: 3}, 5},
		{text.UTF8, text.Position{Line: 0, Character: 3}, 1}, // inside the bytes
		{text.UTF8, text.Position{Line: 0, Character: 5}, 5},
		{text.UTF32, text.Position{Line: 0, Character: 2}, 5},
		{text.UTF32, text.Position{Line: 0, Character: 4}, 7},   // after the "\r", which is a character
		{text.UTF32, text.Position{Line: 0, Character: 999}, 7}, // past the end: before the "\n"
		{text.UTF8, text.Position{Line: 0, Character: 999}, 7},
		{text.UTF16, text.Position{Line: 1, Character: 1}, 9},
		{text.UTF16, text.Position{Line: 1, Character: 9}, 9},
		{text.UTF16, text.Position{Line: 7, Character: 3}, 9}, // past the last line
	} {
		if got := tx.Offset(test.p, test.enc); got != test.want {
			t.Errorf("%s %+v is at %d, want %d", test.enc, test.p, got, test.want)
		}
	}
}

func TestEncodingNames(t *testing.T) {
	for _, e := range []text.Encoding{text.UTF8, text.UTF16, text.UTF32} {
		if got, ok := text.ParseEncoding(e.String()); !ok || got != e {
			t.Errorf("%s is read as %s", e, got)
		}
	}
	if _, ok := text.ParseEncoding("utf-7"); ok {
		t.Error("utf-7 is no encoding")
	}
}

// FuzzPositions holds the conversion to a model that knows only runes: every
// code point's start has a position, and that leads back to it.
func FuzzPositions(f *testing.F) {
	for _, s := range []string{"", "a😀b\r\nc", "\n\n", text.BOM + "x\n", "é\u2028\r𝒳\n", "\xff\xfe\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		tx := text.New(s)
		for off := 0; off <= len(s); off++ {
			if off < len(s) && !utf8.RuneStart(s[off]) {
				continue
			}
			line := strings.Count(s[:off], "\n")
			before := s[strings.LastIndexByte(s[:off], '\n')+1 : off]
			if !utf8.ValidString(before) {
				continue // positions count code points, and there are none
			}
			for enc, character := range map[text.Encoding]int{
				text.UTF8:  len(before),
				text.UTF16: len(utf16.Encode([]rune(before))),
				text.UTF32: utf8.RuneCountInString(before),
			} {
				want := text.Position{Line: line, Character: character}
				if got := tx.Position(off, enc); got != want {
					t.Fatalf("%q: offset %d is at %+v in %s, want %+v", s, off, got, enc, want)
				}
				if got := tx.Offset(want, enc); got != off {
					t.Fatalf("%q: %+v in %s is at %d, want %d", s, want, enc, got, off)
				}
			}
		}
	})
}
