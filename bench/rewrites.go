package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// rewrite is a text and what it is to become.
type rewrite struct{ name, old, want string }

// rewrites are the ways in which a text of n lines is written anew: what happens,
// and what is worst for a diff.
func rewrites(n int) []rewrite {
	rng := rand.New(rand.NewPCG(1, 0))
	code := codeLines(rng, n)
	one := append([]string(nil), code...)
	one[n/2] = "#" + one[n/2]
	moved := append(append(append([]string(nil), code[:n/10]...), code[n/5:n*7/10]...), append(append([]string(nil), code[n/10:n/5]...), code[n*7/10:]...)...)
	shuffled := append([]string(nil), code...)
	rng.Shuffle(n, func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	old := joined(code)
	return []rewrite{
		{onePlace, old, joined(one)},
		{scatteredOne, old, joined(altered(rng, code, n/100))},
		{"20 % scattered", old, joined(altered(rng, code, n/5))},
		{"a block moved", old, joined(moved)},
		{"indented anew", old, "\t" + strings.ReplaceAll(strings.TrimSuffix(old, "\n"), "\n", "\n\t") + "\n"},
		{"all differ", old, joined(codeLines(rng, n+n/10))},
		{"shuffled", old, joined(shuffled)},
		{"ten kinds of line", joined(fewLines(rng, n)), joined(fewLines(rng, n))},
		{"one line", strings.ReplaceAll(old, "\n", ";"), strings.ReplaceAll(joined(altered(rng, code, n/100)), "\n", ";")},
	}
}

const onePlace, scatteredOne = "one place", "1 % scattered"

func joined(lines []string) string { return strings.Join(lines, "\n") + "\n" }

// codeLines returns n lines that look like code: indented, most of them unique,
// some empty or a bracket alone.
func codeLines(rng *rand.Rand, n int) []string {
	words := strings.Fields("return value err nil range index buffer reader context handler request response total count parse write close open node tree")
	word := func() string { return words[rng.IntN(len(words))] }
	lines := make([]string, n)
	for i := range lines {
		indent := strings.Repeat("\t", rng.IntN(4))
		switch rng.IntN(10) {
		case 0:
		case 1:
			lines[i] = indent + "}"
		default:
			lines[i] = fmt.Sprintf("%s%s%d := %s.%s(%s, %d)", indent, word(), rng.IntN(1000), word(), word(), word(), rng.IntN(n))
		}
	}
	return lines
}

// fewLines returns n lines of ten kinds.
func fewLines(rng *rand.Rand, n int) []string {
	lines := make([]string, n)
	for i := range lines {
		lines[i] = fmt.Sprint("line ", rng.IntN(10))
	}
	return lines
}

// altered changes lines: half of the changes within a line, and as many lines new
// as lines emptied.
func altered(rng *rand.Rand, lines []string, changes int) []string {
	out := append([]string(nil), lines...)
	for k := range changes {
		i := rng.IntN(len(out))
		switch k % 4 {
		case 0, 1:
			out[i] += fmt.Sprint(" // ", k)
		case 2:
			out[i] = ""
		case 3:
			out[i] += fmt.Sprint("\nnew line ", k)
		}
	}
	return out
}
