package diff_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/chance"
)

func TestRewrite(t *testing.T) {
	tests := []struct {
		name      string
		old, want string
		edits     []string // as printed by describe
	}{
		{name: "nothing to do", old: "a\nb\n", want: "a\nb\n"},
		{name: "both empty"},

		// What is in an edit.
		{name: "tokens that stay are in no edit", old: "foo(a, b)\n", want: "bar(a, c)\n", edits: []string{`0 "foo"->"bar"`, `7 "b"->"c"`}},
		{name: "within a token only the ends stay", old: "fooBarBaz(1)\n", want: "fooQuxBaz(2)\n", edits: []string{`3 "Bar"->"Qux"`, `10 "1"->"2"`}},
		{name: "a token counts as a whole", old: "xfoo bar\n", want: "xbar foo\n", edits: []string{`1 "foo"->"bar"`, `5 "bar"->"foo"`}},
		{name: "a blank that stays is kept", old: "a b\n", want: "c d\n", edits: []string{`0 "a"->"c"`, `2 "b"->"d"`}},
		{name: "pure insertion in a line", old: "f(a)\n", want: "f(a, b)\n", edits: []string{`3 ""->", b"`}},
		{name: "whole code points", old: "né\n", want: "nè\n", edits: []string{`1 "é"->"è"`}},
		{name: "four-byte code points that begin alike", old: "😀\n", want: "😁\n", edits: []string{`0 "😀"->"😁"`}},
		{name: "text without blanks between words", old: "今日は雨です\n", want: "明日は雪です\n", edits: []string{`0 "今"->"明"`, `9 "雨"->"雪"`}},
		{name: "an accented letter is no token", old: "éa b\n", want: "xé b\n", edits: []string{`0 "éa"->"xé"`}},
		{name: "accents are part of words", old: "déjà vu là\n", want: "jadis vu ici\n", edits: []string{`0 "déjà"->"jadis"`, `10 "là"->"ici"`}},

		{name: "a line of many tokens", old: "a1" + strings.Repeat(" x,", 60) + " b1\n", want: "a2" + strings.Repeat(" x,", 60) + " b2\n", edits: []string{`1 "1"->"2"`, `184 "1"->"2"`}},

		// Lines.
		{name: "inserted line", old: "a\nb\n", want: "a\nx\nb\n", edits: []string{`2 ""->"x\n"`}},
		{name: "inserted line that begins like the next", old: "a\n\tb1\n", want: "a\n\tb0\n\tb1\n", edits: []string{`2 ""->"\tb0\n"`}},
		{name: "inserted line that ends like the one above", old: "f(a)\nz\n", want: "f(a)\ng(a)\nz\n", edits: []string{`5 ""->"g(a)\n"`}},
		{name: "deleted line", old: "a\nb\nc\n", want: "a\nc\n", edits: []string{`2 "b\n"->""`}},
		{name: "one of two equal lines deleted", old: "a\nx\nx\nb\n", want: "a\nx\nb\n", edits: []string{`4 "x\n"->""`}},
		{name: "all deleted", old: "a\nb", edits: []string{`0 "a\nb"->""`}},
		{name: "from nothing", want: "a\nb\n", edits: []string{`0 ""->"a\nb\n"`}},
		{name: "last line gone, with the line end before it", old: "a\nb", want: "a", edits: []string{`1 "\nb"->""`}},
		{name: "first of two lines gone, the last is not terminated", old: "a\na", want: "a", edits: []string{`0 "a\n"->""`}},
		{name: "appended after an unterminated line", old: "a\nb", want: "a\nb\nc", edits: []string{`3 ""->"\nc"`}},
		{name: "final line end added", old: "a\r\nb", want: "a\nb\n", edits: []string{`4 ""->"\r\n"`}},
		{name: "final line end removed", old: "a\r\nb\r\n", want: "a\nb", edits: []string{`4 "\r\n"->""`}},
		{name: "as many lines: each by itself", old: "one\ntwo\n", want: "1ne\n2wo\n", edits: []string{`0 "o"->"1"`, `4 "t"->"2"`}},
		{name: "lines split", old: "f(a, b)\n", want: "f(\n\ta,\n\tb,\n)\n", edits: []string{`2 ""->"\n\t"`, `4 " "->"\n\t"`, `6 ""->",\n"`}},
		{name: "lines joined", old: "f(\n\ta,\n\tb,\n)\n", want: "f(a, b)\n", edits: []string{`2 "\n\t"->""`, `6 "\n\t"->" "`, `9 ",\n"->""`}},
		{name: "unrelated lines of another count are one edit", old: "return nil\nx = 1\n", want: "if err != nil {\n\tfoo()\n\tbar(x, 1)\n}\n", edits: []string{`0 "return nil\nx = 1"->"if err != nil {\n\tfoo()\n\tbar(x, 1)\n}"`}},
		{name: "moved sideways costs the indentation", old: "a {\nb\n}\n", want: "\ta {\n\tb\n\t}\n", edits: []string{`0 ""->"\t"`, `4 ""->"\t"`, `6 ""->"\t"`}},
		{name: "blanks before are not blanks after", old: "1\n\txy\n2\n", want: "3\nxy\t\n4\n", edits: []string{`0 "1"->"3"`, `2 "\t"->""`, `5 ""->"\t"`, `6 "2"->"4"`}},
		{
			name: "wrapped in a block",
			old:  "func f() {\n\tx()\n\n\tif y {\n\t\tz()\n\t}\n}\n", want: "func f() {\n\tfor {\n\t\tx()\n\n\t\tif y {\n\t\t\tz()\n\t\t}\n\t}\n}\n",
			edits: []string{`11 ""->"\tfor {\n"`, `12 ""->"\t"`, `18 ""->"\t"`, `27 ""->"\t"`, `31 ""->"\t\t}\n"`},
		},
		{
			name: "a changed line between new ones is found",
			old:  "x := foo(a)\nz\n", want: "// why\nx, err := foo(a)\nif err != nil {\n}\nz\n",
			edits: []string{`0 ""->"// why\n"`, `1 ""->", err"`, `12 ""->"if err != nil {\n}\n"`},
		},

		// Line ends.
		{name: "LF means the document's line end", old: "a\r\nb\r\n", want: "a\nb\n"},
		{name: "CRLF means the document's line end", old: "a\nb\n", want: "a\r\nb\r\n"},
		{name: "mixed line ends stay", old: "a\r\nb\nc\r\n", want: "a\nb\r\nc\n"},
		{name: "a replaced line keeps its line end", old: "a\r\nb\nc\r\n", want: "x\ny\nz\n", edits: []string{`0 "a"->"x"`, `3 "b"->"y"`, `5 "c"->"z"`}},
		{name: "of more lines the first ones replace", old: "#\r\n%\n", want: "x\ny\nz\n", edits: []string{`0 "#\r\n%"->"x\r\ny\nz"`}},
		{name: "a new line takes the line end above", old: "a\r\nb\nc\n", want: "a\nx\nb\ny\nc\n", edits: []string{`3 ""->"x\r\n"`, `5 ""->"y\n"`}},
		{name: "a new line at the top takes the line end below", old: "a\r\nb\n", want: "x\na\nb\n", edits: []string{`0 ""->"x\r\n"`}},
		{name: "LF where there is no line end", old: "a", want: "x\r\ny\r\n", edits: []string{`0 "a"->"x\ny\n"`}},
		{name: "the line end of a deleted line, where there is no other", old: "a\r\nb", want: "b\nc", edits: []string{`0 "a\r\n"->""`, `4 ""->"\r\nc"`}},
		{name: "the line end above, not that of a deleted line", old: "x\na\r\nb", want: "x\nb\n", edits: []string{`2 "a\r\n"->""`, `6 ""->"\n"`}},
		{name: "a lone CR is content", old: "a\rb\n", want: "a\rc\n", edits: []string{`2 "b"->"c"`}},
		{name: "content that ends in CR gets CRLF", old: "x\n", want: "a\r\r\n", edits: []string{`0 "x\n"->"a\r\r\n"`}},
		{name: "CR added before CRLF", old: "a\r\n", want: "a\r\r\n", edits: []string{`1 ""->"\r"`}},

		// The byte order mark.
		{name: "the mark stays", old: "\uFEFFa\n", want: "\uFEFFx\na\n", edits: []string{`3 ""->"x\n"`}},
		{name: "the mark goes", old: "\uFEFFa\n", want: "a\n", edits: []string{`0 "\ufeff"->""`}},
		{name: "the mark comes", old: "a\n", want: "\uFEFFa\n", edits: []string{`0 ""->"\ufeff"`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := text.New(tt.old)
			es := diff.Rewrite(before, 0, before.Len(), tt.want)
			if got := describe(before, es); strings.Join(got, "\n") != strings.Join(tt.edits, "\n") {
				t.Errorf("Rewrite(%q, %q)\n got %s\nwant %s", tt.old, tt.want, got, tt.edits)
			}
			checkRewrite(t, tt.old, 0, len(tt.old), tt.want)
		})
	}
}

