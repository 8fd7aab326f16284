package main

import (
	"cmp"
	"fmt"
	"html"
	"math"
	"slices"
	"strings"
)

// The picture's measures, in pixels.
const (
	width, height         = 790, 400
	leftSide, rightSide   = 74, 240
	topSide, bottomSide   = 44, 50
	plotRight, plotBottom = width - rightSide, height - bottomSide

	smallestGap = 14.0 // between the names of two lines
)

// colours can be read on white and on black. Ours is the first.
var colours = []string{"#d9480f", "#1c7ed6", "#2b8a3e", "#9c36b5", "#808000", "#0b7285", "#868e96"}

// style takes its grey from the reader's scheme.
const style = `<style>text{font:12px system-ui,sans-serif;fill:#495057}.t{font-size:14px;font-weight:600}.g{stroke:#868e96;stroke-opacity:.3}` +
	`@media(prefers-color-scheme:dark){text{fill:#ced4da}}</style>`

// plot is where figures are in the picture.
type plot struct {
	left, right float64 // the ends of the x axis, as powers of ten
	first, last float64 // of the y axis
}

func (p plot) x(v float64) float64 {
	return leftSide + (math.Log10(v)-p.left)/(p.right-p.left)*(plotRight-leftSide)
}

func (p plot) y(v float64) float64 {
	return plotBottom - (math.Log10(v)-p.first)/(p.last-p.first)*(plotBottom-topSide)
}

// plot returns the plot that holds all figures, between whole powers of ten.
func (c chart) plot() plot {
	low, high := math.Inf(1), 0.0
	for _, l := range c.Lines {
		for _, y := range l.Y {
			low, high = min(low, y), max(high, y)
		}
	}
	p := plot{math.Log10(c.XMarks[0].At), math.Log10(c.XMarks[len(c.XMarks)-1].At), math.Floor(math.Log10(low)), math.Ceil(math.Log10(high))}
	if p.first == p.last {
		p.last++
	}
	return p
}

// svg draws the chart.
func (c chart) svg() string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-label="%s">`+"\n%s\n", width, height, html.EscapeString(c.Title), style)
	p := c.plot()
	c.axes(&b, p)
	c.lines(&b, p)
	b.WriteString("</svg>\n")
	return b.String()
}

func (c chart) axes(b *strings.Builder, p plot) {
	fmt.Fprintf(b, `<text class="t" x="%d" y="20">%s</text>`+"\n", leftSide, html.EscapeString(c.Title))
	for d := p.first; d <= p.last; d++ {
		at := p.y(math.Pow(10, d))
		fmt.Fprintf(b, `<line class="g" x1="%d" y1="%.1f" x2="%d" y2="%.1f"/><text x="%d" y="%.1f" text-anchor="end">%s</text>`+"\n",
			leftSide, at, plotRight, at, leftSide-8, at+4, axisTime(math.Pow(10, d)))
	}
	for _, m := range c.XMarks {
		at := p.x(m.At)
		fmt.Fprintf(b, `<line class="g" x1="%.1f" y1="%d" x2="%.1f" y2="%d"/><text x="%.1f" y="%d" text-anchor="middle">%s</text>`+"\n",
			at, topSide, at, plotBottom, at, plotBottom+18, html.EscapeString(m.Name))
	}
	fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="middle">%s</text><text x="%d" y="%d" text-anchor="end">%s</text>`+"\n",
		(leftSide+plotRight)/2, height-10, html.EscapeString(c.X), leftSide-8, topSide-14, html.EscapeString(c.Y))
}

// lines draws the lines, each with its name at its end. The first one is ours.
func (c chart) lines(b *strings.Builder, p plot) {
	ends := make([]float64, len(c.Lines))
	for i, l := range c.Lines {
		ends[i] = p.y(l.Y[len(l.Y)-1])
	}
	names := apart(ends)
	for i, l := range c.Lines {
		colour, stroke := colours[i%len(colours)], 1.5
		if i == 0 {
			stroke = 3
		}
		points := make([]string, len(l.X))
		for k := range l.X {
			x, y := p.x(l.X[k]), p.y(l.Y[k])
			points[k] = fmt.Sprintf("%.1f,%.1f", x, y)
			fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>`, x, y, colour)
		}
		fmt.Fprintf(b, `<polyline points="%s" fill="none" stroke="%s" stroke-width="%g"/>`, strings.Join(points, " "), colour, stroke)
		fmt.Fprintf(b, `<text x="%d" y="%.1f" style="fill:%s">%s</text>`+"\n", plotRight+10, names[i]+4, colour, html.EscapeString(l.Name))
	}
}

// apart moves heights until no two are closer than a line of text.
func apart(ys []float64) []float64 {
	order := make([]int, len(ys))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(ys[a], ys[b]) })
	out, last := slices.Clone(ys), math.Inf(-1)
	for _, i := range order {
		out[i] = max(out[i], last+smallestGap)
		last = out[i]
	}
	return out
}

// axisTime writes a power of ten of nanoseconds.
func axisTime(ns float64) string {
	return strings.Replace(strings.Replace(duration(ns), ".00", "", 1), ".0", "", 1)
}
