package command

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/draft"
	"github.com/patchls/patchls/edits/match"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/lists"
)

// EditLines is the command edit_lines: changes of lines, all numbered as before the call.
type EditLines struct {
	Edits []LineEdit `json:"edits" jsonschema:"the edits; no line may be in two of them"`
}

// LineEdit is one of the edits of [EditLines]. Its lines are counted from 1, and To is inclusive.
type LineEdit struct {
	From    int     `json:"from" jsonschema:"the first line, from 1; without to, the line to insert before (the number of lines + 1 appends)"`
	To      int     `json:"to,omitempty" jsonschema:"the last line to replace or delete; absent or 0 inserts"`
	Content *string `json:"content,omitempty" jsonschema:"the new lines; absent deletes"`
	Expect  string  `json:"expect,omitempty" jsonschema:"the text that the lines must have now; lines that have moved are found by it; empty is off"`
}

// ByText reports whether the lines are found by the text that they must have.
func (e LineEdit) ByText() bool { return e.To != 0 && e.Expect != "" }

// Plan returns the edits of the whole batch, or the first error in it.
func (c EditLines) Plan(of edits.Source) (edits.Plan, error) {
	src := draft.Source{Source: of}
	if len(c.Edits) == 0 {
		return edits.Plan{}, edits.Errorf(edits.InvalidParams, `edits must hold at least one edit: {"from": 3, "to": 4, "content": "new text"}.`)
	}
	batch, lost, anyLost := slices.Clone(c.Edits), make([][]string, len(c.Edits)), false // what those expect whose numbers are lost
	for i, e := range batch {
		if !e.ByText() {
			continue
		}
		now, isLost := src.Carried(e.From, e.To)
		if isLost {
			lost[i], anyLost = draft.ContentLines(e.Expect), true
		}
		batch[i].From, batch[i].To = now, now+e.To-e.From
	}
	if anyLost {
		if i := slices.Index(src.Twice(lost), true); i >= 0 {
			return edits.Plan{}, src.Stale(batch[i].From)
		}
	}
	places, err := moved(src, batch)
	if err != nil {
		return edits.Plan{}, err
	}
	var notes []string
	otherEnds := false // a line end that is sent differs from the text's
	changes := make([]draft.LineChange, len(batch))
	for i, e := range batch {
		name := fmt.Sprintf("edits[%d]", i)
		if changes[i], err = lineChange(src, e, places[i], name); err != nil {
			return edits.Plan{}, err
		}
		if at := changes[i].From + 1; at != e.From {
			notes = append(notes, fmt.Sprintf("%s: the expected text was found at line %d instead of %d.", name, at, e.From))
		}
		if e.Content != nil && e.To != 0 {
			l := src.Text.Line(changes[i].From)
			sent, found := text.Terminator(diff.FirstLine(*e.Content)), src.Text.Slice(l.End, l.Next)
			otherEnds = otherEnds || sent != "" && found != "" && sent != found
		}
	}
	if len(notes) > 0 && slices.ContainsFunc(c.Edits, func(e LineEdit) bool { return e.Expect == "" }) {
		return edits.Plan{}, edits.Errorf(edits.Stale, "Lines of %s have moved (%s), so the numbers of the edits without expect may be about other lines; view it and send the numbers that it has now.",
			src.Path, strings.TrimSuffix(strings.Join(notes, " "), "."))
	}
	slices.SortStableFunc(changes, draft.CompareChanges)
	for i := 1; i < len(changes); i++ {
		if changes[i].From < changes[i-1].To {
			return edits.Plan{}, edits.Errorf(edits.Overlapping, "Two edits meet at line %d of %s; a line may be changed by one edit only, and all numbers are those before the call.",
				changes[i].From+1, src.Path)
		}
	}
	p, err := src.Plan(src.LineRegions(changes))
	if edits.IsKind(err, edits.NoChange) {
		err = src.Unchanged(otherEnds)
	}
	if err != nil {
		return edits.Plan{}, err
	}
	p.Notes = notes
	p.Message = edited(src, len(changes), p.Edits, p.Edits.Apply(src.Text))
	return p, nil
}

// moved returns, for each edit whose expected text is not where the edit says, all lines, from 0,
// at which that text begins. All texts are sought at once, in one pass over src.
func moved(src draft.Source, batch []LineEdit) ([][]int32, error) {
	wanted := make([][]string, len(batch))
	for i, e := range batch {
		if !e.ByText() {
			continue
		}
		if want := draft.ContentLines(e.Expect); !src.LinesAre(e.From-1, want, match.Fold{}) {
			wanted[i] = want
		}
	}
	places := src.FindLines(wanted, match.Fold{})
	if err := src.Work.Err(); err != nil {
		return nil, err // there may be more places
	}
	if places == nil {
		return nil, edits.Errorf(edits.MultipleMatches, "The expected texts have more than %d places in %s, all in all, and not where the edits say; send the numbers of the lines that you mean.",
			match.MaxAllPlaces, src.Path)
	}
	return places, nil
}

