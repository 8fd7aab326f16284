package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestFaults: each fault is in a function's body, and only its bytes change.
func TestFaults(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.go")
	const src = "package a\n\nconst n = 1\n\nfunc f(a, b int) bool {\n\tif a < b && b != 2 {\n\t\ta++\n\t}\n\tg()\n\treturn !(a == b)\n}\n"
	if err := os.WriteFile(file, []byte(src), 0o600); err != nil {
		t.Fatal(err)
	}
	all, err := faults(&pkg{}, file)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range all {
		got = append(got, src[m.from:m.to]+" -> "+m.with)
	}
	slices.Sort(got)
	want := []string{
		"! -> ", "!= -> ==", "&& -> ||", "2 -> 3", "< -> <=", "== -> !=",
		"a < b && b != 2 -> !(a < b && b != 2)", "a < b && b != 2 -> a < b", "a < b && b != 2 -> b != 2", "a++ -> ", "g() -> ",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	m := all[slices.IndexFunc(all, func(m mutant) bool { return m.with == "<=" })]
	if changed, err := m.source(); err != nil || string(changed) != src[:m.from]+"<="+src[m.to:] || m.line != 6 {
		t.Errorf("line %d: %s %v", m.line, changed, err)
	}
}
