package main

import "github.com/patchls/patchls/agent/setup"

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
