package lsp_test

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// seenAgent is what an agent knows of each document. It is a model of a language model, and knows nothing
// of the server's ledger: what it knows it has read in answers and errors.
type seenAgent struct {
	name  string
	knows map[string]*seenText
	edits []seenEdit // its own, which it may undo
}

type seenEdit struct {
	id, doc string
	brought set // lines
}

// seenText is what an agent believes of a text.
type seenText struct {
	lines []seenLine
	// forgot are lines that it was shown once, and that it does not know any more where they are.
	forgot set
	// gone are lines that it has taken out of the file beside the editor.
	gone set
	// rev is that of the newest answer, and numbered the lines that this answer showed.
	rev      string
	numbered map[int]string
	whole    bool // numbered is the whole text
	// then are the lines of the text when it was shown any, whether it saw them or not.
	then []string
	// unmet: nothing of the text was shown to it since the server was started. It is taken to know the file.
	unmet bool
	// guesses: it has read or changed the file beside the editor, and not yet seen all that the editor has.
	guesses bool
	// conflict: its last whole text was refused. It has what the error showed.
	conflict bool
}

// seenLine is a line, and the number that its agent believes that it has, 0 if it does not know.
type seenLine struct {
	text string
	n    int
	lone bool // it was shown with no line that is one of its kind, so what stands beside it is not known
}

// mark is what makes a line one of its kind, whatever blanks are around it; "" for a line that may be there twice.
func mark(line string) string {
	if strings.Contains(line, "⟦") {
		return strings.TrimSpace(line)
	}
	return ""
}

func marksOf(rows []string) set {
	all := set{}
	for _, row := range rows {
		if m := mark(row); m != "" {
			all[m] = true
		}
	}
	return all
}

func (k *seenText) rows() []string {
	rows := make([]string, len(k.lines))
	for i, l := range k.lines {
		rows[i] = l.text
	}
	return rows
}

// at returns the index of the line that has a mark, -1 if it is not known.
func (k *seenText) at(m string) int {
	return slices.IndexFunc(k.lines, func(l seenLine) bool { return m != "" && mark(l.text) == m })
}

// shown has the agent read rows, which are lines of a text of that many lines, from one on.
func (k *seenText) shown(from int, rows []string, total int) {
	k.unmet = false
	fresh := make([]seenLine, len(rows))
	for i, row := range rows {
		fresh[i] = seenLine{row, from + i, len(marksOf(rows)) == 0}
	}
	to := from + len(rows) - 1
	lo, hi, first, last, moved := len(k.lines), -1, -1, -1, false
	for i, l := range fresh {
		if at := k.at(mark(l.text)); at >= 0 {
			moved = moved || k.lines[at].n != from+i
			if last = i; first < 0 {
				first = i
			}
			lo, hi = min(lo, at), max(hi, at)
		}
	}
	k.guesses = k.guesses || moved && (first > 0 || last < len(fresh)-1) // it is not clear what stands beside them
	if hi < 0 || !moved {                                                // it goes by the numbers
		lo = slices.IndexFunc(k.lines, func(l seenLine) bool { return l.n >= from })
		if lo < 0 {
			lo = len(k.lines)
		}
		hi = lo - 1
		for hi+1 < len(k.lines) && k.lines[hi+1].n <= to {
			hi++
		}
	}
	if from == 1 {
		lo = 0
	}
	if to == total {
		hi = len(k.lines) - 1
	}
	gone := marksOf((&seenText{lines: k.lines[lo : hi+1]}).rows())
	other := func(l seenLine) bool { return mark(l.text) == "" || !marksOf(rows)[mark(l.text)] }
	lines := append(filter(k.lines[:lo], other), fresh...) // it cannot have a line twice
	k.lines = slices.Concat(lines, filter(k.lines[max(lo, hi+1):], other))
	for i, l := range k.lines { // nor two lines of one number
		if from <= l.n && l.n <= to && (i < len(lines)-len(fresh) || i >= len(lines)) {
			k.lines[i].n = 0
		}
	}
	if from == 1 && to == total {
		k.forgot, k.guesses = set{}, false
		return
	}
	for m := range gone {
		if k.at(m) < 0 {
			k.forgot[m] = true
		}
	}
	for m := range marksOf(rows) {
		delete(k.forgot, m)
	}
}

// wrote has the agent know that its lines [from,to) are others now, and that the numbers of those below are
// what its edit has made of them. by is the line that it named.
func (k *seenText) wrote(by, from, to int, rows []string) {
	number := 1
	switch {
	case k.lines[by].n > 0:
		number = k.lines[by].n + from - by
	case from > 0:
		number = k.lines[from-1].n + 1
	}
	put := make([]seenLine, len(rows))
	for i, row := range rows {
		put[i] = seenLine{text: row, n: number + i}
	}
	k.lines = slices.Replace(slices.Clone(k.lines), from, to, put...)
	for i := range k.lines {
		isBelow := from+len(rows) <= i || i < from && number > 1 // an error may have shown a line by its number alone, so that it is out of order
		if isBelow && k.lines[i].n >= number {
			k.lines[i].n += len(rows) - (to - from)
		}
	}
}

// unnumbered has the agent rely on no number.
func (k *seenText) unnumbered() {
	k.lines = slices.Clone(k.lines)
	for i := range k.lines {
		k.lines[i].n = 0
	}
	k.rev, k.numbered, k.whole = "", nil, false
}

// numberedRow is a line as answers show it.
var numberedRow = regexp.MustCompile(`(?m)^ *(\d+)(?:\t|: | )(.*)$`)

// seenRun are lines that an answer shows one after the other.
type seenRun struct {
	from int
	rows []string
}

// numberedRuns returns the numbered lines of an answer.
func numberedRuns(s string) (runs []seenRun) {
	for _, m := range numberedRow.FindAllStringSubmatch(s, -1) {
		n, _ := strconv.Atoi(m[1])
		row := strings.TrimSuffix(m[2], "\r") // of a last line that has no line feed; the others are shown without
		if last := len(runs) - 1; last >= 0 && runs[last].from+len(runs[last].rows) == n {
			runs[last].rows = append(runs[last].rows, row)
			continue
		}
		runs = append(runs, seenRun{n, []string{row}})
	}
	return runs
}

// reads has the agent read an answer or an error about a text of that many lines, 0 if the answer does not say.
func (k *seenText) reads(said, rev string, total int) {
	k.rev, k.numbered, k.whole = rev, map[int]string{}, false
	for _, run := range numberedRuns(said) {
		k.shown(run.from, run.rows, total)
		for i, row := range run.rows {
			k.numbered[run.from+i] = row
		}
	}
	k.whole = total > 0 && len(k.numbered) == total
}