func TestRewriteRange(t *testing.T) {
	tests := []struct {
		name  string
		old   string // the range is between two marks "|"
		want  string
		edits []string
	}{
		{name: "within a line", old: "f(|a, b|)\n", want: "a, c", edits: []string{`5 "b"->"c"`}},
		{name: "from within a line to within another", old: "ab|c\r\nde|f\r\n", want: "x\ny", edits: []string{`2 "c"->"x"`, `5 "de"->"y"`}},
		{name: "same text", old: "a|b\r\nc|d", want: "b\nc"},
		{name: "a new line takes the line end above the range", old: "a\r\nb\n||c\n", want: "x\n", edits: []string{`5 ""->"x\n"`}},
		{name: "the line end above a range within a line", old: "a\nb|cd|e\r\nf", want: "c\nd", edits: []string{`4 ""->"\n"`}},
		{name: "the line end below, in the first line", old: "b|cd|e\r\nf", want: "c\nd", edits: []string{`2 ""->"\r\n"`}},
		{name: "a mark outside the range", old: "\uFEFF|a|\n", want: "b", edits: []string{`3 "a"->"b"`}},
		{name: "before the mark", old: "||\uFEFFa\n", want: "b", edits: []string{`0 ""->"b"`}},
		{name: "from between CR and LF", old: "a\r|\nb|", want: "\nc", edits: []string{`3 "b"->"c"`}},
		{name: "to between CR and LF", old: "|a\r|\nb", want: "c\r", edits: []string{`0 "a"->"c"`}},
		{name: "half of CRLF taken away", old: "a|\r|\nb", want: "", edits: nil},
		{name: "a line end after a lone CR", old: "a\r||b", want: "\n", edits: []string{`2 ""->"\r\n"`}},
		{name: "the same line end after a lone CR", old: "a\r|\r\n|b", want: "\n"},
		{name: "CR before LF is a line end", old: "a||\nb", want: "\r", edits: nil},
		{name: "what was between CR and LF taken away", old: "a\r|x|\nb", want: "", edits: []string{`1 "\rx"->""`}},
		{name: "from within a code point", old: "\xc3|\xa9|\n", want: "\xa8", edits: []string{`0 "é"->"è"`}},
		{name: "to within a code point", old: "|\xc3|\xa9\n", want: "\xc3", edits: nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			parts := strings.Split(tt.old, "|")
			before := text.New(strings.Join(parts, ""))
			start, end := len(parts[0]), len(parts[0])+len(parts[1])
			es := diff.Rewrite(before, start, end, tt.want)
			if got := describe(before, es); strings.Join(got, "\n") != strings.Join(tt.edits, "\n") {
				t.Errorf("Rewrite(%q, %q)\n got %s\nwant %s", tt.old, tt.want, got, tt.edits)
			}
			checkRewrite(t, before.String(), start, end, tt.want)
		})
	}
}

