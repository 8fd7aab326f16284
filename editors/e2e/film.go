//go:build unix

package main

import (
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/png"
	"maps"
	"os"
	"slices"
)

// film is an animated picture.
type film struct {
	frames []image.Image
	delays []int // in hundredths of a second
}

// add adds what a file shows, a PNG, for that many hundredths of a second.
func (f *film) add(file string, delay int) error {
	in, err := os.Open(file)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	frame, err := png.Decode(in)
	if err != nil {
		return err
	}
	f.frames, f.delays = append(f.frames, frame), append(f.delays, delay)
	return nil
}

// write writes the film as a GIF. Each frame but the first has only what has changed.
func (f *film) write(file string) error {
	colours := f.colours()
	all := gif.GIF{Delay: f.delays, Disposal: slices.Repeat([]byte{gif.DisposalNone}, len(f.frames))}
	var shown *image.Paletted
	for _, frame := range f.frames {
		next := image.NewPaletted(frame.Bounds(), colours)
		draw.Draw(next, next.Rect, frame, next.Rect.Min, draw.Src)
		part := next
		if shown != nil {
			part, _ = next.SubImage(changed(shown, next)).(*image.Paletted) // a part of a paletted image is one too
		}
		all.Image, shown = append(all.Image, part), next
	}
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	if err := gif.EncodeAll(out, &all); err != nil {
		_ = out.Close()
		return err
	}
	return out.Close()
}

// colours returns the colours that the frames have most of.
func (f *film) colours() color.Palette {
	count := map[color.RGBA]int{}
	for _, frame := range f.frames {
		for y := frame.Bounds().Min.Y; y < frame.Bounds().Max.Y; y++ {
			for x := frame.Bounds().Min.X; x < frame.Bounds().Max.X; x++ {
				r, g, b, _ := frame.At(x, y).RGBA()
				count[color.RGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), 255}]++
			}
		}
	}
	most := slices.SortedFunc(maps.Keys(count), func(a, b color.RGBA) int { return count[b] - count[a] })
	var palette color.Palette
	for _, c := range most[:min(256, len(most))] {
		palette = append(palette, c)
	}
	return palette
}

// changed returns a rectangle with all points in which two images of one size differ, one point if none do.
func changed(a, b *image.Paletted) image.Rectangle {
	var all image.Rectangle
	for y := a.Rect.Min.Y; y < a.Rect.Max.Y; y++ {
		for x := a.Rect.Min.X; x < a.Rect.Max.X; x++ {
			if a.ColorIndexAt(x, y) != b.ColorIndexAt(x, y) {
				all = all.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	if all.Empty() {
		return image.Rect(a.Rect.Min.X, a.Rect.Min.Y, a.Rect.Min.X+1, a.Rect.Min.Y+1)
	}
	return all
}
