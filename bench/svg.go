package main

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strings"
)

// The picture's measures, in pixels.
const (
	width, height           = 760, 400
	leftSide, rightSide     = 74, 210
	topSide, bottomSide     = 44, 50
	plotRight               = width - rightSide
	plotBottom              = height - bottomSide
	lineStep                = 17
	smallestGap         int = 14 // between the names of two lines
)

// colours can be read on white and on black. Ours is the first.
var colours = []string{"#d9480f", "#1c7ed6", "#2b8a3e", "#9c36b5", "#808000", "#0b7285", "#868e96"}

// style takes its grey from the reader's scheme.
const style = `<style>text{font:12px system-ui,sans-serif;fill:#495057}.t{font-size:14px;font-weight:600}.g{stroke:#868e96;stroke-opacity:.3}` +
	`@media(prefers-color-scheme:dark){text{fill:#ced4da}}</style>`

// svg draws the chart.
func (c chart) svg() string {
	low, high := math.Inf(1), 0.0
	for _, l := range c.Lines {
		for _, y := range l.Y {
			low, high = min(low, y), max(high, y)
		}
	}
	first, last := math.Floor(math.Log10(low)), math.Ceil(math.Log10(high))
	if first == last {
		last++
	}
	left, right := math.Log10(c.XMarks[0].At), math.Log10(c.XMarks[len(c.XMarks)-1].At)
	x := func(v float64) float64 {
		return leftSide + (math.Log10(v)-left)/(right-left)*(plotRight-leftSide)
	}
	y := func(v float64) float64 {
		return plotBottom - (math.Log10(v)-first)/(last-first)*(plotBottom-topSide)
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-label="%s">`+"\n%s\n", width, height, html.EscapeString(c.Title), style)
	fmt.Fprintf(&b, `<text class="t" x="%d" y="20">%s</text>`+"\n", leftSide, html.EscapeString(c.Title))
	for d := first; d <= last; d++ {
		at := y(math.Pow(10, d))
		fmt.Fprintf(&b, `<line class="g" x1="%d" y1="%.1f" x2="%d" y2="%.1f"/><text x="%d" y="%.1f" text-anchor="end">%s</text>`+"\n",
			leftSide, at, plotRight, at, leftSide-8, at+4, axisTime(math.Pow(10, d)))
	}
	for _, m := range c.XMarks {
		fmt.Fprintf(&b, `<line class="g" x1="%.1f" y1="%d" x2="%.1f" y2="%d"/><text x="%.1f" y="%d" text-anchor="middle">%s</text>`+"\n",
			x(m.At), topSide, x(m.At), plotBottom, x(m.At), plotBottom+18, html.EscapeString(m.Name))
	}
	fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="middle">%s</text><text x="%d" y="%d" text-anchor="end">%s</text>`+"\n",
		(leftSide+plotRight)/2, height-10, html.EscapeString(c.X), leftSide-8, topSide-14, html.EscapeString(c.Y))
	ends := make([]float64, len(c.Lines))
	for i, l := range c.Lines {
		ends[i] = y(l.Y[len(l.Y)-1])
	}
	names := apart(ends)
	for i, l := range c.Lines {
		colour, stroke := colours[i%len(colours)], 1.5
		if i == 0 {
			stroke = 3
		}
		var points []string
		for k := range l.X {
			points = append(points, fmt.Sprintf("%.1f,%.1f", x(l.X[k]), y(l.Y[k])))
			fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>`, x(l.X[k]), y(l.Y[k]), colour)
		}
		fmt.Fprintf(&b, `<polyline points="%s" fill="none" stroke="%s" stroke-width="%g"/>`, strings.Join(points, " "), colour, stroke)
		fmt.Fprintf(&b, `<text x="%d" y="%.1f" style="fill:%s">%s</text>`+"\n", plotRight+10, names[i]+4, colour, html.EscapeString(l.Name))
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// apart moves heights until no two are closer than a line of text.
func apart(ys []float64) []float64 {
	order := make([]int, len(ys))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return int(math.Copysign(1, ys[a]-ys[b])) })
	out, last := slices.Clone(ys), math.Inf(-1)
	for _, i := range order {
		out[i] = max(out[i], last+float64(smallestGap))
		last = out[i]
	}
	return out
}

// axisTime writes a power of ten of nanoseconds.
func axisTime(ns float64) string {
	return strings.Replace(strings.Replace(duration(ns), ".00", "", 1), ".0", "", 1)
}
