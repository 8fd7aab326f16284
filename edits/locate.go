package edits

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/patchls/patchls/edits/text"
)

// tierNotes say what was passed over at a tier.
var tierNotes = map[Tier]string{
	LineEnds:      "The line ends of old_str differ from the text's, which were kept.",
	TrailingSpace: "Blanks at the ends of lines differ between old_str and the text; those of lines that stay were kept.",
	Indentation:   "The indentation of old_str differs from the text's; new lines were given the text's.",
	Unicode:       "old_str has look-alikes of characters in the text (quotes, dashes, blanks or normal forms); characters that stay were kept.",
	LineNumbers:   "The line numbers that old_str quotes were taken off; among several places they choose.",
	Escapes:       `The literal \n and \t in old_str and new_str were taken for line breaks and tabs.`,
	Anchor:        "The lines that old_str leaves out between its pieces were kept.",
}

// locate looks for old in src at all tiers, or at Exact alone. hint is the line,
// from 1, that old itself names, 0 if it names none.
func (src Source) locate(old, put string, lenient, overlapping bool) (places []found, hint int) {
	places = src.search(old, put, lenient, overlapping)
	if len(places) == 0 && lenient {
		places = src.locateAtEnd(old, put)
	}
	if len(places) == 0 && lenient {
		if bare, first, ok := cutLineNumbers(old); ok && strings.TrimSpace(bare) != "" {
			places, hint = src.search(bare, cutAnyLineNumbers(put), true, overlapping), first
			retier(places, LineNumbers)
		}
	}
	if len(places) == 0 && lenient && isEscaped(old, put) {
		places = src.search(unescape(old), unescape(put), true, overlapping)
		retier(places, Escapes)
	}
	addNotes(places)
	return places, hint
}

// locateAtEnd finds an old text whose final line end the document's last line
// does not have. The text stays without one if put has one as well.
func (src Source) locateAtEnd(old, put string) []found {
	if text.Terminator(old) == "" || src.finalEnd() != "" || (put != "" && text.Terminator(put) == "") {
		return nil
	}
	var atEnd []found
	for _, p := range src.search(strings.TrimSuffix(unixLines(old), "\n"), strings.TrimSuffix(unixLines(put), "\n"), true, true) {
		if p.end == src.Text.Len() && !p.untold {
			atEnd = append(atEnd, p)
		}
	}
	retier(atEnd, LineEnds)
	return atEnd
}

// finalEnd returns the line end that the text ends with.
func (src Source) finalEnd() string {
	n := src.Text.Len()
	return text.Terminator(src.Text.Slice(max(0, n-len("\r\n")), n))
}

// retier names the tier that led to places; the one that found them stays in
// the notes.
func retier(places []found, tier Tier) {
	for i := range places {
		if places[i].tier != Exact {
			places[i].notes = []string{tierNotes[places[i].tier]}
		}
		places[i].tier = tier
	}
}

// addNotes notes on each place what was passed over there. Places share what is
// the same.
func addNotes(places []found) {
	for i := range places {
		switch p := &places[i]; {
		case p.tier == Exact:
			p.notes = nil
		case i > 0 && p.tier == places[0].tier:
			p.notes = places[0].notes
		default:
			p.notes = append([]string{tierNotes[p.tier]}, p.notes...)
		}
	}
}

// numberedLine is a line as tools show it: "  10→x", "10 | x", "    10\tx".
var numberedLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^ *(\d+)(?:→|\t| ?\| ?)`) })

// cutLineNumbers takes the numbers off the lines of s. They must be on every
// line that is not blank, and count up by one.
func cutLineNumbers(s string) (bare string, first int, ok bool) {
	lines := strings.SplitAfter(s, "\n")
	next := -1
	for i, l := range lines {
		m := numberedLine().FindStringSubmatch(l)
		if m == nil {
			if strings.TrimSpace(l) == "" {
				next++
				continue
			}
			return "", 0, false
		}
		n, err := strconv.Atoi(m[1])
		if err != nil || (first > 0 && n != next) {
			return "", 0, false
		}
		if first == 0 {
			first = n - i
		}
		next = n + 1
		lines[i] = l[len(m[0]):]
	}
	return strings.Join(lines, ""), first, first > 0
}

// cutAnyLineNumbers takes the number off each line that has one. It is for a
// text that goes with a numbered one, new lines of which have no number.
func cutAnyLineNumbers(s string) string {
	lines := strings.SplitAfter(s, "\n")
	for i, l := range lines {
		lines[i] = l[len(numberedLine().FindString(l)):]
	}
	return strings.Join(lines, "")
}

// isEscaped reports whether a command was escaped once too often: all its line
// breaks and tabs are literal. One that has real ones as well means the literal
// ones, and so does one that has them in quotes.
func isEscaped(old, put string) bool {
	return (strings.Contains(old, `\n`) || strings.Contains(old, `\t`)) &&
		!strings.ContainsAny(old+put, "\n\t") && !strings.Contains(old+put, `\\`) && !quotedEscape().MatchString(put)
}

// quotedEscape is an escape after an opening quote.
var quotedEscape = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("[\"'`][^\"'`]*\\\\[nt]") })

var unescape = strings.NewReplacer(`\n`, "\n", `\t`, "\t").Replace

