package main

// chart is how something grows: both axes are logarithmic.
type chart struct {
	File, Title string
	X, Y        string // what the axes are
	XMarks      []mark // in rising order
	Lines       []line
}

// mark is a place on the x axis.
type mark struct {
	At   float64
	Name string
}

// line is one contestant. Its Y are nanoseconds.
type line struct {
	Name string
	X, Y []float64
}

func (l *line) add(x, y float64) { l.X, l.Y = append(l.X, x), append(l.Y, y) }
