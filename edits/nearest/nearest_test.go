package nearest_test

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/nearest"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/chance"
)

const nearDoc = `package a

func first(x int) int {
	if x > 1 {
		fmt.Println("hello", x)
		return x + 1
	}
	return 0
}

func second(y int) int {
	if y > 1 {
		fmt.Println("bye", y)
		return y - 1
	}
	return 0
}
`

const tenLines = "alpha = 1\nbravo = 2\ncharlie = 3\ndelta = 4\necho = 5\nfoxtrot = 6\ngolf = 7\nhotel = 8\nindia = 9\njuliett = 10\n"

func TestCandidates(t *testing.T) {
	tests := []struct {
		name     string
		doc, old string
		want     []string // lines, difference, line:column of the first one, sent, found
	}{
		// Blanks.
		{name: "spaces for tabs, at a depth", doc: nearDoc, old: "    if x > 1 {\n        fmt.Println(\"hello\", x)\n        return x + 1\n", want: []string{"4-6 indentation 4:1 ␠␠␠␠ ⇥", "12-14 text 12:1 ␠␠␠␠if␠x ⇥if␠y"}},
		{name: "spaces for tabs, the first indentation stripped", doc: nearDoc, old: "fmt.Println(\"hello\", x)\n        return x + 1\n", want: []string{"5-6 indentation 6:1 ␠␠␠␠␠␠␠␠ ⇥⇥", "13-14 text 13:16 hello\",␠x bye\",␠y"}},
		{name: "one blank too many", doc: "a:\n    b: 1\n    c: 2\n", old: "     b: 1\n    c: 2\n", want: []string{"2-3 indentation 2:5 ␠b b"}},
		{name: "blanks sent at the end of a line", doc: tenLines, old: "delta = 4  \necho = 5\n", want: []string{"4-5 trailing-space 4:10 ␠␠␊ ␊"}},
		{name: "blanks found at the end of a line", doc: "delta = 4\t\necho = 5\n", old: "delta = 4\necho = 5\n", want: []string{"1-2 trailing-space 1:10 ␊ ⇥␊"}},
		{name: "blanks sent at the end of a fragment", doc: "call(alpha,beta)\n", old: "alpha,beta ", want: []string{"1-1 trailing-space 1:16 ␠ )"}},
		{name: "spaces for tabs, around a fragment", doc: "\t\treturn x\t\nend\n", old: "    return x  ", want: []string{"1-1 indentation 1:1 ␠␠␠␠return␠x␠␠ ⇥⇥return␠x⇥"}},
		{name: "other blanks after a fragment", doc: "\t\treturn x\t\nend\n", old: "return x  ", want: []string{"1-1 trailing-space 1:11 ␠␠ ⇥"}},
		{name: "a character for the blank before a fragment", doc: "foo( bar_baz)\n", old: "xbar_baz)", want: []string{"1-1 text 1:6 xb b"}},
		{name: "many blanks around a fragment", doc: tenLines, old: strings.Repeat(" ", 90) + "alpha = 12" + strings.Repeat(" ", 90), want: []string{"1-1 text 1:1 " + strings.Repeat("␠", 24) + "… alpha␠=␠1"}},
		{name: "blanks between words", doc: tenLines, old: "foxtrot  = 6", want: []string{"6-6 text 6:9 ␠= ="}},

		// Lines.
		{name: "one changed word in the middle of ten lines", doc: "zero\n" + tenLines + "zero\n", old: strings.Replace(tenLines, "echo = 5", "echo = five", 1), want: []string{"2-11 text 6:8 five 5"}},
		{name: "two lines swapped", doc: tenLines, old: "bravo = 2\ndelta = 4\ncharlie = 3\necho = 5\n", want: []string{"2-5 text 3:1 delta␠=␠4 charlie␠=␠3"}},
		{name: "a line is missing in what was sent", doc: tenLines, old: "bravo = 2\ndelta = 4\necho = 5\n", want: []string{"2-5 text 3:1 delta␠=␠4 charlie␠=␠3"}},
		{name: "a line too many was sent", doc: tenLines, old: "bravo = 2\nbelow = 0\ncharlie = 3\ndelta = 4\n", want: []string{"2-4 text 3:1 below␠=␠0 charlie␠=␠3"}},
		{name: "lines sent beyond the end", doc: tenLines, old: "india = 9\njuliett = 10\nkilo = 11\n", want: []string{"9-10 text 10:13 kilo␠=␠11␊ ␃"}},
		{name: "lines sent beyond an end without a line end", doc: "india = 9\njuliett = 10", old: "india = 9\njuliett = 10\nkilo = 11\n", want: []string{"1-2 text 2:13 ␊ ␃"}},
		{name: "longer than the document", doc: "india = 9\njuliett = 10\n", old: "hotel = 8\nindia = 9\njuliett = 10\n", want: []string{"1-2 text 1:1 hotel␠=␠8 india␠=␠9"}},
		{name: "in a text of equal lines", doc: strings.Repeat("x = 1\n", 50), old: strings.Repeat("x = 1\n", 5) + "y = 2\n", want: []string{"1-6 text 6:1 y␠=␠2 x␠=␠1"}},
		{name: "a last line that is a part of one", doc: tenLines, old: "foxtrot = 6\ngolf = 8\nhot", want: []string{"6-8 text 7:8 8 7"}},
		{name: "a first line that is a part of one", doc: tenLines, old: "trot = 6\ngolf = 8\nhotel = 8\n", want: []string{"6-8 text 7:8 8 7"}},
		{name: "a part of a line, and a line too few", doc: "alpha, delta, epsilon := compute(zeta, eta, theta, iota, kappa, beta, gamma)\ninserted\nnext = 1\n", old: "gamma)\nnext = 1\n", want: []string{"3-3 text 3:1 gamma) next␠=␠1"}},

		// Line ends.
		{name: "CRLF sent, LF found: the difference is elsewhere", doc: tenLines, old: "delta = 4\r\necho = 55\r\nfoxtrot = 6\r\n", want: []string{"4-6 text 5:9 5␊ ␊"}},
		{name: "LF sent, CRLF found: the difference is elsewhere", doc: strings.ReplaceAll(tenLines, "\n", "\r\n"), old: "delta = 4\necho = 6\nfoxtrot = 6\n", want: []string{"4-6 text 5:8 6 5"}},
		{name: "only the kind of line ends", doc: tenLines, old: "delta = 4\r\necho = 5\r\n", want: []string{"4-5 line-ends"}},
		{name: "only the last line end", doc: "delta = 4\necho = 5", old: "delta = 4\necho = 5\n", want: []string{"1-2 line-ends 2:9 ␊ ␃"}},
		{name: "a lone CR is content", doc: "delta = 4\recho = 5\n", old: "delta = 4 echo = 5\n", want: []string{"1-1 text 1:10 ␠ ␍"}},

		// Characters.
		{name: "straight quotes sent", doc: "print(“hi there”)\n", old: "print(\"hi there\")\n", want: []string{"1-1 unicode 1:7 \"hi␠there\" “hi␠there”"}},
		{name: "hyphen sent, dash found", doc: "one – two, three\n", old: "one - two, three", want: []string{"1-1 unicode 1:5 - –"}},
		{name: "guillemets are no quotes", doc: "print(«hi there»)\n", old: "print(\"hi there\")\n", want: []string{"1-1 text 1:7 \"hi␠there\" «hi␠there»"}},
		{name: "a blank that is none", doc: "one\u00A0two three\n", old: "one two three", want: []string{"1-1 unicode 1:4 ␠ <U+00A0>"}},
		{name: "a character without width", doc: "one two\u200B three\n", old: "one two three", want: []string{"1-1 unicode 1:8 ␠ <U+200B>␠"}},
		{name: "columns are code points", doc: "a\n\t😀é😀 = call(bar)\n", old: "\t😀é😀 = call(baz)\n", want: []string{"2-2 text 2:15 z r"}},
		{name: "characters that begin with the same byte", doc: "smile 😀 here\n", old: "smile 😁 here\n", want: []string{"1-1 text 1:7 😁 😀"}},
		{name: "bytes that are no characters", doc: "one \xff two three\n", old: "one two three\n", want: []string{"1-1 text 1:5 t <0xFF>␠t"}},
		{name: "the byte order mark is in no line", doc: text.BOM + "alpha = 1\nbravo = 2\n", old: "alpha = 2\nbravo = 2\n", want: []string{"1-2 text 1:9 2 1"}},

		{name: "other capitals", doc: tenLines, old: "Echo = 5\nFOXTROT = 6\n", want: []string{"5-6 case 5:1 E e"}},
		{name: "other capitals of a fragment", doc: "call(ALPHA)\n", old: "alpha", want: []string{"1-1 case 1:6 alpha ALPHA"}},

		// Fragments.
		{name: "a fragment in the middle of a line", doc: tenLines + "total := compute(first, secnd, third) + rest\n", old: "compute(first, second, third)", want: []string{"11-11 text 11:28 on n"}},
		{name: "a fragment of a long line", doc: strings.Repeat("item,", 5000) + "compute(first, secnd, third)" + strings.Repeat(",item", 5000) + "\n", old: "compute(first, second, third)", want: []string{"1-1 text 1:25019 on n"}},
		{name: "composed and not", doc: "caf\u00e9 = 1\n", old: "cafe\u0301 = 1", want: []string{"1-1 unicode 1:4 e<U+0301> é"}},
		{name: "not composed and", doc: "cafe\u0301 = 1\n", old: "caf\u00e9 = 1", want: []string{"1-1 unicode 1:4 é e<U+0301>"}},
		{name: "a mark is missing", doc: "cafe\u0301 = 1\n", old: "cafe = 1", want: []string{"1-1 text 1:5 ␠ <U+0301>␠"}},
		{name: "a selector that cannot be seen", doc: "value\ufe0f = compute(12)\n", old: "value = compute(12)\n", want: []string{"1-1 text 1:6 ␠ <U+FE0F>␠"}},
		{name: "a filler that looks like a blank", doc: "value\u3164= compute(12)\n", old: "value = compute(12)\n", want: []string{"1-1 text 1:6 ␠ <U+3164>"}},
		{name: "Hangul in parts", doc: "value = compute(\ud55c)\n", old: "value = compute(\u1112\u1161\u11ab)\n", want: []string{"1-1 unicode 1:17 <U+1112><U+1161><U+11AB> 한"}},
		{name: "a short fragment", doc: "b\nab=2\nc\n", old: "ab=1", want: []string{"2-2 text 2:4 1 2"}},
		{name: "a fragment of which a third differs", doc: "b\na=2\nc\n", old: "a=1"},
		{name: "a fragment that the document has in two lines", doc: "call(first,\n\tsecond, third)\n", old: "call(first, second, third)", want: []string{"1-2 text 1:12 ␠second,␠third) ␊"}},

		// Which ones.
		{name: "near duplicates, the nearest first", doc: "price = cost + 1.5\nother\nprice = cost * 1.25\nother\nprices = cost * 1.75\n", old: "price = cost * 1.75", want: []string{"5-5 text 5:6 ␠ s␠", "3-3 text 3:18 7 2", "1-1 text 1:14 *␠1.7 +␠1."}},
		{name: "near duplicates that differ in the indentation", doc: "if a:\n  run(job)\n  stop(job)\nelse:\n    run(job)\n    stop(job)\n", old: "\trun(job)\n\tstop(job)\n", want: []string{"2-3 indentation 2:1 ⇥ ␠␠", "5-6 indentation 5:1 ⇥ ␠␠␠␠"}},
		{name: "what is there", doc: tenLines, old: "echo = 5\nfoxtrot = 6\n", want: []string{"5-6 line-ends"}},
		{name: "nothing near", doc: nearDoc, old: "class Widget extends Base:\n    pass\n"},
		{name: "nothing near a fragment", doc: nearDoc, old: "SELECT * FROM customers"},
		{name: "only blanks sent", doc: nearDoc, old: "\n\n\t \n"},
		{name: "nothing sent", doc: nearDoc},
		{name: "an empty document", old: "alpha = 1\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			found := candidatesOf(t, tt.doc, tt.old, 3)
			var got []string
			for _, c := range found {
				s := fmt.Sprintf("%d-%d %s", c.StartLine, c.EndLine, c.Difference)
				if d := c.FirstDifference; d != nil {
					s += fmt.Sprintf(" %d:%d %s %s", d.Line, d.Column, d.Sent, d.Found)
				}
				got = append(got, s)
			}
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("candidates of %q in %q\n got %q\nwant %q", tt.old, tt.doc, got, tt.want)
			}
		})
	}
}

