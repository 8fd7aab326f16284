package main

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/patchls/patchls/edits/text"
)

// memoryRow measures what an open document costs.
func memoryRow(e *env) (row, error) {
	r := row{
		Why:   "A server keeps beside the text what the file held when it was opened or saved last, by which it knows text that was thrown away and files that others wrote. Both share their memory until edits at random places have touched all of it.",
		Title: "Heap of an open document",
		About: fmt.Sprintf("Bytes of heap per byte of the text, for Go's own source: the text alone, and a whole server which has the document open, with its history and what the file held. "+
			"When it is opened, and after %d random edits of a character. What a server of the same size has left after closing is taken off. "+
			"Of node, heapUsed and external in a process of its own, when it is opened.", randomEdits),
	}
	t := table{Columns: []string{"size", "text, opened", "text, edited", "server, opened", "server, edited"}}
	if e.peers.node != "" {
		for _, n := range nodeTexts {
			t.Columns = append(t.Columns, n.name)
		}
	}
	for _, size := range []int{64 * kilobyte, megabyte, 10 * megabyte} {
		s := scattered("heap", e.source.first(size), randomEdits)
		opened, edited := textHeap(s)
		serverOpened, serverEdited, err := serverHeap(s)
		if err != nil {
			return r, err
		}
		cells := []string{sizeName(size), number(opened), number(edited), number(serverOpened), number(serverEdited)}
		if e.peers.node != "" {
			file, err := e.write("heap.txt", s.start)
			if err != nil {
				return r, err
			}
			for _, n := range nodeTexts {
				x, err := e.peers.heap(n.kind, file, len(s.start))
				if err != nil {
					return r, err
				}
				cells = append(cells, number(x))
			}
		}
		t.add(cells...)
		const perByte = "bytes a byte"
		r.Goals = append(r.Goals,
			atMost(sizeName(size)+", the text when opened", 1.15, only(opened), perByte),
			atMost(fmt.Sprintf("%s, the text after %d random edits", sizeName(size), randomEdits), 1.4, only(edited), perByte))
		if size >= megabyte {
			r.Goals = append(r.Goals,
				atMost(sizeName(size)+", the whole server when opened", 1.15, only(serverOpened), perByte),
				atMost(fmt.Sprintf("%s, the whole server after %d random edits", sizeName(size), randomEdits), 1.4, only(serverEdited), perByte))
		}
	}
	r.Tables = []table{t}
	r.Notes = []string{"A server of 64 KB has no goal of its own: what it keeps for all documents is as large."}
	return r, nil
}

func textHeap(s session) (opened, edited float64) {
	before := heap()
	b := text.NewBuffer(text.New(strings.Clone(s.start)))
	b.Position(b.Len(), text.UTF16) // makes the tree
	opened = float64(heap()-before) / float64(len(s.start))
	for _, c := range s.changes {
		b.ReplaceRange(c.from, c.to, text.UTF16, c.put)
	}
	edited = float64(heap()-before) / float64(b.Len())
	runtime.KeepAlive(b)
	return opened, edited
}

// serverHeap is textHeap of a server. The base is one that had such a document
// open and has closed it, so that its own buffers are as large.
func serverHeap(s session) (opened, edited float64, err error) {
	c, err := inside()
	if err != nil {
		return 0, 0, err
	}
	defer c.close()
	open, shut := openFrame(s.start), closeFrame()
	frames, _ := changeFrames(s)
	for _, f := range [][]byte{open, shut} {
		if _, err := c.send(f); err != nil {
			return 0, 0, err
		}
	}
	before := heap()
	if _, err := c.send(open); err != nil {
		return 0, 0, err
	}
	opened = float64(heap()-before) / float64(len(s.start))
	if _, err := c.send(frames); err != nil {
		return 0, 0, err
	}
	edited = float64(heap()-before) / float64(len(s.end))
	runtime.KeepAlive(open) // neither is let go between two looks
	runtime.KeepAlive(frames)
	return opened, edited, nil
}

func heap() int {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// heap has a new node process open a file, and returns bytes of heap per byte.
func (p peers) heap(kind, file string, size int) (float64, error) {
	s, err := p.start("text.mjs")
	if err != nil {
		return 0, err
	}
	defer s.close()
	return s.order(map[string]any{"do": "heap", "kind": kind, "file": file, "bytes": size})
}
