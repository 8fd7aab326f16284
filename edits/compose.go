package edits

import (
	"strings"

	"github.com/patchls/patchls/edits/text"
)

// Then returns the edits of t that do what es, which are of t, and after them
// next, which are of es.Apply(t), do.
func (es Edits) Then(t text.Text, next Edits) Edits {
	c := composer{t: t}
	at := 0 // of t
	for _, e := range es {
		c.keep(at, e.Start)
		c.put(e.Start, e.End, e.New)
		at = e.End
	}
	c.keep(at, t.Len())
	return c.apply(next)
}

// composer holds the text between two lots of edits as the runs that it is made
// of.
type composer struct {
	t    text.Text
	runs []run
	n    int // length of all runs
	i    int // the run that pass is at
}

// run is a part of the text in between, which begins at offset at of it: put in
// place of [from,to) of the text before, or, if kept, just that.
type run struct {
	at, from, to int
	kept         bool
	put          string
}

func (c *composer) keep(from, to int) {
	if from == to {
		return
	}
	c.runs = append(c.runs, run{at: c.n, from: from, to: to, kept: true})
	c.n += to - from
}

func (c *composer) put(from, to int, s string) {
	c.runs = append(c.runs, run{at: c.n, from: from, to: to, put: s})
	c.n += len(s)
}

// apply returns the edits of the text before that come to the runs with next
// applied to them.
func (c *composer) apply(next Edits) Edits {
	out := joiner{t: c.t}
	at := 0
	for _, e := range next {
		c.pass(&out, at, e.Start, true)
		out.put.WriteString(e.New)
		c.pass(&out, e.Start, e.End, false)
		at = e.End
	}
	c.pass(&out, at, c.n, true)
	out.flush()
	return out.edits
}

// pass goes from offset from of the text in between, which is where it was left,
// to offset to, and passes what is there on or leaves it out.
func (c *composer) pass(out *joiner, from, to int, on bool) {
	for c.i < len(c.runs) {
		r := &c.runs[c.i]
		start, end := max(from, r.at)-r.at, min(to, r.at+r.size())-r.at
		switch {
		case !r.kept:
			out.end = r.to
			if on && start < end {
				out.put.WriteString(r.put[start:end])
			}
		case start < end && on:
			out.keep(r.from+start, r.from+end)
		case start < end:
			out.end = r.from + end
		}
		if r.at+r.size() > to {
			return
		}
		c.i++
	}
}

func (r *run) size() int {
	if r.kept {
		return r.to - r.from
	}
	return len(r.put)
}

// joiner makes edits of what is kept of a text, what goes, up to end, and what
// is put there, in order.
type joiner struct {
	t          text.Text
	edits      Edits
	start, end int // what goes, since the last that was kept
	put        strings.Builder
}

// keep ends the edit before [from,to).
func (j *joiner) keep(from, to int) {
	j.end = from
	j.flush()
	j.start, j.end = to, to
}

func (j *joiner) flush() {
	was, put := j.t.Slice(j.start, j.end), j.put.String()
	p, q := commonEnds(was, put)
	e := Edit{j.start + p, j.end - q, put[p : len(put)-q]}
	if e.Start < e.End || e.New != "" {
		j.edits = append(j.edits, e)
	}
	j.put.Reset()
}
