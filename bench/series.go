package main

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// series are the figures of one contestant, one of each round.
type series []float64

// quantile returns the figure below which the share q of all lie.
func (s series) quantile(q float64) float64 {
	if len(s) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(s))
	at := q * float64(len(sorted)-1)
	below := int(at)
	if below+1 == len(sorted) {
		return sorted[below]
	}
	return sorted[below] + (at-float64(below))*(sorted[below+1]-sorted[below])
}

func (s series) median() float64 { return s.quantile(0.5) }
func (s series) best() float64   { return s.quantile(0) }

// ratio is one figure divided by another, with the range that the quartiles of
// both give.
type ratio struct{ Mid, Low, High float64 }

// over divides medians.
func (s series) over(t series) ratio {
	return ratio{s.median() / t.median(), s.quantile(.25) / t.quantile(.75), s.quantile(.75) / t.quantile(.25)}
}

// only returns a ratio without a range.
func only(x float64) ratio { return ratio{x, x, x} }

// number writes a figure, with two decimals if it is small and with none from 100 on.
func number(x float64) string {
	switch a := math.Abs(x); {
	case math.IsNaN(x):
		return "–"
	case a >= 100:
		s := fmt.Sprintf("%.0f", x)
		for i := len(s) - 3; i > 0; i -= 3 {
			s = s[:i] + "," + s[i:]
		}
		return s
	case a >= 10:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.2f", x)
}

// duration writes nanoseconds in the unit that suits them.
func duration(ns float64) string {
	for _, u := range []struct {
		size time.Duration
		name string
	}{{time.Second, "s"}, {time.Millisecond, "ms"}, {time.Microsecond, "µs"}} {
		if math.Abs(ns) >= float64(u.size) {
			return number(ns/float64(u.size)) + " " + u.name
		}
	}
	return number(ns) + " ns"
}

// times writes the median of nanoseconds and their quartiles.
func (s series) times() string {
	if len(s) == 0 {
		return "–"
	}
	if len(s) == 1 {
		return duration(s[0])
	}
	return fmt.Sprintf("%s (%s – %s)", duration(s.median()), duration(s.quantile(.25)), duration(s.quantile(.75)))
}