// TestRewriteLongLine wants small edits in a line that is too long to be
// compared token by token, and in one that has more phrases than are told apart.
func TestRewriteLongLine(t *testing.T) {
	for _, n := range []int{5_000, 100_000} {
		testLongLine(t, n)
	}
}

func testLongLine(t *testing.T, n int) {
	t.Helper()
	var old, want strings.Builder
	for i := range n {
		fmt.Fprintf(&old, `{"id":%d,"name":"n"},`, i)
		if i%(n/5) == 7 {
			fmt.Fprintf(&want, `{"id":%d,"towns":"n"},`, i)
		} else {
			fmt.Fprintf(&want, `{"id":%d,"name":"n"},`, i)
		}
	}
	before := text.New(old.String())
	es := diff.Rewrite(before, 0, before.Len(), want.String())
	if len(es) != 5 {
		t.Fatalf("got %d edits, want one for each of the 5 changes: %.1000s", len(es), describe(before, es))
	}
	for _, e := range es {
		if e.New != "towns" {
			t.Errorf("got %s, want only name -> towns", describe(before, edits.Edits{e}))
		}
	}
	checkRewrite(t, old.String(), 0, old.Len(), want.String())
}

// TestRewriteLarge runs the inputs of the benchmarks, which reach every bound of the diff,
// and checks that the edits have no more bytes than known to suffice.
func TestRewriteLarge(t *testing.T) {
	known := map[string]int{
		"one-char":              1,
		"one-char-crlf":         1,
		"scatter-1%":            414,
		"scatter-20%":           8246,
		"move-block":            20228,
		"reindent":              2792,
		"reindent-in-block":     3094,
		"all-differ":            192939,
		"all-differ-same-count": 183350,
		"shuffle":               179290,
		"few-symbols":           17780,
		"few-symbols-scatter":   228,
		"few-symbols-reindent":  6004,
		"one-line-scatter":      422,
		"one-line-all-differ":   185072,
		"one-token":             191922,
		"two-places":            2,
		"one-line-repeated":     512,
		"periods":               15506,
		"crlf-to-lf":            0,
		"late-uniques":          1842,
		"lone-cr":               18000,
	}
	for _, c := range rewriteCases {
		t.Run(c.name, func(t *testing.T) {
			old, want := c.rewrite(rand.New(rand.NewPCG(1, 0)), 3000)
			es := checkRewrite(t, old, 0, len(old), want)
			if got := editBytes(es); got > known[c.name] {
				t.Errorf("%d bytes of edits, known to do with %d", got, known[c.name])
			}
		})
	}
}

