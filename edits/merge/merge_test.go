package merge_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/patchls/patchls/edits/merge"
	"github.com/patchls/patchls/internal/testkit/chance"
)

var update = flag.Bool("update", false, "rewrite what the cases come to")

// In a case "\r" is written for a carriage return, and a backslash at the end of the last line is
// for one that has no newline.
var (
	read  = strings.NewReplacer(`\r`, "\r", "\\\n", "")
	write = strings.NewReplacer("\r", `\r`)
)

func TestCases(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			c, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			file := func(name string) string {
				i := slices.IndexFunc(c.Files, func(f txtar.File) bool { return f.Name == name })
				if i < 0 {
					return ""
				}
				return read.Replace(string(c.Files[i].Data))
			}
			m := merge.Texts(file("base"), file("ours"), file("theirs"))
			got := write.Replace(m.Text)
			if m.Text != "" && !strings.HasSuffix(m.Text, "\n") {
				got += "\\\n"
			}
			kept := c.Files[:3:3]
			want := txtar.Format(&txtar.Archive{Comment: c.Comment, Files: append(kept,
				txtar.File{Name: "merged", Data: []byte(got)}, txtar.File{Name: "conflicts", Data: []byte(placesOf(m))})})
			if *update {
				if err := os.WriteFile(name, want, 0o600); err != nil {
					t.Fatal(err)
				}
			} else if was := txtar.Format(c); !bytes.Equal(was, want) {
				t.Errorf("%s, want %s", want, was)
			}
		})
	}
}

// placesOf lists the conflicts: "base 2-3, ours 2-2, theirs none at 4". Lines count from 1.
func placesOf(m merge.Merged) string {
	lines := func(l merge.Lines) string {
		if l.From == l.To {
			return fmt.Sprintf("none at %d", l.From+1)
		}
		return fmt.Sprintf("%d-%d", l.From+1, l.To)
	}
	var b strings.Builder
	for _, c := range m.Conflicts {
		if c.Moved {
			fmt.Fprintf(&b, "moved: ours %s, theirs %s\n", lines(c.Ours), lines(c.Theirs))
			continue
		}
		fmt.Fprintf(&b, "base %s, ours %s, theirs %s\n", lines(c.Base), lines(c.Ours), lines(c.Theirs))
	}
	return b.String()
}

