package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// cases are the ways in which a text is rewritten. code are its lines, without line
// ends; other are as many lines and a tenth more, of other files.
var cases = []struct {
	name    string
	rewrite func(rng *rand.Rand, code, other []string) (old, want string)
}{
	{"one character", func(_ *rand.Rand, code, _ []string) (string, string) {
		out := slices.Clone(code)
		out[len(out)/2] += "#"
		return join(code), join(out)
	}},
	{"one character, CRLF kept", func(_ *rand.Rand, code, _ []string) (string, string) {
		out := slices.Clone(code)
		out[len(out)/2] += "#"
		return strings.Join(code, "\r\n"), strings.Join(out, "\n")
	}},
	{"two far places", func(_ *rand.Rand, code, _ []string) (string, string) {
		out := slices.Clone(code)
		out[10] += "#"
		out[len(out)-10] += "#"
		return join(code), join(out)
	}},
	{"a function replaced, an import added", func(_ *rand.Rand, code, other []string) (string, string) {
		n := len(code)
		out := slices.Concat(code[:5], other[:1], code[5:n/2], other[100:180], code[n/2+60:])
		return join(code), join(out)
	}},
	{"scatter 1 %", func(rng *rand.Rand, code, _ []string) (string, string) { return scatter(rng, code, len(code)/100) }},
	{"scatter 1 %, CRLF kept", func(rng *rand.Rand, code, _ []string) (string, string) {
		old, want := scatter(rng, code, len(code)/100)
		return strings.ReplaceAll(old, "\n", "\r\n"), want
	}},
	{"scatter 20 %", func(rng *rand.Rand, code, _ []string) (string, string) { return scatter(rng, code, len(code)/5) }},
	{"block moved", func(_ *rand.Rand, code, _ []string) (string, string) {
		n := len(code)
		return join(code), join(slices.Concat(code[:n/10], code[n/5:n*7/10], code[n/10:n/5], code[n*7/10:]))
	}},
	{"indented", func(_ *rand.Rand, code, _ []string) (string, string) {
		return join(code), indented(code)
	}},
	{"indented in a block", func(_ *rand.Rand, code, _ []string) (string, string) {
		return join(code), "if true {\n" + indented(code) + "}\n"
	}},
	{"tabs to blanks", func(_ *rand.Rand, code, _ []string) (string, string) {
		return join(code), strings.ReplaceAll(join(code), "\t", "    ")
	}},
	{"all differ", func(_ *rand.Rand, code, other []string) (string, string) { return join(code), join(other) }},
	{"all differ, as many", func(_ *rand.Rand, code, other []string) (string, string) {
		return join(code), join(other[:len(code)])
	}},
	{"no line in common", func(_ *rand.Rand, code, other []string) (string, string) {
		out := slices.Clone(other)
		for i := range out {
			out[i] = fmt.Sprintf("%d %s", i, out[i])
		}
		return join(code), join(out)
	}},
	{"one name everywhere", func(_ *rand.Rand, code, _ []string) (string, string) {
		return join(code), strings.ReplaceAll(join(code), "err", "failure")
	}},
	{"shuffled", func(rng *rand.Rand, code, _ []string) (string, string) {
		out := slices.Clone(code)
		rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
		return join(code), join(out)
	}},
	{"reversed", func(_ *rand.Rand, code, _ []string) (string, string) {
		out := slices.Clone(code)
		slices.Reverse(out)
		return join(code), join(out)
	}},
	{"ten kinds of line", func(rng *rand.Rand, code, _ []string) (string, string) {
		return join(few(rng, len(code))), join(few(rng, len(code)))
	}},
	{"ten kinds of line, scatter 1 %", func(rng *rand.Rand, code, _ []string) (string, string) {
		return scatter(rng, few(rng, len(code)), len(code)/100)
	}},
	{"one line repeated, half of them", func(_ *rand.Rand, code, _ []string) (string, string) {
		return strings.Repeat("the same\n", len(code)), strings.Repeat("the same\n", len(code)/2)
	}},
	{"one line repeated, scatter 1 %", func(rng *rand.Rand, code, _ []string) (string, string) {
		return scatter(rng, slices.Repeat([]string{"the same"}, len(code)), len(code)/100)
	}},
	{"period 7 to period 11", func(_ *rand.Rand, code, _ []string) (string, string) {
		return join(periodic(len(code), 7)), join(periodic(len(code), 11))
	}},
	{"period 7, scatter 1 %", func(rng *rand.Rand, code, _ []string) (string, string) {
		return scatter(rng, periodic(len(code), 7), len(code)/100)
	}},
	{"every second line gone", func(_ *rand.Rand, code, _ []string) (string, string) {
		var out []string
		for i := 0; i < len(code); i += 2 {
			out = append(out, code[i])
		}
		return join(code), join(out)
	}},
	{"a line after each", func(_ *rand.Rand, code, _ []string) (string, string) {
		return join(code), strings.ReplaceAll(join(code), "\n", "\n// new\n")
	}},
	{"CRLF to LF", func(_ *rand.Rand, code, _ []string) (string, string) {
		return strings.Join(code, "\r\n"), strings.Join(code, "\n")
	}},
	{"one line: one character", func(_ *rand.Rand, code, _ []string) (string, string) {
		out := slices.Clone(code)
		out[len(out)/2] += "#"
		return strings.Join(code, " "), strings.Join(out, " ")
	}},
	{"one line: scatter 1 %", func(rng *rand.Rand, code, _ []string) (string, string) {
		old, want := scatter(rng, code, len(code)/100)
		return strings.ReplaceAll(old, "\n", " "), strings.ReplaceAll(want, "\n", " ")
	}},
	{"one line: all differ", func(_ *rand.Rand, code, other []string) (string, string) {
		return strings.Join(code, " "), strings.Join(other, " ")
	}},
	{"one line: no blank or sign in it", func(rng *rand.Rand, code, _ []string) (string, string) {
		old := []byte(strings.Repeat("abcdefghijklmnopqrstuvwxyz01", len(code)))
		want := slices.Clone(old)
		for range len(code) {
			want[rng.IntN(len(want))] = 'Z'
		}
		return string(old), string(want)
	}},
	{"to nothing but line ends", func(_ *rand.Rand, code, _ []string) (string, string) {
		return join(code), strings.Repeat("\n", len(code))
	}},
}

