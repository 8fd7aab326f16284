//go:build unix

package main

import (
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

func TestCasesAreRead(t *testing.T) {
	cases, err := allCases()
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, c := range cases {
		if names[c.name] {
			t.Errorf("two cases are called %s", c.name)
		}
		names[c.name] = true
	}
	c, err := parseTextCase(txtar.Parse([]byte("What.\nclosed: b.txt\n-- disk a.txt --\n␁one␍\ntwo␃\n-- type a.txt 2:1 --\nx␠\n" +
		"-- agent apply_patch --\n{}\n-- patch --\n+three\n-- want a.txt --\nthree\n")))
	if err != nil {
		t.Fatal(err)
	}
	if c.disk[0].text != "\ufeffone\r\ntwo" || c.typed[0].text != "x " || c.typed[0].line != 2 || c.closed != "b.txt\n" || c.arguments["patch"] != "+three\n" {
		t.Errorf("%+v", c)
	}
}

func TestCasesThatSayNothing(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"no command":      {"-- disk a.txt --\n-- want a.txt --\n", "needs an agent's command"},
		"nothing wanted":  {"-- agent view --\n{}\n", "needs an agent's command"},
		"no such section": {"-- disc a.txt --\n", `no section is called "disc a.txt"`},
		"no place":        {"-- type a.txt top --\n", "type a.txt top"},
		"no arguments":    {"-- agent view --\n", "agent view"},
	} {
		if _, err := parseTextCase(txtar.Parse([]byte(test.text))); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPlaced(t *testing.T) {
	for _, test := range []struct {
		in           string
		line, column int
		text, want   string
	}{
		{"one\ntwo\n", 2, 1, "x", "one\nxtwo\n"},
		{"one\r\ntwo\r\n", 1, 4, "a\nb", "onea\r\nb\r\ntwo\r\n"},
		{"one", 1, 4, "x", "onex"},
	} {
		if got := placed(test.in, test.line, test.column, test.text); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}
