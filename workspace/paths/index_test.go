package paths_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/patchls/patchls/internal/testkit/chance"
	"github.com/patchls/patchls/workspace/paths"
)

// An index finds the first key that leads to the same file, or to the same place where there is none, among files, links,
// links to nothing and hard links.
func TestIndex(t *testing.T) {
	seed := chance.Seed(t)
	dice := rand.New(rand.NewPCG(seed, 0))
	for range 200 {
		dir := t.TempDir()
		var names []string
		leads := map[string]string{} // what is the same for two names of one file
		for i := range 12 {
			name := filepath.Join(dir, fmt.Sprint(i))
			var err error
			switch of := dice.IntN(4); {
			case of == 0 || len(names) == 0:
				leads[name], err = name, os.WriteFile(name, []byte("same\n"), 0o600)
			case of == 1: // that nothing is at
				leads[name] = name
			default:
				to := names[dice.IntN(len(names))]
				leads[name] = leads[to]
				if _, missing := os.Stat(to); of == 2 || missing != nil {
					err = os.Symlink(filepath.Base(to), name)
					if _, none := os.Lstat(name); none != nil {
						t.Skip("wine 8 says that it has made a symbolic link, and makes none")
					}
				} else {
					err = os.Link(to, name)
				}
			}
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, name)
		}
		var x paths.Index
		for i, name := range names {
			want := slices.IndexFunc(names[:i], func(other string) bool { return leads[other] == leads[name] })
			key := paths.FileKey(name)
			if got := x.Find(key); got != want {
				t.Fatalf("seed %d: %s is found at %d, want %d, of %v", seed, name, got, want, leads)
			}
			if got := paths.Find(key, x.Keys); got != want {
				t.Fatalf("seed %d: Find finds %s at %d, want %d", seed, name, got, want)
			}
			if x.Add(key, key); x.Find(key) != i || len(x.Keys) != i+1 {
				t.Fatalf("%s was added twice, or is not found", name)
			}
		}
		if got := x.Find("untitled:1"); got != -1 {
			t.Fatalf("what is no file is found at %d", got)
		}
	}
}
