package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A model pays for each byte that it is shown, and clients cut long answers, the strictest in docs/agents/mcp.md at
// 8,000 characters. A view may be longer: most clients show more, and its first line says how to go on.
const (
	mostTools  = 16 * 1024
	mostAnswer = 8000
	mostView   = 20000
)

// answered is a call of a tool, and the most that its answer may have.
type answered struct {
	what  string
	tool  string
	args  map[string]any
	most  float64
	fails bool
}

// answersRow measures what a model is shown, in bytes, and how soon it is shown the tools.
func answersRow(e *env) (row, error) {
	r := row{
		Title: "What a model is shown",
		Why:   "At best, patchls serve answers initialize after 4.9 ms, patchls mcp after 5.7, and its list, 12 KB of schemas, is there after 7.1. A client asks for it once.",
		About: "Bytes of patchls mcp's list of tools, as it is on the wire, and of the text of answers about Go's own source, open in a live editor. " +
			"And from exec until the list of tools is there, beside patchls serve from exec until initialize is answered.",
	}
	live, err := startLive(e)
	if err != nil {
		return r, err
	}
	defer live.close()
	c, list, err := e.shownTools(live.environment, live.root)
	if err != nil {
		return r, err
	}
	defer c.close()
	t := table{Columns: []string{"what", "bytes", "at most"}}
	add := func(what string, bytes int, most float64) {
		t.add(what, number(float64(bytes)), number(most))
		r.Goals = append(r.Goals, atMost(what, most, only(float64(bytes)), "bytes"))
	}
	add("the list of tools", len(list), mostTools)
	for _, a := range e.answers() {
		for name, text := range map[string]string{"a.go": e.source.first(340 * kilobyte), "b.go": numbered(300), "c.go": numbered(300)} {
			if err := os.WriteFile(filepath.Join(live.root, name), []byte(text), 0o600); err != nil {
				return r, err
			}
		}
		text, err := c.answer(a)
		if err != nil {
			return r, fmt.Errorf("%s: %w", a.what, err)
		}
		add(a.what, len(text), a.most)
	}
	start, soon, err := e.toolsStart(live.environment, live.root)
	r.Goals, r.Tables = append(r.Goals, soon), []table{t, start}
	return r, err
}

// answers are the calls: each of texts as they are on disk.
func (e *env) answers() []answered {
	line := func(n int) string { return fmt.Sprintf("\tvalue_%d = compute(%d, %d)\n", n, n+1, n+2) }
	hunk := func(file string) string {
		return "*** Update File: " + file + "\n@@\n" + " " + line(9) + "-" + line(10) + "+\tvalue_10 = 0\n " + line(11)
	}
	return []answered{
		{"view of 340 KB", "view", map[string]any{"path": "a.go"}, mostView, false},
		{"str_replace of a line", "str_replace", map[string]any{"path": "b.go", "old_str": line(10), "new_str": "\tvalue_10 = 0\n"}, mostAnswer, false},
		{"str_replace that fails", "str_replace", map[string]any{"path": "c.go", "old_str": strings.ReplaceAll(line(20), "compute", "computed"), "new_str": ""}, mostAnswer, true},
		{"apply_patch of two files", "apply_patch", map[string]any{"patch": "*** Begin Patch\n" + hunk("c.go") + "*** Update File: a.go\n@@\n-" + firstLine(e.source.first(kilobyte)) + "+// A new first line.\n*** End Patch\n"}, mostAnswer, false},
		{"str_replace of 300 places", "str_replace", map[string]any{"path": "b.go", "old_str": "value_", "new_str": "v_", "replace_all": true}, mostAnswer, false},
		{"write of 340 KB", "write", map[string]any{"path": "d.go", "content": e.source.first(340 * kilobyte)}, mostAnswer, false},
	}
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line + "\n"
}

// answer calls a tool, and returns the text that a model is shown.
func (s toolServer) answer(of answered) (string, error) {
	raw, _, err := s.request("tools/call", map[string]any{"name": of.tool, "arguments": of.args})
	var a toolAnswer
	if err == nil {
		err = json.Unmarshal(raw, &a)
	}
	if err == nil && a.IsError != of.fails {
		err = fmt.Errorf("an error: %t: %.300s", a.IsError, a.text())
	}
	return a.text(), err
}

// shownTools starts a server and returns it once its tools are listed.
func (e *env) shownTools(environment []string, root string) (toolServer, json.RawMessage, error) {
	c, err := serveWith(environment, e.patchls, "mcp", "--root", root)
	if err != nil {
		return toolServer{}, nil, err
	}
	s := toolServer{c}
	if err = s.greet(); err != nil {
		c.close()
		return s, nil, err
	}
	list, _, err := s.request("tools/list", map[string]any{})
	return s, list, err
}

// toolsStart measures how soon the tools are listed.
func (e *env) toolsStart(environment []string, root string) (table, goal, error) {
	const list, server = "patchls mcp, until tools/list is answered", "patchls serve, until initialize is answered"
	got, err := contest(e.rounds(25, 3),
		contestant{name: list, run: func() (float64, error) {
			began := time.Now()
			s, _, err := e.shownTools(environment, root)
			took := float64(time.Since(began).Nanoseconds())
			if err == nil {
				s.close()
			}
			return took, err
		}},
		contestant{name: server, run: func() (float64, error) {
			c, took, err := starting(e.patchls, "serve")
			if err == nil {
				c.close()
			}
			return took, err
		}})
	t := table{Columns: []string{"from exec", "best", "median"}}
	for _, name := range []string{list, server} {
		t.add(name, duration(got[name].best()), got[name].times())
	}
	x := got[list].over(got[server])
	x.Mid = got[list].best() / got[server].best()
	return t, atMost("best start until the tools are listed, against initialize of patchls serve", 1.5, x, "×"), err
}
