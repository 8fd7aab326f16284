package paths

import (
	"cmp"
	"path/filepath"
	"strings"

	"github.com/patchls/patchls/edits"
)

// maxFar is the distance of two paths from which on all count as equally far.
const maxFar = 64

// wanted is a path that does not exist, ready to be compared.
type wanted struct {
	dir  string // absolute
	rel  string // below its root
	base string // folded
	far  int    // distance from which on a name is no longer similar
}

func newWanted(t Target, roots []root) wanted {
	// Outside of Windows a "\" is no separator, but a model may think so.
	rel := strings.ReplaceAll(relative(t.Abs, roots), `\`, "/")
	base := strings.ToLower(rel[strings.LastIndexByte(rel, '/')+1:])
	return wanted{dir: filepath.Dir(t.Abs), rel: rel, base: base, far: max(2, len(base)/3+1)}
}

// nearPath is an existing path and how near it is: by class, then distance.
type nearPath struct {
	abs             string
	class, distance int
}

// The classes of near paths, the nearest first.
const (
	otherCase = iota
	sameBase
	similarHere
	similarElsewhere
)

func (n nearPath) compare(m nearPath) int {
	return cmp.Or(cmp.Compare(n.class, m.class), cmp.Compare(n.distance, m.distance), cmp.Compare(n.abs, m.abs))
}

// rank tells how near abs is; ok is false if it is not.
func (w wanted) rank(abs string, roots []root) (n nearPath, ok bool) {
	rel := relative(abs, roots)
	base := strings.ToLower(filepath.Base(abs))
	n = nearPath{abs: abs}
	switch {
	case strings.EqualFold(rel, w.rel):
		n.class = otherCase
	case base == w.base:
		n.class, n.distance = sameBase, distance(rel, w.rel, maxFar)
	default:
		n.class, n.distance = similarElsewhere, distance(base, w.base, w.far)
		if filepath.Dir(abs) == w.dir {
			n.class = similarHere
		}
		return n, n.distance < w.far
	}
	return n, true
}

// distance returns how far two names are apart, far if that is as much or more. Names whose
// lengths differ by that are not compared.
func distance(a, b string, far int) int {
	if max(len(a)-len(b), len(b)-len(a)) >= far {
		return far
	}
	return min(edits.Distance(a, b), far)
}

// relative returns abs below its first root with forward slashes, else abs.
func relative(abs string, roots []root) string {
	for _, r := range roots {
		if rel, ok := r.below(abs); ok {
			return filepath.ToSlash(rel)
		}
	}
	return filepath.ToSlash(abs)
}
