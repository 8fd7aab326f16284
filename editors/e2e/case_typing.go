package main

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// typesOn: a user types on while ten edits of an agent arrive, and no key is lost.
func typesOn(t *trial) {
	before := []string{"here: "}
	for i := range 10 {
		before = append(before, fmt.Sprintf("line %d", i))
	}
	text := strings.Join(before, "\n") + "\n"
	t.write("a.txt", text)
	t.open("a.txt")
	t.must("typed", t.Goto(t.path("a.txt"), 1, len("here: ")+1))

	const keys = "and the user types on and on, right through every edit of the agent, and loses no key"
	stop := make(chan struct{})
	var typing sync.WaitGroup
	var typed atomic.Int32
	var failed error
	typing.Go(func() {
		every := time.NewTicker(keyTime)
		defer every.Stop()
		for ; failed == nil && int(typed.Load()) < len(keys); typed.Add(1) {
			select {
			case <-every.C:
				failed = t.Type(keys[typed.Load() : typed.Load()+1])
			case <-stop:
				return
			}
		}
	})
	var made [10]error
	for i := range made {
		// The edits come all along, however fast they are.
		_ = until(settleTime, func() error {
			if int(typed.Load()) < min(3+8*i, len(keys)) {
				return errors.New("not yet")
			}
			return nil
		})
		_, made[i] = t.agent.edit("str_replace", args{
			"path": t.path("a.txt"), "old_str": fmt.Sprintf("line %d", i), "new_str": fmt.Sprintf("line %d of ten", i),
		})
	}
	close(stop)
	typing.Wait()
	t.must("typed", failed)
	t.check("verified", errors.Join(made[:]...))
	lines := []string{"here: " + keys[:typed.Load()]}
	for i, err := range made {
		line := fmt.Sprintf("line %d", i)
		if err == nil {
			line += " of ten"
		}
		lines = append(lines, line)
	}
	want := strings.Join(lines, "\n") + "\n"
	t.check("text", until(settleTime, func() error { return t.same("a.txt", want) }))
	t.check("server has the text", t.told("a.txt"))
	t.check("disk unchanged", t.disk("a.txt", text))
}

// keyTime is the time between two keys of a user who types fast.
const keyTime = 80 * time.Millisecond

// undoWhileTyping: an edit that comes while the user types is an undo step of its own.
func undoWhileTyping(t *trial) {
	t.write("a.txt", "one\ntwo\nthree\n")
	t.open("a.txt")
	t.types("a.txt", 1, 1, "typed ")
	t.edit("str_replace", args{"path": t.path("a.txt"), "old_str": "three", "new_str": "3"})
	t.must("text", t.same("a.txt", "typed one\ntwo\n3\n"))
	t.must("undo", t.Undo(t.path("a.txt")))
	t.must("one undo takes just the edit", t.same("a.txt", "typed one\ntwo\nthree\n"))
	t.must("redo", t.Redo(t.path("a.txt")))
	t.check("redo", t.same("a.txt", "typed one\ntwo\n3\n"))
	t.check("server has the text", t.told("a.txt"))
}

// cursorStays: what a user types after an edit above goes on where they were.
func cursorStays(t *trial) {
	t.write("a.txt", "one\ntwo\nthree\n")
	t.open("a.txt")
	t.types("a.txt", 3, 3, "<typed>")
	t.edit("insert", args{"path": t.path("a.txt"), "after_line": 1, "content": "above\nand more"})
	t.must("typed", t.Type("<on>"))
	t.check("text", until(settleTime, func() error { return t.same("a.txt", "one\nabove\nand more\ntwo\nth<typed><on>ree\n") }))
	t.edit("delete_lines", args{"path": t.path("a.txt"), "start_line": 1, "end_line": 3})
	t.must("typed", t.Type("<and on>"))
	t.check("text", until(settleTime, func() error { return t.same("a.txt", "two\nth<typed><on><and on>ree\n") }))
	t.check("server has the text", t.told("a.txt"))
}
