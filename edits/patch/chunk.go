package patch

import "strings"

// chunks reads the hunks of an update, up to the line to or the next marker: each
// begins with "@@" lines, which the first may lack.
func (r *patchReader) chunks(f *File, to int) error {
	var h *hunkReader // being read
	finish := func() {
		if h != nil {
			h.finish(f)
		}
		h = nil
	}
	for r.at < to {
		l := r.lines[r.at]
		header := strings.HasPrefix(l, "@@")
		if m, _ := markerOf(l); m == endOfFile {
			if h == nil {
				return syntax(r.at+1, "%q has no hunk above it", l)
			}
			h.AtEnd = true
			finish()
			r.at++
			continue
		} else if m != noMarker {
			break
		}
		if h == nil && isPadded(l) {
			break
		}
		if h == nil || header && len(h.Lines) > 0 {
			if l == "" {
				r.at++ // the layout of the patch
				continue
			}
			finish()
			h = &hunkReader{r: r, Hunk: Hunk{Line: r.at + 1}}
		}
		switch {
		case header:
			h.header(l)
			r.at++
		case l == "" && len(h.Lines) == 0:
			r.at++ // the layout of the patch
		default:
			if err := h.line(); err != nil {
				return err
			}
		}
	}
	finish()
	return nil
}