// Whatever git merges is merged in the same way (git is stricter: it needs a line in between),
// also with the sides exchanged. No inserted line of either side is lost but in a conflict, and what each side has
// once is there once, also if both have moved it; git is not asked about moved lines, which it has twice.
func TestLikeGit(t *testing.T) {
	r := chance.Rand(t)
	again := 0 // what the sides agree on is in conflict by itself
	for range 150 {
		fresh := 0
		line := func(who string) string { fresh++; return fmt.Sprintf("%s %d, as most lines are\n", who, fresh) }
		var base []string
		size, braces := r.IntN(12), r.IntN(3) == 0
		if braces {
			size *= 3
		}
		for range size {
			if row := line("base"); braces && r.IntN(2) == 0 {
				base = append(base, "}\n")
			} else {
				base = append(base, row)
			}
		}
		moves := false
		edit := func(who string) string {
			lines := slices.Clone(base)
			if len(base) > 6 && r.IntN(3) == 0 {
				from, to := r.IntN(len(lines)), r.IntN(len(lines))
				row := lines[from]
				lines, moves = slices.Insert(slices.Delete(lines, from, from+1), to, row), true
			}
			for range r.IntN(4) {
				at := r.IntN(len(lines) + 1)
				to := min(len(lines), at+r.IntN(3))
				var put []string
				for range r.IntN(3) {
					put = append(put, line(who))
				}
				lines = slices.Replace(lines, at, to, put...)
			}
			return strings.Join(lines, "")
		}
		of, ours, theirs := strings.Join(base, ""), edit("ours"), edit("theirs")
		m, turned := merge.Texts(of, ours, theirs), merge.Texts(of, theirs, ours)
		for i := range turned.Conflicts {
			c := &turned.Conflicts[i]
			c.Ours, c.Theirs = c.Theirs, c.Ours
		}
		for l := range strings.Lines(of + ours + theirs) {
			if l != "}\n" && strings.Count(ours, l) == 1 && strings.Count(theirs, l) == 1 && strings.Count(m.Text, l) != 1 {
				t.Errorf("%q is there %d times: base %q, ours %q, theirs %q, merged %q", l, strings.Count(m.Text, l), of, ours, theirs, m.Text)
			}
		}
		if l, k := disordered(of, ours, theirs, m); l != "" && !moves {
			t.Errorf("%q and %q are in another order: base %q, ours %q, theirs %q, merged %q", l, k, of, ours, theirs, m.Text)
		}
		for i, l := range slices.Collect(strings.Lines(ours)) {
			told := slices.ContainsFunc(m.Conflicts, func(c merge.Conflict) bool { return c.Ours.From <= i && i < c.Ours.To })
			if strings.HasPrefix(l, "ours") && !told && !strings.Contains(m.Text, l) {
				t.Errorf("%q went without a conflict: base %q, ours %q, theirs %q, merged %+v", l, of, ours, theirs, m)
			}
		}
		agreed := m.Agreed(of, theirs)
		first := merge.Texts(of, ours, agreed)
		for l := range strings.Lines(of + ours + theirs) {
			if l != "}\n" && strings.Count(ours, l) == 1 && strings.Count(theirs, l) == 1 && len(first.Conflicts) == 0 && strings.Count(first.Text, l) != 1 {
				t.Errorf("%q is there %d times: base %q, ours %q, theirs %q, agreed %q, merged %q", l, strings.Count(first.Text, l), of, ours, theirs, agreed, first.Text)
			}
		}
		if len(m.Conflicts) == 0 && agreed != theirs {
			t.Errorf("base %q\nours %q\ntheirs %q\nwithout a conflict, agreed is %q", of, ours, theirs, agreed)
		} else if then := merge.Texts(agreed, first.Text, theirs); len(first.Conflicts) > 0 {
			again++
		} else if agreed != of && then.Text != m.Text && !braces && !tellsAll(first.Text, theirs, then) {
			t.Errorf("base %q\nours %q\ntheirs %q\nfirst %+v\nand then %+v\nnot %+v", of, ours, theirs, first, then, m)
		}
		if moves {
			continue
		}
		if !slices.Equal(m.Conflicts, turned.Conflicts) || len(m.Conflicts) == 0 && m.Text != turned.Text {
			t.Errorf("%+v, and %+v the other way round", m, turned)
		}
		if braces { // it is not known which of them have gone
			continue
		}
		if want, clean := git(t, of, ours, theirs); clean && (len(m.Conflicts) > 0 || m.Text != want) {
			t.Errorf("base %q\nours %q\ntheirs %q\ngot %+v\ngit %q", of, ours, theirs, m, want)
		}
		for l := range strings.Lines(ours + theirs) {
			if !strings.HasPrefix(l, "base") && len(m.Conflicts) == 0 && strings.Count(m.Text, l) != 1 {
				t.Errorf("%q is there %d times in %q", l, strings.Count(m.Text, l), m.Text)
			}
		}
	}
	if again > 5 {
		t.Errorf("%d times", again)
	}
}

// disordered returns a line of theirs and one of all three texts that the merged text has in another order than theirs.
func disordered(base, ours, theirs string, m merge.Merged) (line, other string) {
	for l := range strings.Lines(theirs) {
		for k := range strings.Lines(base) {
			once := func(s string) bool { return strings.Count(s, k) == 1 }
			if strings.Count(m.Text, l) != 1 || l == k || strings.Count(theirs, l) != 1 || !once(ours) || !once(theirs) || !once(m.Text) {
				continue
			}
			if strings.Index(theirs, l) < strings.Index(theirs, k) != (strings.Index(m.Text, l) < strings.Index(m.Text, k)) {
				return l, k
			}
		}
	}
	return "", ""
}

// tellsAll reports whether each line that ours has and theirs has not is in the merged text or in a conflict. A second merge may
// have other conflicts than the first, since a line between two changes has gone meanwhile, but it loses nothing untold.
func tellsAll(ours, theirs string, m merge.Merged) bool {
	for i, l := range slices.Collect(strings.Lines(ours)) {
		told := slices.ContainsFunc(m.Conflicts, func(c merge.Conflict) bool { return c.Ours.From <= i && i < c.Ours.To })
		if !told && !strings.Contains(theirs, l) && !strings.Contains(m.Text, l) {
			return false
		}
	}
	return true
}

// git merges by git merge-file, and reports whether it did without a conflict.
func git(t *testing.T, base, ours, theirs string) (string, bool) {
	t.Helper()
	dir := t.TempDir()
	for name, s := range map[string]string{"base": base, "ours": ours, "theirs": theirs} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(s), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "git", "merge-file", "-p", "ours", "base", "theirs")
	cmd.Dir = dir
	out, err := cmd.Output()
	return string(out), err == nil
}