func TestCandidatesSimilarity(t *testing.T) {
	similarity := func(old string) float64 {
		t.Helper()
		found := candidatesOf(t, tenLines, old, 1)
		if len(found) == 0 {
			t.Fatalf("no candidate for %q", old)
		}
		return found[0].Similarity
	}
	changes := []string{ // less and less like the text
		"delta = 4\r\necho = 5\r\nfoxtrot = 6\r\n",
		"delta = 4\n\techo = 5\nfoxtrot = 6\n",
		"\tdelta = 4\n\techo = 5\n\tfoxtrot = 6\n",
		"delta = 4\necho = 50\nfoxtrot = 60\n",
		"delta = 4\nreturn 5\nfoxtrot = 6\n",
	}
	last := 1.0
	for i, old := range changes {
		got := similarity(old)
		if i == 0 && got != 1 || i > 0 && got >= last || got < 0.7 {
			t.Errorf("%q: similarity %v; that of the one before is %v", old, got, last)
		}
		last = got
	}
}

// TestCandidatesSimilarityOfParts holds that what is before and after a part of a
// line counts for nothing.
func TestCandidatesSimilarityOfParts(t *testing.T) {
	doc := "total := compute(first, second, third) + rest\nnext = 1\nprint(total, first, second, third, fourth, fifth)\n"
	for _, old := range []string{"third) + rest\nnext = 2\nprint(total", "+ rest\nnext = 2\n", "mpute(first, sacond, th"} {
		if found := candidatesOf(t, doc, old, 1); len(found) != 1 || found[0].Similarity < 0.85 {
			t.Errorf("%q: %+v", old, found)
		}
	}
}

