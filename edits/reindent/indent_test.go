package reindent

import "testing"

func TestLearnIndent(t *testing.T) {
	for name, test := range map[string]struct {
		unit  string // of the file
		level string // of what was sent
		pairs []Pair
		sent  string
		want  string
		fails bool // nothing is told for sent
	}{
		"the same":                         {"    ", "    ", []Pair{{Sent: "", Found: ""}, {Sent: "    ", Found: "    "}}, "        ", "        ", false},
		"blanks are tabs":                  {"\t", "    ", []Pair{{Sent: "    ", Found: "\t"}}, "        ", "\t\t", false},
		"tabs are blanks":                  {"  ", "\t", []Pair{{Sent: "\t", Found: "  "}}, "\t\t\t", "      ", false},
		"four are two":                     {"  ", "    ", []Pair{{Sent: "", Found: ""}, {Sent: "    ", Found: "  "}}, "            ", "      ", false},
		"two are four":                     {"    ", "  ", []Pair{{Sent: "  ", Found: "    "}, {Sent: "    ", Found: "        "}}, "      ", "            ", false},
		"two levels deeper":                {"    ", "    ", []Pair{{Sent: "", Found: "        "}, {Sent: "    ", Found: "            "}}, "        ", "                ", false},
		"deeper in tabs":                   {"\t", "    ", []Pair{{Sent: "", Found: "\t\t"}, {Sent: "    ", Found: "\t\t\t"}}, "        ", "\t\t\t\t", false},
		"a prefix of its own":              {"    ", "  ", []Pair{{Sent: "", Found: " \t"}, {Sent: "  ", Found: " \t  "}}, "    ", " \t    ", false},
		"only unindented lines, deeper":    {"\t", "\t", []Pair{{Sent: "", Found: "\t"}}, "\t", "\t\t", false},
		"tabs for unindented, blanks sent": {"\t", "    ", []Pair{{Sent: "", Found: "\t"}}, "    ", "\t\t", false},
		"nothing fits":                     {"    ", "    ", []Pair{{Sent: "   ", Found: "\t  "}, {Sent: "", Found: "  \t"}}, "        ", "", true},
	} {
		t.Run(name, func(t *testing.T) {
			m, ok := learnAll(test.pairs, test.unit, "    ", test.level)
			if !ok {
				t.Fatal("the pairs contradict")
			}
			for _, p := range test.pairs {
				if got, ok := m.Of(p.Sent, false); !ok || got != p.Found {
					t.Errorf("%q gives %q, want %q", p.Sent, got, p.Found)
				}
			}
			got, ok := m.Of(test.sent, false)
			if ok == test.fails || got != test.want {
				t.Errorf("%q gives %q, %v, want %q", test.sent, got, ok, test.want)
			}
		})
	}
	if _, ok := learnAll([]Pair{{Sent: "  ", Found: "\t"}, {Sent: "  ", Found: "    "}}, "\t", "  ", "  "); ok {
		t.Error("one indentation stands for two")
	}
}
