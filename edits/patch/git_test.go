package patch_test

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/edits/place"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/chance"
	"github.com/patchls/patchls/internal/testkit/gittest"
)

// gitCommits is how many commits are generated.
const gitCommits = 400

// TestAgainstGit applies the diffs of a generated history: to the trees they were made of,
// where the result must be the files of the commit; and to trees that have changed since,
// where the result must equal that of git apply byte for byte, unless it is refused as
// ambiguous.
func TestAgainstGit(t *testing.T) {
	chance.Long(t)
	gittest.NeedGit(t)
	rng := chance.Rand(t)
	history := append([]gittest.Tree{{}}, gittest.History(rng, gitCommits)...)
	diffs := gittest.Diffs(t, history[1:])
	moved, refused, failed, byGit := 0, 0, 0, 0
	for i, diff := range diffs {
		before, after := history[i], history[i+1]
		got, err := applied(before, "", diff)
		if err != nil || !maps.Equal(got, after) {
			t.Fatalf("commit %d: %v\n%s%s", i, err, diff, before.Differing(got, after))
		}
		now := before.Drifted(rng)
		want, ok := now.Apply(t, diff)
		if !ok {
			failed++
			continue
		}
		got, err = applied(now, "", diff)
		var e *edits.Error
		switch {
		case errors.As(err, &e) && e.Kind == edits.ContextAmbiguous:
			refused++
		case err == nil && glued(got, want, diff):
			byGit++
		case err != nil || !maps.Equal(got, want):
			t.Fatalf("commit %d, moved: %v\n%s%s", i, err, diff, now.Differing(got, want))
		default:
			moved++
		}
	}
	t.Logf("%d diffs; moved: %d applied alike, %d refused as ambiguous, %d that git refuses, %d in which git glues lines", len(diffs), moved, refused, failed, byGit)
	if moved < len(diffs)/4 {
		t.Errorf("only %d moved diffs were compared", moved)
	}
}

// glued reports whether want, which git made, differs in lost line ends: if a hunk whose
// last line has no newline is no longer at the end of its file, git joins that line with
// the next one. Here the line ends stay.
func glued(got, want gittest.Tree, diff string) bool {
	if !strings.Contains(diff, "\n\\ No newline at end of file\n") || maps.Equal(got, want) {
		return false
	}
	without := func(s string) string { return strings.NewReplacer("\r", "", "\n", "").Replace(s) }
	for name, s := range want {
		if without(got[name]) != without(s) || strings.Count(got[name], "\n") < strings.Count(s, "\n") {
			return false
		}
	}
	return len(got) == len(want)
}

// applied returns the tree after a patch. A file is the first that is there of those that its header may mean, or path if it names none.
func applied(files gittest.Tree, path, written string) (gittest.Tree, error) {
	p, err := patch.Parse(written)
	if err != nil {
		return nil, err
	}
	out := maps.Clone(files)
	for _, f := range p.Files {
		if f.Path = cmp.Or(f.Path, path); f.Path == "" {
			return nil, errors.New("it names no file")
		}
		for _, readings := range f.Readings {
			var names []string
			for _, r := range readings {
				if _, there := files[r.Name]; there && !slices.Contains(names, r.Name) {
					names = append(names, r.Name)
				}
			}
			if len(names) > 1 {
				return nil, fmt.Errorf("%q are both there", names)
			}
			if len(names) == 1 {
				f.Path = names[0]
				break
			}
		}
		if f.Op == patch.AddFile {
			f.Path = strings.TrimPrefix(f.Path, f.Tree) // which no file is in
		}
		was, there := files[f.Path]
		if whole, isNew := f.WholeText(); isNew && !there {
			f.Op, f.Content = patch.AddFile, whole
		}
		if (f.Op == patch.AddFile) == there {
			return nil, fmt.Errorf("%q: there is %v", f.Path, there)
		}
		if f.CopyOf != "" {
			if was, there = files[f.CopyOf]; !there {
				return nil, fmt.Errorf("%q is not there", f.CopyOf)
			}
		}
		switch {
		case f.Op == patch.AddFile && f.CopyOf == "":
			if err := place.Stray(f, f.Line, edits.Source{Path: f.Path}, 0, strings.Split(f.Content, "\n")); err != nil {
				return nil, err
			}
			out[f.Path] = f.Content
			continue
		case f.Op == patch.DeleteFile || f.NewPath != "":
			delete(out, f.Path)
		}
		if len(f.Hunks) > 0 {
			src := edits.Source{Path: f.Path, Text: text.New(was)}
			plan, err := place.Plan(f, src, place.Options{})
			if err != nil {
				return nil, fmt.Errorf("%q: %w", f.Path, err)
			}
			was = plan.Edits.Apply(src.Text).String()
			if err := plan.Edits.Validate(src.Text.Len()); err != nil {
				return nil, err
			}
		}
		switch {
		case f.Op == patch.DeleteFile && was != "" && (len(f.Hunks) > 0 || f.WasEmpty):
			return nil, fmt.Errorf("%q: %q is left", f.Path, was)
		case f.NewPath != "":
			if _, taken := out[f.NewPath]; taken {
				return nil, fmt.Errorf("%q is there", f.NewPath)
			}
			out[f.NewPath] = was
		case f.Op != patch.DeleteFile:
			out[f.Path] = was
		}
	}
	return out, nil
}
