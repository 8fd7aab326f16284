package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/patchls/patchls/internal/testkit/headless"
)

const loadDocuments = 50

// loadDoc is a document that agents and a user work on. Its first line is the
// user's alone; each other line ends with a token that no other line has.
type loadDoc struct {
	name  string // its path in the workspace
	eol   string
	lines int // at the start; the number stays about the same
	start string

	busy atomic.Int64 // the number of agents and users that may be changing it now
	acts atomic.Int64 // the number of changes that were begun

	mu    sync.Mutex // held while the user changes the document
	typed string     // what the first line must be
}

// loadWords are of one to four bytes a character.
var loadWords = strings.Fields("edit buffer naïve range 日本語 snapshot über undo 🙂🙃 anchor patch Ωmega rebase line señal token")

// loadTokens counts the lines that were ever written.
var loadTokens atomic.Int64

// loadLine returns a new line, without its end.
func loadLine(r *rand.Rand) string {
	words := make([]string, 3+r.IntN(8))
	for i := range words {
		words[i] = loadWords[r.IntN(len(loadWords))]
	}
	return fmt.Sprintf("%s #%d;", strings.Join(words, " "), loadTokens.Add(1))
}

// loadDocs returns documents of 1 to 200 KB, every third one with CRLF.
func loadDocs(r *rand.Rand) []*loadDoc {
	docs := make([]*loadDoc, loadDocuments)
	for i := range docs {
		d := &loadDoc{name: fmt.Sprintf("d%02d.txt", i), eol: "\n", typed: "user: ", lines: 1}
		if i%3 == 2 {
			d.eol = "\r\n"
		}
		var b strings.Builder
		b.WriteString(d.typed + d.eol)
		for size := 1000 * math.Pow(200, float64(i)/(loadDocuments-1)); float64(b.Len()) < size; d.lines++ {
			b.WriteString(loadLine(r) + d.eol)
		}
		d.start = b.String()
		docs[i] = d
	}
	return docs
}

// begin says that an agent or the user is about to change the document. quiet reports whether no
// other can have changed it since.
func (d *loadDoc) begin() (quiet func() bool, end func()) {
	alone := d.busy.Add(1) == 1
	n := d.acts.Add(1)
	return func() bool { return alone && d.acts.Load() == n }, func() { d.busy.Add(-1) }
}

// buffer returns the document's buffer, nil while it is closed.
func (d *loadDoc) buffer(e *watched) *headless.Buffer {
	b, _ := e.Buffer(filepath.Join(e.root, d.name))
	return b
}

// row is one line of a text, without its end.
type row struct {
	number int // from 1
	text   string
}

// rows returns up to n consecutive lines at random, without the first line of the text.
func (d *loadDoc) rows(r *rand.Rand, s string, n int) []row {
	lines := strings.SplitAfter(s, "\n")
	if last := len(lines) - 1; lines[last] == "" {
		lines = lines[:last]
	}
	if len(lines) < 3 {
		return nil
	}
	first := 1 + r.IntN(len(lines)-1)
	var found []row
	for i := first; i < min(first+n, len(lines)); i++ {
		found = append(found, row{i + 1, strings.TrimRight(lines[i], "\r\n")})
	}
	return found
}