// TestCandidatesLongFragment finds a fragment that is too long to be compared as a whole.
func TestCandidatesLongFragment(t *testing.T) {
	items := strings.ReplaceAll(chance.NumberedLines(500), "\n", ";")
	part := items[6000:7000]
	for _, old := range []string{part[:500] + part[560:], part[:500] + "these are sixty more characters that are not in the document" + part[500:]} {
		found := candidatesOf(t, items, old, 1)
		if len(found) != 1 || found[0].Similarity < 0.9 || found[0].FirstDifference.Column < 6400 || found[0].FirstDifference.Column > 6510 {
			t.Errorf("%q: %+v", old, found)
		}
	}
}

func TestCandidatesMost(t *testing.T) {
	doc := strings.Repeat("price = cost * 1.25\nother\n", 200)
	for _, most := range []int{-1, 0, 1, 3, 10} {
		if got, want := len(candidatesOf(t, doc, "price = cost * 1.75\n", most)), max(0, most); got != want {
			t.Errorf("%d candidates, want %d", got, want)
		}
	}
}

func TestCandidatesTextIsBounded(t *testing.T) {
	long := strings.Repeat("héllo wörld; ", 1000)
	tests := []struct{ name, doc, old, begin, end string }{
		{"many lines", strings.Repeat("some line\n", 100), strings.Repeat("some line\n", 60) + "another line\n", "some line\n", "some line"},
		{"many lines that differ at first", strings.Repeat("some line\n", 100), "any line\n" + strings.Repeat("some line\n", 60), "some line\n", "\n…"},
		{"more lines than are alike", "one line\ntwo lines\nend\nmore\n", "one line\ntwo lines\nand three\n", "one line\n", "\nend"},
		{"a long line, from its middle", long + "needle = 1;" + long, "needle = 2;", "…", "…"},
		{"a long line, from its beginning", "needle = 1;" + long, "needle = 2;", "needle", "…"},
		{"long lines", strings.Repeat("x"+long[:2000]+"\n", 3), strings.Repeat("y"+long[:2000]+"\n", 3), "x", "…"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			found := candidatesOf(t, tt.doc, tt.old, 1)
			if len(found) != 1 {
				t.Fatalf("%d candidates", len(found))
			}
			s := found[0].Text
			if lines := strings.Count(s, "\n") + 1; lines > 41 || len(s) > 4010 || !utf8.ValidString(s) {
				t.Errorf("%d lines, %d bytes, valid %v", lines, len(s), utf8.ValidString(s))
			}
			if !strings.HasPrefix(s, tt.begin) || !strings.HasSuffix(s, tt.end) {
				t.Errorf("%.60q … %q", s, s[max(0, len(s)-60):])
			}
			c := found[0]
			if at := c.FirstDifference.Line - cmp.Or(c.TextLine, c.StartLine); at < 0 || at > strings.Count(strings.TrimSuffix(s, "\n…"), "\n") {
				t.Errorf("the difference is at line %d, and the text begins at line %d and has %d lines", c.FirstDifference.Line, cmp.Or(c.TextLine, c.StartLine), strings.Count(s, "\n")+1)
			}
			if strings.HasPrefix(tt.old, "needle") && !strings.Contains(s, "needle = 1") {
				t.Error("what was found is not in the text")
			}
		})
	}
}

