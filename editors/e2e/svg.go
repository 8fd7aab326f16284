//go:build unix

package main

import (
	"fmt"
	"html"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// picture writes what the terminal shows as a drawing.
func (t *terminal) picture(folder, name string, columns int) (string, error) {
	if _, err := t.tmux("resize-window", "-t", "e2e", "-x", strconv.Itoa(columns), "-y", strconv.Itoa(pictureRows)); err != nil {
		return "", err
	}
	// The editor draws anew, and there is no telling when it has.
	time.Sleep(drawTime)
	screen, err := t.capture("-e", "-N") // with its colours, and the blanks at the ends of lines
	if err != nil {
		return "", err
	}
	file := filepath.Join(folder, name+".svg")
	return file, os.WriteFile(file, []byte(drawing(screen, columns)), 0o644)
}

// What a picture shows.
const (
	pictureColumns = 64
	pictureRows    = 14
	drawTime       = 500 * time.Millisecond
)

// A cell of the drawing, in its units.
const (
	cellWidth  = 8.4
	cellHeight = 18
	margin     = 10
)

// style is how characters look.
type style struct {
	ink, paper                         string // colours; "" is the terminal's own
	bold, faint, italic, line, reverse bool
}

const (
	ink   = "#e6e6e6"
	paper = "#1c1e26"
)

// drawing makes an SVG of lines of text with the escape sequences of a terminal.
func drawing(screen string, columns int) string {
	lines := strings.Split(strings.TrimRight(screen, "\n"), "\n")
	width, height := float64(columns)*cellWidth+2*margin, float64(len(lines)*cellHeight+2*margin)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" width="%g" height="%g">`+"\n", width, height, width, height)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="6" fill="%s"/>`+"\n", paper)
	b.WriteString(`<g font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">` + "\n")
	var s style
	for row, line := range lines {
		column := 0
		for _, r := range stretches(line, &s) {
			r.draw(&b, row, column)
			column += r.width()
		}
	}
	b.WriteString("</g>\n</svg>\n")
	return b.String()
}

// stretch is a row of characters that look the same.
type stretch struct {
	text  string
	style style
}

// stretches cuts a line at its escape sequences. A style goes on in the next line.
func stretches(line string, s *style) []stretch {
	var all []stretch
	for line != "" {
		text, rest, escaped := strings.Cut(line, "\x1b[")
		if text != "" {
			all = append(all, stretch{text, *s})
		}
		if !escaped {
			break
		}
		end := strings.IndexFunc(rest, func(r rune) bool { return r >= '@' && r <= '~' })
		if end < 0 {
			break
		}
		if rest[end] == 'm' {
			s.apply(rest[:end])
		}
		line = rest[end+1:]
	}
	return all
}

// apply applies the parameters of a "select graphic rendition".
func (s *style) apply(parameters string) {
	numbers := strings.FieldsFunc(parameters, func(r rune) bool { return r == ';' || r == ':' })
	if len(numbers) == 0 {
		numbers = []string{"0"}
	}
	for i := 0; i < len(numbers); i++ {
		n, _ := strconv.Atoi(numbers[i]) // what is no number is 0, as for a terminal
		switch {
		case n == 0:
			*s = style{}
		case n == 1:
			s.bold = true
		case n == 2:
			s.faint = true
		case n == 3:
			s.italic = true
		case n == 4:
			s.line = true
		case n == 7:
			s.reverse = true
		case n == 22:
			s.bold, s.faint = false, false
		case n == 23:
			s.italic = false
		case n == 24:
			s.line = false
		case n == 27:
			s.reverse = false
		case n == 38 || n == 48:
			colour, used := extended(numbers[i+1:])
			if i += used; n == 38 {
				s.ink = colour
			} else {
				s.paper = colour
			}
		case n >= 30 && n <= 37:
			s.ink = palette(n - 30)
		case n >= 90 && n <= 97:
			s.ink = palette(n - 90 + 8)
		case n == 39:
			s.ink = ""
		case n >= 40 && n <= 47:
			s.paper = palette(n - 40)
		case n >= 100 && n <= 107:
			s.paper = palette(n - 100 + 8)
		case n == 49:
			s.paper = ""
		}
	}
}

// extended reads a colour of 256 or of 24 bits, and says how many numbers it has.
func extended(numbers []string) (colour string, used int) {
	var n [4]int
	for i := range min(len(numbers), 4) {
		n[i], _ = strconv.Atoi(numbers[i]) // as above
	}
	if n[0] == 2 {
		return fmt.Sprintf("#%02x%02x%02x", n[1], n[2], n[3]), 4
	}
	return palette(n[1]), 2
}

// palette is the usual one of 256 colours.
func palette(n int) string {
	switch {
	case n < 16:
		return [...]string{
			"#1c1e26", "#e95678", "#29d398", "#fab795", "#26bbd9", "#ee64ae", "#59e3e3", "#d5d8da",
			"#6c6f93", "#ec6a88", "#3fdaa4", "#fbc3a7", "#3fc6de", "#f075b7", "#6be6e6", "#ffffff",
		}[max(n, 0)]
	case n < 232:
		level := func(i int) int { return [...]int{0, 95, 135, 175, 215, 255}[i] }
		n -= 16
		return fmt.Sprintf("#%02x%02x%02x", level(n/36), level(n/6%6), level(n%6))
	}
	grey := 8 + 10*(n-232)
	return fmt.Sprintf("#%02x%02x%02x", grey, grey, grey)
}

// width is in cells; only characters of one cell are drawn.
func (r stretch) width() int { return len([]rune(r.text)) }

func (r stretch) draw(b *strings.Builder, row, column int) {
	front, back := r.style.ink, r.style.paper
	if r.style.reverse {
		if front == "" {
			front = ink
		}
		if back == "" {
			back = paper
		}
		front, back = back, front
	}
	x, y := margin+float64(column)*cellWidth, float64(margin+row*cellHeight)
	if back != "" {
		fmt.Fprintf(b, `<rect x="%.1f" y="%g" width="%.1f" height="%d" fill="%s"/>`+"\n", x, y, float64(r.width())*cellWidth, cellHeight, back)
	}
	if front == "" {
		front = ink
	}
	var look strings.Builder
	for _, l := range []struct {
		is   bool
		look string
	}{{r.style.bold, ` font-weight="bold"`}, {r.style.faint, ` opacity="0.6"`}, {r.style.italic, ` font-style="italic"`}, {r.style.line, ` text-decoration="underline"`}} {
		if l.is {
			look.WriteString(l.look)
		}
	}
	// Each word gets its position and its length, so that columns are aligned in any
	// font.
	for at, word := range wordsOf(r.text) {
		fmt.Fprintf(b, `<text x="%.1f" y="%g" fill="%s" textLength="%.1f"%s>%s</text>`+"\n",
			x+float64(at)*cellWidth, y+13, front, float64(len([]rune(word)))*cellWidth, look.String(), html.EscapeString(word))
	}
}

// wordsOf yields the words of a text, each with the number of characters before it.
func wordsOf(text string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		at := 0
		for part := range strings.SplitSeq(text, " ") {
			if part != "" && !yield(at, part) {
				return
			}
			at += len([]rune(part)) + 1
		}
	}
}
