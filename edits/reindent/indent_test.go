package reindent

import (
	"strings"
	"testing"
)

func TestIndents(t *testing.T) {
	for name, test := range map[string]struct {
		unit string     // of the document
		hunk [][]string // each line as sent, and for one that stays the indentation that the document has
		want string     // of the last line; "?" if nothing tells it
	}{
		"the same":                         {"    ", [][]string{{"a:", ""}, {"    b", "    "}, {"    if c:"}, {"        d"}}, "        "},
		"blanks are tabs":                  {"\t", [][]string{{"    a {", "\t"}, {"        b"}}, "\t\t"},
		"tabs are blanks":                  {"  ", [][]string{{"\ta {", "  "}, {"\t\tb {"}, {"\t\t\tc"}}, "      "},
		"four are two":                     {"  ", [][]string{{"a:", ""}, {"    b:", "  "}, {"        c:"}, {"            d"}}, "      "},
		"two are four":                     {"    ", [][]string{{"  a:", "    "}, {"    b:", "        "}, {"      c"}}, "            "},
		"two levels deeper":                {"    ", [][]string{{"a:", "        "}, {"    b:", "            "}, {"        c"}}, "                "},
		"deeper in tabs":                   {"\t", [][]string{{"a {", "\t\t"}, {"    b {", "\t\t\t"}, {"        c"}}, "\t\t\t\t"},
		"only unindented lines, deeper":    {"\t", [][]string{{"a {", "\t"}, {"\tb"}}, "\t\t"},
		"tabs for unindented, blanks sent": {"\t", [][]string{{"a {", "\t"}, {"    b"}}, "\t\t"},
		"nothing fits":                     {"    ", [][]string{{"   a:", "\t  "}, {"b:", "  \t"}, {"        c"}}, "?"},
		"one indentation is two":           {"    ", [][]string{{"  a", "\t"}, {"  b", "    "}, {"  c"}}, "?"},
		"that of the lines above":          {"    ", [][]string{{"  a", "\t"}, {"b", ""}, {"  c", "    "}, {"  d"}}, "    "},
		"a string":                         {"\t", [][]string{{"    a", "\t"}, {"    b := `"}, {"        c"}}, "?"},
		"a string that is shown":           {"\t", [][]string{{"    b := `", "\t"}, {"  c", "  "}, {"  d"}}, "  "},
		"a here-document":                  {"    ", [][]string{{"  a", "    "}, {"  cat << 'END'"}, {"  c"}}, "?"},
		"below a here-document":            {"    ", [][]string{{"  a", "    "}, {"  cat <<-END"}, {"END"}, {"  c"}}, "    "},
		"an apostrophe":                    {"    ", [][]string{{"  a", "    "}, {"  b # don't, 'tis"}, {"  c"}}, "    "},
		"beside a dash":                    {"    ", [][]string{{"  - a: 1", "        "}, {"    b: 2"}}, "          "},
		"beside a dash that is far away":   {"    ", [][]string{{"  -   a: 1", "        "}, {"      b: 2"}}, "            "},
	} {
		t.Run(name, func(t *testing.T) {
			var hunk []Line
			for _, l := range test.hunk {
				line := Line{Text: l[0], Old: len(l) > 1, New: true}
				if line.Old {
					line.Found = l[1]
				}
				hunk = append(hunk, line)
			}
			got := "?"
			if all := Indents(hunk, test.unit, strings.Repeat(" ", 4)); all[len(all)-1].Known {
				got = all[len(all)-1].Text
			}
			if got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}
