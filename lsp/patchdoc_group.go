package lsp

import (
	"slices"
	"strings"

	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// patchGroup is those parts of a patch that are about the same files, so that what
// becomes of them depends on nothing else.
type patchGroup struct {
	patch int
	files []int           // indexes of parts
	paths []string        // that they name
	names map[string]bool // that these consist of
	rests []rest          // nil before the first check
}

// rest is a text that a result depends on.
type rest struct {
	key   paths.Key
	open  bool
	text  text.Text
	drift string
}

// group returns the groups of a patch's parts.
func (d *patchDoc) group(patch int) []*patchGroup {
	p := &d.held.patches[patch]
	if p.err != nil {
		return nil
	}
	w := d.s.workspace()
	var groups []*patchGroup
	by := map[string]*patchGroup{}
	for i, f := range p.patch.Files {
		g := &patchGroup{patch: patch, names: map[string]bool{}}
		var keys []string
		for _, path := range []string{f.Path, f.OtherPath, f.NewPath} {
			if path == "" {
				continue
			}
			for name := range strings.FieldsFuncSeq(path, func(r rune) bool { return r == '/' || r == '\\' }) {
				g.names[name] = true
			}
			g.paths = append(g.paths, path)
			if at, err := w.Resolve(path); err == nil {
				path = string(at.Identity())
			}
			keys = append(keys, path)
		}
		g.files = []int{i}
		for _, key := range keys {
			if o := by[key]; o != nil && o != g {
				o.join(g)
				for k, of := range by {
					if of == g {
						by[k] = o
					}
				}
				groups = slices.DeleteFunc(groups, func(x *patchGroup) bool { return x == g })
				g = o
			}
		}
		for _, key := range keys {
			by[key] = g
		}
		if !slices.Contains(groups, g) {
			groups = append(groups, g)
		}
	}
	return groups
}

// join takes in the parts of another group.
func (g *patchGroup) join(o *patchGroup) {
	g.files = append(g.files, o.files...)
	slices.Sort(g.files)
	g.paths = append(g.paths, o.paths...)
	for name := range o.names {
		g.names[name] = true
	}
}

// isTouched reports whether a file that the group names is one of those names.
func (g *patchGroup) isTouched(names map[string]bool) bool {
	for name := range names {
		if g.names[name] {
			return true
		}
	}
	return false
}

// hasChanged reports whether what was found rests on other texts than the present ones.
func (g *patchGroup) hasChanged(docs *workspace.Documents) bool {
	for i := range g.rests {
		now := rest{key: g.rests[i].key}
		if now.look(docs); now != g.rests[i] {
			return true
		}
	}
	return false
}

func (r *rest) look(docs *workspace.Documents) {
	if doc := docs.Get(r.key); doc != nil {
		r.open, r.text, r.drift = true, doc.Text, doc.Drift
	}
}
