package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files")

// fixed is a page of figures that nobody measured.
func fixed() page {
	ours, theirs := series{10, 12, 11}, series{2000, 2400, 2200}
	t := table{Title: "By size", Columns: []string{"size", us, "peer", "absent"}}
	t.add("1 MB", ours.times(), theirs.times(), series(nil).times())
	return page{
		Machine: machine{Date: "2026-01-02", Commit: "abc", System: "linux/amd64", Cores: 2, Go: "go1.26.0", Git: "2.0", Load: "1.0 when it began, 2.0 when it ended"},
		Missing: []string{"node is not installed: its columns are left out"},
		Rows: []row{
			{Title: "Work", About: "Work is done.", Goals: []goal{
				atLeast("met, against peer", 100, theirs.over(ours)),
				atLeast("missed by a bit", 220, theirs.over(ours)),
				atMost("missed by far", 1, ratio{5, 4, 6}, "ms"),
				atMost("met at the bound", 2, only(2), "×"),
			}, Tables: []table{t}, Notes: []string{"A note."}, Why: "It is work.", Felt: []felt{{"work", "1 ms", "2 ms (peer)"}}},
			{Title: "Growth", About: "Things grow.", Why: "It is not said where nothing is missed."},
		},
	}
}

func TestThePagesAreWritten(t *testing.T) {
	folder := t.TempDir()
	if err := fixed().write(folder); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"performance.md", figuresPage} {
		got, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		golden := filepath.Join("testdata", filepath.Base(name))
		if *update {
			if err := os.WriteFile(golden, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s differs from %s; go test ./bench -update writes it:\n%s", name, golden, got)
		}
	}
}

func TestTheShortPageSaysWhyGoalsAreMissed(t *testing.T) {
	page := fixed().short()
	for what, want := range map[string]bool{"2 of the 4 goals that we set are met": true, "**Work.** It is work.": true, "**Growth.**": false} {
		if strings.Contains(page, what) != want {
			t.Errorf("that the page has %q is %v:\n%s", what, !want, page)
		}
	}
}

func TestQuantilesLieBetweenTheFigures(t *testing.T) {
	for _, tt := range []struct {
		of      series
		q, want float64
	}{
		{series{3, 1, 2}, .5, 2},
		{series{4, 1, 3, 2}, .5, 2.5},
		{series{1, 2, 3, 4, 5}, .25, 2},
		{series{5}, .75, 5},
		{series{1, 9}, 1, 9},
		{series{100, 0}, .99, 99},
	} {
		if got := tt.of.quantile(tt.q); got != tt.want {
			t.Errorf("quantile %v of %v is %v, want %v", tt.q, tt.of, got, tt.want)
		}
	}
}

func TestNumbersHaveThreeDigits(t *testing.T) {
	for x, want := range map[float64]string{0.1234: "0.12", 12.34: "12.3", 123.4: "123", 1234567: "1,234,567", -1234: "-1,234"} {
		if got := number(x); got != want {
			t.Errorf("%v is written %q, want %q", x, got, want)
		}
	}
	for ns, want := range map[float64]string{1: "1.00 ns", 1500: "1.50 µs", 2e6: "2.00 ms", 3.5e9: "3.50 s"} {
		if got := duration(ns); got != want {
			t.Errorf("%v ns is written %q, want %q", ns, got, want)
		}
	}
}
