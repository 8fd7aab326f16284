package patch

import (
	"cmp"
	"path"
	"strconv"
	"strings"
	"unicode"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/internal/lazy"
)

// noFile is the name that stands for a missing file.
const noFile = "/dev/null"

// The letters that git puts in front of the names: a and b, or the initials of what
// it compares: the index, the work tree, a commit, an object.
const (
	oldLetters = "acio"
	newLetters = "biwo"
)

// filePatch returns the part about the file that the header is about, without its hunks.
func (u *unifiedHeader) filePatch() (File, error) {
	f := u.File
	if err := u.check(); err != nil {
		return f, err
	}
	if u.renameFrom != "" && u.renameTo != "" {
		f.Path, f.NewPath, f.FromTop = u.renameFrom, u.renameTo, true
		switch {
		case u.copies:
			f.Op, f.Path, f.NewPath, f.CopyOf = AddFile, u.renameTo, "", u.renameFrom
		case f.NewPath == f.Path:
			f.NewPath = ""
		}
		f.Readings = [][]Reading{{{Name: f.Path}}}
		return f, nil
	}
	if u.old+u.put == "" {
		u.old, u.put, u.sentOld, u.sentPut = u.gitOld, u.gitNew, u.gitOld, u.gitNew
	}
	for _, side := range [][3]*string{{&u.old, &u.sentOld, &u.gitOld}, {&u.put, &u.sentPut, &u.gitNew}} {
		if *side[1] == *side[2] { // git writes nothing around the names there
			*side[0] = *side[1]
		}
	}
	old, put := u.stripped(u.old, u.put)
	longOld, longNew := u.sentOld, u.sentPut
	if f.FromTop = old != u.old || put != u.put; f.FromTop {
		longOld, longNew = stripLetter(longOld), stripLetter(longNew)
	}
	switch {
	case old == noFile && put == noFile, old == "" && put == "":
		return f, syntax(u.Line, "the header names no file")
	case old == noFile || u.isNew:
		f.Op, old, longOld = AddFile, put, longNew
	case put == noFile || u.isDeleted:
		f.Op, put, longNew = DeleteFile, old, longOld
	}
	if other := map[Op]string{AddFile: "a/", DeleteFile: "b/"}[f.Op]; other != "" && !f.FromTop && strings.HasPrefix(put, other) {
		f.Tree = other // the letter of the side that is not there, as in a diff the other way round
	}
	// What looks like a time or a mark may be a part of the name.
	switch f.Path = put; {
	case isCopyOf(old, put):
		f.Readings = [][]Reading{{{Name: longNew}}, {{Name: put}}, {{Name: old}}}
	case isCopyOf(put, old):
		f.Path, f.Readings = old, [][]Reading{{{Name: longOld}}, {{Name: old}}, {{Name: put}}}
	default:
		f.Readings = [][]Reading{{{Name: longNew}, {Name: longOld}}, {{Name: put}, {Name: old}}}
	}
	if strings.HasSuffix(u.index, "/"+put) { // CVS names the folder there alone
		f.Readings[0] = append(f.Readings[0], Reading{Name: u.index})
	}
	return f, nil
}

// treeOf returns the first folder of a name, with its "/", if another one names the same file below another folder.
func treeOf(name, other string) string {
	a, b := belowFolder().FindStringSubmatch(name), belowFolder().FindStringSubmatch(other)
	if a == nil || b == nil || a[1] != b[1] || name == other {
		return ""
	}
	return strings.TrimSuffix(name, a[1])
}

// isCopyOf reports whether a name is the other, or that of a copy which a program has made of it, as "x.orig".
func isCopyOf(name, of string) bool {
	mark, ok := strings.CutPrefix(name, of)
	return ok && copyMark().MatchString(mark)
}

var copyMark = lazy.Regexp(`^((\.(orig|old|new|bak|rej|tmp)|~)\d*)?$`)

// check returns an error for a header that contradicts itself.
func (u *unifiedHeader) check() error {
	if u.isNew && u.isDeleted || (u.isNew || u.isDeleted) && u.renameFrom+u.renameTo != "" {
		return syntax(u.Line, "the header says of one file two of: it is new, it is deleted, it is renamed; leave out what is not meant")
	}
	if (u.renameFrom == "") != (u.renameTo == "") {
		return syntax(u.Line, `the header names one side of a renaming or copy; send both "rename from" and "rename to", or "copy from" and "copy to"`)
	}
	is := func(git, name string) bool {
		return path.Clean(stripLetter(name)) == path.Clean(stripLetter(git)) || strings.HasSuffix(git, "/"+name)
	}
	for _, side := range []struct {
		git, name, sent, moved string
		absent                 bool
	}{{u.gitOld, u.old, u.sentOld, u.renameFrom, u.isNew}, {u.gitNew, u.put, u.sentPut, u.renameTo, u.isDeleted}} {
		for _, name := range []string{side.name, side.moved} {
			if side.git != "" && name != "" && name != noFile && !side.absent && !is(side.git, name) && !is(side.git, side.sent) {
				return syntax(u.Line, "the header names %s and %s for one side of one file; send it with the name that is meant", edits.Printable(edits.Excerpt(side.git)), edits.Printable(edits.Excerpt(name)))
			}
		}
	}
	return nil
}

