package main

import (
	"errors"
	"io/fs"
	"os"
	"runtime"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/agent/setup"
	"github.com/patchls/patchls/edits"
)

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
