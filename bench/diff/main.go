// Command diff compares the diff behind the command write with go-udiff and with
// git: how long each takes, and how much text each touches. Run it here:
//
//	go run . [-rounds N] [-sizes 1000,10000,100000] [-only REGEXP]
//
// It prints a Markdown table. The contestants take turns in one run, so the ratios
// hold on any machine; the times are medians of the rounds. The texts are the Go
// sources of the toolchain that runs it.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aymanbagabas/go-udiff"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/text"
)

func main() {
	log.SetFlags(0)
	rounds := flag.Int("rounds", 9, "how often each contestant runs")
	sizes := flag.String("sizes", "1000,10000,100000", "the lines of the texts")
	only := flag.String("only", "", "run the cases whose name matches")
	flag.Parse()
	match, err := regexp.Compile(*only)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("| case | lines | patchls ms (worst) | edits | KB | allocated KB | go-udiff Lines ms | KB | go-udiff Strings ms | times faster than Lines | git KB | share of git's text |")
	fmt.Println("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
	for size := range strings.SplitSeq(*sizes, ",") {
		n, err := strconv.Atoi(size)
		if err != nil {
			log.Fatal(err)
		}
		source, err := goSource(2*n + n/10)
		if err != nil {
			log.Fatal(err)
		}
		for _, c := range cases {
			if !match.MatchString(c.name) {
				continue
			}
			old, want := c.rewrite(rand.New(rand.NewPCG(1, 0)), source[:n], source[n:])
			if err := compare(c.name, n, old, want, *rounds); err != nil {
				log.Fatal(err)
			}
		}
	}
}

// compare prints the row of one case.
func compare(name string, n int, old, want string, rounds int) error {
	git, err := gitText(old, want)
	if err != nil {
		return err
	}
	t := text.New(old)
	var ours edits.Edits
	var lines []udiff.Edit
	took := [3][]time.Duration{}
	var before, after runtime.MemStats
	for range rounds {
		for i, run := range []func(){
			func() { ours = diff.Rewrite(t, 0, t.Len(), want) },
			func() { lines = udiff.Lines(old, want) },
			func() { udiff.Strings(old, want) },
		} {
			runtime.GC()
			if i == 0 {
				runtime.ReadMemStats(&before)
			}
			start := time.Now()
			run()
			took[i] = append(took[i], time.Since(start))
			if i == 0 {
				runtime.ReadMemStats(&after)
			}
		}
	}
	size, peer := 0, 0
	for _, e := range ours {
		size += e.End - e.Start + len(e.New)
	}
	for _, e := range lines {
		peer += e.End - e.Start + len(e.New)
	}
	if got := ours.Apply(t).String(); strings.ReplaceAll(got, "\r\n", "\n") != strings.ReplaceAll(want, "\r\n", "\n") {
		return fmt.Errorf("%s: the edits do not give the text", name)
	}
	a, b, c := median(took[0]), median(took[1]), median(took[2])
	fmt.Printf("| %s | %d | %.3f (%.3f) | %d | %.3f | %.0f | %.3f | %.3f | %.3f | %.2f | %.3f | %.2f |\n",
		name, n, ms(a), ms(slices.Max(took[0])), len(ours), kb(size), kb(int(after.TotalAlloc-before.TotalAlloc)), ms(b), kb(peer), ms(c),
		float64(b)/float64(a), kb(git), float64(size)/float64(max(git, 1)))
	return nil
}

func median[T cmp.Ordered](xs []T) T {
	xs = slices.Clone(xs)
	slices.Sort(xs)
	return xs[len(xs)/2]
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func kb(n int) float64 { return float64(n) / 1000 }
