package lsp_test

import (
	"strings"
	"testing"
)

// agentFaults are the faults of an agent's connection.
var agentFaults = []faultKind{
	{group: "agent", name: "cut before its message", class: anyUp, act: breaks(0, cutOff)},
	{group: "agent", name: "cut before a message to it", class: anyDown, act: breaks(0, cutOff)},
	{group: "agent", name: "silent for ever", class: anyUp, act: breaks(0, goesOn)},
	{group: "agent", name: "silent in its message", class: anyUp, act: breaks(0.5, goesOn)},
	{group: "agent", name: "its message twice", class: anyUp, act: instead(func(_ message, b []byte) []string { return []string{string(b), string(b)} })},
	{group: "agent", name: "its message not JSON", class: anyUp, act: instead(func(_ message, b []byte) []string { return []string{string(b[:len(b)-1])} })},
	{group: "agent", name: "hears nothing any more", class: anyDown, act: breaks(0, goesOn)},
	{group: "agent", name: "reads nothing any more", class: anyDown, act: breaks(0, deaf)},
}

// parts is the number of parts of a message; it is cut in each of them.
const parts = 16

// TestFaultsOfAnAgent runs the session with faults of the agent's connection. They must
// not affect the editor or the next agent.
func TestFaultsOfAnAgent(t *testing.T) {
	tab := newFaultTable(t)
	r, failed := suffered(t, nil, nil, nil)
	if len(failed) > 0 {
		t.Fatal(strings.Join(failed, "\n"))
	}
	try := func(kind faultKind) func(n int) (bool, []string) {
		return func(n int) (bool, []string) {
			r, failed := suffered(t, nil, &fault{kind, n}, nil)
			return r.first != nil && r.first.hasFired(), failed
		}
	}
	for _, kind := range agentFaults {
		tab.run(kind.group, kind.name, r.first.seen[kind.class], false, try(kind))
	}
	cuts := r.first.seen[anyUp] * parts
	tab.run("agent", "cut in its message", cuts, false, func(n int) (bool, []string) {
		part := (float64(n%parts) + 0.5) / parts
		return try(faultKind{class: anyUp, act: breaks(part, cutOff)})(n / parts)
	})
}

// TestFaultsOfTheClock runs the session with a clock that is wrong. The server's clock
// only counts how long something takes, so a change of the time of day shows as no more
// than these faults.
func TestFaultsOfTheClock(t *testing.T) {
	tab := newFaultTable(t)
	r, failed := suffered(t, nil, nil, nil)
	if len(failed) > 0 {
		t.Fatal(strings.Join(failed, "\n"))
	}
	for _, kind := range []struct {
		name  string
		wrong func(at int) func(n int) clockFault
	}{
		{"a timer is over at once", func(at int) func(int) clockFault { return only(at, atOnce) }},
		{"all timers are over at once", func(at int) func(int) clockFault { return only(at, allOver) }},
		{"a timer never ends", func(at int) func(int) clockFault { return only(at, never) }},
		{"each one from there is over at once", func(at int) func(int) clockFault { return since(at, atOnce) }},
		{"none from there ends", func(at int) func(int) clockFault { return since(at, never) }},
	} {
		tab.run("clock", kind.name, r.asked, false, func(n int) (bool, []string) {
			r, failed := suffered(t, nil, nil, kind.wrong(n))
			return r.asked > n, failed
		})
	}
}

func only(at int, f clockFault) func(int) clockFault {
	return func(n int) clockFault {
		if n == at {
			return f
		}
		return right
	}
}

func since(at int, f clockFault) func(int) clockFault {
	return func(n int) clockFault {
		if n >= at {
			return f
		}
		return right
	}
}
