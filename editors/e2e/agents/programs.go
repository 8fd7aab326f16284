//go:build linux

package main

// A program is an agent from npm: how it is run with one prompt, and the settings that make it ask the
// stand-in instead of its model. Its settings for patchls are not here: patchls setup writes them.
type program struct {
	name     string
	settings string // the agent whose settings it uses, for patchls setup; "" is name
	title    string // of its page in docs/agents, or of its section in others.md
	pkg      string // of npm
	version  string
	args     []string
	env      []string
	files    map[string]string // by their paths; "~/" is the home
	own      []string          // its file tools, which patchls setup turns off
	user     []string          // the args that its user needs in addition to patchls setup

	// writes are the calls of its own file tools, and free the files that permit it to write. In their
	// arguments $FILE is the file, $OLD1 and $OLD2 are two of its lines, $NEW1 and $NEW2 their new
	// texts, and $TEXT is the whole new text.
	free   map[string]string
	writes []step
	// edits are calls of its own tools and its shell that read the file and edit both lines, one by one.
	edits []step
	// whole are calls that write the whole text, and bring it back in the end; their answers say that they are made.
	whole []step
	// made are calls that edit the file $FILE.new, which is not on disk, before and after they read it, if the program can.
	made  []step
	hooks bool // its own tools ask patchls hook after patchls setup
	// refuses is a part of what it answers itself to a call that the schema of the tool does not allow, "" if it makes such calls.
	refuses string

	// What was seen of it, for the table in docs/agents/mcp.md.
	shows string // which tools and instructions it shows its model at the start
	cuts  string // the length from which it cuts an answer
	waits string // how long it waits for the answer to a call
	view  string // what its model calls the tool view
}