// lineChange checks one edit, which errors call name. If its expected text is not where the
// edit says, places are the lines at which that text begins.
func lineChange(src draft.Source, e LineEdit, places []int32, name string) (change draft.LineChange, err error) {
	from := e.From - 1
	switch {
	case e.To == 0 && e.Content == nil:
		return change, edits.Errorf(edits.InvalidParams, "%s has neither to nor content: give to for the lines to replace or delete, content for the new text.", name)
	case e.To == 0 && e.Expect != "":
		return change, edits.Errorf(edits.InvalidParams, "%s has expect but no to: expect is the text of the lines from to to, and an insertion has none.", name)
	case e.To == 0:
		if from != src.Text.Lines() {
			err = src.CheckRange(e.From, e.From, name+".from", name+".from")
		}
		return draft.LineChange{From: from, To: from, Lines: draft.ContentLines(*e.Content)}, err
	case e.Expect == "" || e.From < 1 || e.To < e.From:
		err = src.CheckRange(e.From, e.To, name+".from", name+".to")
	default:
		from, err = expected(src, e, places, name)
	}
	change = draft.LineChange{From: from, To: from + e.To - e.From + 1}
	if e.Content != nil && *e.Content != "" {
		change.Lines = draft.ContentLines(*e.Content)
	}
	return change, err
}

// expected returns the line, from 0, at which the text expected by e begins.
func expected(src draft.Source, e LineEdit, places []int32, name string) (int, error) {
	want := draft.ContentLines(e.Expect)
	if k := e.To - e.From + 1; len(want) != k {
		return 0, edits.Errorf(edits.InvalidParams, "%s.expect has %s, but from and to name %d.", name, edits.Count(len(want), "line"), k)
	}
	if src.LinesAre(e.From-1, want, match.Fold{}) {
		return e.From - 1, nil
	}
	atLeast := ""
	if len(places) == match.MaxPlaces {
		atLeast = "at least "
	}
	switch len(places) {
	case 1:
		return int(places[0]), nil
	case 0:
		err := edits.Errorf(edits.NoMatch, "Text not found in %s: neither %s nor any others read as %s.expect says; view them and send their numbers and text as they are now.",
			src.Path, edits.LineRange(e.From, e.To), name)
		if last := min(e.To, src.Text.Lines()); e.From <= last {
			err.Snippet = edits.Numbered(src.Text, e.From, last)
		}
		return 0, err
	}
	matches, where := src.LinePlaces(lists.Map(places, func(at int32) int { return int(at) }))
	return 0, &edits.Error{Kind: edits.MultipleMatches, Matches: matches, Message: fmt.Sprintf(
		"Text occurs %s%d times in %s, at %s, and not where %s says; send the number of the lines that you mean.%s",
		atLeast, len(places), src.Path, where, name, src.Unlisted(len(places)))}
}

// Insert is the command insert. It inserts whole lines, after a line or before one.
type Insert struct {
	AfterLine  *int   `json:"after_line,omitempty" jsonschema:"insert after this line; 0 is the top"`
	BeforeLine int    `json:"before_line,omitempty" jsonschema:"insert before this line, from 1; 0 is off"`
	Content    string `json:"content" jsonschema:"whole lines; the last line break may be left out"`
}

// Plan returns the edits that insert the lines of Content.
func (c Insert) Plan(of edits.Source) (edits.Plan, error) {
	src := draft.Source{Source: of}
	n, after := src.Text.Lines(), *cmp.Or(c.AfterLine, new(int))
	at, where := after, fmt.Sprintf("after line %d", after)
	if c.BeforeLine != 0 {
		at, where = c.BeforeLine-1, fmt.Sprintf("before line %d", c.BeforeLine)
	}
	switch {
	case c.BeforeLine == 0 && c.AfterLine == nil || c.BeforeLine != 0 && after != 0: // a client may have to send both
		return edits.Plan{}, edits.Errorf(edits.InvalidParams, `insert takes exactly one of "after_line" and "before_line".`)
	case at < 0:
		return edits.Plan{}, edits.Errorf(edits.InvalidParams, "after_line must be 0 (the top) or more, and before_line 1 or more.")
	case at > n || (c.BeforeLine != 0 && at >= max(n, 1)):
		return edits.Plan{}, src.NoLine(max(after, c.BeforeLine))
	}
	lines := draft.ContentLines(c.Content)
	p, err := src.Plan(src.LineRegions([]draft.LineChange{{From: at, To: at, Lines: lines}}))
	p.Message = fmt.Sprintf("Inserted %s %s in %s.", edits.Count(len(lines), "line"), where, src.Path)
	return p, err
}

// DeleteLines is the command delete_lines. Its lines are counted from 1, and both are deleted.
type DeleteLines struct {
	StartLine int `json:"start_line" jsonschema:"the first line to delete, from 1"`
	EndLine   int `json:"end_line" jsonschema:"the last line to delete"`
}

// Plan returns the edits that delete the lines and their terminators.
func (c DeleteLines) Plan(of edits.Source) (edits.Plan, error) {
	src := draft.Source{Source: of}
	if err := src.CheckRange(c.StartLine, c.EndLine, "start_line", "end_line"); err != nil {
		return edits.Plan{}, err
	}
	p, err := src.Plan(src.LineRegions([]draft.LineChange{{From: c.StartLine - 1, To: c.EndLine}}))
	p.Message = fmt.Sprintf("Deleted %s (%s) in %s.", edits.LineRange(c.StartLine, c.EndLine), edits.Count(c.EndLine-c.StartLine+1, "line"), src.Path)
	return p, err
}