// TestCandidatesLarge finds a changed block in a large document, of more lines
// than the band of the alignment is wide.
func TestCandidatesLarge(t *testing.T) {
	rng := chance.Rand(t)
	lines := chance.CodeLines(rng, 20_000)
	for _, n := range []int{1, 2, 10, 100, 1000, 5000} {
		at := 3 + rng.IntN(len(lines)-n-5)
		block := append([]string{}, lines[at:at+n]...)
		block[0], block[n-1] = "unique_head := 1 + 2", "unique_tail := 3 + 4"
		doc := joinLines(append(append(append([]string{}, lines[:at]...), block...), lines[at+n:]...))
		if n > 2 {
			block = append(block[:n/2:n/2], block[n/2+1:]...) // a line is missing
		} else {
			block[n-1] += "5"
		}
		old := strings.ReplaceAll(joinLines(block), "\t", "  ")
		found := candidatesOf(t, doc, old, 3)
		if len(found) == 0 || found[0].StartLine != at+1 || found[0].EndLine != at+n {
			for i := range found {
				found[i].Text = ""
			}
			t.Errorf("block of %d lines at %d: %+v", n, at+1, found)
		}
	}
}

func FuzzCandidates(f *testing.F) {
	f.Add(nearDoc, "    if x > 1 {\n        fmt.Println(\"hello\", x)\n")
	f.Add(tenLines, "echo = 5\r\nfoxtrot = 7\r\n")
	f.Add(text.BOM+"a\r\nb\rc\n\n", "\nb c")
	f.Add("x😀yyy\xff\xfezzzz", "y\xffz")
	f.Add(strings.Repeat("ab\n", 60), strings.Repeat("ab\n", 40)+"abc")
	f.Fuzz(func(t *testing.T, doc, old string) { candidatesOf(t, doc, old, 3) })
}

