package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// The number of files in each folder, and of open documents.
const (
	filesInFolder = 100
	openInFolder  = 10
)

// diskRow checks files out under open documents.
func diskRow(e *env) (row, error) {
	checkedOut := e.rounds(10_000, 1000)
	r := row{
		Title: "A checkout under open documents",
		About: fmt.Sprintf("%d files of 4 KB are written anew, each by a new file that takes its place, as git does. %d of them are open in patchls, one in ten with unsaved text. "+
			"The round trip of a key meanwhile, and the time of the writing, beside the same in folders without an open document.", checkedOut, checkedOut/filesInFolder*openInFolder),
	}
	root, err := os.MkdirTemp(e.temp, "disk")
	if err != nil {
		return r, err
	}
	d := checkout{files: checkedOut, root: root, content: e.source.first(4 * kilobyte)}
	if _, err := d.write(); err != nil {
		return r, err
	}
	if d.server, err = started(e.patchls, "serve", "--log-file", filepath.Join(e.temp, "disk.log")); err != nil {
		return r, err
	}
	defer d.server.close()
	before, err := d.server.resident()
	if err != nil {
		return r, err
	}
	if err := d.open(); err != nil {
		return r, err
	}
	const quiet, elsewhere, watched = "nothing is written", "files are written elsewhere", "the files are written"
	keys := map[string]*series{quiet: {}, elsewhere: {}, watched: {}}
	other := checkout{files: checkedOut, root: root + "-elsewhere", content: d.content}
	if _, err := other.write(); err != nil {
		return r, err
	}
	got, err := contest(e.rounds(5, 1),
		contestant{name: quiet, run: func() (float64, error) { return d.typed(keys[quiet], d.pause) }},
		contestant{name: elsewhere, run: func() (float64, error) { return d.typed(keys[elsewhere], other.write) }},
		contestant{name: watched, run: func() (float64, error) { return d.typed(keys[watched], d.write) }})
	if err != nil {
		return r, err
	}
	after, err := d.server.resident()
	if err != nil {
		return r, err
	}
	t := table{Columns: []string{"while", "a key", "99 of 100 keys", "the writing"}}
	for _, while := range []string{quiet, elsewhere, watched} {
		t.add(while, duration(keys[while].median()), duration(keys[while].quantile(.99)), got[while].times())
	}
	r.Tables = []table{t}
	r.Felt = []felt{{fmt.Sprintf("a key while %s files are checked out, 1 in 10 of them open", number(float64(checkedOut))), duration(keys[watched].median()), duration(keys[quiet].median()) + " (while nothing is written)"}}
	r.Notes = []string{fmt.Sprintf("%s MB are resident after it, %s MB before a document was opened.", number(after), number(before))}
	r.Goals = []goal{
		atMost("the writing, against that of as many files elsewhere", 1.5, got[watched].over(got[elsewhere]), "×"),
		atMost("99 of 100 keys meanwhile, against those while files are written elsewhere", 3, only(keys[watched].quantile(.99)/keys[elsewhere].quantile(.99)), "×"),
	}
	return r, nil
}

// checkout is a folder of files that are written anew. A server may have some of them open.
type checkout struct {
	root, content string
	files, times  int
	server        *client
	versions      map[string]int // of the open documents
}

func (d *checkout) name(i int) string {
	return filepath.Join(d.root, strconv.Itoa(i/filesInFolder), strconv.Itoa(i%filesInFolder)+".go")
}

// write writes all files anew, and returns the nanoseconds that it takes.
func (d *checkout) write() (float64, error) {
	began := time.Now()
	d.times++
	for i := range d.files {
		name := d.name(i)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return 0, err
		}
		if err := os.WriteFile(name+".new", fmt.Appendf(nil, "// Checkout %d.\n%s", d.times, d.content), 0o600); err != nil {
			return 0, err
		}
		if err := os.Rename(name+".new", name); err != nil {
			return 0, err
		}
	}
	return float64(time.Since(began).Nanoseconds()), nil
}

// open opens the documents, and types in some.
func (d *checkout) open() error {
	d.versions = map[string]int{}
	for i := range d.files {
		if i%filesInFolder >= openInFolder {
			continue
		}
		raw, err := os.ReadFile(d.name(i))
		if err != nil {
			return err
		}
		err = d.server.notify("textDocument/didOpen", map[string]any{
			"textDocument": map[string]any{"uri": "file://" + d.name(i), "languageId": "go", "version": 0, "text": string(raw)},
		})
		if err == nil && i%filesInFolder == 0 {
			err = d.key(d.name(i))
		}
		if err != nil {
			return err
		}
	}
	return d.server.synced()
}

// key types a letter.
func (d *checkout) key(name string) error {
	d.versions[name]++
	at := map[string]int{"line": 0, "character": 0}
	return d.server.notify("textDocument/didChange", map[string]any{
		"textDocument":   map[string]any{"uri": "file://" + name, "version": d.versions[name]},
		"contentChanges": []any{map[string]any{"range": map[string]any{"start": at, "end": at}, "text": "x"}},
	})
}

// pause writes nothing for a second.
func (*checkout) pause() (float64, error) {
	time.Sleep(time.Second)
	return float64(time.Second), nil
}

// typed types until write has ended, and returns what that returns.
func (d *checkout) typed(keys *series, write func() (float64, error)) (float64, error) {
	var took float64
	var failed error
	written := make(chan struct{})
	go func() {
		defer close(written)
		took, failed = write()
	}()
	for {
		select {
		case <-written:
			return took, failed
		default:
			if err := d.roundTrip(keys); err != nil {
				return 0, err
			}
		}
	}
}

// betweenKeys is the time from the answer of one key to the next key.
const betweenKeys = 5 * time.Millisecond

// roundTrip types a letter and adds the nanoseconds until the server has it.
func (d *checkout) roundTrip(to *series) error {
	time.Sleep(betweenKeys)
	began := time.Now()
	if err := d.key(d.name(0)); err != nil {
		return err
	}
	err := d.server.synced()
	*to = append(*to, float64(time.Since(began).Nanoseconds()))
	return err
}

// resident returns the megabytes of the server that are in memory.
func (c *client) resident() (float64, error) {
	kb, err := exec.Command("ps", "-o", "rss=", "-p", strconv.Itoa(c.pid)).Output()
	if err != nil {
		return 0, fmt.Errorf("ps: %w", err)
	}
	memory, err := strconv.ParseFloat(strings.TrimSpace(string(kb)), 64)
	return memory / 1024, err
}
