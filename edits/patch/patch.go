package patch

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/internal/lazy"
	"github.com/patchls/patchls/internal/lists"
)

// Patch is the content of a patch, independent of its dialect.
type Patch struct {
	Files []File   // in the order of the patch; a path may come twice
	Notes []string // every leniency that it took to read the patch
	// Git says that the header of a file is one of git, which counts names from the top of the work tree. Folder is
	// the folder in which a shell was to apply the patch, as in "cd web && apply_patch <<EOF"; "" if none is named.
	Git    bool
	Folder string
}

// Op is what a patch does to a file.
type Op uint8

// What a patch can do to a file. UpdateFile with a NewPath is a rename as well.
const (
	UpdateFile Op = iota
	AddFile
	DeleteFile
)

// File is the part of a patch about one file.
type File struct {
	Op   Op
	Path string // "" where the patch names none
	// Readings are all names that the header may mean, from the one that was sent on; some may be equal. The first that is
	// there is meant; of two in one group, nothing says which.
	Readings [][]Reading
	NewPath  string // of a rename; "" if the file keeps its name
	NewRaw   string // NewPath as it was sent, if that is another name
	CopyOf   string // the file whose text before the patch, with Hunks in it, this one gets; "" if none
	WasEmpty bool   // the patch says that the file has no text before
	IsEmpty  bool   // the patch says that it has none afterwards
	Line     int    // of the patch, from 1
	Hunks    []Hunk
	Content  string // AddFile: the whole text, lines ended by "\n"
	FromTop  bool   // Readings count from the top of the tree: git says so
	Tree     string // "new/" of a new file "new/x" that is not there as "old/x", or "old/" the other way round; else ""
	HasBlobs bool   // the part names blobs, as only git does
	InProse  bool   // the first of Readings is in a sentence above a block, and Path that of the block before it
}

// Reading is a name that a header may mean.
type Reading struct {
	Name string
	Cut  string // the folder, with its separator, that the header has and Name has not; "" if Name is whole
}

// named returns a part about the file that a header names.
func named(sent string, line int) File {
	path := bareName(sent)
	return File{Path: path, Readings: [][]Reading{{{Name: sent}}, {{Name: path}}}, Line: line}
}

// shorter returns the readings without their first folder, which may be that of the whole tree. Only the lines that the
// patch quotes can show that such a file is meant.
func (f File) shorter() (groups [][]Reading) {
	if f.FromTop || f.Op == DeleteFile && f.Tree == "" || !slices.ContainsFunc(f.Hunks, func(h Hunk) bool { return len(h.Old()) > 0 }) {
		return nil
	}
	for _, names := range f.Readings {
		groups = append(groups, lists.FilterMap(names, func(r Reading) (Reading, bool) {
			m := belowFolder().FindStringSubmatch(r.Name)
			if m == nil || strings.Contains(r.Name, "..") {
				return Reading{}, false
			}
			return Reading{Name: m[1], Cut: strings.TrimSuffix(r.Name, m[1])}, true
		}))
	}
	return groups
}

// belowFolder finds what is below the first folder of a relative name, or after what some have git write, as in "src://x".
var belowFolder = lazy.Regexp(`^(?:\./)*(?:\w+://|[^~$%/:\s][^/:\s]*/)([^/\\:][^:]*)$`)

// IsCounted reports whether the part has hunks, and each of their headers counts the lines right.
func (f File) IsCounted() bool {
	return len(f.Hunks) > 0 && !slices.ContainsFunc(f.Hunks, func(h Hunk) bool { return !h.Counted })
}

// WholeText returns the text that an update gives to a file that is empty or does not exist: that of a SEARCH block without
// anything to search for, or of a hunk at the top without old lines.
func (f File) WholeText() (text string, ok bool) {
	if f.Op != UpdateFile || f.NewPath != "" || len(f.Hunks) != 1 || len(f.Hunks[0].Old()) > 0 {
		return "", false
	}
	h := f.Hunks[0]
	return strings.Join(append(h.New(), ""), "\n"), h.Whole || h.Numbered && h.Start == 0
}

