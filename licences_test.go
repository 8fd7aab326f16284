package patchls_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// licence is a licence that linked modules may have, and words that every copy of it
// contains and no other licence does.
type licence struct {
	id    string // SPDX's
	words string
}

var licences = []licence{
	{"Apache-2.0", "apache license version 2.0"},
	{"BSD-2-Clause", "redistributions in binary form must reproduce the above copyright notice"},
	{"BSD-3-Clause", "may be used to endorse or promote products derived from this software"},
	{"ISC", "permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted"},
	{"MIT", "permission is hereby granted, free of charge, to any person obtaining a copy"},
	{"MPL-2.0", "mozilla public license version 2.0 ="},
}

// notWanted are words of licences whose demands on the whole program we do not meet, or
// that forbid what our users may do. The MPL names the first three as alternatives.
var notWanted = []string{
	"gnu general public license", "gnu lesser general public license", "gnu affero general public license",
	"server side public license", "business source license", "commons clause", "noncommercial", "sharealike",
}

var spaces = regexp.MustCompile(`\s+`)

// recognise returns the licences in a text, sorted. A text without a known licence, or
// with an unwanted one, is an error.
func recognise(text string) ([]string, error) {
	text = strings.ToLower(spaces.ReplaceAllString(text, " "))
	var ids []string
	for _, l := range licences {
		if strings.Contains(text, l.words) {
			ids = append(ids, l.id)
		}
	}
	if slices.Contains(ids, "BSD-3-Clause") {
		ids = slices.DeleteFunc(ids, func(id string) bool { return id == "BSD-2-Clause" })
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("the licence is none that is known: %.80q", text)
	}
	if slices.Contains(ids, "MPL-2.0") {
		return ids, nil
	}
	for _, words := range notWanted {
		if strings.Contains(text, words) {
			return nil, fmt.Errorf("the licence speaks of %q", words)
		}
	}
	return ids, nil
}

// TestRecognise shows what passes, and what does not.
func TestRecognise(t *testing.T) {
	const (
		mit = "Permission is hereby granted, free of charge,\nto any person obtaining a copy of this software"
		bsd = "Redistributions in binary form must reproduce the above\n   copyright notice, this list"
	)
	for _, tt := range []struct{ name, text, want string }{
		{"MIT", mit, "MIT"},
		{"BSD of two clauses", bsd, "BSD-2-Clause"},
		{"BSD of three", bsd + " may be used to endorse or promote products derived from\nthis software", "BSD-3-Clause"},
		{"Apache", "   Apache License\n      Version 2.0, January 2004", "Apache-2.0"},
		{"two of them", "Apache License\nVersion 2.0\n---\n" + mit, "Apache-2.0 MIT"},
		{"MPL, which names others", "Mozilla Public License Version 2.0\n====\n \"Secondary License\" means the GNU General Public License", "MPL-2.0"},
		{"GPL", "GNU GENERAL PUBLIC LICENSE\n Version 3, 29 June 2007", ""},
		{"GPL beside another", mit + "\nGNU Lesser General\nPublic License", ""},
		{"MIT with a condition", `"Commons Clause" License Condition` + mit, ""},
		{"unknown", "All rights reserved.", ""},
		{"none", "", ""},
	} {
		ids, err := recognise(tt.text)
		if got := strings.Join(ids, " "); got != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("%s: got %q, %v, want %q", tt.name, got, err, tt.want)
		}
	}
}
