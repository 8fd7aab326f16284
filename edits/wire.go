package edits

import "github.com/patchls/patchls/edits/text"

// BeforeEnd returns edits of t with the same result, moved so that none begins
// or ends after the final line end where that can be: appending "c\n" to "b\n"
// becomes "\nc" at the end of "b". Editors disagree on what a position there
// means (real-editors.md, "End of file").
func (es Edits) BeforeEnd(t text.Text) Edits {
	n := len(es)
	if n == 0 || es[n-1].End < t.Len() {
		return es
	}
	end := Source{Text: t}.finalEnd()
	last, k := es[n-1], len(end)
	switch {
	case k == 0:
		return es
	case last.Start == last.End && text.Terminator(last.New) == end:
		last = Edit{last.Start - k, last.End - k, end + last.New[:len(last.New)-k]}
	case last.New == "" && text.Terminator(t.Slice(0, last.Start)) == end:
		last = Edit{last.Start - k, last.End - k, ""}
	default:
		return es
	}
	moved := append(Edits(nil), es[:n-1]...)
	return coalesce(append(moved, last))
}