// mustChange returns an error for an update that changes nothing.
func (f File) mustChange() error {
	if f.Op != UpdateFile || f.NewPath != "" || slices.ContainsFunc(f.Hunks, Hunk.Changes) {
		return nil
	}
	return syntax(f.Line, "%s has no hunk that changes a line", edits.Printable(edits.Excerpt(cmp.Or(f.Path, "the patch"))))
}

// Hunk is one change with its context.
type Hunk struct {
	Line    int      // of the patch, from 1, where the hunk begins
	Anchors []string // lines above the hunk, each inside of the one before it
	// Numbered says that the hunk has a line number. Start is its first old line,
	// from 1; for a hunk without old lines it is the line above, 0 for the top.
	Numbered bool
	Start    int
	AtEnd    bool // the hunk is at the end of the file
	Whole    bool // the hunk has no old lines because the text has none
	Lines    []Line
	// OldOpen and NewOpen say that the last old line, or the last new line, ends the file without a line end.
	OldOpen, NewOpen bool
	// Blanks is how many of the last lines are empty context that may be just the layout of the patch.
	Blanks  int
	Counted bool // the header has the right numbers of lines
	// Block says that the lines are those of a block, which have no signs in front.
	Block bool
	// Ends says that the lines' CR belong to the text, and not to the patch.
	Ends bool
}

// Line is one line of a hunk, without its line end.
type Line struct {
	Kind LineKind
	Text string
	CR   bool // the line ends in "\r\n"; only where the hunk has Ends
	// NoSign says that the line had no sign in front of it in the patch.
	NoSign bool
	// MayAdd says that the line is empty, has no sign, and is among added lines: where the text does not have it, it is added.
	MayAdd bool
	// Elided says that the patch leaves out the line, which the text has.
	Elided bool
}

// LineKind is what a hunk does with a line.
type LineKind byte

// The kinds of line, by the characters that lead them.
const (
	KeptLine    LineKind = ' '
	DeletedLine LineKind = '-'
	AddedLine   LineKind = '+'
)

// Changes reports whether the hunk changes lines. One that does not is an anchor: the next hunk goes below its lines. A
// block may ask for what is there, and is no anchor.
func (h Hunk) Changes() bool {
	return h.Block || slices.ContainsFunc(h.Lines, func(l Line) bool { return l.Kind != KeptLine })
}

// Old returns the lines that the hunk is about, without line ends.
func (h Hunk) Old() []string { return h.Side(DeletedLine) }

// New returns the lines that the hunk makes of them, without line ends.
func (h Hunk) New() []string { return h.Side(AddedLine) }

// Side returns the lines that stay and those of one kind, without line ends.
func (h Hunk) Side(kind LineKind) []string {
	return lists.FilterMap(h.Lines, func(l Line) (string, bool) { return l.Text, l.Kind == kind || l.Kind == KeptLine })
}

// ReplaceHunk returns a hunk that replaces old by put. It compares the two: equal lines
// are context. Of the others, deleted lines come before added ones.
func ReplaceHunk(line int, old, put []string) Hunk {
	h := Hunk{Line: line}
	add := func(kind LineKind, lines []string) {
		h.Lines = append(h.Lines, lists.Map(lines, func(l string) Line { return Line{Kind: kind, Text: l} })...)
	}
	head, tail := 0, 0
	for head < min(len(old), len(put)) && old[head] == put[head] {
		head++
	}
	for tail < min(len(old), len(put))-head && old[len(old)-1-tail] == put[len(put)-1-tail] {
		tail++
	}
	add(KeptLine, old[:head])
	put = put[head : len(put)-tail]
	next := 0
	for i, at := range diff.MatchLines(old[head:len(old)-tail], put) {
		was := old[head+i : head+i+1]
		if at < 0 || strings.TrimSpace(was[0]) == "" {
			add(DeletedLine, was)
			continue
		}
		add(AddedLine, put[next:at])
		add(KeptLine, was)
		next = at + 1
	}
	add(AddedLine, put[next:])
	add(KeptLine, old[len(old)-tail:])
	return h
}

// syntax returns an error about a line of a patch, counted from 1.
func syntax(line int, format string, args ...any) *edits.Error {
	return &edits.Error{Kind: edits.PatchSyntax, PatchLine: line, Message: fmt.Sprintf("Line %d of the patch: ", line) + fmt.Sprintf(format, args...) + "."}
}
