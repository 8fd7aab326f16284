package main

import (
	"errors"
	"strings"
)

// places are lines of a text, each there once, that are changed one after the
// other, and then changed back.
type places struct {
	lines []string
	at    []int // of the lines
	steps int   // made
}

// changedLine is the suffix of a changed line.
const changedLine = " // changed"

// placesIn finds count lines, from all over the text.
func placesIn(s string, count int) (*places, error) {
	p := &places{lines: strings.SplitAfter(s, "\n")}
	for i, l := range p.lines {
		l = strings.TrimSuffix(l, "\n")
		if i >= len(p.at)*len(p.lines)/count && len(p.at) < count && len(l) > 40 && strings.Count(s, l) == 1 {
			p.at = append(p.at, i)
		}
	}
	if len(p.at) < count {
		return nil, errors.New("too few lines are unique")
	}
	return p, nil
}

// step changes the next line and returns its old and its new text.
func (p *places) step() (was, is string) {
	p.steps++
	return p.change(p.at[(p.steps-1)%len(p.at)])
}

// change changes a line, or changes it back, and returns its old and its new text.
func (p *places) change(at int) (was, is string) {
	was = strings.TrimSuffix(p.lines[at], "\n")
	if back, changed := strings.CutSuffix(was, changedLine); changed {
		is = back
	} else {
		is = was + changedLine
	}
	p.lines[at] = is + "\n"
	return was, is
}

// text is all of it, as it is.
func (p *places) text() string { return strings.Join(p.lines, "") }
