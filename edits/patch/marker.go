package patch

import (
	"strings"

	"github.com/patchls/patchls/edits/diff"
)

// marker is what a line of "*** Begin Patch" begins with.
type marker int

const (
	noMarker marker = iota
	beginPatch
	endPatch
	updateFile
	addFile
	deleteFile
	moveTo
	endOfFile
	environment
	unknownMarker
)

// markers are how they are spelt; whatever is longer than its marker is an
// argument, or decoration.
var markers = []struct {
	marker
	spelt string
}{
	{beginPatch, "*** Begin Patch"},
	{endPatch, "*** End Patch"},
	{updateFile, "*** Update File:"},
	{addFile, "*** Add File:"},
	{deleteFile, "*** Delete File:"},
	{moveTo, "*** Move to:"},
	{endOfFile, "*** End of File"},
	{environment, "*** Environment ID:"},
}

// validHeaders is for errors about a header that is none.
const validHeaders = `valid are "*** Update File: path", "*** Add File: path", "*** Delete File: path", "*** Move to: path" below an update, "*** End of File" below a hunk, and "*** End Patch"`

// markerOf returns the marker that stands at the first column of a line, and its
// argument. Words after "*** " are meant as one, even if there is none such.
func markerOf(l string) (marker, string) {
	const stars = "*** "
	if !strings.HasPrefix(l, stars) {
		return noMarker, ""
	}
	for _, m := range markers {
		if rest, is := strings.CutPrefix(l, m.spelt); is {
			return m.marker, strings.TrimSpace(rest)
		}
	}
	if len(l) > len(stars) && IsWordByte(l[len(stars)]) {
		return unknownMarker, ""
	}
	return noMarker, ""
}

// paddedMarkerOf is markerOf for a line that may have blanks in front.
func paddedMarkerOf(l string) (marker, string) {
	return markerOf(strings.TrimLeft(l, " \t"))
}

// isPadded reports whether a line is a marker with blanks in front.
func isPadded(l string) bool {
	m, _ := paddedMarkerOf(l)
	return diff.IsBlank(firstByte(l)) && m != noMarker && m != unknownMarker
}

func firstByte(l string) byte {
	if l == "" {
		return 0
	}
	return l[0]
}

// beginsPatch reports whether a line is the first of the dialect: "*** Begin
// Patch", or what should stand below it.
func beginsPatch(l string) bool {
	switch m, _ := paddedMarkerOf(l); m {
	case beginPatch, updateFile, addFile, deleteFile:
		return true
	}
	return false
}
