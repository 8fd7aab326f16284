package main

import (
	"context"
	"net"
	"runtime"

	"github.com/patchls/patchls/internal/framing"
	"github.com/patchls/patchls/lsp"
)

// memoryRow measures what an open document costs a server.
func memoryRow(e *env) (row, error) {
	r := row{
		Title: "Memory",
		About: "Resident memory of a server's process: with no document open, with one of Go's own source, and after 5,000 edits at random places in it. " +
			"And bytes of heap per byte of the text, of a server within the process that measures, after 20,000 such edits.",
		Why: "The server also keeps the last saved version, to merge other programs' writes. The two share their memory until edits have touched a quarter of it. A hundred megabytes of open files that were edited take 240.",
	}
	t := table{Columns: []string{"size", "server", "idle, MB", "opened, MB", "edited, MB"}}
	for _, size := range e.sizes(megabyte, 10*megabyte) {
		s := scattered(e.source.first(size), typedKeys)
		all, stop, err := e.servers()
		if err != nil {
			return r, err
		}
		figures := map[string]series{}
		for _, to := range all {
			figures[to.name], err = to.memory(s)
			if err != nil {
				stop()
				return r, err
			}
			cells := []string{sizeName(size), to.name}
			for _, x := range figures[to.name] {
				cells = append(cells, number(x))
			}
			t.add(cells...)
		}
		stop()
		for i, what := range []string{"idle", "with " + sizeName(size) + " open", "after edits in it"} {
			others := "–"
			if x := figures[languageServer]; len(x) > i {
				others = number(x[i]) + " MB (" + languageServer + ")"
			}
			r.Felt = append(r.Felt, felt{"memory of the server, " + what, number(figures[us][i]) + " MB", others})
		}
		r.Goals = append(r.Goals, atMost(sizeName(size)+", of which an open document takes", 6*float64(size)/megabyte, only(figures[us][1]-figures[us][0]), "MB"))
	}
	heap := table{Title: "Heap", Columns: []string{"size", "after 20,000 edits, bytes a byte"}}
	for _, size := range e.sizes(megabyte, 10*megabyte) {
		x, err := heapOf(scattered(e.source.first(size), 20_000))
		if err != nil {
			return r, err
		}
		heap.add(sizeName(size), number(x))
		r.Goals = append(r.Goals, atMost(sizeName(size)+" after 20,000 random edits, heap", 1.6, only(x), "bytes a byte"))
	}
	r.Tables = []table{t, heap}
	return r, nil
}

// heapOf returns the bytes of heap that an open and edited text costs a server, per byte of that text.
func heapOf(s session) (float64, error) {
	ours, theirs := net.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = lsp.Serve(context.Background(), theirs, lsp.Options{}) // it ends with the connection
	}()
	defer func() {
		_ = ours.Close()
		<-done
	}()
	c := &client{in: ours, out: framing.NewReader(ours)}
	if err := c.initialize(); err != nil {
		return 0, err
	}
	frames, ends := changeFrames(s)
	var heap [2]float64
	for i, all := range [][]byte{openFrame(""), append(closeFrame(), openFrame(s.start)...)} {
		if _, err := c.send(all); err != nil {
			return 0, err
		}
		if i > 0 {
			if _, err := c.send(frames, ends...); err != nil {
				return 0, err
			}
		}
		c.body = nil
		heap[i] = heapNow()
	}
	n := float64(len(s.start))
	runtime.KeepAlive(frames) // they are there both times
	return (heap[1] - heap[0]) / n, nil
}

// heapNow returns the bytes that are in use.
func heapNow() float64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// memory returns the megabytes of a server that has nothing open, has a text open, and has edited it.
func (s server) memory(of session) (series, error) {
	frames, _ := changeFrames(of.part(300))
	if s.name == us {
		frames, _ = changeFrames(of)
	}
	var all series
	for _, sent := range [][]byte{nil, openFrame(of.start), frames} {
		if _, err := s.send(sent); err != nil {
			return nil, err
		}
		x, err := s.resident()
		if err != nil {
			return nil, err
		}
		all = append(all, x)
	}
	return all, nil
}
