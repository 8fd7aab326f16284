package setup

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/patchls/patchls/internal/testkit/chance"
)

// mark stands in random texts where the user changes them.
const mark = "what the user changes"

// TestRandomTexts puts the entries of all agents into random texts, changes other parts as a user would, and takes the
// entries out again: the text is then as it was, byte for byte, except for the user's changes.
func TestRandomTexts(t *testing.T) {
	r := chance.Rand(t)
	var json, toml []part
	for _, a := range Agents {
		for _, f := range a.files {
			if strings.HasSuffix(f.name, ".toml") {
				toml = append(toml, f.parts...)
			} else {
				json = append(json, f.parts...)
			}
		}
	}
	for _, kind := range []struct {
		name  string
		text  func(*rand.Rand) string
		parts []part
	}{{"a.json", randomJSON, json}, {"a.toml", randomTOML, toml}} {
		done := 0
		const rounds = 500
		for range rounds {
			s := kind.text(r)
			c := Change{Path: kind.name, Before: s, After: s}
			rec, _, err := c.put(kind.parts)
			if err != nil {
				continue // the text is malformed, or has no place for a table
			}
			if len(rec.Parts) > 0 {
				done++
			}
			now := strings.ReplaceAll(c.After, mark, "{ [ changed")
			want := strings.ReplaceAll(s, mark, "{ [ changed")
			d := Change{Path: kind.name, Before: now, After: now}
			notes, err := d.take(&rec)
			if err != nil || d.After != want || d.Deletes || len(rec.Parts) > 0 {
				t.Fatalf("undone, %q is %q, not %q: %q, %v, %v", now, d.After, want, notes, rec.Parts, err)
			}
		}
		if done < rounds/4 {
			t.Errorf("%s: something was put into %d of %d texts alone", kind.name, done, rounds)
		}
	}
}

// pick returns one of the strings at random.
func pick(r *rand.Rand, of ...string) string { return of[r.IntN(len(of))] }

// randomJSON returns a text of JSON with comments, or none.
func randomJSON(r *rand.Rand) string {
	room := []string{"", "", " ", "\n", "\n  ", "\t", "  \n\n "}
	if r.IntN(2) == 0 {
		room = append(room, " // {\"mcpServers\": [,\n", " /* [ \" */ ", "/* a\n  b */", " // c \t\r\n ", "\r\n  ")
	}
	if r.IntN(8) == 0 {
		return pick(r, "", "\n", " \r\n", "{}", "{\n}\n", "[]", "null")
	}
	gap := func() string { return pick(r, room...) }
	var value func(depth int) string
	list := func(open, end string, n int, one func(i int) string) string {
		var all []string
		for i := range n {
			all = append(all, gap()+one(i)+gap())
		}
		text := strings.Join(all, ",")
		if text == "" {
			text = gap()
		} else if r.IntN(5) == 0 {
			text += "," + gap()
		}
		return open + text + end
	}
	value = func(depth int) string {
		if depth > 3 || r.IntN(3) == 0 {
			return pick(r, "1", "-2.5e3", "true", "false", "null", `"`+mark+`"`, `"Read"`, `"\\\"//"`, `"/*"`, `{}`, `[]`, `{"patchls": 1}`)
		}
		if r.IntN(3) == 0 {
			return list("[", "]", r.IntN(4), func(int) string { return value(depth + 1) })
		}
		keys := []string{"mcpServers", "permissions", "deny", "allow", "mcp", "tools", "read", "edit", "a", "b\\\"", "patchls"}
		r.Shuffle(len(keys), func(i, k int) { keys[i], keys[k] = keys[k], keys[i] })
		return list("{", "}", r.IntN(5), func(i int) string { return `"` + keys[i] + `"` + gap() + ":" + gap() + value(depth+1) })
	}
	text := value(0)
	if !strings.HasPrefix(text, "{") {
		text = `{"a":` + text + "}"
	}
	return gap() + text + gap()
}

// randomTOML returns a text of TOML, which may be wrong.
func randomTOML(r *rand.Rand) string {
	var lines []string
	add := func(n int, of ...string) {
		for range r.IntN(n) {
			lines = append(lines, pick(r, of...))
		}
	}
	add(3, "# a comment", "", "  # [b]", "model = \"gpt\"", "sandbox_mode = \"workspace-write\"", "mcp_servers.menu.command = \"m\"",
		"c = \"\"\"\n[rule]\nsandbox_mode = 1\n\"\"\"", "d = [\n  1, # one\n  2,\n]", "e = '"+mark+"'", "f = 1979-05-27")
	add(2, "[g]\na = '"+mark+"' # a", "[mcp_servers.menu]\ncommand = \"m\"", "[[rule]]\ndecision = \"allow\"", "[mcp_servers]", "mcp_servers = {}", "[mcp_servers.patchls]")
	add(2, "[h.i]\nb = {c = 1}", "", "# end")
	end := pick(r, "\n", "\n", "\r\n")
	text := strings.ReplaceAll(strings.Join(lines, "\n"), "\n", end)
	if r.IntN(4) > 0 {
		text += end
	}
	return text
}