func TestRewriteRandom(t *testing.T) {
	rng := chance.Rand(t)
	for k := range 2000 {
		lines := 20
		if k%20 == 0 {
			lines = 300 // more than the limit for alignment by weight
		}
		old := chance.Text(rng, lines)
		want := old
		if rng.IntN(4) == 0 {
			want = chance.Text(rng, lines)
		}
		for range rng.IntN(4) {
			i, j := chance.Range(rng, want)
			want = want[:i] + []string{"", "x", "\n", "\r\n", chance.Text(rng, lines)}[rng.IntN(5)] + want[j:]
		}
		start, end := 0, len(old)
		if rng.IntN(2) == 0 {
			start, end = chance.Range(rng, old)
		}
		checkRewrite(t, old, start, end, want)
		if t.Failed() {
			return
		}
	}
}

func FuzzRewrite(f *testing.F) {
	f.Add("foo(a, b)\n", "bar(a, c)\n", uint(0), uint(10))
	f.Add("a\r\nb\nc", "c\r\n\rb\n", uint(1), uint(5))
	f.Add("\uFEFFé\n\n\n", "\uFEFF\n\né", uint(0), uint(8))
	f.Add(strings.Repeat("a\nb\n\tc\n", 40), strings.Repeat("b\na\nc\n", 50), uint(0), uint(280))
	f.Add("a\r\rx\n", "\r", uint(3), uint(4))
	f.Fuzz(func(t *testing.T, old, want string, start, end uint) {
		from := int(start % uint(len(old)+1))
		to := from + int(end%uint(len(old)-from+1))
		checkRewrite(t, old, from, to, want)
		checkRewrite(t, old, 0, len(old), want)
	})
}

// describe prints edits of before as `offset "old"->"new"`.
func describe(before text.Text, es edits.Edits) []string {
	var out []string
	for _, e := range es {
		out = append(out, fmt.Sprintf("%d %q->%q", e.Start, before.Slice(e.Start, e.End), e.New))
	}
	return out
}

// editBytes returns how many bytes edits take out and put in.
func editBytes(es edits.Edits) int {
	n := 0
	for _, e := range es {
		n += e.End - e.Start + len(e.New)
	}
	return n
}