// locateElided finds an old text that leaves lines out: the pieces around a
// line of dots must each have one place, in order, and put must leave out as
// much. The regions are the pieces; what is between them stays.
func (src Source) locateElided(old, put string) ([]found, bool) {
	pieces, puts := cutElisions(old), cutElisions(put)
	if len(pieces) < 2 || len(pieces) != len(puts) {
		return nil, false
	}
	var out []found
	after := 0
	for i, piece := range pieces {
		if strings.TrimSpace(piece) == "" {
			return nil, false
		}
		places := src.search(piece, puts[i], true, true)
		if len(places) == 0 {
			places = src.locateAtEnd(piece, puts[i])
		}
		if len(places) != 1 || places[0].untold || places[0].start < after || !src.wholeLines(places[0]) {
			return nil, false
		}
		p := places[0]
		after = p.end
		p.tier, p.notes = Anchor, []string{tierNotes[Anchor]}
		out = append(out, p)
	}
	return out, true
}

// wholeLines reports whether a place begins and ends with its lines, but for
// blanks.
func (src Source) wholeLines(p found) bool {
	start := src.lineContentStart(p.start)
	end := src.Text.LineAt(p.end)
	return start == src.Text.LineStart(src.Text.LineAt(p.start)) &&
		(p.end == src.Text.LineStart(end) || strings.Trim(lineAt(src, end)[p.end-src.Text.LineStart(end):], " \t") == "")
}

// cutElisions cuts s at its lines of dots alone.
func cutElisions(s string) []string {
	pieces := []string{""}
	for line := range strings.Lines(unixLines(s)) {
		if t := strings.TrimSpace(line); t == "..." || t == "…" {
			pieces = append(pieces, "")
			continue
		}
		pieces[len(pieces)-1] += line
	}
	return pieces
}

// notFound returns the error for an old text that has no place, with what would
// help most: that the new text is there already, that a loose match is, or what
// comes nearest.
func (c Replace) notFound(src Source) *Error {
	if tellsMuch(c.New) {
		if there, ok := onlyPlace(src.Text, c.New); ok {
			return &Error{Kind: AlreadyApplied, Message: fmt.Sprintf(
				"Already applied: new_str stands in %s at line %d, and old_str does not occur; nothing was changed.",
				src.Path, src.Text.LineAt(there.Start)+1)}
		}
	}
	e := &Error{Kind: NoMatch}
	if !c.Lenient {
		if places, hint := src.locate(c.Old, c.New, true, true); len(places) > 0 {
			p, ok := nearestPlace(src, places, hint)
			if len(places) == 1 {
				p, ok = places[0], true
			}
			if ok && !p.untold {
				e.Message = fmt.Sprintf("Text not found in %s as it was sent, but there is a place at %s that differs by %s. The suggestion is the call that would succeed; or send match: \"lenient\".",
					src.Path, LineRange(src.Text.LineAt(p.start)+1, src.Text.LineAt(max(p.start, p.end-1))+1), tierWords[p.tier])
				e.Suggestion = c.suggestion(src, p)
				e.Candidates = []Candidate{src.candidateAt(p)}
				return e
			}
		}
	}
	var more string
	e.Candidates, more = src.offered(src.candidates(c.Old, src.mostCandidates()+1))
	if len(e.Candidates) == 0 {
		if other := c.otherCase(src); other != nil {
			return other
		}
		e.Message = fmt.Sprintf("Text not found in %s, and nothing in it comes near. View the file and copy the text from it.", src.Path)
		return e
	}
	best := e.Candidates[0]
	e.Message = fmt.Sprintf("Text not found in %s; the closest is %s (%d%% alike)", src.Path, LineRange(best.StartLine, best.EndLine), int(best.Similarity*100))
	if d := best.FirstDifference; d != nil {
		e.Message += fmt.Sprintf(", where line %d differs at column %d: sent %q, found %q", d.Line, d.Column, d.Sent, d.Found)
	}
	e.Message += ". View it and send the text as it stands." + more
	return e
}

// tellsMuch reports whether s is enough of a text that finding it means
// something.
func tellsMuch(s string) bool {
	t := strings.TrimSpace(s)
	return len(t) >= 10 || strings.Contains(t, "\n")
}

// tierWords word what a loose match passes over.
var tierWords = map[Tier]string{
	LineEnds:      "line ends",
	TrailingSpace: "blanks at the ends of lines",
	Indentation:   "indentation",
	Unicode:       "look-alike characters",
	LineNumbers:   "the line numbers that were quoted",
	Escapes:       `literal \n or \t in place of line breaks or tabs`,
}

// suggestion is the call that does at p, exactly, what c asks for.
func (c Replace) suggestion(src Source, p found) *Suggestion {
	return &Suggestion{Command: "str_replace", Arguments: map[string]any{
		"path": src.Path, "old_str": unixLines(src.Text.Slice(p.start, p.end)), "new_str": unixLines(p.want),
	}}
}

// candidateAt is the candidate that a loose place is.
func (src Source) candidateAt(p found) Candidate {
	return Candidate{
		StartLine: src.Text.LineAt(p.start) + 1, EndLine: src.Text.LineAt(max(p.start, p.end-1)) + 1,
		Similarity: 1, Difference: string(p.tier), Text: unixLines(src.Text.Slice(p.start, p.end)),
	}
}
