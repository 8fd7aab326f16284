//go:build unix

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
	y := t.begins(keys)
	var made [10]error
	for i := range made {
		// The edits come all along, however fast they are.
		y.reaches(3 + 8*i)
		_, made[i] = t.agent.edit("str_replace", args{
			"path": t.path("a.txt"), "old_str": fmt.Sprintf("line %d", i), "new_str": fmt.Sprintf("line %d of ten", i),
		})
	}
	typed := t.ends(y)
	t.check("verified", errors.Join(made[:]...))
	lines := []string{"here: " + typed}
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

// typist presses the keys of a text one after the other, until the text or the typing ends.
type typist struct {
	keys   string
	typed  atomic.Int32
	stop   chan struct{}
	typing sync.WaitGroup
	failed error
}

// begins has the user begin to type where the cursor is.
func (t *trial) begins(keys string) *typist {
	y := &typist{keys: keys, stop: make(chan struct{})}
	y.typing.Go(func() {
		every := time.NewTicker(keyTime)
		defer every.Stop()
		for ; y.failed == nil && int(y.typed.Load()) < len(keys); y.typed.Add(1) {
			select {
			case <-every.C:
				y.failed = t.Type(keys[y.typed.Load() : y.typed.Load()+1])
			case <-y.stop:
				return
			}
		}
	})
	return y
}

// reaches waits until that many keys, or all, have been pressed.
func (y *typist) reaches(keys int) {
	_ = until(settleTime, func() error {
		if int(y.typed.Load()) < min(keys, len(y.keys)) {
			return errors.New("not yet")
		}
		return nil
	})
}

// ends has the user stop, and returns what they have typed.
func (t *trial) ends(y *typist) string {
	close(y.stop)
	y.typing.Wait()
	t.must("typed", y.failed)
	return y.keys[:y.typed.Load()]
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

// cursorStays: after an edit above the cursor, the user's typing continues in the same place.
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
