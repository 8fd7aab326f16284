package headless

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
)

// Locate turns LSP's text edits, all of them of t, into edits sorted by where
// they start. A character past the end of its line means that end, as LSP says. A
// line past the last and a range that ends before it starts are errors.
func Locate(t text.Text, list []TextEdit, enc text.Encoding) ([]edits.Edit, error) {
	last := t.Position(t.Len(), text.UTF8).Line
	es := make([]edits.Edit, 0, len(list))
	for i, te := range list {
		if line := max(te.Range.Start.Line, te.Range.End.Line); int64(line) > int64(last) {
			return nil, fmt.Errorf("edit %d: line %d is beyond the last line, %d", i, line, last)
		}
		e := edits.Edit{
			Start: offset(t, te.Range.Start, enc),
			End:   offset(t, te.Range.End, enc),
			New:   te.NewText,
		}
		if e.Start > e.End {
			return nil, fmt.Errorf("edit %d: the range ends before it starts", i)
		}
		es = append(es, e)
	}
	slices.SortStableFunc(es, func(a, b edits.Edit) int { return cmp.Compare(a.Start, b.Start) })
	return es, nil
}

// Join makes Edits of sorted edits that may touch or be empty, in their memory; to overlap
// is an error. Inserts at one place keep their order, and may come before one
// replacement of what follows.
func Join(es []edits.Edit) (edits.Edits, error) {
	for i := 1; i < len(es); i++ {
		if a, b := es[i-1], es[i]; b.Start < a.End {
			return nil, fmt.Errorf("the edits of bytes [%d,%d) and [%d,%d) overlap", a.Start, a.End, b.Start, b.End)
		}
	}
	return edits.Coalesce(slices.DeleteFunc(es, func(e edits.Edit) bool { return e.Start == e.End && e.New == "" })), nil
}

func offset(t text.Text, p Position, enc text.Encoding) int {
	return t.Offset(text.Position{Line: int(p.Line), Character: int(p.Character)}, enc)
}
