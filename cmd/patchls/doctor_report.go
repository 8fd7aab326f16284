package main

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/patchls/patchls/edits"
)

// diagnosis is what the doctor has found.
type diagnosis struct {
	OK       bool       `json:"ok"` // nothing must be fixed
	Root     string     `json:"root"`
	Findings []finding  `json:"findings"`
	Editors  []examined `json:"editors"` // that answer
	Chosen   *chosen    `json:"chosen"`  // null if there is none to take
}

// finding is one thing that was looked at.
type finding struct {
	Name    string `json:"name"`
	Status  status `json:"status"`
	Message string `json:"message"`
	Fix     string `json:"fix,omitempty"` // what to do, where there is something
}

type status string

const (
	statusOK   status = "ok"
	statusNote status = "note" // worth knowing; nothing must be done
	statusFix  status = "fix"
)

func (d *diagnosis) say(f finding) {
	d.Findings = append(d.Findings, f)
	d.OK = d.count(statusFix) == 0
}

func (d *diagnosis) count(s status) int {
	n := 0
	for _, f := range d.Findings {
		if f.Status == s {
			n++
		}
	}
	return n
}

// show prints the diagnosis for the user: a line for each finding, and one for what is
// to be done about it.
func (d *diagnosis) show(std streams) {
	colours := map[status]string{statusOK: "32", statusNote: "33", statusFix: "31"}
	fmt.Fprintf(std.out, "For commands in %s:\n\n", printable(d.Root))
	for _, f := range d.Findings {
		mark := fmt.Sprintf("%-6s", "["+string(f.Status)+"]")
		if std.colour {
			mark = "\x1b[" + colours[f.Status] + "m" + mark + "\x1b[0m"
		}
		fmt.Fprintf(std.out, "%s %s: %s\n", mark, f.Name, printable(f.Message))
		if f.Fix != "" {
			fmt.Fprintf(std.out, "       to do: %s\n", printable(f.Fix))
		}
	}
	if d.OK {
		fmt.Fprintln(std.out, "\nAll is well.")
		return
	}
	fmt.Fprintf(std.out, "\n%s to fix.\n", edits.Count(d.count(statusFix), "thing"))
}

var plainWord = regexp.MustCompile(`^[\w./:+-]+$`)

// shellWord quotes a path for a command line that is to be copied.
func shellWord(path string) string {
	if plainWord.MatchString(path) {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
