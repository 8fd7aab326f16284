//go:build unix

package nvim_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// classes are the fields of the LuaCATS classes of the plugin, each with its type.
func classes(t *testing.T) map[string]map[string]string {
	t.Helper()
	files, err := filepath.Glob("lua/patchls/*.lua")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]map[string]string{}
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var fields map[string]string
		for line := range strings.Lines(string(raw)) {
			if class, is := strings.CutPrefix(line, "---@class "); is {
				fields = map[string]string{}
				found[strings.TrimSpace(class)] = fields
			} else if field := regexp.MustCompile(`^---@field (\w+\??) (fun\(.*?\): \w+\??|\S+)`).FindStringSubmatch(line); field != nil {
				fields[field[1]] = field[2]
			}
		}
	}
	return found
}

// fits says what is wrong with a value for a class.
func fits(all map[string]map[string]string, class string, value map[string]any, isWhole bool) (faults []string) {
	fields := all[class]
	for name, v := range value {
		kind, is := fields[name]
		if !is {
			kind, is = fields[name+"?"]
		}
		fit := map[string]string{"string": "string", "float64": "number integer", "bool": "boolean fun", "[]interface {}": "[]"}[fmt.Sprintf("%T", v)]
		inner, isTable := v.(map[string]any)
		switch {
		case !is:
			faults = append(faults, fmt.Sprintf("%s has no field for %s", class, name))
		case isTable:
			faults = append(faults, fits(all, kind, inner, isWhole)...)
		case kind[0] == '"' && strings.Contains(kind, fmt.Sprintf("%q", v)), strings.HasSuffix(kind, "[]") && fit == "[]":
		case !slices.Contains(strings.Fields(fit), strings.FieldsFunc(kind, func(r rune) bool { return r == '(' })[0]):
			faults = append(faults, fmt.Sprintf("%s.%s is %v, and its type is %s", class, name, v, kind))
		}
	}
	for name := range fields {
		if _, is := value[strings.TrimSuffix(name, "?")]; !is && (isWhole || !strings.HasSuffix(name, "?")) {
			faults = append(faults, fmt.Sprintf("%s.%s is not there", class, name))
		}
	}
	return faults
}

// The types say what options there are, and the help says the same.
func TestTypesOfOptions(t *testing.T) {
	e := start(t, nil, options{})
	defaults := e.eval(`(function()
		local options = vim.deepcopy(require("patchls.config").defaults)
		options.settings = { match = "exact", protected_paths = { ".git" }, agent_socket = true, save_after_edit = "never", absorb = "merge", allow_outside_workspace = false }
		return options
	end)()`).(map[string]any)
	all := classes(t)
	if faults := fits(all, "patchls.Options", defaults, true); faults != nil {
		t.Error(strings.Join(faults, "\n"))
	}
	marks := defaults["marks"].(map[string]any)
	marks["fade"], marks["colour"] = "soon", 1
	delete(marks, "sign")
	if faults := fits(all, "patchls.Options", defaults, true); len(faults) != 3 {
		t.Errorf("of three slips there are found %q", faults)
	}
	shownDefaults := e.lua("return " + example(t, "How the server is started")).(map[string]any)
	fromCode, _ := json.Marshal(e.eval(`require("patchls.config").defaults`))
	if fromHelp, _ := json.Marshal(shownDefaults); !bytes.Equal(fromHelp, fromCode) {
		t.Errorf("the defaults in the help are %s, and those of the code %s", fromHelp, fromCode)
	}
	page, err := os.ReadFile("../../docs/settings.md")
	if err != nil {
		t.Fatal(err)
	}
	for name := range all["patchls.Settings"] {
		if name = strings.TrimSuffix(name, "?"); !strings.Contains(string(page), "| `settings."+name+"` | `"+name+"` |") {
			t.Errorf("docs/settings.md has no setting %s", name)
		}
	}
}

// The types say what status returns, and the help says the same.
func TestTypesOfStatus(t *testing.T) {
	e, a, _ := reviewed(t, options{})
	done := a.proposes("str_replace", args{"path": "a.txt", "old_str": "why 1", "new_str": "1"})
	e.wait(`#require("patchls").status().questions == 1`)
	all := classes(t)
	status := e.eval(`require("patchls").status()`).(map[string]any)
	question := status["questions"].([]any)[0].(map[string]any)
	for class, value := range map[string]map[string]any{"patchls.Status": status, "patchls.Question": question} {
		if faults := fits(all, class, value, false); faults != nil {
			t.Error(strings.Join(faults, "\n"))
		}
	}
	_, said, _ := strings.Cut(help(t), "*patchls.status()*")
	said, _, _ = strings.Cut(said, "*patchls.statusline()*")
	for _, class := range []string{"patchls.Status", "patchls.BufferStatus", "patchls.Question"} {
		for _, name := range slices.Sorted(maps.Keys(all[class])) {
			if name = strings.TrimSuffix(name, "?"); !regexp.MustCompile(`\b` + name + `\b`).MatchString(said) {
				t.Errorf("the help does not say what %s of %s is", name, class)
			}
		}
	}
	e.lua(`vim.cmd("Patchls answer reject")`)
	<-done
}
