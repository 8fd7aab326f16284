package main

import (
	"os"
	"path/filepath"
	"time"
)

// idle is how long a server is left alone before its memory is looked at.
const idle = 700 * time.Millisecond

// startRow starts servers.
func startRow(e *env) (row, error) {
	r := row{
		Why:   "Starting any Go program takes a fifth of it, loading patchls' code three fifths: it contains the MCP SDK with net/http, TLS and OAuth. Four fifths of what is resident are pages of the program's file, which all its processes share.",
		Title: "Start",
		About: "From exec until initialize is answered, with no workspace folder; and the resident memory of the process 0.7 seconds later. " +
			"The goal is about the best of all starts, since the rest measures the machine.",
	}
	type server struct {
		name, program string
		args          []string
		want          float64 // how many times faster patchls is to be
	}
	servers := []server{{us, e.patchls, []string{"serve"}, 0}}
	const stub, gopls = "node stub of vscode-languageserver", "gopls"
	if e.peers.node != "" {
		servers = append(servers, server{stub, e.peers.node, []string{filepath.Join(e.peers.folder, "stub.mjs"), "--stdio"}, 40})
	}
	if e.peers.gopls != "" {
		servers = append(servers, server{gopls, e.peers.gopls, []string{"serve"}, 15})
	}
	resident := map[string]series{}
	var who []contestant
	for _, s := range servers {
		who = append(who, contestant{name: s.name, run: func() (float64, error) {
			took, memory, err := start(s.program, s.args...)
			resident[s.name] = append(resident[s.name], memory)
			return took, err
		}})
	}
	got, err := contest(e.rounds(9, 1), who...)
	if err != nil {
		return r, err
	}
	t := table{Columns: []string{"server", "best", "median", "resident, MB"}}
	for _, s := range servers {
		t.add(s.name, duration(got[s.name].best()), got[s.name].times(), number(resident[s.name].median()))
		if s.want > 0 {
			x := got[s.name].over(got[us])
			x.Mid = got[s.name].best() / got[us].best()
			r.Goals = append(r.Goals, atLeast("best of all starts, against "+s.name, s.want, x))
		}
	}
	r.felt("starting the server", got, stub)
	m := resident[us]
	program, err := os.Stat(e.patchls)
	if err != nil {
		return r, err
	}
	r.Goals = append(r.Goals, atMost("resident when idle", 10, ratio{m.median(), m.quantile(.25), m.quantile(.75)}, "MB"),
		atMost("the program, as it is released", 14, only(float64(program.Size())/1e6), "MB"))
	r.Tables = []table{t}
	return r, nil
}

// starting starts a server, and returns the nanoseconds until initialize is answered.
func starting(program string, args ...string) (c *client, ns float64, err error) {
	began := time.Now()
	if c, err = serve(program, args...); err != nil {
		return nil, 0, err
	}
	if _, err = c.call("initialize", map[string]any{"processId": os.Getpid(), "rootUri": nil, "capabilities": map[string]any{}}); err != nil {
		c.close()
		return nil, 0, err
	}
	return c, float64(time.Since(began).Nanoseconds()), nil
}

// start is starting, with the megabytes that are resident some time later.
func start(program string, args ...string) (ns, memory float64, err error) {
	c, ns, err := starting(program, args...)
	if err != nil {
		return 0, 0, err
	}
	defer c.close()
	if err := c.notify("initialized", map[string]any{}); err != nil {
		return 0, 0, err
	}
	time.Sleep(idle) // nothing tells that a server is idle
	memory, err = c.resident()
	return ns, memory, err
}
