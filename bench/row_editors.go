package main

import (
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// editorsRow measures edits in the real editors, beside writing the file and reading it anew.
func editorsRow(e *env) (row, error) {
	rounds := e.rounds(50, 3)
	r := row{
		Title: "In the real editors",
		Why:   "Of an edit's 16 ms, Neovim has 8 between the request and its answer, 7 of them before the plugin looks at the buffer. It is a frame of the screen.",
		About: fmt.Sprintf("An agent's str_replace in a file of 100 KB, from the call to the verified answer, beside writing such a file and reading it anew in the editor "+
			"(:edit, “Revert File”), as an agent without patchls needs it. The editors are those of make e2e. Medians of %d each, by turns.", rounds),
	}
	out, err := exec.Command("go", "run", "./editors/e2e", "-only", "neovim,vscode", "-case", "edit-or-reload", "-rounds", strconv.Itoa(rounds)).CombinedOutput()
	t := table{Columns: []string{"editor", "an edit", "written and reloaded"}}
	for _, m := range tookInEditor.FindAllStringSubmatch(string(out), -1) {
		edit, wrong := time.ParseDuration(m[2])
		reload, alsoWrong := time.ParseDuration(m[3])
		if wrong != nil || alsoWrong != nil {
			return r, fmt.Errorf("editors/e2e says %q", m[0])
		}
		t.add(m[1], duration(float64(edit)), duration(float64(reload)))
		r.Goals = append(r.Goals, atMost("an edit in "+m[1]+", against writing and reloading the file", 1, only(float64(edit)/float64(reload)), "×"))
	}
	if err != nil && !strings.Contains(string(out), "no apt-get") {
		return r, fmt.Errorf("editors/e2e: %w: %.2000s", err, out)
	}
	if len(t.Lines) == 0 {
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		r.Notes = []string{"All of it was left out: " + lines[len(lines)-1]}
		return r, nil
	}
	r.Tables = []table{t}
	return r, nil
}

// tookInEditor is the line in which editors/e2e says how long edits and reloads took.
var tookInEditor = regexp.MustCompile(`An edit in (\S+) takes (\S+), writing and reloading the file (\S+) `)
