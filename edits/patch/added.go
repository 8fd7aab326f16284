package patch

import "strings"

// added reads what stands below "*** Add File".
func (r *patchReader) added(f *File, end int) error {
	from := r.at
	plus := false
	for ; r.at < end; r.at++ {
		l := r.lines[r.at]
		if m, _ := markerOf(l); m != noMarker || isPadded(l) {
			break
		}
		plus = plus || strings.HasPrefix(l, "+")
	}
	to := r.at
	for from < to && r.lines[from] == "" {
		from++
	}
	for to > from && r.lines[to-1] == "" {
		to--
	}
	if !plus && from < to {
		r.patch.note(noteNoPlus)
		f.Content = strings.Join(r.lines[from:to], "\n") + "\n"
		return nil
	}
	var b strings.Builder
	for i, l := range r.lines[from:to] {
		rest, is := strings.CutPrefix(l, "+")
		switch {
		case l == "":
			r.patch.note(noteEmptyAdded)
		case strings.HasPrefix(l, `\ `) && i == to-from-1:
			f.Content = strings.TrimSuffix(b.String(), "\n")
			return nil
		case !is:
			return syntax(from+i+1, `%q must begin with "+", as every line of a new file does`, clip(l))
		}
		b.WriteString(rest)
		b.WriteByte('\n')
	}
	f.Content = b.String()
	return nil
}
