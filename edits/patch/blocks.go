package patch

import (
	"slices"
	"strings"
)

// Block is a patch inside a document.
type Block struct {
	Line  int // of the document, from 1, at which Patch begins
	Lines int // number of lines, without the fence
	Patch string
}

// Blocks returns the patches in a Markdown document: the text in each fence that says
// "diff" or "patch" if it has the marks of a patch, and each "*** Begin Patch" in any fence
// or in none. A fence that is not closed goes on to the end. The time is linear.
func Blocks(markdown string) []Block {
	lines := strings.SplitAfter(markdown, "\n")
	var blocks []Block
	for i := 0; i < len(lines); i++ {
		if isMarked(lines[i], beginPatch) {
			end := i + 1
			for end < len(lines) && !isMarked(lines[end], beginPatch) && !isMarked(lines[end-1], endPatch) {
				end++
			}
			blocks = append(blocks, Block{i + 1, end - i, strings.Join(lines[i:end], "")})
			i = end - 1
			continue
		}
		f, ok := fenceAt(lines[i])
		if !ok {
			continue
		}
		from := i + 1
		for i = from; i < len(lines) && !f.closes(lines[i]); i++ {
			lines[i] = f.inner(lines[i])
		}
		if inside := lines[from:i]; f.holdsPatch(inside) {
			blocks = append(blocks, Block{from + 1, i - from, strings.Join(inside, "")})
		}
	}
	return blocks
}

// isMarked reports whether a line begins with a marker.
func isMarked(l string, with marker) bool {
	m, _ := markerOf(l)
	return m == with
}

// codeFence is the line that begins a fenced block.
type codeFence struct {
	run    string // its backticks or tildes
	indent int    // the blanks before them, as in a list
	word   string // the language that it names
}

func fenceAt(line string) (f codeFence, ok bool) {
	bare := strings.TrimLeft(line, " ")
	f.run, f.indent = fenceRun(bare), len(line)-len(bare)
	info := bare[len(f.run):]
	if words := strings.Fields(info); len(words) > 0 {
		f.word = strings.ToLower(words[0])
	}
	return f, f.run != "" && (f.run[0] == '~' || !strings.Contains(info, "`"))
}

// inner returns a line of the block without the indentation of the fence.
func (f codeFence) inner(line string) string {
	n := min(f.indent, len(line))
	return strings.TrimLeft(line[:n], " ") + line[n:]
}

// closes reports whether a line ends the block. Unlike in other Markdown, it must not be
// indented deeper than the fence: " ```" is context of a patch.
func (f codeFence) closes(line string) bool {
	l := strings.TrimRight(f.inner(line), " \t\r\n")
	return strings.HasPrefix(l, f.run) && fenceRun(l) == l
}

// holdsPatch reports whether the block contains a patch. Many blocks that say "diff" only
// show what a change looks like, without saying where it is.
func (f codeFence) holdsPatch(lines []string) bool {
	if f.word != "diff" && f.word != "patch" {
		i := slices.IndexFunc(lines, func(l string) bool { return strings.TrimSpace(l) != "" })
		return i >= 0 && isMarked(lines[i], beginPatch)
	}
	for i := range lines {
		if _, ok := patchLines(lines).dialectAt(i); ok {
			return true
		}
	}
	return false
}
