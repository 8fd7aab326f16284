package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patchls/patchls/edits"
)

func doctorCommand(std streams) *cobra.Command {
	var to reach
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check that agents and editors find each other",
		Long: "Checks the environment, the folder in which editors are found, each live editor and the\n" +
			"agents that are set up. It says which editor a command in --root would use and why,\n" +
			"and how to fix what is wrong. That no editor runs is not a fault. Like every command,\n" +
			"it removes the files that an ended editor has left; it changes nothing else.\n\n" +
			"The exit code is 0 if all is well, and 1 if something must be fixed.",
		Example: `  patchls doctor --root ~/menu`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			err := to.open(cmd.Context(), std)
			if err != nil {
				return err
			}
			defer to.close()
			d := diagnose(cmd.Context(), &to)
			if cmd.Context().Err() != nil {
				return show(std, to.json, failed{errInterrupted})
			}
			if to.json {
				err = showJSON(std.out, d)
			} else {
				d.show(std)
			}
			if err == nil && !d.OK {
				err = failed{errors.New("something must be fixed")}
			}
			return err
		},
	}
	to.addEditorFlags(cmd, autoEditor)
	cmd.Flags().BoolVar(&to.json, "json", false, "print the findings as JSON")
	return cmd
}

// diagnose examines everything that decides in which editor a command runs.
func diagnose(ctx context.Context, r *reach) *diagnosis {
	d := &diagnosis{Root: r.root, Findings: []finding{}, Editors: []examined{}}
	find := r.find
	find.Log = slog.New(slog.DiscardHandler) // the findings say the same, and how to fix it
	d.say(statusOK, "version", "", "%s (%s/%s)", versions(), runtime.GOOS, runtime.GOARCH)
	folder := find.Inspect()
	d.checkFolder(folder)
	d.examine(ctx, find, folder)
	d.choose(ctx, r, folder)
	d.checkAgents()
	return d
}

// diagnosis is the result of the doctor.
type diagnosis struct {
	OK       bool       `json:"ok"` // nothing must be fixed
	Root     string     `json:"root"`
	Findings []finding  `json:"findings"`
	Editors  []examined `json:"editors"` // the editors that answer
	Chosen   *chosen    `json:"chosen"`  // null if no editor can be used

	fixes int // findings of what must be fixed
}

// finding is the result of one check.
type finding struct {
	Name    string `json:"name"`
	Status  status `json:"status"`
	Message string `json:"message"`
	Fix     string `json:"fix,omitempty"` // what to do, if anything
}

type status string

const (
	statusOK   status = "ok"
	statusNote status = "note" // worth knowing; nothing must be done
	statusFix  status = "fix"
)

func (d *diagnosis) say(s status, name, fix, format string, args ...any) {
	d.Findings = append(d.Findings, finding{name, s, fmt.Sprintf(format, args...), fix})
	if s == statusFix {
		d.fixes++
	}
	d.OK = d.fixes == 0
}

// show prints the diagnosis for the user: a line for each finding, and a line for its fix if it has one.
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
	switch {
	case d.OK && len(d.Editors) == 0:
		fmt.Fprintln(std.out, "\nNothing is broken, but no editor is connected: open the folder in an editor that starts patchls.")
		return
	case d.OK:
		fmt.Fprintln(std.out, "\nAll is well.")
		return
	}
	fmt.Fprintf(std.out, "\n%s to fix.\n", edits.Count(d.fixes, "thing"))
}

var plainWord = regexp.MustCompile(`^[\w./:+-]+$`)

// shellWord quotes a path for a command line that the user copies.
func shellWord(path string) string {
	if plainWord.MatchString(path) {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
