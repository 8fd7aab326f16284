package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"regexp"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/agent/setup"
	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/internal/lists"
)

func doctorCommand(std streams) *cobra.Command {
	var to reach
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check that agents and editors find each other",
		Long: "Checks the environment, the folder in which editors are found, each live editor and the\n" +
			"agents that are set up. It says which editor a command in --root would use and why,\n" +
			"and how to fix what is wrong. No running editor is not a problem.\n\n" +
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
	d := &diagnosis{OK: true, Root: r.root, Findings: []finding{}, Editors: []examined{}}
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
	d.OK = d.OK && s != statusFix
}

// show prints the diagnosis for the user: a line for each finding, and a line for its fix if it has one.
func (d *diagnosis) show(std streams) {
	colours := map[status]string{statusOK: "32", statusNote: "33", statusFix: "31"}
	fmt.Fprintf(std.out, "For commands in %s:\n\n", printable(d.Root))
	for _, f := range d.Findings {
		mark := std.inColour(colours[f.Status], fmt.Sprintf("%-6s", "["+string(f.Status)+"]"))
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
	fmt.Fprintf(std.out, "\n%s to fix.\n", edits.Count(lists.Count(d.Findings, func(f finding) bool { return f.Status == statusFix }), "thing"))
}

var plainWord = regexp.MustCompile(`^[\w./:+-]+$`)

// shellWord quotes a path for a command line that the user copies.
func shellWord(path string) string {
	if plainWord.MatchString(path) {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

// checkFolder checks the folder of the discovery files, by which agents find editors. choose
// checks PATCHLS_SOCKET, by the editor that it leads to.
func (d *diagnosis) checkFolder(folder agent.Folder) {
	const name = "discovery"
	switch {
	case folder.Fault != nil:
		d.say(statusFix, name, remedy(folder.Path, folder.Fault), "no editor lets agents in, and none is found: %v", folder.Fault)
	case folder.Missing:
		d.say(statusOK, name, "", "%s is not there yet; the first editor makes it", folder.Path)
	default:
		d.say(statusOK, name, "", "%s is yours alone, with %s", folder.Path, edits.Count(len(folder.Files), "discovery file"))
	}
	for _, file := range folder.Files {
		switch {
		case errors.Is(file.Fault, agent.ErrStale):
			d.say(statusNote, "left over", "",
				"%s is of an editor that has ended; it is removed when an agent looks for editors, and after a week if it may be of another machine with this home", file.Path)
		case file.Fault != nil:
			fix := "restart the editor that wrote it; if there is none, " + removal(file.Path)
			if info, err := os.Lstat(file.Path); err == nil && isOpenToOthers(info) {
				fix = remedy(file.Path, file.Fault)
			}
			d.say(statusFix, name, fix, "%s is ignored, so its editor is not found: %v", file.Path, file.Fault)
		}
	}
}

// checkAgents checks the agents that have a configuration in the user's home.
func (d *diagnosis) checkAgents() {
	for _, a := range setup.Agents {
		f, err := a.Inspect()
		switch {
		case !f.Is:
		case err != nil && f.Program != "":
			d.say(statusFix, "agent", "install patchls into a folder of PATH, or write where it is", "%s is to start %s, and cannot: %v", a.Title, f.Program, err)
		case err != nil:
			d.say(statusNote, "agent", "", "whether %s is set up cannot be seen: %v", a.Title, err)
		case f.Program == "":
			d.say(statusNote, "agent", "patchls setup "+a.Name, "%s is not set up for all projects", a.Title)
		case !f.Whole:
			d.say(statusNote, "agent", "patchls setup "+a.Name+" shows the rest", "%s is set up in part; it starts %s", a.Title, f.Path)
		default:
			d.say(statusOK, "agent", "", "%s is set up; it starts %s", a.Title, f.Path)
		}
	}
}

// remedy returns how to fix fault, so that only the user can enter or read the folder or file at path.
func remedy(path string, fault error) string {
	info, err := os.Lstat(path)
	word := shellWord(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && onWindows:
		return `set LOCALAPPDATA to AppData\Local in your home folder, as a login does`
	case errors.Is(err, fs.ErrNotExist):
		return "set HOME to your home folder, as a login does"
	case onWindows: // where a mode says nothing
		return removal(path) + ", and restart the editor, which makes it anew"
	case errors.Is(fault, agent.ErrOtherUser):
		return "have its owner remove it, or set HOME to a folder of yours"
	case err != nil:
		return "see that you can read it: " + word
	case info.Mode()&fs.ModeSymlink != 0:
		return "remove the link: " + removal(path)
	case !info.IsDir() && !isOpenToOthers(info):
		return "remove it: " + removal(path)
	case !info.IsDir():
		return "chmod 600 " + word
	}
	return "chmod 700 " + word
}

const onWindows = runtime.GOOS == "windows"

// removal returns how the user removes the file at path.
func removal(path string) string {
	if onWindows {
		return "remove " + path
	}
	return "rm " + shellWord(path)
}

func isOpenToOthers(info fs.FileInfo) bool {
	const others = 0o077
	return info.Mode()&fs.ModeSymlink == 0 && info.Mode().Perm()&others != 0
}