// TestCandidatesRandom checks what holds of random texts that have much in
// common.
func TestCandidatesRandom(t *testing.T) {
	rng := chance.Rand(t)
	for range 2000 {
		doc := chance.Text(rng, 1+rng.IntN(60))
		start, end := chance.Range(rng, doc)
		candidatesOf(t, doc, doc[start:end]+chance.Text(rng, 1+rng.IntN(6)), 3)
		candidatesOf(t, doc, chance.Text(rng, 1+rng.IntN(6))+doc[start:end], 3)
	}
}

// candidatesOf returns the candidates, and fails if they violate what must hold of all
// candidates.
func candidatesOf(t *testing.T, doc, old string, most int) []edits.Candidate {
	t.Helper()
	tx := text.New(doc)
	found, _ := nearest.Find(edits.Source{Path: "a", Text: tx}, old, most)
	failed := func(format string, args ...any) {
		t.Helper()
		t.Fatalf("candidates of %q in %q: %s\n%+v", old, doc, fmt.Sprintf(format, args...), found)
	}
	if again, _ := nearest.Find(edits.Source{Path: "a", Text: text.New(doc)}, old, most); !reflect.DeepEqual(found, again) {
		failed("others at the second time: %+v", again)
	}
	if len(found) > max(0, most) {
		failed("more than %d", most)
	}
	for i, c := range found {
		switch {
		case c.StartLine < 1 || c.EndLine < c.StartLine || c.EndLine > tx.Lines():
			failed("lines %d-%d of %d", c.StartLine, c.EndLine, tx.Lines())
		case c.Similarity < 0.5 || c.Similarity > 1:
			failed("similarity %v", c.Similarity)
		case c.Similarity == 1 && c.Difference != "line-ends":
			failed("similarity 1, but a difference in %s", c.Difference)
		case i > 0 && c.Similarity > found[i-1].Similarity:
			failed("%v after %v", c.Similarity, found[i-1].Similarity)
		}
		d := c.FirstDifference
		if d == nil {
			if c.Difference != "line-ends" {
				failed("no first difference, but one in %s", c.Difference)
			}
			continue
		}
		if d.Line < c.StartLine || d.Line > tx.Lines() || d.Sent == "" || d.Found == "" || d.Sent == d.Found {
			failed("first difference %+v", *d)
		}
		l := tx.Line(d.Line - 1)
		if n := utf8.RuneCountInString(tx.Slice(l.Start, l.Next)); d.Column < 1 || d.Column > n+1 {
			failed("column %d of %d characters", d.Column, n)
		}
	}
	return found
}
