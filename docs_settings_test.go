package patchls_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/patchls/patchls/lsp/bounds"
)

const settingsPage = "docs/settings.md"

// The files that have the settings, by the column of the page.
const (
	manifestFile = "editors/vscode/package.json"
	optionsFile  = "editors/nvim/lua/patchls/config.lua"
	serverFile   = "lsp/settings.go"
)

// TestDocsSettings holds the table of settings to the code: which there are, and their defaults.
func TestDocsSettings(t *testing.T) { repositoryPasses(t, checkSettings) }

// TestDocsSettingsComplain shows that TestDocsSettings can fail.
func TestDocsSettingsComplain(t *testing.T) {
	rows := "| VS Code | Neovim | server | default | what it does |\n|---|---|---|---|---|\n" +
		"| `patchls.match` | `settings.match` | `match` | `\"exact\"` | it matches |\n" +
		"| `patchls.marks.fadeAfter` | `marks.fade` | | `120`, in Neovim `60` | seconds |\n" +
		"| | `cmd` | | `{ \"patchls\", \"serve\" }` | the program |\n" +
		"| | | `review.codeLens` | `true` | links |\n"
	for i := range bounds.All {
		if b := &bounds.All[i]; b.Setting {
			rows += fmt.Sprintf("| `patchls.bounds` | `settings.%s` | `%[1]s` | `%d` | a limit |\n", b.Name, b.Default)
		}
	}
	for _, tt := range []struct{ name, old, new, want string }{
		{"all is well", "", "", ""},
		{"a setting of VS Code without a row", "| `patchls.match` |", "| |", "docs/settings.md has no row for patchls.match, which editors/vscode/package.json has"},
		{"one of Neovim", "| `cmd` |", "| |", "no row for cmd, which editors/nvim/lua/patchls/config.lua has"},
		{"one of Neovim for the server", "| `settings.match` |", "| |", "no row for settings.match, which editors/nvim/lua/patchls/config.lua has"},
		{"one of the server", "| `match` |", "| |", "no row for match, which lsp/settings.go has"},
		{"one within another", "| `review.codeLens` |", "| `review` |", "no row for review.codeLens, which lsp/settings.go has"},
		{"a limit", "| `max_agents` |", "| |", "no row for max_agents, which lsp/settings.go has"},
		{"a row of nothing", "| `match` |", "| `matches` |", "docs/settings.md has matches, which lsp/settings.go has not"},
		{"another default", "`120`", "`121`", "of patchls.marks.fadeAfter marks.fade is `120`, in Neovim `60` in the code, and docs/settings.md says `121`, in Neovim `60`"},
		{"one default of two", ", in Neovim `60`", "", "is `120`, in Neovim `60` in the code"},
		{"another limit", "`32`", "`33`", "max_agents is `32` in the code, and docs/settings.md says `33`"},
		{"another switch of the server", "`true`", "`false`", "review.codeLens is `true` in the code, and docs/settings.md says `false`"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			page := strings.Replace(rows, tt.old, tt.new, 1)
			if tt.old != "" && page == rows {
				t.Fatalf("there is no %s to replace", tt.old)
			}
			got, err := checkSettings(fstest.MapFS{
				settingsPage: {Data: []byte(page)},
				manifestFile: {Data: []byte(`{"contributes": {"configuration": {"properties": {
					"patchls.match": {"default": "exact"}, "patchls.marks.fadeAfter": {"default": 120}, "patchls.bounds": {"default": {}}}}}}`)},
				optionsFile: {Data: []byte("---@field match? string how\n\n---@class patchls.MarkOptions\n---@field fade? number seconds\n\n" +
					"M.defaults = {\n  cmd = { \"patchls\", \"serve\" },\n  settings = {},\n  marks = { fade = 60 },\n}\n")},
				serverFile: {Data: []byte("type settings struct {\n\tMatch string `json:\"match\"`\n\tReview struct {\n\t\tCodeLens bool `json:\"codeLens\"`\n\t} `json:\"review\"`\n}\n" +
					"\tset.Review.CodeLens = true\n")},
			})
			if err != nil {
				t.Fatal(err)
			}
			expect(t, slices.DeleteFunc(got, func(c string) bool { return tt.want != "" && !strings.Contains(c, tt.want) }), tt.want)
		})
	}
}

var (
	settingRow = regexp.MustCompile("(?m)^\\| ?`?([^|`]*?)`? \\| ?`?([^|`]*?)`? ?\\| ?`?([^|`]*?)`? ?\\| (`[^|]*) \\|")
	luaDefault = regexp.MustCompile(`(?m)^ {2}(\w+) = (.*),$`)
	luaMember  = regexp.MustCompile(`(\w+) = ("[^"]*"|[\w.]+)`)
	luaSetting = regexp.MustCompile(`(?m)^---@field (\w+)\? `)
	goSetting  = regexp.MustCompile("(?m)^(\t+)(\\w+|\\}) .*`json:\"(\\w+)\"`")
	goSwitch   = regexp.MustCompile(`(?m)^\t+(?:set\.Review\.)?(\w+)(?::| =) +(true|false),?$`)
)