// stripped returns the names without "a/" and "b/", if these are git's letters and
// not folders: then both names have a letter, and not the same one.
func (u *unifiedHeader) stripped(old, put string) (strippedOld, strippedNew string) {
	prefixed := arePrefixed(old, put)
	switch {
	case u.git && (old == noFile || put == noFile):
		prefixed = u.gitOld == "" || arePrefixed(u.gitOld, u.gitNew)
	case old == noFile:
		prefixed = hasLetter(put, newLetters)
	case put == noFile:
		prefixed = hasLetter(old, oldLetters)
	}
	if !prefixed {
		return old, put
	}
	return stripLetter(old), stripLetter(put)
}

func arePrefixed(old, put string) bool {
	return stripLetter(old) != old && stripLetter(put) != put && old[0] != put[0]
}

// hasLetter reports whether name begins with one of the letters and "/"; on Windows some tools write "a\x".
func hasLetter(name, letters string) bool {
	return len(name) > 2 && (name[1] == '/' || name[1] == '\\') && strings.IndexByte(letters, name[0]) >= 0
}

func stripLetter(name string) string {
	if hasLetter(name, oldLetters+newLetters) {
		return name[2:]
	}
	return name
}

// bareName returns the name that is meant if no file is called as it was sent: without marks around it, and with "/" for
// the backslashes of a relative one.
func bareName(sent string) string {
	name := sent
	for was := ""; was != name; {
		was = name
		name = unquote(strings.TrimSpace(afterName().ReplaceAllString(name, "")))
		if m := aroundName().FindStringSubmatch(name); m != nil {
			name = strings.Join(m[1:], "")
		}
	}
	if strings.Contains(name, "/") {
		name = strings.ReplaceAll(name, `\_`, "_") // as Markdown has it
	} else if !strings.Contains(name, ":") && !strings.HasPrefix(name, `\`) {
		name = strings.ReplaceAll(name, `\`, "/")
	}
	return cmp.Or(name, sent)
}

var (
	afterName  = lazy.Regexp(`(\s*[:,]+|\s+\*+|\s+\((new|new file|added|created|changed|edited|modified|updated|moved|renamed|deleted|removed)\))$`)
	aroundName = lazy.Regexp("^(?:<[a-z_]+>(.+)</[a-z_]+>|\"(.+)\"|'(.+)'|`+([^`].*?)`+|\\*+([^*].*?)\\*+|“(.+)”|‘(.+)’|<(.+)>|\\[.+\\]\\((.+)\\))$")
)

// headerName returns the name in "--- x" or "+++ x", and as it was sent: unquoted, but with marks and with what looks like a
// time after blanks. What a tab sets off is no part of it. Git puts a tab after a name that has a blank; then blanks at
// its end are part of the name, and all of it is meant.
func headerName(l string) (name, sent string) {
	l, _, tab := strings.Cut(l, "\t")
	sent = strings.TrimSpace(l[len("--- "):])
	if tab {
		name = unquote(sent) + l[len(strings.TrimRightFunc(l, unicode.IsSpace)):]
		return name, name
	}
	name = unquote(strings.TrimSuffix(sent, stamp().FindString(sent)))
	letter := name[:len(name)-len(stripLetter(name))]
	return letter + bareName(name[len(letter):]), unquote(sent)
}

// stamp finds what diff, svn, hg and cvs write after a name, with blanks in place of the tab.
var stamp = lazy.Regexp(`(\s+(\d{4}-\d\d-\d\d[ T]\d\d:\d\d\S*|[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}|\d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d)( [-+]\d{4})?(\s+\d+(\.\d+)+)?|\s{2,}\d{4}-\d\d-\d\d|\s+\((revision \S+|date \d+|(?i:working copy)|nonexistent|\.\.\./[^()]*)\))+$`)

// gitNames returns the names in "diff --git x y", given the text after "diff --git ". They are "" if blanks in them leave
// open where the second one begins. That is known if the names are equal, or equal except for the letter in front.
func gitNames(l string) (oldName, newName string) {
	l = strings.TrimSuffix(l, "\r")
	if half := len(l) / 2; len(l)%2 == 1 && l[half] == ' ' {
		old, put := unquote(l[:half]), unquote(l[half+1:])
		if old == put || stripLetter(old) == stripLetter(put) {
			return old, put
		}
	}
	old, put, ok := strings.Cut(l, " ")
	if !ok || old == "" || put == "" || strings.Contains(put, " ") {
		return "", ""
	}
	return unquote(old), unquote(put)
}

// oddName finds names that a new file would hardly get: with marks around them, or words and times after an ending.
var oddName = lazy.Regexp("&\\w+;|[<>|\"*?`«»„“”]|^((\\(\\w\\)|\\d+[.)]|[a-z]\\)|[^\\pL\\pN]+)\\s|(?i:new file|file path|add file|step \\d+)\\s*:|(?i:create|here is|in|file|for|update|add|edit|modify)\\s+\\S+/|(?i:(new|now)\\s+)?(?i:create|in|file|add)\\s+\\S+\\.([chr]|py|go|rs|rb|[jt]sx?|java|cs|cpp|sh|json|ya?ml|toml|html|css)$|NEW\\s|[^/\\\\]*：|\\(.*\\)$|_[^_].*[^_]_$|\\[.*\\]$|!--|~/|[^\\pL\\pN]+$)|\\.[A-Za-z]\\w*(\\s+[^/\\\\.]+|\\s.*\\d:\\d\\d.*|[;,.'%…]|[:：](\\d+(-\\d+)?)?)$")

// unquote returns the name, which git may have quoted as C does, without quotes.
func unquote(name string) string {
	if s, err := strconv.Unquote(name); err == nil && strings.HasPrefix(name, `"`) {
		return s
	}
	return name
}
