package workspace

import (
	"strings"

	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/workspace/paths"
)

// opened is an open document. While nobody looks, what is typed goes into a buffer,
// in place; a [Document] is made of it for whoever looks.
type opened struct {
	doc *Document // as of the last look

	buf     *text.Buffer // the text now, nil where nothing was typed yet
	version int32        // now
	misfit  bool         // a change was about another text

	// What was typed since the last look: how many changes, and the changes, each of the
	// text that the one before it left. Typing costs next to nothing until somebody asks.
	news  int
	typed []changeset.Change
	bytes int // that typed takes out and puts in

	// idle: the changes are not kept, since nobody can ask for what was before.
	idle bool
}

// maxTyped and maxTypedBytes bound what is typed before the history is told.
const (
	maxTyped      = 256
	maxTypedBytes = 64 << 10
)

// Change makes changes of the editor, each of which is about the text that the one
// before it left, in the document; it reports whether that is open. Of the changes
// nothing is kept.
func (ds *Documents) Change(key paths.Key, version int32, changes []Change, enc text.Encoding) bool {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	o := ds.docs[key]
	if o == nil {
		return false
	}
	ds.change(o, version, changes, enc)
	return true
}

func (ds *Documents) change(o *opened, version int32, changes []Change, enc text.Encoding) {
	if len(ds.watchers[o.doc.Key]) == 0 && o.takes(version, changes) {
		o.typeAll(version, changes, enc)
		ds.settle(o)
		return
	}
	if doc := o.doc; doc.Left != "" {
		if changes = ds.known(doc, version, changes); len(changes) == 0 {
			return
		}
		o = ds.docs[doc.Key]
	}
	own := make([]Change, len(changes))
	for i, c := range changes {
		own[i] = c
		own[i].Text = strings.Clone(c.Text)
	}
	ds.put(o.look().Change(version, own, enc))
}

// takes reports whether changes may be made in place, where nobody is to be shown each state.
func (o *opened) takes(version int32, changes []Change) bool {
	if o.doc.Drift != "" || version < o.version {
		return false
	}
	for i := range changes {
		if changes[i].Whole {
			return false
		}
	}
	return true
}

func (o *opened) typeAll(version int32, changes []Change, enc text.Encoding) {
	if o.buf == nil {
		o.buf = text.NewBuffer(o.doc.Text)
	}
	o.version = version
	for i := range changes {
		o.typeOne(&changes[i], enc)
	}
	if len(o.typed) >= maxTyped || o.bytes >= maxTypedBytes {
		o.idle = o.look().History.Idle()
	}
}

// settle marks the document as not known if a change did not fit it, and leaves it if it has
// been typed too large. It needs the lock.
func (ds *Documents) settle(o *opened) {
	switch {
	case o.misfit:
		ds.put(o.look().Drifted(misfit))
	case ds.excess(o.doc.Key, o.buf.Len()) != "":
		ds.put(o.look()) // which leaves it
	default:
		ds.Changed.send()
	}
}

func (o *opened) typeOne(c *Change, enc text.Encoding) {
	o.news++
	if o.idle && !c.Counted {
		o.buf.ReplaceRange(c.Range.Start, c.Range.End, enc, c.Text)
		return
	}
	start := o.buf.Offset(c.Range.Start, enc)
	end := start
	if c.Range.Start != c.Range.End {
		end = max(start, o.buf.Offset(c.Range.End, enc))
	}
	o.misfit = o.misfit || !c.fits(o.buf, start, end, enc)
	if !o.idle {
		one := changeset.Change{At: start, Old: o.buf.Slice(start, end), New: strings.Clone(c.Text)}
		o.typed = append(o.typed, one)
		o.bytes += one.Size()
	}
	o.buf.ReplaceRange(c.Range.Start, c.Range.End, enc, c.Text)
}

// look returns the document as it is now. From here on somebody may ask for what
// has become of it.
func (o *opened) look() *Document {
	if o.news > 0 || o.idle {
		next := *o.doc
		next.Text, next.Version, next.Steps = o.buf.Snapshot(), o.version, nil
		if o.idle {
			next.Seq = next.History.Skip(next.Text, o.news)
		} else {
			next.Seq = next.History.Typed(next.Text, o.typed)
		}
		o.doc, o.news, o.typed, o.bytes = &next, 0, nil, 0
	}
	o.idle = false
	return o.doc
}
