package personas

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/headless"
)

// byLine makes text edits as Neovim's apply_text_edits does: from the last to the first,
// each on the lines as they are after the ones before, where the newline at the end
// belongs to the buffer. A batch may be empty: Neovim sends a didChange then too.
func (d *document) byLine(t text.Text, list []headless.TextEdit) ([]edits.Edits, error) {
	v := vim{t: t, bare: d.bare, eol: d.eol, enc: d.q.encoding()}
	list = slices.Clone(list)
	slices.Reverse(list) // of edits at the same place the last is made first
	slices.SortStableFunc(list, func(a, b headless.TextEdit) int {
		return cmp.Or(cmp.Compare(b.Range.Start.Line, a.Range.Start.Line), cmp.Compare(b.Range.Start.Character, a.Range.Start.Character))
	})
	for _, te := range list {
		te.NewText = d.insert(te.NewText)
		if err := v.edit(te); err != nil {
			return nil, err
		}
	}
	if v.atEnd && v.count() > 1 && strings.HasSuffix(v.body(), v.eol) {
		v.set(len(v.body())-len(v.eol), len(v.body()), "")
	}
	return v.batches, nil
}

// vim is a text as Neovim has it, lines without terminators.
type vim struct {
	t       text.Text
	bare    bool // the last line has no terminator in a file
	eol     string
	enc     text.Encoding
	atEnd   bool // an edit ended past the last line
	batches []edits.Edits
}

// body returns the lines, joined: the text without the final newline that belongs to the buffer.
func (v *vim) body() string {
	if v.bare {
		return v.t.String()
	}
	return strings.TrimSuffix(v.t.String(), v.eol)
}

func (v *vim) count() int { return strings.Count(v.body(), "\n") + 1 }

func (v *vim) set(start, end int, s string) {
	var es edits.Edits
	if start < end || s != "" {
		es = edits.Edits{{Start: start, End: end, New: s}}
	}
	v.batches = append(v.batches, es)
	v.t = es.Apply(v.t)
}

func (v *vim) edit(te headless.TextEdit) error {
	lines, body := uint32(v.count()), len(v.body())
	if te.Range.Start.Line >= lines { // new lines, after all existing ones
		v.set(body, body, v.eol+te.NewText)
		return nil
	}
	start, end := v.offset(te.Range.Start), body
	if te.Range.End.Line >= lines {
		v.atEnd = true
	} else {
		end = v.offset(te.Range.End)
		past := v.t.Position(end, v.enc).Character < int(te.Range.End.Character)
		if past { // the end of the line itself is meant
			te.NewText = strings.TrimSuffix(te.NewText, v.eol)
		}
	}
	if start > end {
		return errors.New("'start' is higher than 'end'")
	}
	v.set(start, end, te.NewText)
	return nil
}

func (v *vim) offset(p headless.Position) int {
	return min(v.t.Offset(text.Position{Line: int(p.Line), Character: int(p.Character)}, v.enc), len(v.body()))
}
