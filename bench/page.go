package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// page is all that one run measured: docs/performance.md, and the figures behind it.
type page struct {
	Machine machine
	Missing []string // peers that are not here, and why
	Rows    []row
}

// figuresPage is the page of all figures, beside the short one.
const figuresPage = "performance/figures.md"

// write writes the pages into a folder.
func (p page) write(folder string) error {
	if err := os.MkdirAll(filepath.Join(folder, filepath.Dir(figuresPage)), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, figuresPage), []byte(p.figures()), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "performance.md"), []byte(p.short()), 0o644)
}

// goalOf is a goal with the row it belongs to.
type goalOf struct {
	goal
	row string
}

// goals returns all goals, and how many are missed.
func (p page) goals() (all []goalOf, missed int) {
	for _, r := range p.Rows {
		for _, g := range r.Goals {
			all = append(all, goalOf{g, r.Title})
			if !g.met() {
				missed++
			}
		}
	}
	return all, missed
}

const written = "<!-- Written by make bench. Do not edit. -->\n"

// short is docs/performance.md: what a user feels.
func (p page) short() string {
	var b strings.Builder
	b.WriteString(written + "# Performance\n\nFor people who ask what patchls costs: time and memory, compared with alternatives. Medians of one run of `make bench`")
	fmt.Fprintf(&b, " on %s: commit %s, %s, %d cores, %s. [All figures](%s); [an hour of 200 commands a second](reliability/figures.md#load).\n",
		p.Machine.Date, p.Machine.Commit, cmp.Or(p.Machine.Processor, "a processor without a name"), p.Machine.Cores, p.Machine.System, figuresPage)
	b.WriteString("\n| what | patchls | instead |\n|---|---:|---:|\n")
	for _, r := range p.Rows {
		for _, f := range r.Felt {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", f.What, f.Here, f.Instead)
		}
	}
	all, missed := p.goals()
	fmt.Fprintf(&b, "\n%d of the %d goals that we set are met; [the figures](%s#all-goals) have each.\n", len(all)-missed, len(all), figuresPage)
	if missed > 0 {
		b.WriteString("\n## Slower than it should be\n")
		for i := range p.Rows {
			p.Rows[i].excuse(&b)
		}
	}
	return b.String()
}

// figures is the page of everything that was measured.
func (p page) figures() string {
	var b strings.Builder
	b.WriteString(written + "# Figures\n\n")
	b.WriteString("For people who doubt [the summary](../performance.md): what was measured, and how. A figure is a median; in brackets are the quartiles. " +
		"A ratio is one of medians; its range is what it would be with either side at its quartiles.\n\n")
	p.Machine.markdown(&b)
	for _, m := range p.Missing {
		fmt.Fprintf(&b, "\nLeft out: %s.\n", m)
	}
	b.WriteString("\n## All goals\n\n")
	all, _ := p.goals()
	goals(&b, all)
	for i := range p.Rows {
		p.Rows[i].markdown(&b)
	}
	return b.String()
}

func (m machine) markdown(b *strings.Builder) {
	kind := "full"
	if m.Quick {
		kind = "quick: one round or a few at the smallest sizes, so the figures say little"
	}
	fmt.Fprintf(b, "| | |\n|---|---|\n| run | %s, %s |\n| commit | %s |\n| machine | %s, %d cores, %s |\n", m.Date, kind, m.Commit, cmp.Or(m.Processor, "unknown processor"), m.Cores, m.System)
	if m.Load != "" {
		fmt.Fprintf(b, "| load | %s |\n", m.Load)
	}
	fmt.Fprintf(b, "| versions | %s", m.Go)
	for _, v := range []struct{ name, version string }{{"node", m.Node}, {"git", m.Git}} {
		fmt.Fprintf(b, ", %s %s", v.name, cmp.Or(v.version, "missing"))
	}
	b.WriteString(" |\n| again | `make bench` |\n")
}

func goals(b *strings.Builder, of []goalOf) {
	b.WriteString("| work | of which, against whom | goal | measured | range | |\n|---|---|---:|---:|---:|---|\n")
	for _, g := range of {
		bound := "at most "
		if g.Least {
			bound = "at least "
		}
		fmt.Fprintf(b, "| %s | %s | %s%s | %s | %s |", g.row, g.What, bound, g.amount(g.Want), g.amount(g.Got.Mid), g.extent())
		if g.met() {
			b.WriteString(" met |\n")
		} else {
			b.WriteString(" **missed** |\n")
		}
	}
}

// amount writes a figure in the goal's unit.
func (g goal) amount(x float64) string {
	if g.Unit == "×" {
		return number(x) + "×"
	}
	return number(x) + " " + g.Unit
}

// extent is the range of what was measured.
func (g goal) extent() string {
	if g.Got.Low == g.Got.High {
		return ""
	}
	return number(g.Got.Low) + " – " + number(g.Got.High)
}

// excuse says why a goal is missed.
func (r *row) excuse(b *strings.Builder) {
	if r.Why != "" && slices.ContainsFunc(r.Goals, func(g goal) bool { return !g.met() }) {
		fmt.Fprintf(b, "\n**%s.** %s\n", r.Title, r.Why)
	}
}

func (r *row) markdown(b *strings.Builder) {
	fmt.Fprintf(b, "\n## %s\n\n%s\n", r.Title, r.About)
	for i := range r.Tables {
		r.Tables[i].markdown(b)
	}
	for _, n := range r.Notes {
		fmt.Fprintf(b, "\n%s\n", n)
	}
}

func (t *table) markdown(b *strings.Builder) {
	if t.Title != "" {
		fmt.Fprintf(b, "\n%s:\n", t.Title)
	}
	fmt.Fprintf(b, "\n| %s |\n|---%s|\n", strings.Join(t.Columns, " | "), strings.Repeat("|---:", len(t.Columns)-1))
	for _, l := range t.Lines {
		fmt.Fprintf(b, "| %s |\n", strings.Join(l, " | "))
	}
}