// checkSettings complains of settings that only the code has, or only the page, and of other defaults.
func checkSettings(tree fs.FS) (complaints []string, err error) {
	var raw [4]string
	for i, name := range []string{settingsPage, manifestFile, optionsFile, serverFile} {
		b, err := fs.ReadFile(tree, name)
		if err != nil {
			return nil, err
		}
		raw[i] = string(b)
	}
	page, lua := raw[0], raw[2]
	vscode, err := settingsOfVSCode(raw[1])
	if err != nil {
		return nil, err
	}
	code := []struct {
		file     string
		defaults map[string]string // by the key; "" if it is not known
	}{{manifestFile, vscode}, {optionsFile, settingsOfNeovim(lua)}, {serverFile, settingsOfServer(raw[3])}}
	seen := []map[string]bool{{}, {}, {}}
	for _, row := range settingRow.FindAllStringSubmatch(page, -1) {
		var all []string // the defaults, as the page has to say them
		for i, key := range row[1:4] {
			if key == "" {
				continue
			}
			seen[i][key] = true
			value, known := code[i].defaults[key]
			if !known {
				complaints = append(complaints, fmt.Sprintf("%s has %s, which %s has not", settingsPage, key, code[i].file))
			}
			says := "`" + value + "`"
			switch {
			case value == "" || slices.Contains(all, says):
			case len(all) > 0:
				all = append(all, "in Neovim "+says)
			default:
				all = append(all, says)
			}
		}
		if want := strings.Join(all, ", "); want != row[4] && want != "" {
			complaints = append(complaints, fmt.Sprintf("the default of %s is %s in the code, and %s says %s", strings.Join(strings.Fields(strings.Join(row[1:4], " ")), " "), want, settingsPage, row[4]))
		}
	}
	for i, of := range code {
		for _, key := range slices.Sorted(maps.Keys(of.defaults)) {
			if !seen[i][key] {
				complaints = append(complaints, fmt.Sprintf("%s has no row for %s, which %s has", settingsPage, key, of.file))
			}
		}
	}
	return complaints, nil
}

// settingsOfVSCode returns the defaults of the extension's settings.
func settingsOfVSCode(manifest string) (map[string]string, error) {
	var is struct {
		Contributes struct {
			Configuration struct {
				Properties map[string]struct{ Default json.RawMessage }
			}
		}
	}
	err := json.Unmarshal([]byte(manifest), &is)
	all := map[string]string{}
	for key, of := range is.Contributes.Configuration.Properties {
		var line bytes.Buffer
		if err := json.Compact(&line, of.Default); err != nil {
			return nil, err
		}
		all[key] = line.String()
	}
	all["patchls.bounds"] = "" // it has limits of the server, each with a default there
	return all, err
}

// settingsOfNeovim returns the defaults of the plugin's options; of the server's settings it knows no defaults.
func settingsOfNeovim(lua string) map[string]string {
	all := map[string]string{}
	of, _, _ := strings.Cut(lua, "\n\n---@class patchls.MarkOptions")
	for key := range firsts(luaSetting, of) {
		all["settings."+key] = ""
	}
	_, block, _ := strings.Cut(lua, "\nM.defaults = {\n")
	block, _, _ = strings.Cut(block, "\n}\n")
	for _, m := range luaDefault.FindAllStringSubmatch(block+"\n", -1) {
		switch inner := luaMember.FindAllStringSubmatch(m[2], -1); {
		case m[1] == "settings":
		case inner == nil:
			all[m[1]] = m[2]
		default:
			for _, of := range inner {
				all[m[1]+"."+of[1]] = of[2]
			}
		}
	}
	for i := range bounds.All {
		if b := &bounds.All[i]; b.Setting {
			all["settings."+b.Name] = ""
		}
	}
	return all
}

// settingsOfServer returns the server's settings, with the defaults of switches and limits.
func settingsOfServer(src string) map[string]string {
	all, switches := map[string]string{}, firsts(goSwitch, src)
	var inner [][]string // the members of a struct that has not ended
	for _, m := range goSetting.FindAllStringSubmatch(src, -1) {
		switch {
		case len(m[1]) > 1:
			inner = append(inner, m)
		case m[2] == "}":
			for _, of := range inner {
				all[m[3]+"."+of[3]] = switches[of[2]]
			}
			inner = nil
		default:
			all[m[3]] = switches[m[2]]
		}
	}
	for i := range bounds.All {
		if b := &bounds.All[i]; b.Setting {
			all[b.Name] = fmt.Sprint(b.Default)
		}
	}
	return all
}