// goSource returns n lines of the Go sources of the toolchain.
func goSource(n int) ([]string, error) {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	var lines []string
	enough := errors.New("enough")
	err = filepath.WalkDir(filepath.Join(strings.TrimSpace(string(out)), "src"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		lines = append(lines, strings.Split(strings.TrimSuffix(string(raw), "\n"), "\n")...)
		if len(lines) >= n {
			return enough
		}
		return nil
	})
	if err != enough {
		return nil, fmt.Errorf("%d lines of Go source, want %d: %v", len(lines), n, err)
	}
	return lines[:n], nil
}

func join(lines []string) string { return strings.Join(lines, "\n") + "\n" }

// indented returns the lines with a tab before each that is not empty.
func indented(lines []string) string {
	return strings.ReplaceAll("\t"+strings.ReplaceAll(join(lines), "\n", "\n\t"), "\t\n", "\n")
}

// scatter returns the lines before and after changes at random places: half of them
// in a line, and as many lines new as lines gone.
func scatter(rng *rand.Rand, lines []string, changes int) (old, want string) {
	out := slices.Clone(lines)
	gone := map[int]bool{}
	for k := range changes {
		i := rng.IntN(len(out))
		switch k % 4 {
		case 0:
			out[i] += fmt.Sprint(" // ", k)
		case 1:
			if f := strings.Fields(out[i]); len(f) > 0 {
				out[i] = strings.Replace(out[i], f[len(f)/2], fmt.Sprint("changed", k), 1)
			} else {
				out[i] = fmt.Sprint("changed", k)
			}
		case 2:
			gone[i] = true
		case 3:
			out[i] += fmt.Sprint("\nnew line ", k)
		}
	}
	kept := make([]string, 0, len(out))
	for i, l := range out {
		if !gone[i] {
			kept = append(kept, l)
		}
	}
	return join(lines), join(kept)
}

// few returns n lines of ten kinds in a random order.
func few(rng *rand.Rand, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("line %d", rng.IntN(10))
	}
	return out
}

// periodic returns n lines that repeat after so many.
func periodic(n, period int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("line %d", i%period)
	}
	return out
}

// gitText returns how many bytes git diff deletes and inserts, in whole lines.
func gitText(old, want string) (int, error) {
	dir, err := os.MkdirTemp("", "diff")
	if err != nil {
		return 0, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	for name, s := range map[string]string{"old": old, "want": want} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(s), 0o600); err != nil {
			return 0, err
		}
	}
	cmd := exec.Command("git", "diff", "--no-index", "--no-color", "--no-ext-diff", "--text", "-U0", "old", "want")
	cmd.Dir = dir
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		return 0, err
	}
	size := 0
	_, hunks, _ := bytes.Cut(out, []byte("\n@@"))
	for line := range bytes.Lines(hunks) {
		if line[0] == '+' || line[0] == '-' {
			size += len(line) - 1
		}
	}
	return size, nil
}
