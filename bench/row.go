package main

// row is a piece of work, what it was measured against, and what has to hold.
type row struct {
	Title  string
	About  string // what is done, by whom, and how it is measured
	Goals  []goal
	Tables []table
	Notes  []string // what was left out, and why
	// Why is the known reason why the row misses goals. The page shows it if one is
	// missed.
	Why string

	Felt []felt // the parts that a user notices
}

// felt is a line of the short page: what takes time or memory, and of what a user would take instead.
type felt struct{ What, Here, Instead string }

// felt adds the medians of patchls and of another.
func (r *row) felt(what string, got map[string]series, instead string) {
	others := "–"
	if s := got[instead]; len(s) > 0 {
		others = duration(s.median()) + " (" + instead + ")"
	}
	r.Felt = append(r.Felt, felt{what, duration(got[us].median()), others})
}

// goal is a bound on a figure.
type goal struct {
	What  string // of which work, against whom
	Want  float64
	Got   ratio
	Least bool   // Got has to be at least Want, else at most
	Unit  string // "×", "ms"
}

// atLeast is the goal to be faster by the factor want.
func atLeast(what string, want float64, got ratio) goal {
	return goal{What: what, Want: want, Got: got, Least: true, Unit: "×"}
}

// atMost is the goal to stay below want.
func atMost(what string, want float64, got ratio, unit string) goal {
	return goal{What: what, Want: want, Got: got, Unit: unit}
}

// short returns by which factor the goal is missed, 1 or less where it is met.
func (g goal) short() float64 {
	if g.Least {
		return g.Want / g.Got.Mid
	}
	return g.Got.Mid / g.Want
}

func (g goal) met() bool { return g.short() <= 1 }

// table is shown as it stands. Its first column is text, the others are figures.
type table struct {
	Title   string
	Columns []string
	Lines   [][]string
}

func (t *table) add(cells ...string) { t.Lines = append(t.Lines, cells) }
