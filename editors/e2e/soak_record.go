//go:build unix

package main

import (
	"fmt"
	"slices"
	"strings"
)

// record is what an observer inside an editor has seen: every change of some documents,
// and who made it.
type record struct {
	// Texts are those of the documents when the record was taken, by their names.
	Texts  map[string]string `json:"texts"`
	Events []event           `json:"events"`
}

// event is one entry of a record.
type event struct {
	At   int64  `json:"at"`   // microseconds of the system's clock
	What string `json:"what"` // key, change, begin or end
	Key  string `json:"key"`
	Doc  string `json:"doc"`
	Who  string `json:"who"`  // of a change: user or agent
	Call int    `json:"call"` // of begin, end, and a change of an agent
	// A change puts New in the place of Old from line First on, which is from 0.
	First int      `json:"first"`
	Old   []string `json:"old"`
	New   []string `json:"new"`
}

const (
	byUser  = "user"
	byAgent = "agent"
)

// deed is the change that one act made in one document. An act is a key of the user, or one
// call of an agent's edit.
type deed struct {
	Doc           string
	Who           string
	What          string // the keys that led there
	Began         int64  // of the event before its first change: the key, or the begin of the call
	At            int64  // of its first change, as the observer saw it, which may be late
	Before, After string
}

// history is a record made into deeds, with what the texts were in the end by the changes
// alone.
type history struct {
	deeds []deed
	texts map[string]string
}

// read makes deeds of a record that began with these texts.
func (r record) read(texts map[string]string) (history, error) {
	now := map[string][]string{}
	for name, text := range texts {
		now[name] = strings.Split(text, "\n")
	}
	h := history{texts: map[string]string{}}
	same := false // whether a change belongs to the deed before it
	key, before := "", int64(0)
	for i, e := range r.Events {
		switch e.What {
		case "key":
			key, same = e.Key, false
		case "begin", "end":
			same = false
		case "change":
			lines := now[e.Doc]
			last := e.First + len(e.Old)
			if last > len(lines) || !slices.Equal(lines[e.First:last], e.Old) {
				return h, fmt.Errorf("event %d does not fit the text before it: %+v", i, e)
			}
			after := slices.Concat(lines[:e.First], e.New, lines[last:])
			d := deed{Doc: e.Doc, Who: e.Who, What: key, Began: before, At: e.At, Before: strings.Join(lines, "\n"), After: strings.Join(after, "\n")}
			if n := len(h.deeds) - 1; same && h.deeds[n].Who == e.Who && h.deeds[n].Doc == e.Doc {
				h.deeds[n].After = d.After
			} else {
				h.deeds = append(h.deeds, d)
			}
			now[e.Doc], same = after, true
		}
		before = e.At
	}
	for name, lines := range now {
		h.texts[name] = strings.Join(lines, "\n")
	}
	h.deeds = slices.DeleteFunc(h.deeds, func(d deed) bool { return d.Before == d.After })
	return h, nil
}

// holds returns an error if the changes of the record do not lead to the editor's texts: then
// the observer has missed a change.
func (h history) holds(texts map[string]string) error {
	for name, text := range texts {
		if h.texts[name] != text {
			return fmt.Errorf("the observer's changes of %s give %q, and the editor has %q", name, h.texts[name], text)
		}
	}
	return nil
}

// by returns the deeds of who, which is "user" or "agent".
func (h history) by(who string) []*deed {
	var all []*deed
	for i := range h.deeds {
		if h.deeds[i].Who == who {
			all = append(all, &h.deeds[i])
		}
	}
	return all
}