// In args, env and files, $MODEL is the URL of the stand-in and $PROJECT the folder.
var programs = []program{
	{
		name: "claude", title: "Claude Code", pkg: "@anthropic-ai/claude-code", version: "2.1.331",
		args: []string{"-p", "Edit menu.txt."},
		env: []string{
			"ANTHROPIC_BASE_URL=$MODEL", "ANTHROPIC_API_KEY=none", "ANTHROPIC_MODEL=claude-opus-4-6",
			"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		},
		files: map[string]string{"~/.claude.json": `{"projects": {"$PROJECT": {"hasTrustDialogAccepted": true}}}`},
		shows: "the tools that ask for it, the names of the others, the instructions",
		cuts:  "from some 50,000 characters on, 2 KB and the name of a file that has the rest",
		view:  "mcp__patchls__view",
		free:  map[string]string{".claude/settings.json": `{"permissions": {"allow": ["Read", "Edit", "Write"]}}`},
		writes: []step{
			{"Read", map[string]any{"file_path": "$FILE"}},
			{"Edit", map[string]any{"file_path": "$FILE", "old_string": "$OLD1", "new_string": "$NEW1"}},
			{"Write", map[string]any{"file_path": "$FILE", "content": "$TEXT"}},
		},
		hooks: true,
		edits: []step{
			{"Read", map[string]any{"file_path": "$FILE"}},
			{"Bash", map[string]any{"command": "cat $FILE"}},
			{"Edit", map[string]any{"file_path": "$FILE", "old_string": "$OLD1", "new_string": "$NEW1"}},
			{"Edit", map[string]any{"file_path": "$FILE", "old_string": "$OLD2", "new_string": "$NEW2"}},
			{"Read", map[string]any{"file_path": "$FILE"}},
		},
		whole: []step{
			{"Write", map[string]any{"file_path": "$FILE", "content": "$TEXTpie\n"}},
			{"Write", map[string]any{"file_path": "$FILE", "content": "$TEXT"}},
		},
		made: []step{
			{"Edit", map[string]any{"file_path": "$FILE.new", "old_string": "$OLD1", "new_string": "brown soup"}},
			{"Read", map[string]any{"file_path": "$FILE.new"}},
			{"Write", map[string]any{"file_path": "$FILE.new", "content": "$NEW1\n"}}, // refused if the text was not shown
		},
	},
	{
		name: "codex", title: "Codex CLI", pkg: "@openai/codex", version: "0.169.0",
		args: []string{
			"exec", "--skip-git-repo-check", "-c", `model="stand-in"`, "-c", `model_provider="standin"`,
			"-c", `model_providers.standin={name="stand-in", base_url="$MODEL/v1", wire_api="responses"}`, "Edit menu.txt.",
		},
		shows: "by the model: all tools, or none and 240 characters of the instructions",
		cuts:  "from 12,000, 40,000 or 48,000 characters on, by the model, without the middle",
		waits: "300 s, `tool_timeout_sec`", view: "mcp__patchls__view",
		free: map[string]string{"~/.codex/config.toml": `sandbox_mode = "danger-full-access"`},
		writes: []step{
			{"exec_command", map[string]any{"cmd": "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: $FILE\n@@\n-$OLD1\n+$NEW1\n*** End Patch\nEOF"}},
			{"exec_command", map[string]any{"cmd": "sed -i 's/^$OLD2$/$NEW2/' $FILE"}},
		},
		user:  []string{"--dangerously-bypass-hook-trust"}, // codex exec cannot ask
		hooks: true,
		edits: []step{
			{"exec_command", map[string]any{"cmd": "cat $FILE"}},
			{"exec_command", map[string]any{"cmd": "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: $FILE\n@@\n-$OLD1\n+$NEW1\n*** End Patch\nEOF"}},
			{"exec_command", map[string]any{"cmd": "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: menu.txt\n@@\n-$OLD2\n+$NEW2\n*** End Patch\nEOF"}},
		},
		made: []step{
			{"exec_command", map[string]any{"cmd": "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: $FILE.new\n@@\n-$OLD1\n+$NEW1\n*** End Patch\nEOF"}},
		},
	},
	{
		name: "gemini", title: "Gemini CLI", pkg: "@google/gemini-cli", version: "0.61.0",
		args:  []string{"-m", "gemini-2.5-pro", "--approval-mode", "yolo", "-p", "Edit menu.txt."},
		env:   []string{"GOOGLE_GEMINI_BASE_URL=$MODEL", "GEMINI_API_KEY=none", "GEMINI_CLI_TRUST_WORKSPACE=true"},
		files: map[string]string{"~/.gemini/settings.json": `{"security": {"auth": {"selectedType": "gemini-api-key"}}, "privacy": {"usageStatisticsEnabled": false}}`},
		own:   []string{"read_file", "read_many_files", "replace", "write_file"},
		shows: "all tools, the instructions",
		cuts:  "from 40,000 characters on, the first 8,000 and the last 32,000",
		view:  "mcp_patchls_view",
		writes: []step{
			{"replace", map[string]any{"file_path": "$FILE", "old_string": "$OLD1", "new_string": "$NEW1", "instruction": "Take another one."}},
			{"write_file", map[string]any{"file_path": "$FILE", "content": "$TEXT"}},
		},
		refuses: "params", // and tells its model what is wrong
	},
	{
		name: "opencode", title: "opencode", pkg: "opencode-ai", version: "1.18.33",
		args: []string{"run", "--model", "standin/standin", "Edit menu.txt."},
		env:  []string{"OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_DEFAULT_PLUGINS=1"},
		files: map[string]string{"~/.config/opencode/opencode.json": `{"provider": {"standin": {
			"npm": "@ai-sdk/openai-compatible", "options": {"baseURL": "$MODEL/v1", "apiKey": "none"}, "models": {"standin": {"tool_call": true}}
		}}}`},
		own:   []string{"read", "edit", "write", "apply_patch"},
		shows: "all tools, the instructions",
		cuts:  "from some 52,000 characters or 700 lines on, the first of it",
		waits: "60 s", view: "patchls_view",
		writes: []step{
			{"read", map[string]any{"filePath": "$FILE"}},
			{"edit", map[string]any{"filePath": "$FILE", "oldString": "$OLD1", "newString": "$NEW1"}},
			{"write", map[string]any{"filePath": "$FILE", "content": "$TEXT"}},
		},
		edits: []step{
			{"read", map[string]any{"filePath": "$FILE"}},
			{"bash", map[string]any{"command": "cat $FILE", "description": "Shows the menu"}},
			{"edit", map[string]any{"filePath": "$FILE", "oldString": "$OLD1", "newString": "$NEW1"}},
			{"edit", map[string]any{"filePath": "$FILE", "oldString": "$OLD2", "newString": "$NEW2"}},
		},
	},
	{
		name: "copilot", title: "Copilot CLI", pkg: "@github/copilot", version: "1.0.102",
		args:  []string{"--allow-all-tools", "--disable-builtin-mcps", "-p", "Edit menu.txt."},
		user:  []string{"--excluded-tools", "view,edit,create"},
		env:   []string{"COPILOT_PROVIDER_BASE_URL=$MODEL/v1", "COPILOT_MODEL=stand-in", "COPILOT_OFFLINE=true"},
		own:   []string{"view", "edit", "create"},
		shows: "all tools; the instructions only with `--allow-all-mcp-server-instructions`",
		cuts:  "from some 20,000 characters on, 500 bytes and the name of a file that has the rest",
		waits: "180 s", view: "patchls-view",
		writes: []step{
			{"view", map[string]any{"path": "$FILE"}},
			{"edit", map[string]any{"path": "$FILE", "old_str": "$OLD1", "new_str": "$NEW1"}},
			{"edit", map[string]any{"path": "$FILE", "old_str": "$OLD2", "new_str": "$NEW2"}},
		},
	},
}

// adapter is an agent of the Agent Client Protocol, which is Claude Code as editors start it.
var adapter = program{
	name: "claude-agent-acp", title: "Claude Agent", pkg: "@agentclientprotocol/claude-agent-acp", version: "0.101.0",
	env: programs[0].env,
	// It is started in a mode in which the model says what is permitted.
	files:  map[string]string{"~/.claude/settings.json": `{"permissions": {"defaultMode": "default"}}`},
	writes: programs[0].writes, edits: programs[0].edits, whole: programs[0].whole, made: programs[0].made, hooks: true, settings: "claude",
}

// byHand are programs that were tried by hand.
var byHand = []program{
	{
		title: "Qwen Code", version: "0.24.4",
		shows: "the names of the tools with one line each, the instructions",
		cuts:  "from some 25,000 characters on, the first of it and the name of a file that has the rest",
	},
	{
		title: "Cline", version: "3.0.65",
		shows: "all tools, not the instructions",
		cuts:  "from 8,000 characters on, without the middle", waits: "60 s",
	},
}
