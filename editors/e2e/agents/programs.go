//go:build linux

package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
)

// A program is an agent from npm, as it is run with one prompt, and what has it ask the stand-in
// instead of its model. What its user sets up for patchls is not here: that is read from docs/agents.md.
type program struct {
	name    string // of its sections in docs/agents.md
	pkg     string // of npm
	version string
	args    []string
	env     []string
	files   map[string]string // by their paths; "~/" is the home
	own     []string          // its file tools, which the set-up turns off
}

// In args, env and files, $MODEL is the URL of the stand-in and $PROJECT the folder.
var programs = []program{
	{
		name: "claude", pkg: "@anthropic-ai/claude-code", version: "2.1.331",
		args: []string{"-p", "Edit menu.txt."},
		env: []string{
			"ANTHROPIC_BASE_URL=$MODEL", "ANTHROPIC_API_KEY=none", "ANTHROPIC_MODEL=claude-opus-4-6",
			"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		},
		files: map[string]string{"~/.claude.json": `{"projects": {"$PROJECT": {"hasTrustDialogAccepted": true}}}`},
		own:   []string{"Read", "Edit", "Write", "NotebookEdit"},
	},
	{
		name: "codex", pkg: "@openai/codex", version: "0.169.0",
		args: []string{
			"exec", "--skip-git-repo-check", "-c", `model="stand-in"`, "-c", `model_provider="standin"`,
			"-c", `model_providers.standin={name="stand-in", base_url="$MODEL/v1", wire_api="responses"}`, "Edit menu.txt.",
		},
	},
	{
		name: "gemini", pkg: "@google/gemini-cli", version: "0.61.0",
		args:  []string{"-m", "gemini-2.5-pro", "--approval-mode", "yolo", "-p", "Edit menu.txt."},
		env:   []string{"GOOGLE_GEMINI_BASE_URL=$MODEL", "GEMINI_API_KEY=none", "GEMINI_CLI_TRUST_WORKSPACE=true"},
		files: map[string]string{"~/.gemini/settings.json": `{"security": {"auth": {"selectedType": "gemini-api-key"}}, "privacy": {"usageStatisticsEnabled": false}}`},
		own:   []string{"read_file", "read_many_files", "replace", "write_file"},
	},
	{
		name: "opencode", pkg: "opencode-ai", version: "1.18.33",
		args: []string{"run", "--model", "standin/standin", "Edit menu.txt."},
		env:  []string{"OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_DEFAULT_PLUGINS=1"},
		files: map[string]string{"~/.config/opencode/opencode.json": `{"provider": {"standin": {
			"npm": "@ai-sdk/openai-compatible", "options": {"baseURL": "$MODEL/v1", "apiKey": "none"}, "models": {"standin": {"tool_call": true}}
		}}}`},
		own: []string{"read", "edit", "write", "apply_patch"},
	},
	{
		name: "copilot", pkg: "@github/copilot", version: "1.0.102",
		args: []string{"--allow-all-tools", "--excluded-tools", "view,edit,create", "--disable-builtin-mcps", "-p", "Edit menu.txt."},
		env:  []string{"COPILOT_PROVIDER_BASE_URL=$MODEL/v1", "COPILOT_MODEL=stand-in", "COPILOT_OFFLINE=true"},
		own:  []string{"view", "edit", "create"},
	},
}

// setup is what docs/agents.md has the user of a program do in a project.
type setup struct {
	commands []string
	files    map[string]string
}

var fence = regexp.MustCompile("(?s)\n```\\w+ agent=(\\w+)(?: file=(\\S+))?\n(.*?\n)```\n")

// readSetups reads the page: a fence of commands, or one of a file's text, says whose it is.
func readSetups(page string) (map[string]setup, error) {
	raw, err := os.ReadFile(page)
	if err != nil {
		return nil, err
	}
	all := map[string]setup{}
	for _, m := range fence.FindAllStringSubmatch(string(raw), -1) {
		s := all[m[1]]
		if m[2] == "" {
			s.commands = append(s.commands, strings.Split(strings.TrimSpace(m[3]), "\n")...)
		} else {
			if s.files == nil {
				s.files = map[string]string{}
			}
			s.files[m[2]] = m[3]
		}
		all[m[1]] = s
	}
	for _, p := range programs {
		if _, is := all[p.name]; !is {
			return nil, fmt.Errorf("%s has no set-up of %s", page, p.name)
		}
		if !strings.Contains(string(raw), p.version) {
			return nil, fmt.Errorf("%s does not name version %s of %s, which is tried", page, p.version, p.name)
		}
	}
	return all, nil
}
