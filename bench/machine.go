package main

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// machine is what the figures were measured on.
type machine struct {
	Date, Commit, System, Processor string
	Go, Node, Git                   string
	Cores                           int
	Quick                           bool
	Load                            string // load average of the whole machine; "" where the system has none
}

func machineNow(e *env) machine {
	m := machine{
		Date:   time.Now().UTC().Format(time.DateOnly),
		Commit: said("git", "describe", "--always", "--dirty", "--abbrev=10", "--exclude=*"),
		System: runtime.GOOS + "/" + runtime.GOARCH, Processor: processor(), Cores: runtime.NumCPU(),
		Go: runtime.Version(), Git: strings.TrimPrefix(said("git", "--version"), "git version "), Quick: e.quick,
		Load: loadAverage(),
	}
	if e.peers.node != "" {
		m.Node = said(e.peers.node, "--version")
	}
	return m
}

// loadAverage is the load average of the last minute, as far as Linux tells it.
func loadAverage() string {
	raw, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return ""
	}
	minute, _, _ := strings.Cut(string(raw), " ")
	return minute
}

// said returns the output of a program, "" if it has none.
func said(program string, args ...string) string {
	out, err := exec.Command(program, args...).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// processor is the kind of processor, as far as Linux tells it.
func processor() string {
	raw, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	for l := range strings.Lines(string(raw)) {
		if name, value, ok := strings.Cut(l, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
